/// An exact amount of one currency.
///
/// Counted in millionths of the currency's unit, which holds every decimal that a price list, a JWS (thousandths) or
/// ISO 4217 (at most ten-thousandths) can bring. The number has 128 bits: no sum below 10³² units overflows.
public struct Money: Hashable, Sendable {
    /// The millionths in one unit of a currency, such as a dollar or a yen.
    public static let millionthsPerUnit: Int128 = 1_000_000

    /// The amount, which may be negative, and finer than the minor unit of ``currency``.
    public let millionths: Int128
    /// The currency, whose minor unit sets the fewest decimals of ``decimalText`` and the step of rounding.
    public let currency: CurrencyCode

    /// Takes the amount as it is: 9,990,000 is 9.99 of the currency, and nothing is rounded.
    public init(millionths: Int128, currency: CurrencyCode) {
        self.millionths = millionths
        self.currency = currency
    }
}

extension Money {
    /// The share that is all of an amount, in thousandths of a percent.
    public static let wholeShare: Int64 = 100_000

    /// A share of the amount in thousandths of a percent, 0…100,000, rounded once, half to even, to the minor unit of
    /// the currency. All of an amount is the amount as it is, also where it is finer than the minor unit.
    public func share(_ thousandthsOfPercent: Int64) -> Money {
        guard thousandthsOfPercent != Self.wholeShare else { return self }
        let divisor = currency.quantum * Int128(Self.wholeShare)
        let units = (millionths * Int128(thousandthsOfPercent)).dividedHalfEven(by: divisor)
        return Money(millionths: units * currency.quantum, currency: currency)
    }

    /// The amount rounded once, half to even, to the minor unit of the currency.
    public var roundedToMinorUnit: Money {
        // Nearly every amount can be paid as it is, and fits a word, whose division is cheap.
        let quantum = currency.quantum
        if let word = Int64(exactly: millionths), word % Int64(quantum) == 0 { return self }
        return Money(millionths: millionths.dividedHalfEven(by: quantum) * quantum, currency: currency)
    }
}

extension CurrencyCode {
    /// The smallest amount that can be paid, in millionths.
    public var quantum: Int128 { Int128((minorUnitDigits..<6).reduce(1 as Int) { product, _ in product * 10 }) }
}

extension Money {
    /// The amount as plain decimal text, without the currency: `1234.50`, `980` for yen, `-0.30`.
    ///
    /// Never rounded: it has the currency's own number of decimals, and more only where the amount needs them.
    public var decimalText: String {
        var bytes: [UInt8] = []
        appendDecimalText(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends ``decimalText``.
    public func appendDecimalText(to bytes: inout [UInt8]) {
        bytes.append(decimal: millionths, decimals: 6, fewest: currency.minorUnitDigits)
    }
}
