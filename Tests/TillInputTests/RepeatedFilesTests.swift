import Foundation
import Testing

@testable import TillInput

@Suite("Repeated files")
struct RepeatedFilesTests {
    @Test("Copies, links and paths named twice are read once; files of other bytes, and of no bytes, always")
    func leavesOutRepeated() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/sub", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let long = String(repeating: "x", count: 70_000)
        let texts = [
            "a": "one", "b": "two", "c": "four", "e1": "", "e2": "", "long1": long + "1", "long2": long + "2",
            "sub/copy": "one", "sub/long": long + "1",
        ]
        for (name, text) in texts { try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8) }
        try FileManager.default.linkItem(atPath: folder + "/b", toPath: folder + "/sub/hard")
        try FileManager.default.createSymbolicLink(atPath: folder + "/sub/soft", withDestinationPath: "../c")
        let files = try InputFile.expand([folder, folder + "/a", "-", "-"])
        let (read, repeated) = InputFile.leavingOutRepeated(files)
        func names(_ files: [InputFile]) -> [String] { files.map { $0.name.replacing(folder + "/", with: "") } }
        #expect(names(read) == ["a", "b", "c", "e1", "e2", "long1", "long2", "-", "-"])
        #expect(names(repeated.map(\.file)) == ["sub/copy", "sub/hard", "sub/long", "sub/soft", "a"])
        #expect(names(repeated.map(\.first)) == ["a", "b", "long1", "c", "a"])
    }
}
