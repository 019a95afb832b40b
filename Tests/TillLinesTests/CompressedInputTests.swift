import CZstd
import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillInput

@Suite("Compressed input")
struct CompressedInputTests {
    enum Compression: CaseIterable {
        case gzip, zstd

        var code: InputDefect { self == .gzip ? .gzip : .zstd }

        func member(_ bytes: [UInt8]) -> [UInt8] {
            self == .gzip ? Gzip.member(bytes) : CompressedInputTests.zstd(bytes)
        }
    }

    private static func zstd(_ bytes: [UInt8], window: Int32? = nil) -> [UInt8] {
        let context = ZSTD_createCCtx()
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        if let window {
            ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window)
            ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
        }
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        var target = ZSTD_outBuffer(dst: nil, size: output.count, pos: 0)
        var source = ZSTD_inBuffer(src: nil, size: bytes.count, pos: 0)
        return bytes.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { space in
                target.dst = space.baseAddress
                source.src = input.baseAddress
                // In two steps, so that the window is what was asked for and not what the size suggests.
                ZSTD_compressStream2(context, &target, &source, ZSTD_e_continue)
                ZSTD_compressStream2(context, &target, &source, ZSTD_e_end)
                return Array(space[..<target.pos])
            }
        }
    }

    /// Reads a file with these bytes, `step` at a time.
    private static func read(_ stored: [UInt8], step: Int = 1 << 16, ahead: Bool = false) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(stored).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = try InputReader(try #require(try InputFile.expand([file.path]).first))
        reader.inflatesAhead = ahead
        let buffer = ByteBuffer()
        while true {
            let got = try buffer.append(upTo: step) { memory throws(Finding) in try reader.read(into: memory) }
            if got < step { break }
        }
        #expect(reader.bytesRead == stored.count)
        return buffer.withPaddedBytes { $0.extracting(0..<buffer.count).withUnsafeBytes(Array.init) }
    }

    private static func content(_ count: Int) -> [UInt8] {
        var numbers = SeededNumbers(seed: UInt64(count))
        // Half of it repeats, so that there is something to compress.
        return numbers.bytes(count / 2) + Array(repeating: 0x7B, count: count - count / 2)
    }

    static let sizes = [0, 1, 3, 255, 4096, 65_535, 65_537, 262_144, 262_145, 700_001]

    @Test("Inflating gives the bytes that were compressed, for any size", arguments: Compression.allCases, sizes)
    func roundTrips(_ compression: Compression, _ count: Int) throws {
        let content = Self.content(count)
        #expect(try Self.read(compression.member(content)) == content)
    }

    @Test("Chunks of any size give the whole", arguments: Compression.allCases, [1, 7, 64, 1009, 65_537])
    func drips(_ compression: Compression, _ step: Int) throws {
        let parts = [Self.content(3001), [], Self.content(70_001)]
        #expect(try Self.read(parts.flatMap(compression.member), step: step) == parts.flatMap(\.self))
    }

    @Test(
        "Several members are read, and zero bytes may follow the last one (quirk 82)",
        arguments: Compression.allCases
    )
    func readsMembers(_ compression: Compression) throws {
        let members = (0..<20).flatMap { compression.member(Self.content($0 * 37)) }
        let content = (0..<20).flatMap { Self.content($0 * 37) }
        #expect(try Self.read(members) == content)
        #expect(try Self.read(members + Array(repeating: 0, count: 700)) == content)
    }

    /// Members of all sizes, some of them holding what looks like members, a few with zeros behind them.
    private static func manyMembers(_ compression: Compression, _ random: inout SplitMix64) -> [UInt8] {
        var stored: [UInt8] = []
        while stored.count < 3 << 20 {
            var content = random.bytes(random.below(random.once(in: 3) ? 600_000 : 40_000))
            if random.once(in: 4) {
                let inner = compression.member(random.bytes(20_000))
                content = inner + inner + inner + content
            }
            // Zeros stand behind the last member, but readers pass over them anywhere.
            let zeros = random.once(in: 6) ? random.below(5000) : 0
            stored += compression.member(content) + Array(repeating: 0, count: zeros)
        }
        return stored
    }

    /// What reading came to: how much was read and its checksum, or the error and its place.
    private static func outcome(_ stored: [UInt8], ahead: Bool) -> String {
        do {
            let bytes = try read(stored, step: 300_000, ahead: ahead)
            return "\(bytes.count) \(Gzip.checksum(bytes))"
        } catch let error as Finding {
            return "\(error.code) \(error.offset) \(error.reason)"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "Inflating ahead changes neither bytes nor errors",
        arguments: Compression.allCases,
        Seeds.some(of: UInt64(1)...6)
    )
    func inflatesAhead(_ compression: Compression, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sound = Self.manyMembers(compression, &random)
        let wanted = Self.outcome(sound, ahead: false)
        for _ in 0..<4 { #expect(Self.outcome(sound, ahead: true) == wanted) }
        for _ in 0..<8 {
            var damaged = sound
            let place = random.below(sound.count)
            if random.once(in: 2) { damaged[place] ^= UInt8(1 << random.below(8)) } else { damaged.removeLast(place) }
            #expect(Self.outcome(damaged, ahead: true) == Self.outcome(damaged, ahead: false), "\(place)")
        }
    }

    @Test(
        "Input that begins with a member is inflated to its end or to its first defect",
        arguments: Compression.allCases
    )
    func inflatesMembersAhead(_ compression: Compression) async throws {
        let contents = [Self.content(70_001), Self.content(3), Self.content(150_000)]
        let members = contents.map(compression.member)
        let whole = members.flatMap(\.self)
        let inputs: [([UInt8], given: [UInt8], isBetween: Bool)] = [
            (whole, contents.flatMap(\.self), true),
            (whole + [0, 0], contents.flatMap(\.self), true),
            (whole + [0x78, 1, 2, 3, 4], contents.flatMap(\.self), true),
            (Array(whole.dropLast(40_000)), [], false),
            ([0x78, 1, 2, 3, 4], [], true),
        ]
        let ahead = MemberPrefetcher(
            compression == .gzip ? try GzipInflater(source: "x") : try ZstdInflater(source: "x")
        )
        for (input, given, isBetween) in inputs {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
            defer { memory.deallocate() }
            memory.copyBytes(from: input)
            var found: MemberPrefetcher.Result?
            // A task that has not begun yet is not waited for.
            while found == nil {
                ahead.begin(UnsafeRawBufferPointer(memory))
                try await Task.sleep(for: .milliseconds(20))
                found = ahead.end()
            }
            let result = try #require(found)
            #expect(result.isBetweenMembers == isBetween)
            if isBetween {
                #expect(Array(ahead.output[..<result.written]) == given)
                #expect(result.consumed == (given.isEmpty ? 0 : whole.count))
            } else {
                #expect(result.consumed == input.count)
                let start = (contents[0] + contents[1]).count
                #expect(result.written >= start)
                #expect(Array(ahead.output[..<result.written]) == Array(contents.flatMap(\.self)[..<result.written]))
            }
        }
    }

    @Test(
        "A stream that is cut anywhere is an error and never a short result (quirk 82)",
        arguments: Compression.allCases
    )
    func rejectsTruncation(_ compression: Compression) throws {
        let stored = compression.member(Self.content(500)) + compression.member(Self.content(300))
        let first = compression.member(Self.content(500)).count
        for count in 4..<stored.count where count != first {
            let error = try #require(throws: Finding.self, "cut at \(count)") {
                try Self.read(Array(stored[..<count]))
            }
            #expect(error.code == compression.code.rawValue)
            #expect(error.offset == count)
            #expect(error.reason.contains("ends inside a"))
        }
    }

    @Test("Damage is an error, and so are bytes that are no member", arguments: Compression.allCases)
    func rejectsDamage(_ compression: Compression) throws {
        let stored = compression.member(Self.content(4000))
        var damaged = stored
        damaged[stored.count - 2] ^= 0xFF
        for bytes in [damaged, stored + [0x78]] + [stored + Array("{\"status\":21003}".utf8)] {
            let error = try #require(throws: Finding.self) { try Self.read(bytes) }
            #expect(error.code == compression.code.rawValue)
        }
    }

    @Test("Skippable frames of zstd are skipped, also before the first frame")
    func skipsFrames() throws {
        let skipped: [UInt8] = [0x53, 0x2A, 0x4D, 0x18, 5, 0, 0, 0] + Array("hello".utf8)
        let content = Self.content(999)
        let stored = skipped + Self.zstd(content) + skipped + skipped + Self.zstd(content) + skipped
        #expect(try Self.read(stored) == content + content)
        #expect(try Self.read(skipped).isEmpty)
        #expect(throws: Finding.self) { try Self.read(skipped + Self.zstd(content) + skipped.dropLast()) }
    }

    @Test("A zstd window of 128 MiB is accepted, and a larger one is an error that names the limit")
    func limitsWindow() throws {
        let content = Self.content(1000)
        #expect(try Self.read(Self.zstd(content, window: 27)) == content)
        let error = try #require(throws: Finding.self) { try Self.read(Self.zstd(content, window: 28)) }
        #expect(error.code == "input.zstd")
        #expect(error.reason == "the zstd stream needs a window of more than 128 MiB (limit: window size)")
    }

    private static func inflate(_ stored: [UInt8], _ limit: InflationLimit) throws -> Int {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try Data(stored).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = try InputReader(try #require(try InputFile.expand([file.path]).first), limit: limit)
        let buffer = ByteBuffer()
        var count = 0
        while true {
            buffer.removeAll()
            let got = try buffer.append(upTo: 1 << 16) { memory throws(Finding) in try reader.read(into: memory) }
            count += got
            if got < 1 << 16 { return count }
        }
    }

    @Test(
        "A bomb, in one member or in many, is an error as soon as it exceeds the ratio",
        arguments: Compression.allCases
    )
    func limitsRatio(_ compression: Compression) throws {
        var limit = InflationLimit(ratio: 100)
        limit.freeByteCount = 1 << 16
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        let members = (0..<64).flatMap { _ in compression.member(Array(zeros[..<(128 << 10)])) }
        for bomb in [
            compression.member(zeros), members, compression.member(Self.content(50_000)) + compression.member(zeros),
        ] {
            let error = try #require(throws: Finding.self) { try Self.inflate(bomb, limit) }
            #expect(error.code == "input.ratio" && error.offset <= bomb.count)
            #expect(error.reason.contains("100 times its size") && error.reason.contains("--max-ratio"))
        }
    }

    @Test("A small source, and a larger one below the ratio, is read", arguments: Compression.allCases)
    func allowsRepetition(_ compression: Compression) throws {
        let lines = Array(String(repeating: "{\"status\":21003}\n", count: 200_000).utf8)
        #expect(try Self.inflate(compression.member(lines), InflationLimit()) == lines.count)
        var limit = InflationLimit(ratio: 20)
        limit.freeByteCount = 1 << 16
        let content = Self.content(500_000)
        #expect(try Self.inflate(compression.member(content), limit) == content.count)
    }

    @Test("Compressed data inside compressed data of any kind is inflated", arguments: Compression.allCases)
    func inflatesAllLayers(_ compression: Compression) throws {
        let content = Self.content(5000)
        for outer in Compression.allCases {
            #expect(try Self.read(outer.member(compression.member(content))) == content)
        }
    }

    @Test("Input that only begins like a magic number is not compressed")
    func leavesOthers() throws {
        for bytes in [[0x28, 0xB5, 0x2F] as [UInt8], [0x1F], [0x50, 0x2A, 0x4D], [0x28, 0xB5, 0x2F, 0xFE, 1]] {
            #expect(try Self.read(bytes) == bytes)
        }
    }
}
