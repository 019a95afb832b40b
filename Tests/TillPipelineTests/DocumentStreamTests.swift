import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Keeps everything that a stream hands on, in order.
private final class Recorder: DocumentConsumer {
    var entries: [String] = []
    var warnings: [String] = []
    /// Rejects whose raw text is not as long as they are.
    var misfits = 0

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        for row in 0..<rows.transactions.rowCount {
            let document = firstDocument + Int(rows.transactions[.document, row] ?? -1)
            let identifier = rows.transactions[.transactionID, row].map { "\($0)" } ?? "none"
            entries.append("transaction \(document).\(rows.transactions[.row, row] ?? 0): \(identifier)")
        }
        for row in 0..<rows.documents.rowCount {
            let document = firstDocument + Int(rows.documents[.document, row] ?? -1)
            entries.append("document \(document): \(rows.documents[.status, row].map { "\($0)" } ?? "none")")
        }
    }

    func consume(_ reject: Reject) {
        let position = reject.position
        if reject.raw?.count ?? 0 > position.length { misfits += 1 }
        entries.append(
            "reject \(reject.document) line \(position.line) @ \(position.offset)+\(position.length) \(reject.diagnostic.code)"
        )
    }

    func consume(_ warning: Warning) { warnings.append(warning.text) }
    func report(_ progress: ReadProgress) {}
}

