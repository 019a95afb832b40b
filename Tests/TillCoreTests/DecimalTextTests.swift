import Testing
import TillCore
import TillTestSupport

@Suite("Decimal text")
struct DecimalTextTests {
    private func text(_ units: Int128, _ decimals: Int = 0, fewest: Int? = nil) -> String {
        var bytes = Array("=".utf8)
        bytes.append(decimal: units, decimals: decimals, fewest: fewest)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The digits of Swift, padded and cut as texts.
    private func plain(_ units: Int128, _ decimals: Int, fewest: Int) -> String {
        var digits = String(units.magnitude)
        digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        var (whole, fraction) = (digits.dropLast(decimals), digits.suffix(decimals))
        while fraction.count > fewest, fraction.last == "0" { fraction.removeLast() }
        if !fraction.isEmpty { whole += "." + fraction }
        return "=" + (units < 0 ? "-" : "") + whole
    }

    @Test(
        "Zeros, signs, and the ends of words",
        arguments: [
            (0, 0, nil, "=0"), (0, 6, 2, "=0.00"), (0, 6, 0, "=0"), (-5, 1, nil, "=-0.5"), (-300_000, 6, 2, "=-0.30"),
            (1_234_500_000, 6, 2, "=1234.50"), (1_234_567_000, 6, 2, "=1234.567"), (980_000_000, 6, 0, "=980"),
            (Int128(UInt64.max), 0, nil, "=18446744073709551615"),
            (Int128(UInt64.max) + 1, 0, nil, "=18446744073709551616"),
            (.min, 38, nil, "=-1.70141183460469231731687303715884105728"),
            (.max, 6, 0, "=170141183460469231731687303715884.105727"),
        ] as [(Int128, Int, Int?, String)]
    )
    func ends(_ units: Int128, _ decimals: Int, _ fewest: Int?, _ expected: String) {
        #expect(text(units, decimals, fewest: fewest) == expected)
    }

    @Test("The text is that of the digits of Swift, cut", arguments: 0..<5)
    func equalsPlain(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let wide = Int128(truncatingIfNeeded: UInt128(random.next()) << 64 | UInt128(random.next()))
            let decimals = Int(random.next() % 39)
            let fewest = Int(random.next() % UInt64(decimals + 1))
            // Numbers of all lengths, some of which end in zeros.
            var units = wide >> Int128(random.next() % 128)
            if random.next() % 2 == 0 { units = units / 1_000_000 * 10_000 }
            #expect(text(units, decimals, fewest: fewest) == plain(units, decimals, fewest: fewest))
        }
    }
}
