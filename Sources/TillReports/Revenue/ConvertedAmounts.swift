import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Amounts in the base currency, each the exact amount of its row rounded once.
///
/// Totals are added up from rows that are rounded already, so that the rows, the totals and the chart of one report say
/// the same. What that adds to the exact sum is told as the residual.
struct ConvertedAmounts {
    /// Millionths of the base currency.
    private(set) var gross: Int128 = 0
    private(set) var refunds: Int128 = 0
    /// Sales and refunds with an amount that has no rate; they are not in the sums.
    private(set) var unconverted: Int64 = 0
    /// Whether anything is in the sums; what has no rate at all is not known, and not 0.
    private var hasConverted = false

    static let columns = [
        Column("converted_gross", "Converted gross"), Column("converted_refunds", "Converted refunds"),
        Column("converted_net", "Converted net"), Column("unconverted_transactions", "Unconverted"),
    ]

    init() {}

    init(_ exact: ExactAmounts, _ base: CurrencyCode, _ rounding: Rounding) {
        gross = exact.gross.rounded(to: base.quantum, rounding)
        refunds = exact.refunds.rounded(to: base.quantum, rounding)
        unconverted = exact.unconverted
        hasConverted = exact.hasConverted
    }

    /// The difference of the two, so that a row adds up.
    var net: Int128 { gross - refunds }

    mutating func add(_ other: ConvertedAmounts) {
        gross += other.gross
        refunds += other.refunds
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }

    func cells(_ base: CurrencyCode, isKnown: Bool) -> [Cell] {
        guard isKnown, hasConverted || unconverted == 0 else {
            return [.absent, .absent, .absent, .count(unconverted)]
        }
        return [gross, refunds, net].map { .money(Money(millionths: $0, currency: base)) } + [.count(unconverted)]
    }
}

/// Amounts in the base currency before rounding.
struct ExactAmounts {
    var gross = FractionSum()
    var refunds = FractionSum()
    var unconverted: Int64 = 0
    var hasConverted = false

    mutating func add(_ other: ExactAmounts, of group: Group) throws(LedgerError) {
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
}
