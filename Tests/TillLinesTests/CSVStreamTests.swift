import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Keeps what a stream hands on.
private final class Recorder: DocumentConsumer {
    var entries: [String] = []
    var raws: [String] = []

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        for row in 0..<rows.transactions.rowCount {
            let document = firstDocument + Int(rows.transactions[.document, row] ?? -1)
            entries.append("transaction \(document): \(rows.transactions[.transactionID, row] ?? -1)")
        }
        for row in 0..<rows.events.rowCount {
            entries.append("event \(firstDocument + Int(rows.events[.document, row] ?? -1))")
        }
    }

    func consume(_ reject: Reject) {
        let place = "\(reject.position.line) @ \(reject.position.offset)+\(reject.position.length)"
        entries.append("reject \(reject.document) line \(place) \(reject.diagnostic.code) \(reject.diagnostic.path)")
        raws.append(String(decoding: reject.raw ?? [], as: UTF8.self))
    }

    func consume(_ warning: TillPipeline.Warning) { entries.append("warning \(warning.text)") }
    func report(_ progress: ReadProgress) {}
}

@Suite("Streams of delimited text")
struct CSVStreamTests {
    private static func read(
        _ text: String,
        _ options: ReadOptions = ReadOptions()
    ) async throws -> (entries: [String], raws: [String], progress: ReadProgress) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Recorder())
        try await stream.run()
        return (stream.consumer.entries.sorted(), stream.consumer.raws, stream.progress)
    }

    static func response(_ id: Int) -> String {
        #"{"status":0,"receipt":{"in_app":[{"transaction_id":"\#(id)","quantity":"1"}]}}"#
    }

    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    static let mixed =
        "\u{FEFF}id,receipt,\"no\nte\"\r\n"
        + [
            "1,\(quoted(response(1))),x", "2,,\"\"",
            "3,\(quoted(response(3).replacing(",", with: ",\r\n\n"))),\"a\nb\"", "",
            "4,hello,", "5,\"  \",y", "6,x", "7,x,y,z", "8,\(quoted(response(8))),\"[{\"", "9,\"\(response(9))\",x",
            ",\(quoted(response(10))),", "11,\"{\"\"status\"\":\",", "12,FailedTransaction Code=2 x,}",
            "13,\(quoted(response(13))),\"tail\n", "14,\(quoted(response(14))),z",
        ].joined(separator: "\r\n")

    @Test("Each row is a document, whose text is the cell; bad rows are rejects")
    func readsRows() async throws {
        let result = try await Self.read(Self.mixed, ReadOptions(csv: CSVOptions(isAnnounced: true)))
        #expect(
            result.entries.filter { $0.hasPrefix("transaction") }.map { $0.split(separator: " ").last } == [
                "10", "14", "1", "3", "8",
            ]
        )
        #expect(result.entries.contains("event 12"))
        #expect(result.progress.accepted == 6)
        #expect(result.progress.documents == 14)
        #expect(result.progress.bytes == Self.mixed.utf8.count)
        #expect(
            result.entries.filter { $0.hasPrefix("reject") }.map {
                $0.split(separator: " ").dropFirst(6).joined(separator: " ")
            }
                == [
                    "json.truncated receipt › status", "csv.quote", "csv.empty-cell receipt",
                    "sniff.unrecognized receipt",
                    "csv.empty-cell receipt", "csv.cells", "csv.cells", "csv.quote",
                ]
        )
        #expect(result.raws.contains("6,x") && result.raws.contains("hello") && result.raws.contains("{\"status\":"))
    }

    @Test("The size of chunks and the number of workers change nothing", arguments: [1, 2, 4])
    func isIndependentOfChunks(_ jobs: Int) async throws {
        let csv = CSVOptions(isAnnounced: true)
        let whole = try await Self.read(Self.mixed, ReadOptions(csv: csv))
        for chunkSize in Array(1...70) + [100, 250, 700, 2000] {
            let cut = try await Self.read(Self.mixed, ReadOptions(csv: csv, jobs: jobs, chunkSize: chunkSize))
            #expect(cut.entries == whole.entries, "chunk size \(chunkSize)")
            #expect(cut.raws == whole.raws, "chunk size \(chunkSize)")
            #expect(cut.progress.bytes == whole.progress.bytes, "chunk size \(chunkSize)")
        }
    }

    /// A dump behind an export: responses, an array, a receipt without its row, and lines that are none of these.
    static let followed =
        [
            "id,receipt", "1,\(quoted(response(1)))", response(2), #"{"status":21003}"#,
            "[\(response(3)),\(response(4))]", "5,\(quoted(response(5)))", ReceiptDER.sample(purchases: 2).base64,
            #"{"status":21003},6"#, #"{"status":"#,
            "[]", "MII,x",
        ].joined(separator: "\n")

    @Test("A line that is a document as a whole is read as one, whatever the size of chunks", arguments: [1, 2])
    func readsDocumentsBetweenRows(_ jobs: Int) async throws {
        let whole = try await Self.read(Self.followed, ReadOptions(jobs: jobs))
        #expect(whole.entries.filter { $0.hasPrefix("transaction") }.count == 7)
        // The last of them is a row with a response beside its receipt.
        #expect(whole.progress.accepted == 8)
        #expect(whole.raws == [#"{"status":"#, "[]", "x"], "\(whole.entries)")
        for chunkSize in [1, 7, 64, 300] {
            let cut = try await Self.read(Self.followed, ReadOptions(jobs: jobs, chunkSize: chunkSize))
            #expect(cut.entries == whole.entries && cut.raws == whole.raws, "chunk size \(chunkSize)")
        }
    }

    @Test(
        "A header with a usual column is recognized without an option, with any separator",
        arguments: [",", ";", "\t", "|"]
    )
    func sniffs(_ separator: String) async throws {
        let rows = [["id", "latest_receipt"], ["1", Self.quoted(Self.response(1))], ["2", ""]]
        let text = rows.map { $0.joined(separator: separator) }.joined(separator: "\n")
        for chunkSize in [1, 3, 64, 4096] {
            let result = try await Self.read(text, ReadOptions(chunkSize: chunkSize))
            #expect(
                result.entries == [
                    "reject 2 line 3 @ \(text.utf8.count - 2)+2 csv.empty-cell latest_receipt", "transaction 1: 1",
                ]
            )
        }
    }

    @Test("A row over the limit is one reject, and the next line is read", arguments: [64, 300, 5000])
    func rejectsLargeRows(_ chunkSize: Int) async throws {
        let large = "2,\(String(repeating: "y", count: 3000))"
        let text = ["id,receipt", "1,\(Self.quoted(Self.response(1)))", large, "3,\(Self.quoted(Self.response(3)))"]
        let options = ReadOptions(jobs: 2, chunkSize: chunkSize, documentLimit: 1000)
        let result = try await Self.read(text.joined(separator: "\n"), options)
        let offset = text[0].utf8.count + text[1].utf8.count + 2
        #expect(
            result.entries == [
                "reject 2 line 3 @ \(offset)+\(large.utf8.count) document.too-large ", "transaction 1: 1",
                "transaction 3: 3",
            ]
        )
    }

    @Test("Unquoted JSON between tabs is read")
    func readsUnquotedJSON() async throws {
        let result = try await Self.read("receipt\tid\n\(Self.response(5))\t1\n")
        #expect(result.entries == ["transaction 1: 5"])
    }

    @Test("A header without the wanted column ends the run, and the error lists its columns")
    func namesColumns() async throws {
        let options = ReadOptions(csv: CSVOptions(isAnnounced: true, column: "payload"))
        let error = try await #require(throws: Finding.self) { try await Self.read("id,receipt\n1,x\n", options) }
        #expect(error.code == "input.csv-header")
        #expect(error.reason == "there is no column payload in the header, which has id, receipt; --column names one")
        #expect(try await Self.read("", options).progress.documents == 0)
    }

    @Test("Text without such a header is read as other text")
    func leavesOthers() async throws {
        let text = "id,name\n" + Self.response(1) + "\n"
        for chunkSize in [1, 5, 1000] {
            let result = try await Self.read(text, ReadOptions(chunkSize: chunkSize))
            #expect(result.progress.accepted == 1 && result.progress.rejected == 1)
        }
    }

    @Test(
        "Mutated rows are read the same in chunks, and no byte is lost",
        .atMost(minutes: 10),
        arguments: Seeds.some(of: UInt64(0)..<20)
    )
    func survivesMutation(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let bytes = Array(Self.mixed.utf8)
        guard case .header(let header) = CSVRowTests.find(Self.mixed, isAnnounced: true) else {
            Issue.record("no header")
            return
        }
        for run in 0..<20 {
            let body = numbers.mutation(of: Array(bytes[header.byteCount...]))
            let mutated = Array(bytes[..<header.byteCount]) + body
            let whole = LinesReading(mutated, header: header)
            #expect(whole.consumed == mutated.count, "seed \(seed), run \(run)")
            let step = 1 + numbers.below(120)
            #expect(
                LinesReading(mutated, step: step, header: header) == whole,
                "seed \(seed), run \(run), step \(step)"
            )
        }
    }
}
