import TillCore
public import TillPricing

/// An amount that a customer paid or got back, and its parts, in millionths of its currency
/// (`docs/money.md`, Parts of a sale).
///
///     9.99 with 19 % tax in it, commission 30 %        tax 1.60, without tax 8.39, proceeds 5.88
///
/// Tax and proceeds are rounded once for each unit, as Apple rounds its Developer Proceeds. So sums of them are whole
/// minor units, in any order, and meet Apple's payments to the cent.
public struct SaleParts: Hashable, Sendable {
    /// Tax and commission included.
    public let paid: Int128
    /// `nil` if the tax is not known.
    public let withoutTax: Int128?
    /// What Apple owes for it; `nil` if the tax or the commission is not known.
    public let proceeds: Int128?

    /// - Parameters:
    ///   - amount: of all units, at least 0; that and the number of units fit 64 bits.
    ///   - fees: the rates at the time of the sale.
    init(_ amount: Money, units: Int64 = 1, _ fees: SettledTransaction.Fees, _ rounding: Rounding) {
        paid = amount.millionths
        guard paid != 0 else {
            (withoutTax, proceeds) = (0, 0)
            return
        }
        guard let tax = fees.includedTax else {
            (withoutTax, proceeds) = (nil, nil)
            return
        }
        let (units, quantum, whole) = (Int128(units), amount.currency.quantum, Int128(1_000_000))
        // No price list has a tax of a thousand times the price: the dividends have 93 bits, the divisor 114.
        let divisor = units * (whole + Int128(tax)) * quantum
        func ofAllUnits(_ dividend: Int128) -> Int128 {
            rounding.quotient(of: dividend, by: divisor) * units * quantum
        }
        withoutTax = paid - ofAllUnits(paid * Int128(tax))
        proceeds = fees.commission.map { [paid] in ofAllUnits(paid * (whole - Int128($0))) }
    }
}

extension SettledTransaction {
    /// The parts of its price; `nil` if the price is not known.
    public func parts(_ rounding: Rounding) -> SaleParts? {
        price.map { SaleParts($0, units: units, fees, rounding) }
    }

    /// The parts of ``refundAmount``. A refund of the whole price takes back the parts of the sale.
    public func refundedParts(_ rounding: Rounding) -> SaleParts? {
        guard let amount = refundAmount else { return nil }
        return amount == price ? parts(rounding) : SaleParts(amount, fees, rounding)
    }
}