@Suite("Reading in chunks")
struct DocumentStreamTests {
    private static func read(
        _ text: String,
        _ options: ReadOptions
    ) async throws -> (entries: [String], warnings: [String], progress: ReadProgress) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Recorder())
        try await stream.run()
        // Within a chunk rows come before rejects; sorting by kind is enough to compare runs.
        return (stream.consumer.entries.sorted(), stream.consumer.warnings, stream.progress)
    }

    private static func response(_ id: Int) -> String {
        #"{"status":0,"receipt":{"in_app":[{"transaction_id":"\#(id)","quantity":"1"}]}}"#
    }

    static let mixed = [
        response(1), #"{"status":21003}"#, #"{"status": 2"#, "", "<html>no</html>",
        "{\n  \"status\": 0,\n  \"receipt\": {\n    \"in_app\": [{\"transaction_id\": \"2\"}]\n  }\n}", "{",
        "{\n\"status\":\n0,\n\"receipt\":\n{\n\"in_app\":\n[\n{\n\"transaction_id\":\n\"3\"\n}\n]\n}\n}",
        "[\(response(4)),\n\(response(5))\n,\(response(6))]", response(7) + response(8),
        "{\"status\":\n  oops\n}\n" + response(9),
        "\"not a receipt\"", String(repeating: " ", count: 100), response(10),
    ].joined(separator: "\n")

    @Test("The size of chunks and the number of workers change nothing", arguments: [1, 2, 4])
    func isIndependentOfChunks(_ jobs: Int) async throws {
        let whole = try await Self.read(Self.mixed, ReadOptions(jobs: 1))
        #expect(whole.entries.contains("transaction 14.1: 9"))
        #expect(whole.progress.documents == whole.progress.accepted + whole.progress.rejected)
        #expect(whole.progress.bytes == Self.mixed.utf8.count)
        for chunkSize in Array(1...80) + [100, 250, 700, 2000] {
            let cut = try await Self.read(Self.mixed, ReadOptions(jobs: jobs, chunkSize: chunkSize))
            #expect(cut.entries == whole.entries, "chunk size \(chunkSize)")
            #expect(cut.progress.bytes == whole.progress.bytes, "chunk size \(chunkSize)")
            #expect(cut.progress.accepted == whole.progress.accepted, "chunk size \(chunkSize)")
        }
    }

    @Test(
        "Pieces of broken responses are found in chunks of any size, and between them transactions by themselves",
        arguments: [1, 3]
    )
    func findsPiecesInChunks(_ jobs: Int) async throws {
        func sale(_ id: Int) -> String {
            #"{"transaction_id":"\#(id)","product_id":"p","purchase_date_ms":"1551675967000"}"#
        }
        let text = [
            sale(1), sale(2), "{\"status\":21003,", "10:00 GET /", "\"in_app\":[", sale(3) + ",", sale(4) + "]}",
            sale(5),
            "[" + sale(6) + ",", sale(7), "]", sale(8) + "],\"latest_receipt\":\"M\"}", sale(9),
        ].joined(separator: "\n")
        let whole = try await Self.read(text, ReadOptions(jobs: 1))
        #expect(whole.entries.filter { $0.hasPrefix("transaction") }.count == 6)
        #expect(whole.entries.filter { $0.hasSuffix("document.fragment") }.count == 2)
        for chunkSize in Array(1...120) + [250, 400] {
            let cut = try await Self.read(text, ReadOptions(jobs: jobs, chunkSize: chunkSize))
            #expect(cut.entries == whole.entries, "chunk size \(chunkSize)")
        }
    }

    @Test(
        "Mixtures of transactions, brackets and broken responses are the same in chunks of any size",
        arguments: Seeds.some(of: 1...8)
    )
    func readsMixtures(_ seed: Int) async throws {
        let parts = [
            #"{"transaction_id":"1","product_id":"p","purchase_date_ms":"1551675967000"}"#,
            #"{"receipt":{"in_app":[{"transaction_id":"2"}]}}"#,
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"3"}]}}"#,
            "{\"status\":21003,\n\"in_app\":[", "x: {\"a\":[", "[", "]", "}", ",", ")", "\n", "\n", "\n", ",\n", " ",
            "]}\n",
            "\"latest_receipt\":\"M\"", "log line\n", "{ product_id = a; transaction_id = 7; }", "{", "\"",
        ]
        var random = SplitMix64(seed: UInt64(seed))
        for round in 0..<12 {
            let text = (0..<30).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
            let whole = try await Self.read(text, ReadOptions(jobs: 1))
            #expect(whole.progress.documents == whole.progress.accepted + whole.progress.rejected)
            for chunkSize in [1, 2, 7, 31, 64, 100, 150, 220, 300, 450] {
                let cut = try await Self.read(text, ReadOptions(jobs: 1 + round % 3, chunkSize: chunkSize))
                #expect(cut.entries == whole.entries, "round \(round), chunk size \(chunkSize): \(text)")
            }
        }
    }

    @Test(
        "Chunks that several workers read are cut as those of one",
        arguments: [16_383, 16_384, 16_385, 40_000, 131_072, 300_000]
    )
    func cutsBeforeReading(_ chunkSize: Int) async throws {
        // Lines of 100 bytes to 290 kB: some fill the end of a chunk that is searched first, some more than a chunk.
        let lengths = (0..<60).map { 100 + $0 * $0 * $0 % 7919 * ($0 % 9 == 0 ? 37 : 2) }
        let lines = lengths.enumerated().map { id, length in
            Self.response(id) + String(repeating: " ", count: length) + (id % 5 == 0 ? "" : "\n") + "\n"
        }
        let text = lines.joined() + Self.response(60)
        let missing = (chunkSize - text.utf8.count % chunkSize) % chunkSize
        let endings = ["", "\n", String(repeating: " ", count: missing), String(repeating: "\n", count: missing)]
        for ending in endings {
            let one = try await Self.read(text + ending, ReadOptions(jobs: 1, chunkSize: chunkSize))
            #expect(one.progress.accepted == 61 && one.progress.rejected == 0)
            for jobs in [2, 5] {
                let several = try await Self.read(text + ending, ReadOptions(jobs: jobs, chunkSize: chunkSize))
                #expect(several.entries == one.entries)
                #expect(several.progress.bytes == text.utf8.count + ending.utf8.count)
                #expect(several.progress.storedBytes == several.progress.bytes)
            }
        }
    }

    @Test("A long run gives its chunks back: more documents than chunks, many of them cut")
    func reusesChunks() async throws {
        let text = (1...400).map { $0 % 7 == 0 ? "{\"status\":" : Self.response($0) }.joined(separator: "\n")
        for jobs in [1, 2, 3] {
            let result = try await Self.read(text, ReadOptions(jobs: jobs, chunkSize: 150))
            #expect(result.progress.accepted == 400 - 57)
            #expect(result.progress.rejected == 57)
        }
    }

    @Test("A document over the limit is one reject, and the next line is read", arguments: [64, 300, 5000])
    func rejectsLargeDocuments(_ chunkSize: Int) async throws {
        let large = #"{"status":0,"x":"\#(String(repeating: "y", count: 3000))"}"#
        let text = [Self.response(1), large, Self.response(2)].joined(separator: "\n")
        let result = try await Self.read(text, ReadOptions(jobs: 2, chunkSize: chunkSize, documentLimit: 1000))
        #expect(result.progress.accepted == 2)
        #expect(result.progress.rejected == 1)
        #expect(result.progress.bytes == text.utf8.count)
        #expect(
            result.entries.contains {
                $0 == "reject 2 line 2 @ \(Self.response(1).utf8.count + 1)+\(large.utf8.count) document.too-large"
            }
        )
        #expect(result.entries.contains("transaction 3.1: 2"))
    }

    @Test("A document that is over the limit only because nothing closes it is its line, and its raw text no more")
    func cutsRawTexts() async throws {
        let text = (["{a = 1;"] + (1...40).map(Self.response)).joined(separator: "\n")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = ReadOptions(jobs: 2, chunkSize: 300, documentLimit: 1000)
        var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Recorder())
        try await stream.run()
        #expect(stream.progress.accepted == 40 && stream.progress.rejected == 1)
        #expect(stream.consumer.misfits == 0)
    }

    /// The first bytes of files that hold no documents, with the sentence that names each.
    static let containers: [(magic: [UInt8], sentence: String?)] = [
        (Array("PK\u{3}\u{4}".utf8), "is a zip archive"),
        (
            Array("PK\u{3}\u{4}\u{14}\0[Content_Types].xml…xl/workbook.xml".utf8),
            "is an Excel workbook (.xlsx): save the sheet as CSV"
        ),
        (Array("7z".utf8) + [0xBC, 0xAF, 0x27, 0x1C], "is a 7z archive"), (Array("7z¼".utf8), nil),
        (Array("BZh91AY&SY".utf8), "is compressed with bzip2"), (Array("BZh9 is a text".utf8), nil),
        ([0xFD] + Array("7zXZ\0".utf8), "is compressed with xz"), (Array("%PDF-1.7".utf8), "is a PDF document"),
        ([0x89] + Array("PNG\r\n".utf8), "is an image (PNG)"), ([0xFF, 0xD8, 0xFF, 0xE0], "is an image (JPEG)"),
        (Array("bplist00".utf8), "is a binary property list"), (Array(" PK\u{3}\u{4}".utf8), nil), ([0x78], nil),
        (Array((String(repeating: "a\n", count: 128) + "\nustar").utf8), "is a tar archive"),
    ]

    @Test("A container that is named as an input ends the run with one line, also inside gzip", arguments: containers)
    func refusesContainers(_ magic: [UInt8], _ sentence: String?) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = magic + Array(String(repeating: "x\n", count: 200).utf8)
        for contents in [bytes, Gzip.member(bytes)] {
            try Data(contents).write(to: file)
            for jobs in [1, 2] {
                let options = ReadOptions(jobs: jobs, chunkSize: 300)
                var stream = DocumentStream(try InputFile.expand([file.path]), options: options, consumer: Recorder())
                var message: String?
                do { try await stream.run() } catch { message = "\(error)" }
                #expect((message != nil) == (sentence != nil))
                if let sentence { #expect(message?.contains("\(file.path) \(sentence)") == true) }
                #expect(stream.progress.rejected == 0 || sentence == nil)
            }
        }
    }

    @Test("A container among the files of a folder is counted and named, and is no reject", arguments: [1, 3])
    func countsContainers(_ jobs: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (number, container) in Self.containers.enumerated() {
            let bytes = container.sentence == nil ? Array(Self.response(number).utf8) : container.magic
            try Data(number % 2 == 0 ? bytes : Gzip.member(bytes))
                .write(to: folder.appendingPathComponent("\(100 + number)"))
        }
        let options = ReadOptions(jobs: jobs, chunkSize: 300)
        var stream = DocumentStream(try InputFile.expand([folder.path]), options: options, consumer: Recorder())
        try await stream.run()
        let documents = Self.containers.count { $0.sentence == nil }
        #expect(stream.progress.accepted == documents && stream.progress.rejected == 0)
        #expect(stream.progress.foreignFiles.count == Self.containers.count - documents)
        #expect(stream.progress.foreignFiles.text.contains("/100 (a zip archive), "))
        #expect(stream.progress.foreignFiles.text.hasSuffix(" and \(Self.containers.count - documents - 5) more"))
    }

    @Test("An array that is cut between two elements is a reject", arguments: [1, 30, 1 << 20])
    func rejectsOpenArrays(chunkSize: Int) async throws {
        let (one, two) = (Self.response(1), Self.response(2))
        let cut = [
            "[\(one)", "[\(one),", "[\n\(one),\n", "[\(one),\n\(two)\n", "[[\(one),", "[{\"status\":},",
            "[\nnonsense\n\(one),",
        ]
        for text in cut {
            for jobs in [1, 2] {
                let result = try await Self.read(text, ReadOptions(jobs: jobs, chunkSize: chunkSize))
                let codes = result.entries.filter { $0.hasPrefix("reject") }
                #expect(codes.last?.hasSuffix("@ \(text.utf8.count)+0 json.truncated") == true, "\(text)")
                #expect(result.warnings.isEmpty)
            }
        }
        for text in [
            "[\(one),{\"status\":", "[\(one),{\"status\":\n", "[\(one)]", "[[\(one)],\(two)]", "[[],[\(one)]]\n",
        ] {
            let result = try await Self.read(text, ReadOptions(chunkSize: chunkSize))
            #expect(result.progress.rejected == (text.contains("\":\n") || text.hasSuffix(":") ? 1 : 0), "\(text)")
        }
    }

    @Test("A bracket that closes no array is reported")
    func warnsOfClosedArrays() async throws {
        #expect(try await Self.read("\(Self.response(1))]", ReadOptions()).warnings.count == 1)
        #expect(try await Self.read("[\(Self.response(1))]", ReadOptions()).warnings.isEmpty)
    }

    /// Rows whose quotes are escaped, or not, with the number of rows that are documents.
    static func rows(_ quote: String, count: Int, from first: Int = 1) -> String {
        (first..<first + count).map { number in
            "\(number),\"{\(quote)status\(quote):21003,\(quote)x\(quote):\(quote)a,b\n\(number)\(quote)}\",z\n"
        }
        .joined()
    }

    @Test("The first cell that shows how quotes are escaped decides for the file", arguments: [40, 200, 1 << 20])
    func readsEscapedQuotes(chunkSize: Int) async throws {
        let plain = (1...30).map { "\($0),\"eyJzdGF0dXMiOjIxMDAzfQ==\",\"C:\\\"\n" }.joined()
        for (first, second) in [("\\\"", "\"\""), ("\"\"", "\\\"")] {
            let text = "id,receipt,note\n" + plain + Self.rows(first, count: 20) + Self.rows(second, count: 3)
            var results: [[String]] = []
            for jobs in [1, 2, 4] {
                let result = try await Self.read(text, ReadOptions(jobs: jobs, chunkSize: chunkSize))
                #expect(result.progress.accepted >= 20, "\(first) \(jobs)")
                results.append(result.entries.filter { !$0.hasPrefix("rows") })
            }
            #expect(results.allSatisfy { $0 == results[0] }, "\(first)")
        }
    }

    @Test("Progress is told in units that stay short")
    func writesProgress() {
        let sizes = [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (312_400_000, "312.4 MB"), (1_200_000_000, "1.2 GB"),
        ]
        for (bytes, text) in sizes { #expect(ProgressLine.size(bytes) == text) }
    }

    /// Makes a file shorter when the first documents of it have come.
    private struct Truncator: DocumentConsumer {
        let path: String

        mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
            truncate(path, 0)
        }

        mutating func consume(_ reject: Reject) {}
        mutating func consume(_ warning: Warning) {}
        mutating func report(_ progress: ReadProgress) {}
    }

    @Test("A file that becomes shorter while it is read ends the run", arguments: [1, 4])
    func seesShrinkingFiles(_ jobs: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("events.ndjson").path
        let line = #"{"v":1,"ts":"2024-03-04T03:03:16.363Z","event":"purchased"}"# + "\n"
        try String(repeating: line, count: 50_000).write(toFile: path, atomically: false, encoding: .utf8)
        let options = ReadOptions(jobs: jobs, chunkSize: 1 << 16)
        var stream = DocumentStream(
            try InputFile.expand([path]),
            options: options,
            consumer: Truncator(path: path)
        )
        var failure: Finding?
        do {
            try await stream.run()
        } catch let error as Finding {
            failure = error
        }
        #expect(failure?.code == "input.unreadable" && failure?.reason.contains("became shorter") == true)
    }
}
