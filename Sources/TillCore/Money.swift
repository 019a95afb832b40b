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
        let magnitude = millionths.magnitude
        let unit = Money.millionthsPerUnit.magnitude
        var fraction = Int(magnitude % unit)
        var digits = 6
        while digits > currency.minorUnitDigits, fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        let text = (millionths < 0 ? "-" : "") + String(magnitude / unit)
        guard digits > 0 else { return text }
        let fractionText = String(fraction)
        return text + "." + String(repeating: "0", count: digits - fractionText.utf8.count) + fractionText
    }
}
