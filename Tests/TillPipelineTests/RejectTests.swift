import Testing
import TillCore
import TillInput
import TillJSON

@testable import TillPipeline

@Suite("Rejects")
struct RejectTests {
    /// The length of a frame, how many rejects it holds, and how many of them are written with it.
    static let frames: [(length: Int, rejects: Int, written: Int)] = [
        (4 << 10, 256, 256), (4 << 10, 300, 256), (1 << 20, 20, 16), (5 << 20, 20, 16), (1, 5000, 5000), (0, 40, 40),
    ]

    @Test("Rejects of one frame have it as long as that is little, and the first ones always", arguments: frames)
    func repeats(_ length: Int, _ rejects: Int, _ written: Int) {
        var repeats = RepeatedRejects()
        // Twice: the next frame begins anew.
        for offset in [0, length] {
            let reject = Reject(
                document: 1,
                position: SourcePosition(source: "s\(offset == 0 ? 1 : 2)", line: 1, offset: offset, length: length),
                diagnostic: Diagnostic(code: "a.b", reason: "c", path: "", innerOffset: 0),
                kind: nil,
                raw: Array(repeating: 0x22, count: length)
            )
            #expect((0..<rejects).count { _ in repeats.keepsRaw(of: reject) } == written)
        }
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
            var writer = RejectLine()
            writer.write(reject, withRaw: true) { largest = max(largest, $0.count) }
            #expect(largest <= 300 << 10)
            var text: [UInt8] = []
            if raw.first == 0xFF { text.appendJSON(string: Base64.encode(raw)) } else { text.appendJSON(string: raw) }
            let line = RejectLine.text(of: reject, withRaw: true)
            let start =
                line.count - text.count - ",\"raw_encoding\":\"utf8\"}\n".utf8.count - (raw.first == 0xFF ? 2 : 0)
            #expect(Array(line[start..<start + text.count]) == text)
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
        #expect(RejectAllowance.any.excess(9, of: 9) == nil)
        #expect(RejectAllowance.count(3).excess(3, of: 9) == nil)
        #expect(
            RejectAllowance.count(3).excess(4, of: 9)
                == "4 of 9 documents were rejected, and --max-rejects allows 3"
        )
        #expect(
            RejectAllowance.count(0).excess(1, of: 9)
                == "1 of 9 documents was rejected, and none may be (--strict, --max-rejects 0)"
        )
        #expect(RejectAllowance.share(millionths: 5000).excess(1, of: 200) == nil)
        #expect(
            RejectAllowance.share(millionths: 5000).excess(1, of: 199)
                == "1 of 199 documents was rejected, and --max-rejects allows 0.5 %"
        )
        #expect(RejectAllowance.share(millionths: 0).excess(0, of: 0) == nil)
    }
}
