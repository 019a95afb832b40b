import Testing

@testable import TillRender

@Suite("Fixed point")
struct FixedPointTests {
    static let shares: [(Int64, Int64, String)] = [
        (0, 1, "0"),
        (1, 1, "1"),
        (1, 3, "0.333333"),
        (2, 3, "0.666667"),
        (-1, 3, "-0.333333"),
        (1, -3, "-0.333333"),
        (-2, -3, "0.666667"),
        (1, 2, "0.5"),
        (617, 5000, "0.1234"),
        // Halves of the last place go to the even neighbour.
        (1, 2_000_000, "0"),
        (3, 2_000_000, "0.000002"),
        (5, 2_000_000, "0.000002"),
        (-1, 2_000_000, "0"),
        (-3, 2_000_000, "-0.000002"),
        // A hair past the half goes up.
        (1_000_001, 2_000_000_000_000, "0.000001"),
        (.max, .max, "1"),
        (.min, .min, "1"),
        (.min, 1, "-9223372036854775808"),
        (.max - 1, .max, "1"),
    ]

    @Test("Shares have six decimals, rounded half to even, and no zeros at the end", arguments: shares)
    func rounds(_ part: Int64, _ whole: Int64, _ text: String) {
        #expect(FixedPoint(Int128(part), of: Int128(whole), decimals: 6)?.trimmedText == text)
    }

    @Test("A share of nothing is no number", arguments: [-1, 0, 1])
    func refuses(_ part: Int128) {
        #expect(FixedPoint(part, of: 0, decimals: 6) == nil)
    }

    @Test("Text keeps all decimals where it is to be aligned")
    func pads() {
        #expect(FixedPoint(1, of: 8, decimals: 2)?.text == "0.12")
        #expect(FixedPoint(3, of: 8, decimals: 2)?.text == "0.38")
        #expect(FixedPoint(-5, of: 1, decimals: 2)?.text == "-5.00")
        #expect(FixedPoint(5, of: 2, decimals: 0)?.text == "2")
        #expect(FixedPoint(100, of: 1, decimals: 0)?.trimmedText == "100")
    }
}
