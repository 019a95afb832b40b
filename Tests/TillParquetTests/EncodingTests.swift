import Testing
import TillTestSupport

@testable import TillParquet

@Suite("Encodings")
struct EncodingTests {
    private func withSink(_ body: (inout ByteSink) -> Void) -> [UInt8] {
        var sink = ByteSink()
        body(&sink)
        return sink.copy()
    }

    @Test("Runs and packed groups are those of the format's own examples")
    func runLengthExamples() {
        let counting: [Int64] = [0, 1, 2, 3, 4, 5, 6, 7]
        let packed = withSink { sink in
            counting.withUnsafeBufferPointer { RunLengthEncoder.append($0, width: 3, to: &sink) }
        }
        #expect(packed == [0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010])
        let equal = [Int64](repeating: 4, count: 100)
        let run = withSink { sink in equal.withUnsafeBufferPointer { RunLengthEncoder.append($0, width: 3, to: &sink) }
        }
        #expect(run == [0xC8, 0x01, 4])
    }

    @Test("Small numbers of every width come back, read in pieces of any size", arguments: 0...32)
    func runLengths(_ width: Int) throws {
        var generator = SplitMix64(seed: UInt64(width))
        for _ in 0..<20 {
            var values: [Int64] = []
            while values.count < 300 {
                let value = width == 0 ? 0 : Int64(generator.next() >> UInt64(64 - width))
                values += Array(repeating: value, count: generator.once(in: 2) ? 1 : 1 + generator.below(40))
            }
            let bytes = withSink { sink in
                values.withUnsafeBufferPointer { RunLengthEncoder.append($0, width: width, to: &sink) }
            }
            let read = try bytes.withUnsafeBytes { raw in
                var decoder = RunLengthDecoder(raw, width: width, code: "parquet.values")
                return try pieces(values.count, &generator) { try decoder.read($0, into: $1) }
            }
            #expect(read == values)
        }
    }

    @Test("Differences come back, whatever the numbers")
    func deltas() throws {
        var generator = SplitMix64(seed: 5)
        for count in [1, 2, 31, 32, 33, 127, 128, 129, 130, 1000] {
            for kind in 0..<4 {
                let values = (0..<count).map { index -> Int64 in
                    switch kind {
                    case 0: 5
                    case 1: Int64(index) * 1000 - 7
                    case 2: Int64(bitPattern: generator.next())
                    default: generator.pick([.min, .max, 0, -1])
                    }
                }
                let bytes = withSink { sink in values.withUnsafeBufferPointer { DeltaEncoder.append($0, to: &sink) } }
                let read = try bytes.withUnsafeBytes { raw in
                    var decoder = try DeltaDecoder(raw)
                    #expect(try decoder.end() == bytes.count)
                    return try pieces(count, &generator) { try decoder.read($0, into: $1) }
                }
                #expect(read == values)
            }
        }
    }

    private func pieces(
        _ count: Int,
        _ generator: inout SplitMix64,
        _ read: (Int, UnsafeMutablePointer<Int64>) throws -> Void
    ) rethrows -> [Int64] {
        var values = [Int64](repeating: -1, count: count)
        try values.withUnsafeMutableBufferPointer { buffer in
            var start = 0
            while start < count, let base = buffer.baseAddress {
                let piece = min(count - start, 1 + generator.below(50))
                try read(piece, base + start)
                start += piece
            }
        }
        return values
    }

    @Test("Snappy's literals and copies, those that overlap too")
    func snappy() throws {
        // "abcd", then 8 bytes from 4 back, then 3 from 1 back.
        let input: [UInt8] = [15, 12, 0x61, 0x62, 0x63, 0x64, 0b000_100_01, 4, 0b000010_10, 1, 0]
        var output = [UInt8](repeating: 0, count: 15)
        let count = try input.withUnsafeBytes { raw in
            try output.withUnsafeMutableBytes { try Snappy.decompress(raw, into: $0) }
        }
        #expect(count == 15)
        #expect(String(decoding: output, as: UTF8.self) == "abcdabcdabcdddd")
    }

    @Test(
        "A bound of a long text is cut between characters and stays a bound",
        arguments: ["é", "日", "😀", "\u{D7FF}", "\u{10FFFF}a", "ab\u{10FFFF}"]
    )
    func bounds(_ part: String) throws {
        let text = Array(String(repeating: part, count: 100).utf8)
        try text.withUnsafeBytes { raw in
            let lower = TextBound.lower(raw)
            #expect(!lower.isExact && lower.bytes.count <= 64 && text.starts(with: lower.bytes))
            #expect(String(validating: lower.bytes, as: UTF8.self) != nil)
            let bound = TextBound.upper(raw)
            let upper = try #require(bound)
            #expect(!upper.isExact && text.lexicographicallyPrecedes(upper.bytes))
            #expect(String(validating: upper.bytes, as: UTF8.self) != nil)
        }
    }

    @Test("A text of nothing but the last character has no bound above")
    func noBound() {
        Array(String(repeating: "\u{10FFFF}", count: 20).utf8).withUnsafeBytes { raw in
            #expect(TextBound.upper(raw) == nil)
        }
    }

    /// Numbers of each length: powers of ten, the numbers beside them, and some at random.
    private static let numbers: [Int64] = {
        var generator = SplitMix64(seed: 7)
        var numbers: [Int64] = [0, .max, .max - 1]
        var power: Int64 = 1
        for _ in 1...18 {
            power *= 10
            numbers += [power - 1, power, power + 1, power / 10 * Int64(1 + generator.below(9))]
            for _ in 0..<5 { numbers.append(Int64(generator.next() >> 1) % power) }
        }
        return numbers
    }()

    @Test("Numbers in decimal")
    func decimals() {
        for number in Self.numbers {
            #expect(withSink { $0.append(AlignedDigits(number)) } == Array(String(number).utf8))
        }
    }

    @Test("Aligned digits are in the order of their texts")
    func order() {
        for number in Self.numbers {
            for other in Self.numbers {
                let (digits, otherDigits) = (AlignedDigits(number), AlignedDigits(other))
                #expect((digits < otherDigits) == String(number).utf8.lexicographicallyPrecedes(String(other).utf8))
                #expect((digits == otherDigits) == (number == other))
            }
        }
    }
}
