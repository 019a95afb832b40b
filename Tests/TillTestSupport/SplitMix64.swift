/// Sebastiano Vigna's SplitMix64: small, seeded, the same on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number from `0..<bound`.
    public mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    /// True once in `times` cases on average.
    public mutating func once(in times: Int) -> Bool {
        below(times) == 0
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
    }

    /// One of `choices`, which has at least one element.
    public mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }
}

extension SplitMix64 {
    /// `bytes` with one to four random changes: a bit flipped, a byte replaced, inserted, deleted or repeated,
    /// several bytes in a row removed, the end cut off.
    public mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for _ in 0...below(4) where !result.isEmpty {
            let index = below(result.count)
            switch below(7) {
            case 0: result[index] ^= 1 << UInt8(below(8))
            case 1: result[index] = pick(Self.tellingBytes)
            case 2: result.insert(pick(Self.tellingBytes), at: index)
            case 3: result.remove(at: index)
            case 4: result.insert(contentsOf: result[index..<min(index + 8, result.count)], at: index)
            case 5: result.removeSubrange(index..<min(index + below(64), result.count))
            default: if once(in: 4) { result.removeSubrange(index...) }
            }
        }
        return result
    }

    /// Bytes on which some reader branches.
    private static let tellingBytes: [UInt8] =
        Array("{}[]\",:\\/+-_=%0129eEutfn \t\r\nM".utf8) + [
            0, 0x04, 0x24, 0x30, 0x31, 0x7F, 0x80, 0x84, 0xC2, 0xF4, 0xFF,
        ]
}
