import Testing
import TillCore

@Suite("Division rounded half to even")
struct HalfEvenDivisionTests {
    @Test(
        "Ties go to the even integer, all else to the nearer one, of either sign",
        arguments: [
            // 5 / 2 = 2.5 → 2, 7 / 2 = 3.5 → 4, 15 / 2 = 7.5 → 8
            (5, 2, 2), (7, 2, 4), (15, 2, 8), (-5, 2, -2), (-7, 2, -4), (-15, 2, -8),
            // 2 / 3 = 0.67 → 1, 1 / 3 = 0.33 → 0
            (2, 3, 1), (1, 3, 0), (-2, 3, -1), (-1, 3, 0), (0, 7, 0), (6, 3, 2),
            // The largest divisor: twice the remainder leaves the type.
            (.max - 1, .max, 1), (.max / 2, .max, 0), (.max / 2 + 1, .max, 1), (.min, .max, -1), (.min, 1, .min),
        ] as [(Int64, Int64, Int64)]
    )
    func divides(dividend: Int64, divisor: Int64, quotient: Int64) {
        #expect(dividend.dividedHalfEven(by: divisor) == quotient)
        #expect(Int128(dividend).dividedHalfEven(by: Int128(divisor)) == Int128(quotient))
    }
}
