import Testing
import TillTestSupport

@testable import TillPricing

@Suite("Sums of fractions")
struct FractionSumTests {
    private static func sum(_ terms: [(Int128, UInt128, UInt128)]) throws -> FractionSum {
        var sum = FractionSum()
        for (amount, top, bottom) in terms {
            let ratio = try #require(Ratio(top, bottom))
            let isHeld = sum.add(amount, times: ratio)
            #expect(isHeld)
        }
        return sum
    }

    /// Terms in millionths, and their sum to two decimals: half-even, half-up.
    static let sums: [([(Int128, UInt128, UInt128)], Int128, Int128)] = [
        // 9.99 / 1.1289 = 8.84932… → 8.85
        ([(9_990_000, 10_000, 11_289)], 8_850_000, 8_850_000),
        // 0.005 and 0.015 lie between two cents.
        ([(5000, 1, 1)], 0, 10_000), ([(15_000, 1, 1)], 20_000, 20_000), ([(25_000, 1, 1)], 20_000, 30_000),
        ([(-5000, 1, 1)], 0, -10_000), ([(-15_000, 1, 1)], -20_000, -20_000), ([(-25_000, 1, 1)], -20_000, -30_000),
        // Thirds that come to a tie together: 3 × 0.005/3 = 0.005.
        ([(5000, 1, 3), (5000, 1, 3), (5000, 1, 3)], 0, 10_000),
        // 1/3 + 1/6 + 1/2 of 0.01 is 0.01, of 0.005 is 0.005: a tie of three denominators.
        ([(5000, 1, 3), (5000, 1, 6), (5000, 1, 2)], 0, 10_000),
        // Just below and just above a tie, by less than 2⁻⁶⁴ of a millionth.
        ([(5000, 1, 1), (1, 1, 1 << 100)], 10_000, 10_000),
        ([(5000, 1, 1), (-1, 1, 1 << 100)], 0, 0),
        ([(-5000, 1, 1), (1, 1, 1 << 100)], 0, 0),
        ([(-5000, 1, 1), (-1, 1, 1 << 100)], -10_000, -10_000),
        // Signs that cancel.
        ([(9_990_000, 10_000, 11_289), (-9_990_000, 10_000, 11_289)], 0, 0),
        ([], 0, 0),
    ]

    @Test("A sum is rounded once", arguments: sums)
    func rounds(_ terms: [(Int128, UInt128, UInt128)], _ even: Int128, _ up: Int128) throws {
        let sum = try Self.sum(terms)
        #expect(sum.rounded(to: 10_000, .halfEven) == even)
        #expect(sum.rounded(to: 10_000, .halfUp) == up)
        let negated = try Self.sum(terms.map { (-$0.0, $0.1, $0.2) })
        #expect(negated.rounded(to: 10_000, .halfEven) == -even)
        #expect(negated.rounded(to: 10_000, .halfUp) == -up)
    }

    @Test(
        "Any order and any split give the same sum, which is that of whole fractions",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func isExact(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        // Small denominators make ties likely; the sum over 720720, which all of them divide, is the judge.
        let denominators: [UInt128] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
        let terms = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
            (
                Int128(Int.random(in: -3...3, using: &generator) * 5000),
                UInt128(Int.random(in: 1...4, using: &generator)),
                denominators[Int.random(in: 0..<16, using: &generator)]
            )
        }
        let judge = terms.reduce(Int128(0)) { $0 + $1.0 * Int128($1.1) * (720_720 / Int128($1.2)) }
        let unit: Int128 = 10_000 * 720_720
        let division = judge.magnitude.quotientAndRemainder(dividingBy: unit.magnitude)
        var quotient = division.quotient
        let rest = division.remainder
        if rest * 2 > unit.magnitude || rest * 2 == unit.magnitude && quotient % 2 == 1 { quotient += 1 }

        let expected = Int128(quotient) * (judge < 0 ? -1 : 1) * 10_000

        #expect(try Self.sum(terms).rounded(to: 10_000, .halfEven) == expected)
        let shuffled = terms.shuffled(using: &generator)
        #expect(try Self.sum(shuffled).rounded(to: 10_000, .halfEven) == expected)
    }

    @Test("What 128 bits do not hold is told")
    func overflows() throws {
        func holds(_ terms: (Int128, Ratio)...) -> Bool {
            var sum = FractionSum()
            for (amount, ratio) in terms where !sum.add(amount, times: ratio) { return false }
            return true
        }
        let large = try #require(Ratio(UInt128.max, 1))
        let double = try #require(Ratio(2, 1))
        #expect(!holds((2, large)))
        #expect(!holds((Int128.max, double)))
        let limit = FractionSum.limit
        #expect(!holds((Int128.max - 1, .one)))
        #expect(!holds((limit - 1, .one), (limit - 1, .one)))
        #expect(!holds((1 - limit, .one), (1 - limit, .one)))
        #expect(holds((limit - 1, .one), (1 - limit, .one), (limit - 1, .one)))
        // The largest that it holds is still rounded, away from zero too.
        for sign: Int128 in [1, -1] {
            var sum = FractionSum()
            let isHeld = sum.add((limit - 1) * sign, times: .one)
            #expect(isHeld && sum.rounded(to: 10_000, .halfUp).magnitude - limit.magnitude < 10_000)
        }
        #expect(large.multiplied(by: large) == nil)
        #expect(large.adding(.one) == nil)
    }
}
