import Testing
import TillCore
import TillJSON

@Suite("JSON texts")
struct JSONCursorTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "-0.0e-0", "12345678901234567890123", "1.5", "1e9", "1E+9", "1e-9", "0.1e1",
        #""""#, #""abc""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u00e9\uD7FF\uE000\uFFFF""#, #""\ud800\udc00""#,
        #""\uDBFF\uDFFF""#, "\"\u{7F}\"", "\"é€😀\"", "[]", "[ ]", "{}", "{ }", #""\ud800""#, #""\udc00\ud800\n""#,
        "[1]", "[1 , 2]", "[[],{},[[]]]",
        #"{"a":1}"#,
        #" { "a" : [ 1 , { "b" : null } ] , "" : "" } "#, "\t\r\n 1\t\r\n ", #"{"a":1,"a":2}"#, #"[{"a":[]},{"a":{}}]"#,
    ]

    @Test("Texts of RFC 8259 are accepted, by skipping and token by token", arguments: accepted)
    func accepts(_ text: String) {
        #expect(JSONText(text).error == nil)
        #expect(JSONText(text).errorByTokens == nil)
        #expect(JSONText(Array(text.utf8), after: Array("[".utf8)).error == nil)
    }

    static let rejected: [(String, Defect, Int)] = [
        ("", .jsonTruncated, 0), ("  ", .jsonTruncated, 2), ("{", .jsonTruncated, 1), ("[", .jsonTruncated, 1),
        ("[1", .jsonTruncated, 2),
        ("[1,", .jsonTruncated, 3), ("{\"a", .jsonTruncated, 3), ("{\"a\"", .jsonTruncated, 4),
        ("{\"a\":", .jsonTruncated, 5),
        ("{\"a\":1", .jsonTruncated, 6), ("{\"a\":1,", .jsonTruncated, 7), ("tru", .jsonTruncated, 3),
        ("nul", .jsonTruncated, 3),
        ("-", .jsonTruncated, 1), ("1.", .jsonTruncated, 2), ("1e", .jsonTruncated, 2), ("1e+", .jsonTruncated, 3),
        // Separators.
        ("[1,]", .jsonSyntax, 3), ("[,1]", .jsonSyntax, 1), ("[1 2]", .jsonSyntax, 3), ("[1,,2]", .jsonSyntax, 3),
        ("[1}", .jsonSyntax, 2),
        ("{]", .jsonSyntax, 1), ("{,}", .jsonSyntax, 1), ("{\"a\":1,}", .jsonSyntax, 7), ("{\"a\":1]", .jsonSyntax, 6),
        ("{\"a\" 1}", .jsonSyntax, 5), ("{\"a\",1}", .jsonSyntax, 4), ("{\"a\"}", .jsonSyntax, 4),
        ("{a:1}", .jsonSyntax, 1),
        ("{'a':1}", .jsonSyntax, 1), ("{1:1}", .jsonSyntax, 1), ("{\"a\":}", .jsonSyntax, 5),
        ("{\"a\":1 \"b\":2}", .jsonSyntax, 7),
        ("{\"a\":1,,\"b\":2}", .jsonSyntax, 7), ("{\"a\":1,\"b\"2}", .jsonSyntax, 10), ("]", .jsonSyntax, 0),
        ("}", .jsonSyntax, 0),
        (",", .jsonSyntax, 0), (":", .jsonSyntax, 0), ("1 1", .jsonSyntax, 2), ("[]]", .jsonSyntax, 2),
        ("// x", .jsonSyntax, 0),
        // Literals.
        ("tRue", .jsonSyntax, 1), ("nulL", .jsonSyntax, 3), ("falsy", .jsonSyntax, 4), ("True", .jsonSyntax, 0),
        ("NaN", .jsonSyntax, 0),
        ("truee", .jsonSyntax, 4), ("Infinity", .jsonSyntax, 0), ("-Infinity", .jsonNumber, 1),
        ("undefined", .jsonSyntax, 0),
        // Numbers.
        ("01", .jsonNumber, 1), ("-01", .jsonNumber, 2), ("00", .jsonNumber, 1), ("1.e1", .jsonNumber, 2),
        (".5", .jsonSyntax, 0),
        ("+1", .jsonSyntax, 0), ("1e1.5", .jsonNumber, 3), ("1.5.5", .jsonNumber, 3), ("--1", .jsonNumber, 1),
        ("1-", .jsonNumber, 1),
        ("0x10", .jsonNumber, 1), ("1_000", .jsonNumber, 1), ("[1e]", .jsonNumber, 3), ("[-]", .jsonNumber, 2),
        ("1\u{7F}", .jsonNumber, 1),
        // Strings.
        ("\"", .jsonTruncated, 1), ("\"abc", .jsonTruncated, 4), ("\"\\", .jsonTruncated, 1),
        ("\"\\\"", .jsonTruncated, 3),
        ("\"a\\x\"", .jsonEscape, 2), ("\"\\'\"", .jsonEscape, 1), ("\"\\U0041\"", .jsonEscape, 1),
        ("\"\\u00g0\"", .jsonEscape, 1),
        ("\"\\u12", .jsonTruncated, 1), ("\"\\u12\"", .jsonEscape, 1), ("\"\\u\"", .jsonEscape, 1),
        ("\"\\ud800", .jsonTruncated, 7), ("\"\\ud800\\", .jsonTruncated, 7), ("\"\\ud80", .jsonTruncated, 1),
        ("\"\\ud800\\u", .jsonTruncated, 7), ("\"\\ud800\\udc0", .jsonTruncated, 7),
        ("\"01234567\\q\"", .jsonEscape, 9),
    ]

    @Test("Texts outside RFC 8259 are rejected with code and offset", arguments: rejected)
    func rejects(_ text: String, _ defect: Defect, _ offset: Int) {
        #expect(JSONText(text).error == Finding(defect, at: offset))
        #expect(JSONText(text).errorByTokens == Finding(defect, at: offset))
        let later = JSONText(Array(text.utf8), after: Array(#"{"a":"#.utf8))
        #expect(later.error == Finding(defect, at: offset))
    }

    @Test("Every control character in a string is an error at its offset, wherever it stands", arguments: 0..<0x20)
    func rejectsControlCharacters(_ control: Int) {
        for position in 0..<20 {
            let text = Array(repeating: UInt8(ascii: "x"), count: position) + [UInt8(control)]
            let quoted = [0x22] + text + Array("yyyyyyyyyy\"".utf8)
            #expect(JSONText(quoted).error == Finding(.jsonControlCharacter, at: position + 1))
            // The same behind a letter that is not ASCII, which takes the other way through the string.
            let long = [0x22] + Array("é".utf8) + text + Array("yyyyyyyyyy\"".utf8)
            #expect(JSONText(long).error == Finding(.jsonControlCharacter, at: position + 3))
        }
    }

    @Test("A quote ends a string at any distance, whatever surrounds it")
    func endsStrings() {
        for filler in [UInt8(ascii: "a"), 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] {
            for count in 0..<40 {
                let quoted = [0x22] + Array(repeating: filler, count: count) + [0x22]
                #expect(JSONText(quoted).error == nil)
                #expect(JSONText(quoted).string?.count == count)
                #expect(JSONText(Array(quoted.dropLast())).error == Finding(.jsonTruncated, at: count + 1))
            }
        }
    }

    @Test("Objects and arrays may be nested to the limit and no deeper")
    func limitsDepth() {
        let limit = JSONCursor.depthLimit
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let width = open.count { $0 == "[" || $0 == "{" }
            #expect(JSONText(nested(limit / width, open, close)).error == nil)
            let deeper = JSONText("[" + nested(limit / width, open, close) + "]")
            #expect(deeper.error?.defect == .jsonDepth)
            #expect(deeper.errorByTokens == deeper.error)
        }
        #expect(JSONText(nested(limit + 1, "[", "]")).error == Finding(.jsonDepth, at: limit))
        // Depth is what is open at once, not what was.
        #expect(JSONText("[" + String(repeating: "[[]],", count: 1000) + "1]").error == nil)
    }

    @Test("A document that ends early is truncated, at every byte")
    func tellsTruncation() {
        let text = #"{"a":[1,-2.5e+3,true,false,null],"é\u00e9\ud83d\ude00":{"b":"c\n","":[[],{}]},"😀":"€"}"#
        let bytes = Array(text.utf8)
        #expect(JSONText(bytes).error == nil)
        for count in 0..<bytes.count {
            let error = JSONText(Array(bytes[..<count])).error
            #expect(error?.defect == .jsonTruncated, "\(count) bytes")
            #expect((error?.offset ?? .max) <= count, "\(count) bytes")
        }
    }

    @Test("A line feed between tokens is noticed, one in a string cannot be")
    func noticesLineFeeds() throws {
        for (text, expected) in [
            ("{\"a\":1}", false), ("{ \"a\":\n1}", true), ("[1\r,\t2]", false), ("[\"\\n\",2\n]", true),
        ] {
            let padded = JSONText(text)
            var cursor = JSONCursor(padded.bytes.span.bytes, limit: padded.limit)
            try cursor.skipValue()
            let saw = cursor.sawNewline
            #expect(saw == expected, "\(text)")
        }
    }

    @Test("A token is the range of its text, without quotes")
    func givesRanges() throws {
        let text = JSONText(#" ["ab","c\u0064",-1.5,true,null,{},[]]"#)
        var cursor = JSONCursor(text.bytes.span.bytes, limit: text.limit)
        try cursor.expect(0x5B)
        var isFirst = true
        var tokens: [String] = []
        while try cursor.nextElement(isFirst: &isFirst) {
            let token = try cursor.token()
            let raw = String(decoding: text.bytes[token.start..<token.end], as: UTF8.self)
            tokens.append("\(token.kind) \(raw)\(token.hasEscapes ? " escaped" : "")")
            if token.isContainer { try cursor.skipContainer() }
        }
        #expect(
            tokens == [
                "string ab", #"string c\u0064 escaped"#, "number -1.5", "true true", "null null", "object ", "array ",
            ]
        )
    }
}
