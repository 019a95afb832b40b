/// An exact amount of one currency.
///
/// Counted in millionths of the currency's unit, which holds every decimal that a price list, a JWS (thousandths) or
/// ISO 4217 (at most ten-thousandths) can bring. 128 bits: a sum cannot overflow before 10²⁶ units of 10⁶ each.
public struct Money: Hashable, Sendable {
    public static let millionthsPerUnit: Int128 = 1_000_000

    public let millionths: Int128
    public let currency: CurrencyCode

    public init(millionths: Int128, currency: CurrencyCode) {
        self.millionths = millionths
        self.currency = currency
    }
}

extension Money {
    /// The amount as plain decimal text, without the currency: `1234.50`, `980` for yen, `-0.30`.
    ///
    /// Never rounded: it has the currency's own number of decimals, and more only where the amount needs them.
    public var decimalText: String {
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: Money.millionthsPerUnit.magnitude)
        var fraction = Int(rest)
        let fewest = currency.minorUnitDigits
        var digits = 6
        while digits > fewest, fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        var text = millionths < 0 ? "-" : ""
        // Numbers of a word are written much faster than wider ones, and no shop has taken more.
        text += UInt64(exactly: whole).map { String($0) } ?? String(whole)
        guard digits > 0 else { return text }
        let fractionText = String(fraction)
        text += "."
        for _ in fractionText.utf8.count..<digits { text += "0" }
        return text + fractionText
    }
}
