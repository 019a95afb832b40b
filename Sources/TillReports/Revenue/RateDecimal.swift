import TillPricing

/// An exchange rate in hundred-millionths, rounded down, for people. Amounts are converted with the exact ratio.
struct RateDecimal: Comparable {
    private static let scale: UInt128 = 100_000_000
    private static let decimals = 8

    /// A rate of 10²⁰ or more is cut to that.
    private let value: UInt128

    init(_ ratio: Ratio) {
        let whole = min(ratio.numerator / ratio.denominator, 100_000_000_000_000_000_000)
        let rest = (ratio.numerator % ratio.denominator).multipliedFullWidth(by: Self.scale)
        value = whole * Self.scale + ratio.denominator.dividingFullWidth(rest).quotient
    }

    static func < (left: RateDecimal, right: RateDecimal) -> Bool { left.value < right.value }

    /// Four decimals, or as many as show four digits of a small rate: `0.8702`, `0.006142`.
    var text: String {
        let digits = String(value % Self.scale)
        let fraction = String(repeating: "0", count: Self.decimals - digits.count) + digits
        let zeros = value < Self.scale ? fraction.prefix { $0 == "0" }.count : 0
        return "\(value / Self.scale).\(fraction.prefix(zeros + 4))"
    }
}

extension ClosedRange<RateDecimal> {
    /// `0.8391–0.8702`, or one rate.
    var text: String {
        lowerBound.text == upperBound.text ? lowerBound.text : "\(lowerBound.text)–\(upperBound.text)"
    }
}
