import Foundation
import SystemPackage
import Testing
import TillCore
import TillTestSupport

@testable import TillInput

@Suite("Sources of bytes")
struct InputReaderTests {
    /// Reads `stored` from a file, `step` bytes at a time.
    private static func read(_ stored: [UInt8], step: Int = 1 << 16) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("input", stored)
        let file = try #require(try InputFile.expand([path]).first)
        #expect(file.size == stored.count)
        let reader = try InputReader(file)
        #expect(reader.size == stored.count && reader.name == path)
        var result: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            result += buffer[..<count]
            if count < step { break }
        }
        #expect(reader.bytesRead == stored.count)
        #expect(try reader.read(into: buffer) == 0)
        return result
    }

    @Test("A source that cannot be opened for lack of a resource is not reported as missing")
    func tellsWhatHasRunOut() {
        #expect(Finding(opening: "a", Errno(rawValue: ENOENT)).code == "input.missing")
        #expect(
            Finding(opening: "", Errno(rawValue: ENOENT)).description == "'': No such file or directory (input.missing)"
        )
        #expect(Finding(opening: "a", Errno(rawValue: EACCES)).code == "input.missing")
        #expect(Finding(opening: "a", Errno(rawValue: EMFILE)).code == "input.unreadable")
        #expect(Finding(opening: "a", Errno(rawValue: ENFILE)).code == "input.unreadable")
    }

    @Test("Compression inside compression is undone, also around several members with line feeds between them")
    func readsNestedCompression() throws {
        let (first, second) = (Self.text(3000), Self.text(2000, seed: 2))
        let members = Gzip.member(first) + [0x0A] + Gzip.member(second) + [0x0A]
        var stored = members
        for layers in 1...InputReader.mostLayers {
            for step in [1, 5, 1 << 16] { #expect(try Self.read(stored, step: step) == first + second, "\(layers)") }
            stored = Gzip.member(stored)
        }
        let error = try #require(throws: Finding.self) { try Self.read(stored) }
        #expect(error.code == "input.ratio" && error.reason.contains("limit: layers"))
        // What only looks like gzip in a stream is data.
        #expect(throws: Finding.self) { try Self.read(Gzip.member([0x1F, 0x8B, 7, 0])) }
        #expect(try Self.read(Gzip.member([0x1F])) == [0x1F])
        let utf16: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0x0A, 0]
        #expect(try Self.read(Gzip.member(Gzip.member(utf16))) == [0x61, 0x0A])
        #expect(throws: Finding.self) { try Self.read(Gzip.member(Array(Gzip.member(first).dropLast(9)))) }
    }

    @Test("The ratio limit counts from the stored bytes through all layers")
    func limitsNestedRatio() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let bomb = Gzip.member(Gzip.member(Array(repeating: 0, count: 4 << 20)))
        let file = try #require(try InputFile.expand([folder.write("input", bomb)]).first)
        var limit = InflationLimit(ratio: 2000)
        limit.freeByteCount = 100_000
        let reader = try InputReader(file, limit: limit)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: Finding.self) { while try reader.read(into: buffer) > 0 {} }
        #expect(error?.code == "input.ratio")
    }

    private static func text(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8(0x20 + random.below(random.once(in: 3) ? 90 : 4)) }
    }

    @Test("A plain file is read unchanged, with buffers of any size", arguments: [1, 3, 4, 5, 64, 1 << 16])
    func readsPlainFiles(_ step: Int) throws {
        for count in [0, 1, 2, 3, 4, 5, 1000] {
            let bytes = Self.text(count)
            #expect(try Self.read(bytes, step: step) == bytes)
        }
    }

    @Test("Carriage returns that end lines by themselves are read as line feeds, and no others")
    func readsCarriageReturns() throws {
        func read(_ text: String) throws -> String { String(decoding: try Self.read(Array(text.utf8)), as: UTF8.self) }
        #expect(try read("a\rb\r") == "a\nb\n")
        #expect(try read("a\r\rb") == "a\n\nb")
        let long = String(repeating: "a", count: 40_000)
        #expect(try read(long + "\r" + long + "\r" + long) == long + "\n" + long + "\n" + long)
        for text in ["a\r\nb\r\n", "a\rb\n", "ab\r", "\r", "", long + long + "\rb", "a\nb\rc"] {
            #expect(try read(text) == text)
        }
        for other: [UInt8] in [[0x30, 0x82, 0x01, 0x0D, 0x01, 0x0D, 0x02], [0x61, 0x0D, 0x00, 0x61]] {
            #expect(try Self.read(other) == other)
        }
    }

    @Test(
        "Gzip is recognized by its first bytes and inflated, with buffers of any size",
        arguments: [1, 7, 64, 4096, 1 << 20]
    )
    func inflates(_ step: Int) throws {
        for count in [0, 1, 1000, 70_000] {
            let bytes = Self.text(count)
            #expect(try Self.read(Gzip.member(bytes), step: step) == bytes)
        }
    }

    @Test("All members are read, empty ones too, wherever they end in the buffer")
    func inflatesMembers() throws {
        for sizes in [[5, 5], [1, 0, 1], [0, 0], [70_001, 1, 300_007], [3, 64, 4093, 65_537]] {
            let members = sizes.enumerated().map { Self.text($1, seed: UInt64($0)) }
            let stored = members.flatMap { Gzip.member($0) }
            for step in [1 << 10, 1 << 16, 65_535] {
                #expect(try Self.read(stored, step: step) == members.flatMap(\.self), "\(sizes)")
            }
        }
    }

    @Test("A member may end at every position of the buffer of compressed bytes")
    func inflatesAcrossBuffers() throws {
        var random = SplitMix64(seed: 9)
        let noise = random.bytes(262_144 - 60)
        for extra in 0..<64 {
            let first = noise + Array(repeating: 7, count: extra)
            let stored = Gzip.member(first) + Gzip.member([1, 2, 3])
            #expect(try Self.read(stored, step: 1 << 20) == first + [1, 2, 3], "\(extra)")
        }
    }

    @Test("A gzip stream that ends anywhere inside a member is an error")
    func rejectsTruncation() throws {
        let member = Gzip.member(Self.text(300))
        for count in 2..<member.count {
            for prefix in [[], member] {
                let error = try #require(throws: Finding.self, "\(count)") {
                    try Self.read(prefix + member[..<count])
                }
                #expect(error.code == "input.gzip")
                #expect(error.reason.contains("ends inside") && error.offset == prefix.count + count)
            }
        }
        let one = try #require(throws: Finding.self) { try Self.read(member + [0x1F]) }
        #expect(one.code == "input.gzip")
    }

    @Test("Zeros and white space after the last member are skipped, and other bytes there are an error")
    func readsWhatFollows() throws {
        let bytes = Self.text(500)
        for zeros in [1, 511, 300_000] {
            #expect(try Self.read(Gzip.member(bytes) + Array(repeating: 0, count: zeros)) == bytes)
        }
        let between = Gzip.member(bytes) + [0, 0, 0] + Gzip.member(bytes)
        #expect(try Self.read(between) == bytes + bytes)
        #expect(try Self.read(Gzip.member(bytes) + [0x0D, 0x0A, 0x20]) == bytes)
        for garbage in ["x", "{\"status\":21003}"] {
            for zeros in [0, 4] {
                let stored = Gzip.member(bytes) + Array(repeating: 0, count: zeros) + Array(garbage.utf8)
                let error = try #require(throws: Finding.self) { try Self.read(stored) }
                #expect(error.code == "input.gzip", "\(garbage)")
            }
        }
    }

    @Test("A member with a wrong checksum is an error right after the checksum")
    func checksSums() throws {
        var stored = Gzip.member(Self.text(500))
        stored[stored.count - 6] ^= 1
        let error = try #require(throws: Finding.self) { try Self.read(stored) }
        #expect(error.code == "input.gzip")
        #expect(error.offset == stored.count - 4)
        let later = try #require(throws: Finding.self) { try Self.read(Gzip.member([1]) + stored) }
        #expect(later.offset == Gzip.member([1]).count + stored.count - 4)
    }

    @Test("A file that was removed is reported as missing")
    func rejectsMissing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("input", [1])
        let file = try #require(try InputFile.expand([path]).first)
        folder.remove()
        let error = try #require(throws: Finding.self) { _ = try InputReader(file) }
        #expect(error.code == "input.missing" && error.path == path)
    }

    /// Reads `stored` to its end from a file whose length is changed as soon as the file is open.
    private static func readChanging(_ stored: [UInt8], to length: Int) throws -> Int {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("input", stored)
        let reader = try InputReader(try #require(try InputFile.expand([path]).first))
        truncate(path, length)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            let count = try reader.read(into: buffer)
            if count == 0 { return total }
            total += count
        }
    }

    @Test(
        "A file that becomes shorter while it is read is an error, wherever it ends then",
        arguments: [0, 4, 7000, 9999]
    )
    func seesShrinkingFiles(_ length: Int) throws {
        let members = Gzip.member(Self.text(5000)) + Gzip.member(Self.text(5000, seed: 2))
        let second = Gzip.member(Self.text(5000)).count
        for (stored, length) in [(Self.text(10_000), length), (members, length == 0 ? second : min(length, second))] {
            let error = try #require(throws: Finding.self) { try Self.readChanging(stored, to: length) }
            #expect(
                error.code == "input.unreadable"
                    && error.reason.contains("had \(stored.count) bytes when it was opened")
            )
        }
    }

    @Test("A file that grows while it is read is read to its end")
    func followsGrowingFiles() throws {
        #expect(try Self.readChanging(Self.text(10_000), to: 30_000) == 30_000)
        #expect(try Self.readChanging([], to: 10) == 10)
    }

    @Test("Random access to a file that has become shorter is an error")
    func seesShrinkingSeekableFiles() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("input", Self.text(100))
        let file = try InputReader(try #require(try InputFile.expand([path]).first)).seekable()
        truncate(path, 50)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 20, alignment: 1)
        defer { buffer.deallocate() }
        try file.read(at: 30, into: buffer)
        let error = try #require(throws: Finding.self) { try file.read(at: 40, into: buffer) }
        #expect(error.code == "input.unreadable" && error.offset == 50 && error.reason.contains("shorter"))
    }

    @Test("A pipe is copied up to a limit", arguments: [(100, 100), (99, 100), (0, 1)])
    func limitsCopies(_ limit: Int, _ count: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let text = Self.text(count)
        Thread {
            let pipe = FileHandle(forWritingAtPath: path)
            try? pipe?.write(contentsOf: Data(text))
            try? pipe?.close()
        }
        .start()
        let reader = try InputReader(try #require(try InputFile.expand([path]).first))
        let copy = Result { () throws(Finding) in try reader.seekable(copyLimit: limit) }
        switch copy {
        case .success(let file): #expect(count <= limit && file.byteCount == count)
        case .failure(let error): #expect(count > limit && error.code == "input.too-large")
        }
    }
}
