import TillCore
import TillLedger
import TillReportModel

/// Amounts in the base currency, exact until they are told.
struct ConvertedAmounts {
    var gross = FractionSum()
    var refunds = FractionSum()
    /// Sales and refunds with an amount that has no rate; they are not in the sums.
    var unconverted: Int64 = 0
    /// Whether anything is in the sums; what has no rate at all is not known, and not 0.
    var hasConverted = false

    static let columns = [
        Column("converted_gross", "Converted gross"), Column("converted_refunds", "Converted refunds"),
        Column("converted_net", "Converted net"), Column("unconverted_transactions", "Unconverted"),
    ]

    mutating func add(_ other: ConvertedAmounts, of group: Group) throws(LedgerError) {
        guard gross.add(other.gross), refunds.add(other.refunds) else { throw Self.overflow(group) }
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }

    static func overflow(_ group: Group) -> LedgerError {
        LedgerError(
            code: "ledger.overflow",
            group: group.description,
            reason: "the converted amounts of \(group.description) do not fit 128 bits"
        )
    }

    /// Gross and refunds, each the exact amount rounded once, and their difference, so that a row adds up.
    func rounded(_ base: CurrencyCode, _ rounding: Rounding) -> [Int128] {
        let (gross, refunds) = (gross.rounded(to: base.quantum, rounding), refunds.rounded(to: base.quantum, rounding))
        return [gross, refunds, gross - refunds]
    }

    func cells(_ base: CurrencyCode, _ rounding: Rounding, isKnown: Bool) -> [Cell] {
        guard isKnown, hasConverted || unconverted == 0 else {
            return [.absent, .absent, .absent, .count(unconverted)]
        }
        return rounded(base, rounding).map { .money(Money(millionths: $0, currency: base)) } + [.count(unconverted)]
    }
}
