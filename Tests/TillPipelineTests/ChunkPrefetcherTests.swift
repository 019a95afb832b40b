import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Keeps the identifiers of all transactions, in order; stops where it is told to.
private struct Collector: DocumentConsumer {
    var identifiers: [String] = []
    var limit = Int.max

    struct Stop: Error {}

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        for row in 0..<rows.transactions.rowCount {
            identifiers.append(rows.transactions[.transactionID, row].map { "\($0)" } ?? "none")
        }
        if identifiers.count > limit { throw Stop() }
    }

    mutating func consume(_ reject: Reject) { identifiers.append("reject") }
    mutating func consume(_ warning: Warning) {}
    mutating func report(_ progress: ReadProgress) {}
}

@Suite("Inflating ahead")
struct ChunkPrefetcherTests {
    /// A folder with a file for each of `contents`, in their order.
    private static func files(_ contents: [[UInt8]]) throws -> (folder: URL, files: [InputFile]) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, bytes) in contents.enumerated() {
            try Data(bytes).write(to: folder.appendingPathComponent("\(100 + number)"))
        }
        return (folder, try InputFile.expand([folder.path]))
    }

    private static func responses(_ identifiers: Range<Int>) -> [UInt8] {
        let lines = identifiers.map {
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"\#($0)","quantity":"1"}]}}"#
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static let contents: [[UInt8]] = [
        responses(0..<50), Gzip.member(responses(50..<300)), Gzip.member([]),
        Gzip.member(responses(300..<310)) + Gzip.member(responses(310..<500)), responses(500..<501), [],
        Gzip.member(responses(501..<600)), responses(600..<700),
    ]

    @Test("Plain and compressed sources mixed come in their order", arguments: [1, 2, 4], [64, 700, 5000, 1 << 20])
    func keepsOrder(_ jobs: Int, _ chunkSize: Int) async throws {
        let (folder, files) = try Self.files(Self.contents)
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = ReadOptions(jobs: jobs, chunkSize: chunkSize)
        var stream = DocumentStream(files, options: options, consumer: Collector())
        try await stream.run()
        #expect(stream.consumer.identifiers == (0..<700).map { "\($0)" })
        #expect(stream.progress.accepted == 700)
        #expect(stream.progress.storedBytes == Self.contents.reduce(0) { $0 + $1.count })
    }

    @Test("A damaged source ends the run at the same place whatever the number of workers", arguments: [1, 2, 4])
    func tellsDamage(_ jobs: Int) async throws {
        let good = Gzip.member(Self.responses(0..<100))
        let contents = [good, good + Self.responses(0..<1), good]
        let (folder, files) = try Self.files(contents)
        defer { try? FileManager.default.removeItem(at: folder) }
        var stream = DocumentStream(files, options: ReadOptions(jobs: jobs, chunkSize: 500), consumer: Collector())
        let error = await #expect(throws: Finding.self) { try await stream.run() }
        #expect(error?.code == "input.gzip" && error?.path == files[1].name && error?.offset == good.count + 1)
        #expect(stream.consumer.identifiers.starts(with: (0..<100).map { "\($0)" }))
    }

    @Test("A consumer that gives up ends the inflating too", arguments: [1, 2, 4])
    func stops(_ jobs: Int) async throws {
        let (folder, files) = try Self.files([Gzip.member(Self.responses(0..<5000))])
        defer { try? FileManager.default.removeItem(at: folder) }
        var stream = DocumentStream(
            files,
            options: ReadOptions(jobs: jobs, chunkSize: 500),
            consumer: Collector(limit: 20)
        )
        await #expect(throws: Collector.Stop.self) { try await stream.run() }
        #expect(stream.consumer.identifiers.count < 100)
    }
}
