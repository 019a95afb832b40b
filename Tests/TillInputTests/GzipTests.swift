import Testing
import TillCore
import TillTestSupport

@testable import TillInput

/// Every case runs with each library. Where ISA-L is not installed, zlib is compared with itself.
@Suite("Gzip")
struct GzipTests {
    /// The result of reading a source to its end.
    private enum Answer: Equatable {
        case bytes([UInt8])
        case failure(String, reason: String)
    }

    /// Inflates `stored` with `inputStep` bytes of input and room for `outputStep` bytes of output at a time.
    private static func read(
        _ stored: [UInt8],
        by library: DeflateLibrary,
        inputStep: Int,
        outputStep: Int,
        limit: InflationLimit = InflationLimit()
    ) throws -> (answer: Answer, offset: Int) {
        let libraries: [DeflateLibrary] = [library, .zlib]
        let magic = Array(stored.prefix(4))
        var given = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: outputStep, alignment: 1)
        defer { buffer.deallocate() }
        var result: [UInt8] = []
        do {
            let stream = try #require(
                try InflatedStream(magic: magic, source: "x.gz", limit: limit, libraries: libraries)
            )
            while true {
                let count = try stream.inflate(into: buffer, source: "x.gz", offset: given) { target in
                    let count = min(inputStep, target.count, stored.count - given)
                    target.copyBytes(from: stored[given..<given + count])
                    given += count
                    return count
                }
                result += buffer[..<count]
                if count < outputStep { return (.bytes(result), given) }
            }
        } catch let error as Finding {
            return (.failure(error.code, reason: error.reason), error.offset)
        }
    }

    private static let steps = [(1 << 20, 1 << 20), (1, 1 << 16), (1 << 16, 1), (7, 13), (4096, 70_000)]

    /// The result, which must be the same with all libraries and all steps.
    private static func answer(
        _ stored: [UInt8],
        steps: [(Int, Int)] = Self.steps,
        _ comment: Comment? = nil
    ) throws -> (answer: Answer, offset: Int) {
        let expected = try read(stored, by: .zlib, inputStep: 1 << 20, outputStep: 1 << 20)
        for library in DeflateLibrary.allCases {
            for (inputStep, outputStep) in steps {
                let found = try read(stored, by: library, inputStep: inputStep, outputStep: outputStep)
                #expect(found.answer == expected.answer, comment)
                #expect(found.offset == expected.offset, comment)
            }
        }
        return expected
    }

    private static func text(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8(0x20 + random.below(random.once(in: 3) ? 90 : 4)) }
    }

    private static func header(flags: UInt8, _ fields: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 3] + fields
    }

    @Test("Blocks of every kind are inflated: stored, with fixed codes, with codes of their own")
    func inflatesAllBlocks() throws {
        var random = SplitMix64(seed: 3)
        let contents = [
            [], [7], Self.text(100), Self.text(70_000), random.bytes(100_000), Array(repeating: 9, count: 1 << 20),
        ]
        for (bytes, level) in contents.flatMap({ bytes in [0, 1, 9].map { (bytes, Int32($0)) } }) {
            let stored = Gzip.member(bytes, level: level)
            let steps = bytes.count < 1000 ? Self.steps : [(1 << 20, 1 << 20), (4096, 70_000), (70_000, 4093)]
            #expect(try Self.answer(stored, steps: steps, "\(bytes.count) \(level)").answer == .bytes(bytes))
        }
    }

    @Test("Fields of the header are skipped, whatever they hold")
    func readsHeaders() throws {
        let bytes = Self.text(300)
        let name = Array("a name.json".utf8) + [0]
        let extra: [UInt8] = [3, 1] + Array(repeating: 0, count: 259)
        for flags in UInt8(0)..<32 {
            var header = Self.header(flags: flags, [])
            if flags & 4 != 0 { header += extra }
            if flags & 8 != 0 { header += name }
            if flags & 16 != 0 { header += [0xFF, 0] }
            if flags & 2 != 0 { header += Gzip.number(Gzip.checksum(header)).prefix(2) }
            let stored = Gzip.member(bytes, header: header)
            #expect(try Self.answer(stored + stored, "\(flags)").answer == .bytes(bytes + bytes))
        }
        let empty = Gzip.member(bytes, header: Self.header(flags: 4, [0, 0]))
        #expect(try Self.answer(empty).answer == .bytes(bytes))
    }

    private static let brokenHeaders: [(String, [UInt8], Int, String)] = [
        ("method", [0x1F, 0x8B, 7, 0, 0, 0, 0, 0, 0, 3], 3, "compression method 7"),
        ("flags", [0x1F, 0x8B, 8, 0x20, 0, 0, 0, 0, 0, 3], 4, "unknown flags"),
        ("checksum", header(flags: 2, [0, 0]), 12, "the checksum of a header"),
    ]

    @Test("An invalid header is an error right after the invalid byte", arguments: brokenHeaders)
    func rejectsHeaders(_ name: String, _ header: [UInt8], _ offset: Int, _ reason: String) throws {
        let good = Gzip.member([1, 2, 3])
        for before in [[], good] {
            let found = try Self.answer(before + Gzip.member([1], header: header))
            guard case .failure("input.gzip", let text) = found.answer else {
                Issue.record("\(found)")
                continue
            }
            #expect(text.contains(reason), "\(text)")
            #expect(found.offset == before.count + offset)
        }
    }

    @Test("A member that is cut anywhere is an error at the end of the input")
    func rejectsTruncation() throws {
        let header = Self.header(flags: 2 + 4 + 8, [2, 0, 65, 66, 67, 0])
        let sum = Gzip.number(Gzip.checksum(header)).prefix(2)
        let member = Gzip.member(Self.text(300), header: header + sum)
        for count in 2..<member.count {
            let stored = member + member.prefix(count)
            let found = try Self.answer(stored, steps: [(1 << 20, 1 << 20), (1, 1), (5, 64)], "\(count)")
            #expect(found.answer == .failure("input.gzip", reason: "the gzip stream ends inside a member"))
            #expect(found.offset == stored.count)
        }
    }

    @Test("A wrong checksum or length is an error right after it, in any member")
    func checksTrailers() throws {
        for (place, reason) in [(-8, "a checksum"), (-5, "a checksum"), (-4, "the length"), (-1, "the length")] {
            var member = Gzip.member(Self.text(5000))
            let good = member
            member[member.count + place] ^= 0x40
            let found = try Self.answer(good + member + good)
            #expect(
                found.answer
                    == .failure(
                        "input.gzip",
                        reason:
                            "the gzip stream is damaged: \(reason)\(reason == "a checksum" ? "" : " of a member") is wrong"
                    )
            )
            #expect(found.offset == good.count + member.count - (place < -4 ? 4 : 0))
        }
    }

    @Test("Bytes other than zero after the last member are an error", arguments: 0..<12)
    func readsWhatFollows(_ count: Int) throws {
        let bytes = Self.text(500)
        let stored = Gzip.member(bytes)
        #expect(try Self.answer(stored + Array(repeating: 0, count: count)).answer == .bytes(bytes))
        let garbage = stored + Array(repeating: 0, count: count) + [0x78] + Array(repeating: 0x1F, count: count)
        let found = try Self.answer(garbage)
        #expect(found.answer == .failure("input.gzip", reason: "the gzip stream is damaged: no member begins here"))
        #expect(found.offset == stored.count + count + 1)
    }

    @Test("A bomb has an error code of its own, with each library")
    func limitsRatio() throws {
        let stored = Gzip.member(Array(repeating: 0, count: 1 << 20))
        var limit = InflationLimit(ratio: 100)
        limit.freeByteCount = 100_000
        for library in DeflateLibrary.allCases {
            let found = try Self.read(stored, by: library, inputStep: 64, outputStep: 4096, limit: limit)
            #expect(found.answer == .failure("input.ratio", reason: limit.reason))
        }
    }

    @Test("A damaged stream gives the same bytes or an error with each library", arguments: Seeds.some(of: 0..<8))
    func rejectsDamage(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(100 + seed))
        let bytes = Self.text(2000, seed: UInt64(seed))
        let levels: [Int32] = [0, 1, 6, 9]
        let member = Gzip.member(bytes, level: levels[seed % 4])
        var failures = 0
        for _ in 0..<200 {
            var stored = member + member
            for _ in 0...random.below(3) { stored[random.below(stored.count)] = random.bytes(1)[0] }
            stored.replaceSubrange(0..<2, with: [0x1F, 0x8B])
            let answers = try DeflateLibrary.allCases.map {
                try Self.read(stored, by: $0, inputStep: 1 + random.below(3000), outputStep: 1 + random.below(5000))
            }
            switch (answers[0].answer, answers[1].answer) {
            case (.bytes(let first), .bytes(let second)): #expect(first == second)
            case (.failure(let first, _), .failure(let second, _)):
                #expect(first == "input.gzip" && second == "input.gzip")
                failures += 1
            default: Issue.record("seed \(seed): \(answers)")
            }
        }
        #expect(failures > 0)
    }
}
