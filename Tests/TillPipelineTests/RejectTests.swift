import Testing
import TillCore

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
        ("password", "password"),
        ("", ""),
    ]

    @Test("The shared secret never leaves, and nothing else is touched", arguments: secrets)
    func redacts(_ raw: String, _ expected: String) {
        #expect(String(decoding: Redaction.redacted(Array(raw.utf8)), as: UTF8.self) == expected)
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
