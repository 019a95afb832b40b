import TillCore
import TillLedger
import TillPricing

/// The totals of a report, each rounded once from its exact sum. Rows are rounded each for itself, so a column of rows
/// may differ from its total by some minor units.
struct RevenueTotals {
    /// By currency, in their own currencies, and with a conversion in the base currency on a second side. An unknown
    /// currency is last.
    let byCurrency: Cube
    /// All bookings in the base currency, in one group; `nil` without a conversion. Its amounts are unknown unless
    /// ``isWhole``.
    let headline: Cube?
    /// Whether every booking has a price and, with a conversion, a rate.
    let isWhole: Bool
    /// The known part of gross less refunds, rounded once: by code of the currency, and in the base currency.
    let knownNets: [Int64: Int128]
    /// Whether some amount is known, or there is none.
    let hasKnownPart: Bool
    /// Whether refunds are among the bookings without a price or a rate.
    let lacksRefunds: Bool
    /// `nil` without a conversion.
    let conversion: RevenueConversion?

    /// The lowest and the highest rate that was used of each currency.
    var rates: [CurrencyCode: ClosedRange<RateDecimal>] { conversion?.rates.ranges ?? [:] }

    /// - Parameter exact: by currency, the unknown one last.
    init(_ exact: Cube, _ conversion: CubeConversion<RevenueField>?, _ rules: LedgerRules) throws(Finding) {
        let unpriced = exact.groups.first { exact.currency(of: $0) == nil }
        var lacksRefunds = unpriced.map { exact[$0, 0][RevenueField.refunded.rawValue] != 0 } ?? false
        guard var conversion, let base = rules.conversion?.base else {
            (byCurrency, headline, self.conversion) = (exact.rounded, nil, nil)
            isWhole = unpriced == nil
            hasKnownPart = isWhole || exact.count > 1
            self.lacksRefunds = lacksRefunds
            knownNets = exact.groups.reduce(into: [:]) { nets, group in
                guard let currency = exact.currency(of: group) else { return }
                let net = RevenueMeasure.net.sum.value(of: exact[group, 0])
                nets[Int64(currency.packed)] = Money(millionths: net, currency: currency).roundedToMinorUnit.millionths
            }
            return
        }
        byCurrency = exact.rounded.joined(with: try conversion.converted(exact))
        let headline = try conversion.converted(exact.rollup(to: []))
        let gaps = try conversion.gaps()
        let unconverted = headline.total(RevenueField.unconverted)
        isWhole = unpriced == nil && unconverted == 0
        hasKnownPart = isWhole || conversion.charges.total(RevenueField.charges) > unconverted
        for gap in gaps.values where gap.groups.contains(where: { gap[$0, 0][RevenueField.refunded.rawValue] != 0 }) {
            lacksRefunds = true
        }
        self.lacksRefunds = lacksRefunds
        knownNets = try conversion.total(of: RevenueMeasure.net).map { [Int64(base.packed): $0] } ?? [:]
        self.headline = headline
        self.conversion = RevenueConversion(gaps: gaps, rates: conversion.rates, rules: rules)
    }
}
