import Foundation
import Synchronization
import SystemPackage
import Testing
import TillCore
import TillSystem

@testable import TillInput

@Suite("Operands")
struct InputFileTests {
    @Test("Without operands, and for a hyphen, the source is standard input")
    func findsStandardInput() throws {
        #expect(try InputFile.expand([]) == [.standardInput])
        #expect(try InputFile.expand(["-", "-"]).map(\.name) == ["-", "-"])
        #expect(InputFile.standardInput.size == nil)
    }

    @Test("A folder stands for its files, recursively and in the order of their names, without dot files")
    func expandsFolders() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let names = ["b/2", "b/10", "b/deep/er/x", "a.txt", "a/1", "B", "é", "b.json", "-", "a b"]
        for name in names + [".hidden", "b/.git/config", ".folder/x"] { try folder.write(name) }

        let expected = ["-", "B", "a/1", "a b", "a.txt", "b/10", "b/2", "b/deep/er/x", "b.json", "é"]
        let sorted = expected.map { "\(folder.path)/\($0)" }
        var hidden: [InputFile.PassedOver] = []
        #expect(try InputFile.expand([folder.path]) { hidden.append($0) }.map(\.name) == sorted)
        #expect(hidden.map(\.name) == [".folder", ".hidden", "b/.git"].map { "\(folder.path)/\($0)" })
        #expect(hidden.allSatisfy { $0.isHidden })
        #expect(try InputFile.expand([folder.path]).allSatisfy(\.isInFolder))
        #expect(try InputFile.expand([folder.path + "/B"]).allSatisfy { !$0.isInFolder })
        #expect(try InputFile.expand([folder.path + "/"]).map(\.name) == sorted)
        #expect(
            try InputFile.expand([folder.path + "/b.json", folder.path + "/a", "-"]).map(\.name) == [
                sorted[8], sorted[2], "-",
            ]
        )
        #expect(try InputFile.expand([folder.path + "/.hidden"]).count == 1)
    }

    @Test("An empty folder gives no file, and a file has its size")
    func readsSizes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(try InputFile.expand([folder.path]).isEmpty)
        try folder.write("a", [1, 2, 3])
        try folder.write("empty")
        #expect(try InputFile.expand([folder.path]).map(\.size) == [3, 0])
    }

    @Test("In a folder, links to files are followed and links to folders are not")
    func followsLinks() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("real/a", [1])
        try folder.link("link", to: "real/a")
        try folder.link("loop", to: ".")
        try folder.link("nowhere", to: "missing")
        #expect(try InputFile.expand([folder.path]).map(\.name) == ["link", "real/a"].map { "\(folder.path)/\($0)" })
        #expect(try InputFile.expand([folder.path + "/loop"]).count == 2)
    }

    @Test("An operand that does not exist is an error that names it")
    func rejectsMissing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("a")
        let missing = folder.path + "/b"
        let error = try #require(throws: Finding.self) { try InputFile.expand([folder.path + "/a", missing]) }
        #expect(error.code == "input.missing" && error.path == missing)
        #expect(error.description.contains("input.missing") && error.description.hasPrefix(missing))
    }

    @Test("Files whose names are not UTF-8 are read, and messages write such bytes in hexadecimal")
    func readsAnyName() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in [[0x62, 0xE9, 0x2E], [0x61, 0xFF, 0xC3, 0xA9]] as [[UInt8]] {
            let path = (Array(folder.path.utf8) + [0x2F] + name + [0]).map(CChar.init(bitPattern:))
            let file = try #require(fopen(path, "w"))
            fputs("{}", file)
            fclose(file)
        }
        let files = try InputFile.expand([folder.path])
        #expect(files.map(\.name) == ["a\\xFFé", "b\\xE9."].map { "\(folder.path)/\($0)" })
        for file in files { #expect(try InputReader(file).name == file.name) }
    }

    @Test("Skipped entries of a folder are reported: broken links, pipes, links to folders")
    func tellsWhatItPasses() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.link("a", to: "nowhere")
        #expect(mkfifo(folder.path + "/b", 0o600) == 0)
        try folder.write("c/.hidden")
        try folder.link("d", to: "c")
        try folder.link("e", to: "b")
        var passed: [String] = []
        let files = try InputFile.expand([folder.path]) { passed.append($0.name.suffix(1) + ": " + $0.reason) }
        #expect(files.isEmpty)
        let told = [
            "a: a link that leads nowhere", "b: a named pipe", "n: its name begins with a dot", "d: a link to a folder",
            "e: a link to a named pipe",
        ]
        #expect(passed == told)
    }

    /// Fails the second `readdir`.
    private final class FailingFolder: SystemInterposer {
        private let calls = Mutex(0)

        func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
            let number = calls.withLock { calls in
                if call.name == .readdir { calls += 1 }
                return calls
            }
            guard call.name != .readdir || number != 2 else { throw .ioError }
            return try make(call)
        }
    }

    @Test("An error in the middle of a folder is thrown and gives no incomplete list")
    func seesFailingFolders() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("a")
        let error = try #require(throws: Errno.self) {
            try SystemCall.$interposer.withValue(FailingFolder()) {
                try FolderEntries.names(in: FilePath(folder.path))
            }
        }
        #expect(error == .ioError)
    }

    @Test("Any bytes survive as a text, and output writes those that are not UTF-8 in hexadecimal")
    func keepsBytesOfArguments() {
        let names: [[UInt8]] = [
            [], Array("café".utf8), [0x63, 0xE9], [0xFF, 0xC3, 0xA9, 0x80], [0xE2, 0x82], Array("\u{FFFD}".utf8),
            Array("a\u{10FFE9}\u{10FFFF}b".utf8), [0xF4, 0x8F, 0xBF], [0xED, 0xA0, 0x80],
        ]
        for name in names { #expect(ProcessArguments.bytes(of: ProcessArguments.text(of: name)) == name) }
        #expect(Set(names.map { ProcessArguments.text(of: $0) }).count == names.count)
        #expect(ProcessArguments.shown(ProcessArguments.text(of: [0x63, 0xE9, 0xC3, 0xA9])) == "c\\xE9é")
    }

    @Test("Two operands that differ in a byte that is not UTF-8 are two files")
    func tellsNamesApart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let operands = ([0xE8, 0xE9] as [UInt8]).map {
            ProcessArguments.text(of: Array(folder.path.utf8) + [0x2F, $0])
        }
        for (count, operand) in operands.enumerated() {
            let path = ProcessArguments.bytes(of: operand).map(CChar.init(bitPattern:)) + [0]
            let file = try #require(fopen(path, "w"))
            fputs(String(repeating: "x", count: count + 1), file)
            fclose(file)
        }
        let files = try InputFile.expand(operands)
        #expect(files.map(\.size) == [1, 2])
        #expect(files.map(\.name) == ["\(folder.path)/\\xE8", "\(folder.path)/\\xE9"])
    }

    @Test("The arguments of the process are those that it was given")
    func readsArguments() {
        #expect(ProcessArguments.all == Array(CommandLine.arguments.dropFirst()))
    }
}
