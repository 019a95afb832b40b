import Foundation
import Testing
import TillTestSupport

/// Reads the input of each case, and compares rows and rejects with the files of the case.
///
/// A case is a folder below `Cases`:
///
///     about            the rule that the case shows
///     input            the bytes to read, in most cases a document per line
///     rows.ndjson      the numbers of documents, then the rows of each document without their empty cells
///     rejects.ndjson   the documents that cannot be read; absent if the reader accepts all
///
/// With `TILLROLL_RECORD=1` in the environment, files that differ are written instead. The test then fails, so that
/// nobody records by accident.
@Suite("Corpora")
struct CorpusTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")
    static let names = files(in: folder)
    static let isRecording = ProcessInfo.processInfo.environment["TILLROLL_RECORD"] == "1"

    static func files(in folder: URL) -> [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (found ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    @Test("The corpus has cases")
    func hasCases() {
        #expect(Self.names.count > 100)
    }

    @Test("An input gives the same rows and rejects as before, in chunks of any size", arguments: names)
    func reads(_ name: String) throws {
        let folder = Self.folder.appending(path: name)
        let files = Self.files(in: folder).filter { $0 != "rejects.ndjson" }
        #expect(files == ["about", "input", "rows.ndjson"] || Self.isRecording)
        let about = try String(contentsOf: folder.appending(path: "about"), encoding: .utf8)
        let input = try Fixtures.bytes(folder.appending(path: "input"))
        try #require(!input.isEmpty)
        let reading = Reading(input)
        #expect(reading.consumed == input.count, "\(about)")
        try expect(reading.rowLines, folder.appending(path: "rows.ndjson"), about)
        try expect(reading.rejectLines(of: input), folder.appending(path: "rejects.ndjson"), about)
        for size in Self.chunkSizes(input.count) {
            #expect(Reading(input, step: size) == reading, "\(about)in chunks of \(size) bytes")
        }
    }

    /// Sizes of chunks for an input. A reader looks at an incomplete document again with each chunk, so small chunks of
    /// long inputs would take minutes.
    private static func chunkSizes(_ count: Int) -> [Int] {
        switch count {
        case ..<2_000: [1, 7, 64]
        case ..<8_000: [64]
        default: [256]
        }
    }

    private func expect(_ lines: [String], _ file: URL, _ about: String) throws {
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let text = lines.map { $0 + "\n" }.joined()
        guard text != expected else { return }
        guard Self.isRecording else {
            let changes = lines.difference(from: expected.split(separator: "\n").map(String.init)).map { change in
                switch change {
                case .remove(_, let line, _): "\n- \(line)"
                case .insert(_, let line, _): "\n+ \(line)"
                }
            }
            Issue.record("\(about)\(file.lastPathComponent):\(changes.joined())")
            return
        }
        if text.isEmpty {
            try FileManager.default.removeItem(at: file)
        } else {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        Issue.record("recorded \(file.lastPathComponent); run again without TILLROLL_RECORD")
    }
}
