import TillCore
import TillLedger
import TillPricing

/// The totals of a report, each rounded once from its exact sum. Rows are rounded each for itself, so a column of rows
/// may differ from its total by some minor units.
struct RevenueTotals {
    /// By currency, in their own currencies, and with a conversion in the base currency on a second side. An unknown
    /// currency is last.
    let byCurrency: Cube
    /// All bookings in the base currency, in one group; `nil` without a conversion. Unless ``isWhole``, none of its amounts
    /// is known.
    var headline: Cube? { conversion?.headline }
    /// `nil` without a conversion.
    let conversion: RevenueConversion?
    /// By currency, before rounding.
    private let exact: Cube

    /// - Parameter exact: by currency, the unknown one last.
    init(_ exact: Cube, _ conversion: CubeConversion<RevenueField>?, _ rules: LedgerRules) throws(Finding) {
        self.exact = exact
        guard var conversion else {
            (byCurrency, self.conversion) = (exact.rounded, nil)
            return
        }
        byCurrency = exact.rounded.joined(with: try conversion.converted(exact))
        self.conversion = RevenueConversion(
            headline: try conversion.converted(exact.rollup(to: [])),
            gaps: try conversion.gaps(),
            bookings: conversion.charges.total(RevenueField.charges),
            knownNet: try conversion.total(of: RevenueMeasure.net),
            rates: conversion.rates,
            rules: rules
        )
    }

    var base: CurrencyCode? { conversion?.base }

    /// The lowest and the highest rate that was used of each currency.
    var rates: [CurrencyCode: ClosedRange<RateDecimal>] { conversion?.rates.ranges ?? [:] }

    // MARK: What is not known

    /// The bookings without a price; `nil` if all have one.
    private var unpriced: CubeGroup? {
        byCurrency.groups.first { byCurrency.currency(of: $0) == nil }.map { byCurrency[$0, 0] }
    }

    /// Sales, refunds and reversals without a rate.
    var unconverted: Int128 { headline?.total(RevenueField.unconverted) ?? 0 }

    /// Whether every booking has a price and, with a conversion, a rate.
    var isWhole: Bool { unpriced == nil && unconverted == 0 }

    /// Whether refunds are among the bookings without a price or a rate.
    var lacksRefunds: Bool {
        let gaps = conversion?.gaps.values.flatMap { gap in gap.groups.map { gap[$0, 0] } } ?? []
        return (gaps + [unpriced].compactMap(\.self)).contains { $0[RevenueField.refunded.rawValue] != 0 }
    }

    // MARK: What people read

    /// The total in the base currency where there is one, else a total for each currency, the currency with the most sales
    /// first; without any group if no part of them is known.
    var shown: Cube {
        if let conversion { return conversion.headline.filter { _ in isWhole || conversion.bookings > unconverted } }
        var priced = byCurrency.filter { byCurrency.currency(of: $0) != nil }
            .sorted(by: .largest(RevenueMeasure.sales), .key(.currency))
        // A sale without a price may be in any of the currencies.
        if !isWhole { for group in priced.groups { priced.forget(RevenueField.amounts, of: group, side: 0) } }
        return priced
    }

    /// The same if they are wholly known.
    var known: Cube? { isWhole ? shown : nil }

    /// The known part of customer sales in a currency of ``shown``, rounded once; `nil` if it does not fit, or if nothing
    /// was booked in the currency.
    func knownNet(in currency: CurrencyCode) -> Int128? {
        if let conversion { return conversion.knownNet }
        return exact.groups.first { exact.currency(of: $0) == currency }.map { group in
            let net = RevenueMeasure.net.sum.value(of: exact[group, 0])
            return Money(millionths: net, currency: currency).roundedToMinorUnit.millionths
        }
    }
}
