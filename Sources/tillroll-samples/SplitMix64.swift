/// A small seeded generator, Sebastiano Vigna's SplitMix64: the same numbers on every machine and with every compiler.
///
/// The standard library's `random(in:using:)` and `shuffled(using:)` are not used: their algorithms may change between
/// releases, and the samples must not change. A class, so that all functions that draw from one stream share it.
final class SplitMix64 {
    private var state: UInt64

    /// Starts the stream named `name`. Each sample has its own stream, so a change to one leaves the others as they
    /// are.
    init(seed: UInt64, stream name: String) {
        // FNV-1a
        state = seed ^ name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// A number from `range`; the slight bias of the remainder does not matter here.
    func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() % UInt64(range.count)) }

    /// True in `percent` of a hundred cases.
    func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }

    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) } }

    /// `count` hexadecimal digits, lower-case.
    func hexadecimal(_ count: Int) -> String { (0..<count).map { _ in String(next() >> 60, radix: 16) }.joined() }

    /// One of `choices`, which has at least one element.
    func pick<Element>(_ choices: [Element]) -> Element { choices[number(in: 0...choices.count - 1)] }

    /// The elements in another order (Fisher and Yates).
    func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var result = elements
        for last in result.indices.dropFirst().reversed() { result.swapAt(last, number(in: 0...last)) }
        return result
    }
}
