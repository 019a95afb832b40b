import Foundation
import Testing

@testable import TillPipeline

@Suite("Files that finance hands in")
struct ReferenceFileTests {
    @Test("A file may be as long as its limit, and is not cut where it is longer", arguments: [0, 1, 1 << 20, 3 << 20])
    func isLimited(_ count: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path
        let content = (0..<count).map { UInt8($0 % 251) }
        try Data(content).write(to: file)
        #expect(try ReferenceFile.bytes(of: path, option: "--accounts", limit: count) == content)
        let start = try ReferenceFile.start(of: path, option: "--closed", atLeast: 64)
        #expect(start.count >= min(count, 64) && content.starts(with: start))
        guard count > 0 else { return }
        let error = #expect(throws: RunError.self) {
            try ReferenceFile.bytes(of: path, option: "--accounts", limit: count - 1)
        }
        #expect(error?.status == .dataError)
        #expect(error?.description == "\(path): the file is too long; --accounts takes at most \(count - 1) bytes")
    }

    @Test("A file that came with a partial has the limit of the option that names it")
    func isLimitedInPartials() {
        var settings = Settings()
        settings.files = [NamedFile(path: "terms.csv", bytes: [1, 2, 3])]
        #expect(throws: RunError.self) { try settings.bytes(of: "terms.csv", option: "--commission", limit: 2) }
        #expect(throws: Never.self) { try settings.bytes(of: "terms.csv", option: "--commission", limit: 3) }
    }
}
