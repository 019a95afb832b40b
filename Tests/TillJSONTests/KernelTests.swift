import CKernels
import Testing
import TillTestSupport

@Suite("Kernels for values")
struct KernelTests {
    @Test("Every path gives the value of digits, and no value for other bytes", arguments: 1...16)
    func digits(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        for _ in 0..<20_000 {
            var text = random.bytes(16 - count) + (0..<count).map { _ in UInt8(0x30 + random.below(10)) }
            if random.once(in: 4) { text[random.below(16)] = UInt8(truncatingIfNeeded: random.next()) }
            let number = text[(16 - count)...].reduce(UInt64?(0)) { value, byte in
                (0x30...0x39).contains(byte) ? value.map { $0 * 10 + UInt64(byte - 0x30) } : nil
            }
            let found = try text.withUnsafeBytes { bytes in
                let end = try #require(bytes.baseAddress) + 16
                return [till_digits16(end, UInt32(count)), till_digits16_portable(end, UInt32(count))]
            }
            #expect(found == [number ?? .max, number ?? .max], "\(text)")
        }
    }

    @Test("Short scalars are null and positive integers before a comma or the end of an object")
    func shortScalars() {
        let cases: [(String, UInt32)] = [
            ("null,", 4), ("null}", 4), ("null]", 0), ("nul,", 0), ("1,", 1), ("9}", 1), ("1234567,", 7),
            ("12345678,", 8), ("1767225600000}", 13), ("123456789012345,", 15), ("1234567890123456,", 0),
            ("1234567.5,", 0), ("12345678.5,", 0), ("1767225600000.5,", 0), ("12345678x,", 0), ("12345678 ,", 0),
            ("0,", 0), ("01,", 0), ("-1,", 0), ("1.5,", 0), ("1e3,", 0), ("1 ,", 0), (",", 0),
            ("}", 0), ("true,", 0), ("12x,", 0), ("/1,", 0), (":1,", 0),
        ]
        for (text, expected) in cases {
            let padded = Array(text.utf8) + Array(repeating: 0, count: 16)
            #expect(padded.withUnsafeBytes { till_short_scalar($0.baseAddress) } == expected, "\(text)")
        }
    }

    @Test("A walk over literals ends the same on every path", arguments: Seeds.some(of: UInt64(1)...8))
    func walks(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<400 {
            // One literal of any length, with plain bytes somewhere in it, a free value, and a literal behind.
            let count = random.below(300)
            let slot = random.below(count + 1)..<count
            let text = (0..<count).map {
                slot.contains($0) ? UInt8(0x61 + random.below(26)) : UInt8(0x23 + random.below(40))
            }
            let value = String(repeating: "v", count: random.below(36))
            var whole = text + Array("\"\(value)\"}".utf8)
            let limit = whole.count
            whole += Array(repeating: 0, count: 64)
            if random.once(in: 2) { whole[random.below(limit)] = UInt8(truncatingIfNeeded: random.next()) }

            var blocks: [UInt8] = []
            for (literal, plain) in [(text, slot), ([UInt8(ascii: "}")], 1..<1)] {
                for start in stride(from: 0, to: literal.count, by: 32) {
                    let part = (start..<start + 32).map { $0 < literal.count ? $0 : nil }
                    blocks += part.map { index in index.map { plain.contains($0) ? 0 : literal[$0] } ?? 0 }
                    blocks += part.map { index in index.map { plain.contains($0) ? 0 : 0xFF } ?? 0 }
                    blocks += part.map { index in index.map { plain.contains($0) ? 0xFF : 0 } ?? 0 }
                }
            }
            let second = UInt32(blocks.count - 96)
            let literals = [
                till_literal(first_block_byte: 0, count: UInt32(count), end_of_slots: 1, value_key: 7),
                till_literal(first_block_byte: second, count: 1, end_of_slots: 1, value_key: TILL_TEMPLATE_END),
            ]
            let slots = [till_slot(offset: UInt32(slot.lowerBound), count: UInt32(slot.count), number: 3, kind: 0)]
            func end(_ walker: (UnsafeRawPointer, inout till_walk, inout [till_member]) -> till_step) throws -> [Int] {
                var walk = till_walk(position: 0, literal: 0, slot: 0, count: 0)
                var found = Array(repeating: till_member(), count: 3)
                let step = try whole.withUnsafeBytes { walker(try #require($0.baseAddress), &walk, &found) }
                let members = found[..<walk.count].flatMap {
                    [Int($0.number), Int($0.kind), Int($0.start), Int($0.end)]
                }
                return [Int(step.rawValue), walk.position, walk.literal, walk.slot, walk.count] + members
            }
            let wide = try end { till_template_walk($0, limit, literals, slots, blocks, &$2, &$1) }
            let baseline = try end { till_template_walk_baseline($0, limit, literals, slots, blocks, &$2, &$1) }
            #expect(wide == baseline, "seed \(seed): \(whole[..<limit])")
            let isPlainSlot = slot.allSatisfy {
                (0x20..<0x80).contains(whole[$0]) && ![0x22, 0x5C].contains(whole[$0])
            }
            let isSame = (0..<count).allSatisfy { slot.contains($0) || whole[$0] == text[$0] }
            #expect((wide[0] == Int(TILL_MISFIT.rawValue) && wide[2] == 0) == !(isPlainSlot && isSame))
        }
    }
}
