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
        var fraction = String(magnitude % unit)
        fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
        while fraction.count > currency.minorUnitDigits, fraction.last == "0" { fraction.removeLast() }
        let sign = millionths < 0 ? "-" : ""
        return sign + String(magnitude / unit) + (fraction.isEmpty ? "" : "." + fraction)
    }
}
