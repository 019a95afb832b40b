import Foundation
import Testing
import TillColumns
import TillCore
import TillInput
import TillRows

@testable import TillPipeline

/// Keeps documents and rejects with the places that they have.
private final class PlaceRecorder: DocumentConsumer {
    var documents: [(number: Int, text: String)] = []
    var rejects: [(number: Int, line: Int, text: String)] = []

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        for row in 0..<rows.documents.rowCount {
            let ordinal = Int(rows.documents[.document, row] ?? -1)
            documents.append((firstDocument + ordinal, "status \(rows.documents[.status, row] ?? -1)"))
        }
    }

    func consume(_ reject: Reject) {
        let position = reject.position
        let text = "\(position.offset)+\(position.length) \(reject.diagnostic.code)"
        rejects.append((reject.document, position.line, text))
    }

    func consume(_ warning: Warning) {}
    func report(_ progress: ReadProgress) {}
}

@Suite("Reading by ranges of bytes")
struct RangeTests {
    private struct Answer {
        var places: [String]
        var range: ReadRange
        var documents: Int
        var bytes: Int
    }

    private static func withFile<Result>(
        _ text: String,
        _ body: (InputFile) async throws -> Result
    ) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(try #require(try InputFile.expand([file.path]).first))
    }

    /// Reads a range after `documents` documents and `lines` lines.
    private static func read(
        _ file: InputFile,
        _ range: ByteRange?,
        behind documents: Int = 0,
        _ lines: Int = 0,
        chunkSize: Int
    ) async throws -> Answer {
        var options = ReadOptions(jobs: 1, chunkSize: chunkSize, documentLimit: 600)
        options.range = range
        var stream = DocumentStream([file], options: options, consumer: PlaceRecorder())
        try await stream.run()
        let found = stream.consumer
        let places =
            found.documents.map { "\($0.number + documents) \($0.text)" }
            + found.rejects.map { "\($0.number + documents) line \($0.line + lines) @ \($0.text)" }
        return Answer(
            places: places,
            range: stream.readRange ?? ReadRange(begin: 0, end: 0, lines: 0, openBrackets: 0),
            documents: stream.progress.documents,
            bytes: stream.progress.bytes
        )
    }

    /// Whether the ranges between cuts abut; where they do, they must tell what one pass does.
    private static func abut(_ file: InputFile, _ whole: Answer, cuts: [Int], chunkSize: Int) async throws -> Bool {
        var joined = Answer(
            places: [],
            range: ReadRange(begin: 0, end: 0, lines: 0, openBrackets: 0),
            documents: 0,
            bytes: 0
        )
        for (begin, end) in zip([0] + cuts, cuts.map(Optional.some) + [nil]) {
            let range = try #require(ByteRange("\(begin)-\(end.map(String.init) ?? "")"))
            let answer = try await read(file, range, behind: joined.documents, joined.range.lines, chunkSize: chunkSize)
            guard answer.range.begin == joined.range.end else { return false }
            joined.places += answer.places
            joined.documents += answer.documents
            joined.bytes += answer.bytes
            joined.range.end = answer.range.end
            joined.range.lines += answer.range.lines
        }
        #expect(joined.places.sorted() == whole.places.sorted(), "cuts \(cuts), chunks of \(chunkSize)")
        #expect(joined.documents == whole.documents && joined.bytes == whole.bytes, "cuts \(cuts)")
        #expect(joined.range.end == file.size, "cuts \(cuts)")
        return true
    }

    /// Documents of a line each, among them broken ones, one over the limit, empty lines and none at the end.
    static let lines = [
        #"{"status":0}"#, #"{"status":21003}"#, "", #"{"status": 2"#, "<html>no</html>", #"{"status":0}  "#,
        #"{"status":0,"x":"\#(String(repeating: "y", count: 700))"}"#, #"{"status":21007}"#, "\r", #"{"status":0},"#,
        "[",
        #"{"status":21002},"#, #"{"status":0}"#, "]", #"{"status":0}{"status":21004}"#, #""text""#, #"{"status":0}"#,
    ].joined(separator: "\n")

    @Test(
        "Every cut of documents of a line each gives ranges that abut and tell what one pass tells",
        arguments: [1, 7, 100, 1 << 20]
    )
    func cutsLines(_ chunkSize: Int) async throws {
        try await Self.withFile(Self.lines) { file in
            let whole = try await Self.read(file, nil, chunkSize: 1 << 20)
            #expect(whole.documents > 10)
            // Each cut with a chunk of its own, else all of them take minutes.
            for cut in 1..<Self.lines.utf8.count where cut % 5 == chunkSize % 5 {
                #expect(try await Self.abut(file, whole, cuts: [cut], chunkSize: chunkSize), "cut \(cut)")
            }
            // Several cuts inside of one line.
            #expect(try await Self.abut(file, whole, cuts: [130, 131, 200, 700, 701, 900], chunkSize: chunkSize))
        }
    }

    @Test("Ranges of documents over several lines abut, or show that they do not")
    func cutsOtherDocuments() async throws {
        let texts = [
            DocumentStreamTests.mixed,
            // Base64 of a document over lines: a cut inside of it is seen by the range before.
            Data(#"{"status":0}"#.utf8).base64EncodedString().map { "\($0)\n" }.joined() + #"{"status":0}"#,
            "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n</dict>\n</plist>\n{\"status\":0}\n",
        ]
        for text in texts {
            try await Self.withFile(text) { file in
                let whole = try await Self.read(file, nil, chunkSize: 1 << 20)
                var count = 0
                for cut in 1..<text.utf8.count {
                    count += try await Self.abut(file, whole, cuts: [cut], chunkSize: 1 << 20) ? 1 : 0
                }
                #expect(count > 0)
            }
        }
    }

    @Test(
        "What a range cannot be",
        arguments: ["", "-", "-5", "5", "7-7", "9-3", "a-b", "0-1-2", "1-99999999999999999999"]
    )
    func rejects(_ text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(
        "Delimited text, Parquet, UTF-16 and compressed files have no ranges",
        arguments: [
            Array("id,receipt\n1,\"{\"\"status\"\":0}\"\n".utf8), Array("PAR1 and more".utf8), [0xFF, 0xFE, 0x7B, 0],
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3],
        ]
    )
    func refusesOtherFiles(_ bytes: [UInt8]) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try #require(try InputFile.expand([url.path]).first)
        let error = await #expect(throws: Finding.self) {
            _ = try await Self.read(file, ByteRange("0-10"), chunkSize: 1 << 20)
        }
        #expect(error?.code == "input.range")
    }
}
