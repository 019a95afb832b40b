import Foundation
import Testing
import TillColumns
import TillInput
import TillRows

@testable import TillPipeline

/// Counts documents whenever it hears of progress.
private final class Listener: DocumentConsumer, @unchecked Sendable {
    private let lock = NSLock()
    private var counted = 0
    private(set) var statuses: [Int64] = []
    private(set) var rejects = 0

    /// Documents that had been read when progress was last told.
    var count: Int { lock.withLock { counted } }

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        for row in 0..<rows.documents.rowCount { statuses.append(rows.documents[.status, row] ?? -1) }
    }

    func consume(_ reject: Reject) { rejects += 1 }
    func consume(_ warning: Warning) {}
    func report(_ progress: ReadProgress) { lock.withLock { counted = progress.documents } }
}

@Suite("Reading while input is still coming")
struct LiveReadingTests {
    private static func response(_ status: Int) -> String { #"{"status":\#(status)}"# + "\n" }

    /// Writes `pieces` into a named pipe; each is written when the documents of those before it have been heard of.
    private static func read(_ pieces: [(text: String, documents: Int)]) async throws -> (Listener, ReadProgress) {
        let path = NSTemporaryDirectory() + "tillroll-\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let listener = Listener()
        let writer = Thread {
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            for (text, documents) in pieces {
                try? file.write(contentsOf: Data(text.utf8))
                let deadline = Date(timeIntervalSinceNow: 20)
                while listener.count < documents, Date() < deadline { usleep(2000) }
            }
            try? file.close()
        }
        writer.start()
        var options = ReadOptions()
        options.needs = .pauses
        var stream = DocumentStream(try InputFile.expand([path]), options: options, consumer: listener)
        try await stream.run()
        return (listener, stream.progress)
    }

    @Test("A document is read when the pipe pauses behind it, long before the chunk is full")
    func pauses() async throws {
        let start = Date()
        let (listener, progress) = try await Self.read([
            (Self.response(21_002), 1), (Self.response(21_003) + Self.response(21_004), 3), (Self.response(21_005), 4),
        ])
        #expect(listener.statuses == [21_002, 21_003, 21_004, 21_005])
        #expect(progress.accepted == 4)
        // A piece that is not heard of costs twenty seconds.
        #expect(Date().timeIntervalSince(start) < 15)
    }

    @Test("A document that is cut by pauses is one")
    func cut() async throws {
        let (listener, progress) = try await Self.read([
            (Self.response(21_002) + #"{"sta"#, 1), (#"tus":210"#, 1), ("03}\nnonsense", 2),
            ("\n" + Self.response(21_005), 4),
        ])
        #expect(listener.statuses == [21_002, 21_003, 21_005])
        #expect(progress.rejected == 1)
        #expect(progress.documents == 4)
    }
}
