import Foundation
import Testing

@testable import TillPipeline

@Suite("Output files")
struct OutputFileTests {
    /// Runs `body` with the path of a folder of its own.
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test("A pipe is written to and stays a pipe: the same keeps /dev/null a device")
    func writesToStreams() throws {
        try Self.withFolder { folder in
            let path = folder + "/pipe"
            #expect(mkfifo(path, 0o600) == 0)
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try Output.write(Array("text".utf8), to: path)
            var bytes = [UInt8](repeating: 0, count: 16)
            #expect(read(reader, &bytes, bytes.count) == 4)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.type] as? FileAttributeType != .typeRegular)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["pipe"])
        }
    }

    @Test("What is open already is appended to: a log that stderr goes to is not replaced by rejects")
    func appendsToDescriptors() throws {
        try Self.withFolder { folder in
            let file = folder + "/log"
            try Output.write(Array("before ".utf8), to: file)
            let descriptor = open(file, O_RDWR)
            defer { close(descriptor) }
            try Output.write(Array("after".utf8), to: "/dev/fd/\(descriptor)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "before after")
        }
    }

    @Test("Through a link the file it leads to is replaced, and the link stays")
    func followsLinks() throws {
        try Self.withFolder { folder in
            let (file, link) = (folder + "/file", folder + "/link")
            try Output.write(Array("old".utf8), to: file)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
            try Output.write(Array("new".utf8), to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        }
    }
}
