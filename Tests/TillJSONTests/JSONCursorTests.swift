import Testing
import TillJSON

@Suite("JSON texts")
struct JSONCursorTests {
    static let accepted: [String] = [
        "null", "true", "false", "0", "-0", "-0.0e-0", "12345678901234567890123", "1.5", "1e9", "1E+9", "1e-9", "0.1e1",
        #""""#, #""abc""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u00e9\uD7FF\uE000\uFFFF""#, #""\ud800\udc00""#,
        #""\uDBFF\uDFFF""#, "\"\u{7F}\"", "\"é€😀\"", "[]", "[ ]", "{}", "{ }", "[1]", "[1 , 2]", "[[],{},[[]]]",
        #"{"a":1}"#,
        #" { "a" : [ 1 , { "b" : null } ] , "" : "" } "#, "\t\r\n 1\t\r\n ", #"{"a":1,"a":2}"#, #"[{"a":[]},{"a":{}}]"#,
    ]

    @Test("Texts of RFC 8259 are accepted, by skipping and token by token", arguments: accepted)
    func accepts(_ text: String) {
        #expect(JSONText(text).error == nil)
        #expect(JSONText(text).errorByTokens == nil)
        #expect(JSONText(Array(text.utf8), after: Array("[".utf8)).error == nil)
    }

    static let rejected: [(String, JSONError.Code, Int)] = [
        ("", .truncated, 0), ("  ", .truncated, 2), ("{", .truncated, 1), ("[", .truncated, 1), ("[1", .truncated, 2),
        ("[1,", .truncated, 3), ("{\"a", .truncated, 3), ("{\"a\"", .truncated, 4), ("{\"a\":", .truncated, 5),
        ("{\"a\":1", .truncated, 6), ("{\"a\":1,", .truncated, 7), ("tru", .truncated, 3), ("nul", .truncated, 3),
        ("-", .truncated, 1), ("1.", .truncated, 2), ("1e", .truncated, 2), ("1e+", .truncated, 3),
        // Separators.
        ("[1,]", .syntax, 3), ("[,1]", .syntax, 1), ("[1 2]", .syntax, 3), ("[1,,2]", .syntax, 3), ("[1}", .syntax, 2),
        ("{]", .syntax, 1), ("{,}", .syntax, 1), ("{\"a\":1,}", .syntax, 7), ("{\"a\":1]", .syntax, 6),
        ("{\"a\" 1}", .syntax, 5), ("{\"a\",1}", .syntax, 4), ("{\"a\"}", .syntax, 4), ("{a:1}", .syntax, 1),
        ("{'a':1}", .syntax, 1), ("{1:1}", .syntax, 1), ("{\"a\":}", .syntax, 5), ("{\"a\":1 \"b\":2}", .syntax, 7),
        ("{\"a\":1,,\"b\":2}", .syntax, 7), ("{\"a\":1,\"b\"2}", .syntax, 10), ("]", .syntax, 0), ("}", .syntax, 0),
        (",", .syntax, 0), (":", .syntax, 0), ("1 1", .syntax, 2), ("[]]", .syntax, 2), ("// x", .syntax, 0),
        // Literals.
        ("tRue", .syntax, 1), ("nulL", .syntax, 3), ("falsy", .syntax, 4), ("True", .syntax, 0), ("NaN", .syntax, 0),
        ("truee", .syntax, 4), ("Infinity", .syntax, 0), ("-Infinity", .number, 1), ("undefined", .syntax, 0),
        // Numbers.
        ("01", .number, 1), ("-01", .number, 2), ("00", .number, 1), ("1.e1", .number, 2), (".5", .syntax, 0),
        ("+1", .syntax, 0), ("1e1.5", .number, 3), ("1.5.5", .number, 3), ("--1", .number, 1), ("1-", .number, 1),
        ("0x10", .number, 1), ("1_000", .number, 1), ("[1e]", .number, 3), ("[-]", .number, 2), ("1\u{7F}", .number, 1),
        // Strings.
        ("\"", .truncated, 1), ("\"abc", .truncated, 4), ("\"\\", .truncated, 1), ("\"\\\"", .truncated, 3),
        ("\"a\\x\"", .escape, 2), ("\"\\'\"", .escape, 1), ("\"\\U0041\"", .escape, 1), ("\"\\u00g0\"", .escape, 1),
        ("\"\\u12", .truncated, 1), ("\"\\u12\"", .escape, 1), ("\"\\u\"", .escape, 1),
        ("\"\\ud800\"", .escape, 1), ("\"\\ud800x\"", .escape, 1), ("\"\\ud800\\n\"", .escape, 1),
        ("\"\\ud800\\u0041\"", .escape, 1), ("\"\\ud800\\ud800\"", .escape, 1), ("\"\\udc00\"", .escape, 1),
        ("\"\\udfff\\ud800\"", .escape, 1), ("\"\\ud800", .truncated, 1), ("\"\\ud800\\", .truncated, 1),
        ("\"\\ud800\\u", .truncated, 7), ("\"\\ud800\\udc0", .truncated, 7), ("\"01234567\\q\"", .escape, 9),
    ]

    @Test("Texts outside RFC 8259 are rejected with code and offset", arguments: rejected)
    func rejects(_ text: String, _ code: JSONError.Code, _ offset: Int) {
        #expect(JSONText(text).error == JSONError(code, at: offset))
        #expect(JSONText(text).errorByTokens == JSONError(code, at: offset))
        let later = JSONText(Array(text.utf8), after: Array(#"{"a":"#.utf8))
        #expect(later.error == JSONError(code, at: offset))
    }

    @Test("Every control character in a string is an error at its offset, wherever it stands", arguments: 0..<0x20)
    func rejectsControlCharacters(_ control: Int) {
        for position in 0..<20 {
            let text = Array(repeating: UInt8(ascii: "x"), count: position) + [UInt8(control)]
            let quoted = [0x22] + text + Array("yyyyyyyyyy\"".utf8)
            #expect(JSONText(quoted).error == JSONError(.controlCharacter, at: position + 1))
            // The same behind a letter that is not ASCII, which takes the other way through the string.
            let long = [0x22] + Array("é".utf8) + text + Array("yyyyyyyyyy\"".utf8)
            #expect(JSONText(long).error == JSONError(.controlCharacter, at: position + 3))
        }
    }

    @Test("A quote ends a string at any distance, whatever surrounds it")
    func endsStrings() {
        for filler in [UInt8(ascii: "a"), 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] {
            for count in 0..<40 {
                let quoted = [0x22] + Array(repeating: filler, count: count) + [0x22]
                #expect(JSONText(quoted).error == nil)
                #expect(JSONText(quoted).string?.count == count)
                #expect(JSONText(Array(quoted.dropLast())).error == JSONError(.truncated, at: count + 1))
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
            #expect(deeper.error?.code == .depth)
            #expect(deeper.errorByTokens == deeper.error)
        }
        #expect(JSONText(nested(limit + 1, "[", "]")).error == JSONError(.depth, at: limit))
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
            #expect(error?.code == .truncated, "\(count) bytes")
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
