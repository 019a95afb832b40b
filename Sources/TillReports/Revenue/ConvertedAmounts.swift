import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The six amounts that decide a row, in the base currency, each rounded once from its exact sum.
struct ConvertedAmounts {
    /// Only its amounts are set, in millionths of the base currency.
    private(set) var amounts = RevenueFigures()
    /// Sales, refunds and reversals whose amount has no rate. They are in no sum.
    private(set) var unconverted: Int64 = 0
    /// Whether an amount has a rate.
    private(set) var hasConverted = false

    /// Whether the sums are known: without a rate for any amount they are not known, and not 0.
    var isKnown: Bool { hasConverted || unconverted == 0 }

    init() {}

    init(_ exact: ExactAmounts, _ base: CurrencyCode, _ rounding: Rounding) {
        for (amount, sum) in zip(RevenueFigures.amounts, exact.sums) {
            amounts[keyPath: amount] = sum.rounded(to: base.quantum, rounding)
        }
        unconverted = exact.unconverted
        hasConverted = exact.hasConverted
    }

    mutating func add(_ other: ConvertedAmounts) {
        amounts += other.amounts
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }
}

/// The same before rounding.
struct ExactAmounts {
    /// In the order of ``RevenueFigures/amounts``.
    private(set) var sums = RevenueFigures.amounts.map { _ in FractionSum() }
    var unconverted: Int64 = 0
    private(set) var hasConverted = false

    /// Adds amounts times a rate; `false` if a sum does not fit.
    mutating func add(_ figures: RevenueFigures, times rate: Ratio) -> Bool {
        hasConverted = true
        for (index, amount) in RevenueFigures.amounts.enumerated() {
            guard sums[index].add(figures[keyPath: amount], times: rate) else { return false }
        }
        return true
    }

    mutating func add(_ other: ExactAmounts, of group: Group) throws(Finding) {
        for index in sums.indices { guard sums[index].add(other.sums[index]) else { throw Self.overflow(group) } }
        unconverted += other.unconverted
        hasConverted = hasConverted || other.hasConverted
    }

    /// Gross less refunds, rounded once; `nil` if it does not fit.
    func net(in base: CurrencyCode, _ rounding: Rounding) -> Int128? {
        var net = sums[0]
        return net.subtract(sums[1]) ? net.rounded(to: base.quantum, rounding) : nil
    }

    static func overflow(_ group: Group) -> Finding {
        Finding("ledger.overflow", "the converted amounts of \(group.description) do not fit 128 bits")
    }
}
