/// A small seeded generator: the same numbers on every machine and with every compiler.
///
/// The algorithm is Sebastiano Vigna's SplitMix64. The standard library's `random(in:using:)` and `shuffled(using:)`
/// are avoided on purpose: what they do with a generator's bits may change between releases, and the samples may not.
struct SplitMix64 {
    private var state: UInt64

    /// Starts the stream that belongs to `name`, so that a change to one sample leaves all others as they are.
    init(seed: UInt64, stream name: String) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = seed ^ hash
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// A number from `range`; the slight bias of the remainder does not matter here.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// True in `percent` of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool {
        number(in: 1...100) <= percent
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
    }

    /// `count` hexadecimal digits, lower-case.
    mutating func hexadecimal(_ count: Int) -> String {
        (0..<count).map { _ in String(next() >> 60, radix: 16) }.joined()
    }

    /// One of `choices`, which has at least one element.
    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[number(in: 0...choices.count - 1)]
    }

    /// The elements in another order (Fisher and Yates).
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var result = elements
        for last in result.indices.dropFirst().reversed() {
            result.swapAt(last, number(in: 0...last))
        }
        return result
    }
}
