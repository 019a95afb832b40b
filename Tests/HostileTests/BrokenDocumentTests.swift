import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillPipeline

/// Every defect is one reject with a stable code, at the byte where it became certain.
@Suite("Broken documents")
struct BrokenDocumentTests {
    @Test("A defect has its code, its offset and its path", arguments: BrokenDocuments.all)
    func isFound(_ broken: BrokenDocument) {
        let reading = Reading(broken.bytes)
        #expect(reading.accepted == 0 && reading.consumed == broken.bytes.count, "\(broken.name)")
        #expect(reading.rejects.map(\.code) == [broken.code], "\(broken.name)")
        #expect(reading.rejects.map(\.innerOffset) == [broken.offset], "\(broken.name)")
        #expect(reading.rejects.map(\.path) == [broken.path], "\(broken.name)")
        #expect(reading.rejects.map(\.length) == [broken.bytes.count], "\(broken.name)")
    }

    /// Nothing tells where binary ends that does not say so itself.
    private static let texts = BrokenDocuments.all.filter { ![0x30, 0xFF].contains($0.bytes.first) }

    @Test("Most broken documents are texts, which end where they are seen to end")
    func areTexts() {
        #expect(Self.texts.count * 2 > BrokenDocuments.all.count)
        #expect(Self.texts.contains { $0.bytes.count < 10_000 })
    }

    @Test("What follows a defect is read, in whatever pieces the stream arrives", arguments: texts)
    func endsWithItsDocument(_ broken: BrokenDocument) {
        let text =
            Array("{\"status\":21003}\n".utf8) + broken.bytes + Array("\n{\"status\":21004}\n{\"status\":21005}".utf8)
        let whole = Reading(text)
        #expect(whole.rejects.map(\.code) == [broken.code], "\(broken.name)")
        #expect(whole.documents.map { $0["status"] } == ["21003", "21004", "21005"], "\(broken.name)")
        guard broken.bytes.count < 10_000 else { return }
        for step in [1, 7, 61] { #expect(Reading(text, step: step) == whole, "\(broken.name), step \(step)") }
    }

    @Test("The line of a reject, read again, is the same reject", arguments: BrokenDocuments.all)
    func feedsBack(_ broken: BrokenDocument) throws {
        let found = try #require(Reading(broken.bytes).rejects.first)
        let position = SourcePosition(source: "s", line: found.line, offset: found.offset, length: found.length)
        let line = RejectLine.text(
            of: Reject(
                document: 1,
                position: position,
                diagnostic: found.diagnostic,
                kind: found.kind,
                raw: found.raw
            ),
            withRaw: true
        )
        let again = Reading(line)
        #expect(again.accepted == 0 && again.rejects.count == 1, "\(broken.name)")
        #expect(again.rejects.map(\.code) == [found.code], "\(broken.name)")
    }

    @Test("As many levels as the limit allows are read, wherever they stand")
    func allowsTheLimit() {
        #expect(Reading(BrokenDocuments.nested(128)).accepted == 1)
        let open = String(repeating: "[", count: 127)
        let close = String(repeating: "]", count: 127)
        for name in [
            "status\":21003,\"x", "v\":1,\"api\":\"sk1\",\"event\":\"a\",\"extra", "notificationType\":\"TEST\",\"x",
            "bundleId\":\"b\",\"transactionId\":\"1\",\"x",
        ] {
            #expect(Reading("{\"\(name)\":\(open)\(close)}").accepted == 1, "\(name)")
            let deeper = Reading("{\"\(name)\":[\(open)\(close)]}")
            #expect(deeper.rejects.map(\.code) == ["json.depth"], "\(name)")
        }
    }

    @Test("As many wrappings as the limit allows are taken off: each encoding is one, escaped or not")
    func countsWrappings() {
        func base64(_ times: Int) -> String {
            (0..<times).reduce(#"{"status":0,"environment":"Sandbox"}"#) { text, _ in
                ReceiptDER.base64(Array(text.utf8))
            }
        }
        func strings(_ times: Int) -> String {
            (0..<times).reduce(#"{"status":21003}"#) { text, _ in
                "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
        }
        for wrap in [base64, strings] {
            #expect(Reading(wrap(8)).accepted == 1)
            #expect(Reading(wrap(9)).rejects.map(\.code) == ["document.depth"])
        }
    }
}
