import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Amounts of a row in the base currency, each rounded once from the exact amount.
///
/// Totals add up rounded rows, so that the rows, the totals and the charts of a report agree. The report shows the
/// difference from the exact sum as the residual.
struct ConvertedAmounts {
    /// Millionths of the base currency.
    private(set) var gross: Int128 = 0
    private(set) var refunds: Int128 = 0
    /// Sales, refunds and reversals whose amount has no rate. They are in no sum.
    private(set) var unconverted: Int64 = 0
    /// Whether an amount has a rate.
    private(set) var hasConverted = false

    /// Whether the sums are known: without a rate for any amount they are not known, and not 0.
    var isKnown: Bool { hasConverted || unconverted == 0 }

    init() {}

    init(_ exact: ExactAmounts, _ base: CurrencyCode, _ rounding: Rounding) {
        gross = exact.gross.rounded(to: base.quantum, rounding)
        refunds = exact.refunds.rounded(to: base.quantum, rounding)
        unconverted = exact.unconverted
        hasConverted = exact.hasConverted
    }

    /// The difference of the rounded amounts, so that a row adds up.
    var net: Int128 { gross - refunds }

    mutating func add(_ other: ConvertedAmounts) {
        gross += other.gross
        refunds += other.refunds
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }
}

/// Amounts in the base currency before rounding.
struct ExactAmounts {
    var gross = FractionSum()
    var refunds = FractionSum()
    var unconverted: Int64 = 0
    var hasConverted = false

    mutating func add(_ other: ExactAmounts, of group: Group) throws(Finding) {
        guard gross.add(other.gross), refunds.add(other.refunds) else { throw Self.overflow(group) }
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }

    static func overflow(_ group: Group) -> Finding {
        Finding("ledger.overflow", "the converted amounts of \(group.description) do not fit 128 bits")
    }
}
