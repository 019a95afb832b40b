import CZlib
import CZstd
import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillRows
import TillTestSupport

@testable import TillPipeline

/// Keeps all rows, with what says where they came from left out.
private final class RowKeeper: DocumentConsumer {
    var rows: [String] = []
    var codes: [String] = []

    func consume(_ batch: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        keep(Reading.rows(of: batch.transactions, in: batch.dictionary, from: 0), "transactions")
        keep(Reading.rows(of: batch.documents, in: batch.dictionary, from: 0), "documents")
        keep(Reading.rows(of: batch.events, in: batch.dictionary, from: 0), "events")
        keep(Reading.rows(of: batch.renewals, in: batch.dictionary, from: 0), "renewals")
    }

    private func keep(_ found: [Reading.Row], _ table: String) {
        rows += found.map { row in
            let cells = row.filter { $0.key != "document" && $0.key != "source" }
            return table + cells.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        }
    }

    func consume(_ reject: Reject) { codes.append(reject.diagnostic.code) }
    func consume(_ warning: Warning) {}
    func report(_ progress: ReadProgress) {}
}

/// All published receipts in one stream give what they give file by file.
@Suite("One stream of every format", .needsVectors)
struct MixedStreamTests {
    private struct Result: Equatable {
        var rows: [String]
        var codes: [String]
        var documents: Int
    }

    /// The files that the facts name: receipts, payloads, notifications and what only looks like one.
    private static func files() throws -> [URL] {
        let data = try Data(contentsOf: Fixtures.vectors.appending(path: "facts.json"))
        let facts = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        return facts.filter { $0.value["accepted"] != nil }.keys.sorted().map { Fixtures.vectors.appending(path: $0) }
    }

    private static func read(_ paths: [String], _ options: ReadOptions) async throws -> Result {
        var stream = DocumentStream(try InputFile.expand(paths), options: options, consumer: RowKeeper())
        try await stream.run()
        let keeper = stream.consumer
        // The rows of one chunk are grouped by table. They are sorted, so that only the rows are compared and not their
        // order.
        return Result(rows: keeper.rows.sorted(), codes: keeper.codes, documents: stream.progress.documents)
    }

    enum Wrapping: CaseIterable {
        case plain, gzip, zstd

        func write(_ bytes: [UInt8], to path: String) throws {
            switch self {
            case .plain: try Data(bytes).write(to: URL(filePath: path))
            case .gzip:
                let file = gzopen(path, "wb")
                #expect(gzwrite(file, bytes, UInt32(bytes.count)) == Int32(bytes.count))
                gzclose(file)
            case .zstd:
                var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
                let count = ZSTD_compress(&output, output.count, bytes, bytes.count, 3)
                try Data(output[..<count]).write(to: URL(filePath: path))
            }
        }
    }

    @Test("Rows, rejects and their number are those of the files", arguments: Wrapping.allCases)
    func equalsFiles(_ wrapping: Wrapping) async throws {
        let files = try Self.files()
        let apart = try await Self.read(files.map(\.path), ReadOptions())
        #expect(files.count > 70 && apart.documents >= files.count && apart.rows.count > 400)

        var stream: [UInt8] = []
        for file in files { stream += try Fixtures.bytes(file) + [0x0A] }
        let path = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)").path
        try wrapping.write(stream, to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for (jobs, chunkSize) in [(1, 1 << 20), (2, 1 << 16), (4, 5000), (3, 700), (2, 1 << 22)] {
            let whole = try await Self.read([path], ReadOptions(jobs: jobs, chunkSize: chunkSize))
            #expect(whole == apart, "\(jobs) jobs, chunks of \(chunkSize)")
        }
    }
}
