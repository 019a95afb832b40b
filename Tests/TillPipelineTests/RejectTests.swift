import Testing
import TillCore
import TillInput
import TillJSON

@testable import TillPipeline

@Suite("Rejects")
struct RejectTests {
    static let secrets: [(String, String)] = [
        (#"{"password":"0123","a":1}"#, #"{"password":"***","a":1}"#),
        (#"{"password" : "0123"}"#, #"{"password" : "***"}"#),
        (#"{"password":"01"#, #"{"password":"***"#),
        (#"{"password":"a\"b","c":2}"#, #"{"password":"***","c":2}"#),
        (#"{"body":"{\"password\":\"0123\",\"x\":1}"}"#, #"{"body":"{\"password\":\"***\",\"x\":1}"}"#),
        (#"{"password":12345,"a":1}"#, #"{"password":***,"a":1}"#),
        (#"{"password":"one"}{"password":"two"}"#, #"{"password":"***"}{"password":"***"}"#),
        (#"{"password":"a\\","c":2}"#, #"{"password":"***","c":2}"#),
        (#"{"password":"a\\\"b","c":2}"#, #"{"password":"***","c":2}"#),
        (#"{"note":"password"}"#, #"{"note":"password"}"#),
        (#"{"pass\u0077ord":"0123"}"#, #"{"pass\u0077ord":"***"}"#),
        (
            #"{"\u0070\u0061\u0073\u0073\u0077\u006F\u0072\u0064" : "0123"}"#,
            #"{"\u0070\u0061\u0073\u0073\u0077\u006F\u0072\u0064" : "***"}"#
        ),
        (#"{"body":"{\"pass\\u0077ord\":\"0123\"}"}"#, #"{"body":"{\"pass\\u0077ord\":\"***\"}"}"#),
        (#"{"pass\u0078ord":"0123"}"#, #"{"pass\u0078ord":"0123"}"#),
        // In a cell of delimited text, where quotes are doubled.
        (#"1,"{""password"":""0123"",""a"":1}""#, #"1,"{""password"":""***"",""a"":1}""#),
        (#""{""password"": ""a\""b"",""c"":2}""#, #""{""password"": ""***"",""c"":2}""#),
        (#""{""password"":""01"#, #""{""password"":""***"#),
        (#""{""password"":"""",""c"":2}""#, #""{""password"":""***"",""c"":2}""#),
        ("password", "password"),
        ("", ""),
    ]

    @Test("The shared secret never leaves, and nothing else is touched", arguments: secrets)
    func redacts(_ raw: String, _ expected: String) {
        #expect(String(decoding: Redaction.redacted(Array(raw.utf8)), as: UTF8.self) == expected)
    }

    static let spellings: [@Sendable (String) -> String] = [
        { $0 }, { "{\"body\":\"\($0)\"}" }, { $0.replacing("=", with: "%3D") },
        { "{\"a\":\"x y\",\"receipt-data\":\"\($0)" },
        { text in text.enumerated().map { $0 % 40 == 39 ? "\($1)\n" : "\($1)" }.joined() }, { "*" + $0 + "*" },
        { text in "{\"a\":\"" + text.enumerated().map { $0 % 64 == 63 ? "\($1)\\r\\n" : "\($1)" }.joined() + "\"}" },
        { RejectTests.base64($0) }, { "1;\($0);\($0)" }, { "?\($0.dropFirst(3))" },
    ]

    static func base64(_ text: String) -> String { String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) }

    @Test("A secret in base64 is masked in its place, whatever the base64 stands in", arguments: spellings)
    func redactsBase64(_ spell: @Sendable (String) -> String) throws {
        let request = #"{"receipt-data":"MIIT","password":"0123456789abcdef","exclude-old-transactions":true}"#
        let masked = request.replacing("0123456789abcdef", with: "****************")
        let raw = Array(spell(Self.base64(request)).utf8)
        let redacted = Redaction.redacted(raw)
        #expect(redacted == Array(spell(Self.base64(masked)).utf8) && redacted != raw)
        let harmless = Array(spell(Self.base64(request.replacing("password", with: "passport"))).utf8)
        #expect(Redaction.redacted(harmless) == harmless)
    }

    @Test("A long document is written in pieces, which make the same line")
    func writesInPieces() {
        for raw in [Array(repeating: UInt8(0x22), count: 300_001), Array(repeating: 0xFF, count: 200_000), []] {
            let reject = Reject(
                document: 1,
                position: SourcePosition(source: "s", line: 1, offset: 0, length: raw.count),
                diagnostic: Diagnostic(code: "a.b", reason: "c", path: "", innerOffset: 0),
                kind: nil,
                raw: raw
            )
            var largest = 0
            RejectLine.write(reject, withRaw: true) { largest = max(largest, $0.count) }
            #expect(largest <= 300 << 10)
            var text: [UInt8] = []
            if raw.first == 0xFF { text.appendJSON(string: Base64.encode(raw)) } else { text.appendJSON(string: raw) }
            let line = RejectLine.text(of: reject, withRaw: true)
            let start =
                line.count - text.count - ",\"raw_encoding\":\"utf8\"}\n".utf8.count - (raw.first == 0xFF ? 2 : 0)
            #expect(Array(line[start..<start + text.count]) == text)
        }
    }

    @Test("Redaction of any beginning of a document ends and keeps what is no secret")
    func redactsEveryPrefix() {
        let raw = Array(#"{"a":1,"password" : "0123\"45","b":"password\":\"x\""}"#.utf8)
        for count in 0...raw.count {
            let redacted = Redaction.redacted(Array(raw[..<count]))
            #expect(!String(decoding: redacted, as: UTF8.self).contains("0123"))
        }
    }

    @Test("A reject line has the members of the contract in their order, and base64 where the document is no text")
    func writesLines() {
        let reject = Reject(
            document: 4,
            position: SourcePosition(source: "dump \"1\"", line: 7, offset: 120, length: 3),
            diagnostic: Diagnostic(
                code: "json.utf8",
                reason: "bytes that are not UTF-8",
                path: "a › b",
                innerOffset: 2
            ),
            kind: nil,
            raw: [0x7B, 0xFF, 0x7D]
        )
        let head = #"{"source":"dump \"1\"","document":4,"line":7,"offset":120,"length":3,"code":"json.utf8","#
        let reason = #""reason":"bytes that are not UTF-8","path":"a › b","inner_offset":2,"kind":null"#
        let full = String(decoding: RejectLine.text(of: reject, withRaw: true), as: UTF8.self)
        #expect(full == head + reason + #","raw":"e/99","raw_encoding":"base64"}"# + "\n")
        let bare = String(decoding: RejectLine.text(of: reject, withRaw: false), as: UTF8.self)
        #expect(bare == head + reason + "}\n")
    }

    /// Each once took its square, which for a megabyte is minutes.
    static let runs = ["\\", "\"", "%", "p\\", "\\u0070", "password", "\"password\":\"", "password</key>", " ", "QUJD"]

    @Test("Redaction takes no longer than the document is long", .timeLimit(.minutes(1)), arguments: runs)
    func redactsLongRuns(_ run: String) {
        let raw = Array(String(repeating: run, count: 1_000_000 / run.utf8.count).utf8)
        // An empty secret is masked as well.
        #expect(Redaction.redacted(raw).count <= 2 * raw.count)
    }

    @Test("One document is no documents", arguments: [(1, 1, "1 of 1 document"), (1, 2, "1 of 2 documents")])
    func countsDocuments(_ rejected: Int, _ documents: Int, _ text: String) {
        var summary = RejectSummary()
        for number in 1...rejected {
            summary.count(
                Reject(
                    document: number,
                    position: SourcePosition(source: "a", line: number, offset: 0, length: 1),
                    diagnostic: Diagnostic(code: "a.b", reason: "c", path: "", innerOffset: 0),
                    kind: nil,
                    raw: [0x41]
                )
            )
        }
        #expect(summary.lines(documents: ["a": documents]).first == "a: \(text) rejected")
    }

    static let allowances: [(String, RejectAllowance?)] = [
        ("0", .count(0)), ("12", .count(12)), ("0.5%", .share(millionths: 5000)),
        ("100%", .share(millionths: 1_000_000)),
        ("", nil), ("-1", nil), ("101%", nil), ("%", nil), ("0.00001%", nil), ("ten", nil),
    ]

    @Test("An allowance is a number or a percentage", arguments: allowances)
    func readsAllowances(_ text: String, _ allowance: RejectAllowance?) {
        #expect(RejectAllowance(text) == allowance)
    }

    @Test("An allowance is exceeded by one more than it says")
    func judgesAllowances() {
        #expect(!RejectAllowance.any.isExceeded(by: 9, of: 9))
        #expect(!RejectAllowance.count(3).isExceeded(by: 3, of: 9))
        #expect(RejectAllowance.count(3).isExceeded(by: 4, of: 9))
        #expect(!RejectAllowance.share(millionths: 5000).isExceeded(by: 1, of: 200))
        #expect(RejectAllowance.share(millionths: 5000).isExceeded(by: 1, of: 199))
        #expect(!RejectAllowance.share(millionths: 0).isExceeded(by: 0, of: 0))
    }
}
