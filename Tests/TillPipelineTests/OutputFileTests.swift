import Foundation
import SystemPackage
import Testing
import TillInput
import TillSystem

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

    @Test("Through a link to what is not there yet the file is made, and the link stays")
    func followsLinksToNothing() throws {
        try Self.withFolder { folder in
            let link = folder + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
            try Output.write(Array("new".utf8), to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "file")
            #expect(try String(contentsOfFile: folder + "/file", encoding: .utf8) == "new")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["file", "link"])
        }
    }

    @Test("Two outputs that a link makes one are refused, also while there is nothing at its end")
    func tellsOutputsApart() throws {
        try Self.withFolder { folder in
            let (file, link) = (folder + "/file", folder + "/link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
            for (result, rejects) in [(link, file), (file, link), (folder + "/./file", file)] {
                let paths = OutputPaths(result, called: "the report", rejects: rejects)
                #expect(throws: RunError.self) { try paths.check(inputs: []) }
            }
            try OutputPaths(file, called: "the report", rejects: folder + "/other").check(inputs: [])
        }
    }

    @Test("A name that is not UTF-8 is kept, byte by byte")
    func keepsBytesOfNames() throws {
        try Self.withFolder { folder in
            let bytes = Array(folder.utf8) + Array("/caf".utf8) + [0xE9]
            try Output.write(Array("text".utf8), to: ProcessArguments.text(of: bytes))
            let file = open(bytes.map(CChar.init(bitPattern:)) + [0], O_RDONLY)
            #expect(file >= 0)
            close(file)
            let error = #expect(throws: RunError.self) {
                try Output.write([], to: ProcessArguments.text(of: bytes + Array("/file".utf8)))
            }
            #expect(error?.status == .cannotCreate)
        }
    }

    @Test("Closing standard output tells what writing did not")
    func tellsFailingClose() throws {
        // As of a descriptor that cannot be closed: no file system here fails so late.
        let error = #expect(throws: RunError.self) { try StandardOutput.close(OpenFile(descriptor: 1_000_000)) }
        #expect(error?.status == .inputOutputError)
    }
}
