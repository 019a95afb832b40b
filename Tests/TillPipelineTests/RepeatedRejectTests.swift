import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Rejects that are read again from a rejects file.
@Suite("Rejects read again")
struct RepeatedRejectTests {
    private final class Recorder: DocumentConsumer {
        let withRaw: Bool
        var lines: [String] = []
        private var repeats = RepeatedRejects()

        init(withRaw: Bool) { self.withRaw = withRaw }

        func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {}

        func consume(_ reject: Reject) {
            let keeps = repeats.keepsRaw(of: reject)
            lines.append(String(decoding: RejectLine.text(of: reject, withRaw: withRaw && keeps), as: UTF8.self))
        }

        func consume(_ warning: Warning) {}
        func report(_ progress: ReadProgress) {}
    }

    /// The lines of `--rejects` for a text that stands in a file of its own, whose path becomes `SOURCE`.
    private static func rejects(
        of text: [UInt8],
        withRaw: Bool = true,
        limit: Int = ReadOptions.usualDocumentLimit,
        csv: Bool = false,
        chunkSize: Int = ReadOptions.usualChunkSize
    ) async throws -> (lines: [String], accepted: Int) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = ReadOptions(csv: CSVOptions(isAnnounced: csv), chunkSize: chunkSize, documentLimit: limit)
        var stream = DocumentStream(
            try InputFile.expand([file.path]),
            options: options,
            consumer: Recorder(withRaw: withRaw)
        )
        try await stream.run()
        #expect(stream.progress.documents == stream.progress.accepted + stream.progress.rejected)
        let name = file.path.replacing("/", with: "\\/")
        let lines = stream.consumer.lines.map {
            $0.replacing(file.path, with: "SOURCE").replacing(name, with: "SOURCE")
        }
        return (lines, stream.progress.accepted)
    }

    private static let receipt = ReceiptDER.sample()
    /// A transaction whose quantity is no number.
    private static let jws =
        "eyJhbGciOiJFUzI1NiJ9."
        + String(
            decoding: Base64.encode(Array(#"{"transactionId":"9","originalTransactionId":"9","quantity":"x"}"#.utf8)),
            as: UTF8.self
        )
        .replacing("=", with: "") + ".c2ln"

    /// Inputs with rejects, and how many.
    static let inputs: [(name: String, text: [UInt8], count: Int)] = [
        ("lines", Array("hello\n{\"status\":\"x\"}\n{\"status\":0,\n[1, 2] foo\n".utf8), 4),
        ("bytes that are no text", [0x7B, 0xFF, 0x7D, 0x0A, 0x68, 0xFF, 0x0A], 2),
        ("a receipt that is cut", Array(receipt.base64.prefix(400).utf8), 1),
        ("DER that is cut", Array(receipt.der.prefix(300)), 1),
        ("an envelope", Array(#"{"list":["\#(jws)",{"status":0,"receipt":5},"\#(jws)"]}"#.utf8), 3),
        (
            "one broken document among good ones",
            Array(#"{"list":[{"status":21003},"\#(jws)",{"status":21004}]}"#.utf8), 1
        ),
        ("a document behind another", Array("\"{\\\"status\\\":21003} tail\"".utf8), 1),
        ("layers", Array(#"{"Message":"{\"hello\":\"world\",\"n\":1}"}"#.utf8), 1),
        ("a pair", Array(#"{"request":{"receipt-data":"x"},"response":{"status":"no"}}"#.utf8), 1),
    ]

    @Test("A reject that is rejected again is the same, for any number of times", arguments: inputs)
    func repeats(_ name: String, _ text: [UInt8], _ count: Int) async throws {
        let first = try await Self.rejects(of: text).lines
        #expect(first.count == count, "\(name): \(first)")
        var lines = first
        for _ in 0..<3 {
            for chunkSize in [ReadOptions.usualChunkSize, 64] {
                let again = try await Self.rejects(of: Array(lines.joined().utf8), chunkSize: chunkSize)
                #expect(again.lines == first && again.accepted == 0, "\(name)")
                lines = again.lines
            }
        }
    }

    @Test("Rejects of delimited text are the same again, without its header")
    func repeatsRows() async throws {
        let table = "id,receipt\n1,\(Self.receipt.base64.prefix(200))\n2\n3,\n4,\"a\"b\n5,\"say \"\"x\"\"\"\n"
        let first = try await Self.rejects(of: Array(table.utf8), csv: true).lines
        #expect(first.count == 5, "\(first)")
        let again = try await Self.rejects(of: Array(first.joined().utf8)).lines
        #expect(again == first)
    }

    @Test("A document over the size limit stays one, though its line holds its beginning only")
    func repeatsOversized() async throws {
        let text = "{\"status\":0,\"x\":\"" + String(repeating: "a", count: 200_000) + "\"}\n"
        let first = try await Self.rejects(of: Array(text.utf8), limit: 100_000).lines
        #expect(first.count == 1 && first[0].contains("document.too-large"))
        #expect(try await Self.rejects(of: Array(first.joined().utf8), limit: 100_000).lines == first)
        #expect(try await Self.rejects(of: Array(first.joined().utf8)).lines == first)
    }

    @Test("The size of a document in a line of rejects is its own, not that of the line")
    func measuresDocuments() async throws {
        let text = "{\"status\":\"x\",\"y\":\"z\"}"
        let first = try await Self.rejects(of: Array(text.utf8)).lines
        #expect(try await Self.rejects(of: Array(first.joined().utf8), limit: 40).lines == first)
    }

    @Test("Lines without the document are rejects again, without it")
    func repeatsLinesWithoutDocument() async throws {
        let text = "hello\n{\"list\":[{\"status\":21003},\"\(Self.jws)\"]}\n"
        let first = try await Self.rejects(of: Array(text.utf8), withRaw: false).lines
        #expect(first.joined().contains("list › [1] › quantity"))
        #expect(first.count == 2 && !first.joined().contains("raw"))
        #expect(try await Self.rejects(of: Array(first.joined().utf8)).lines == first)
    }

    @Test("A document that was repaired is accepted, and another defect is told with the first place")
    func readsRepairedDocuments() async throws {
        let first = try await Self.rejects(of: Array("\n\n{\"status\":\"x\"}\n".utf8)).lines.joined()
        let repaired = try await Self.rejects(of: Array(first.replacing(#"\"x\""#, with: "21003").utf8))
        #expect(repaired.lines.isEmpty && repaired.accepted == 1)
        let other = try await Self.rejects(of: Array(first.replacing(#"\"x\"}"#, with: "21003").utf8)).lines.joined()
        #expect(
            other.contains(#""source":"SOURCE","document":1,"line":3,"offset":2,"length":14,"code":"json.truncated""#)
        )
    }

    /// Members of a line that say what cannot be.
    static let absurd = [
        (#""line":3"#, #""line":-3"#), (#""line":3"#, #""line":0"#), (#""line":3"#, #""line":1e99"#),
        (#""line":3"#, #""line":99999999999999999999"#), (#""offset":2"#, #""offset":null"#),
        (#""offset":2"#, #""offset":"2""#), (#""document":1"#, #""document":[]"#), (#""length":14"#, #""length":{}"#),
        (#""source":"SOURCE""#, #""source":7"#), (#""source":"SOURCE""#, #""source":"""#),
        (#""source":"SOURCE""#, #""source":{"a":"b"}"#),
    ]

    @Test("A line that says what cannot be has the place of the line itself, and its document", arguments: absurd)
    func distrusts(_ member: String, _ value: String) async throws {
        let first = try await Self.rejects(of: Array("\n\n{\"status\":\"x\"}\n".utf8)).lines.joined()
        #expect(first.contains(member))
        let line = first.replacing(member, with: value)
        let again = try await Self.rejects(of: Array(line.utf8)).lines
        #expect(again.count == 1)
        let length = line.utf8.count - 1
        let head =
            #"{"source":"SOURCE","document":1,"line":1,"offset":0,"length":\#(length),"code":"sniff.unrecognized""#
        #expect(again.joined().hasPrefix(head), "\(again)")
        #expect(again.joined().contains(#""raw":"{\"status\":\"x\"}""#))
    }
}
