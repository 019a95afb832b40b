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

    /// - Parameter rows: with exact amounts.
    init(of rows: PlainRevenueRows, _ conversion: ConvertedRevenue.Outcome?) {
        var sums: [Int64: RevenueFigures] = [:]
        for row in rows { sums[row.currencyKey, default: RevenueFigures()] += row.figures }
        let base = conversion?.base
        var own = Cube(RevenueField.self, by: [.currency], in: .ofGroup)
        var converted = base.map { Cube(RevenueField.self, by: [.currency], in: .one($0)) }
        var all = RevenueFigures()
        for (key, exact) in sums {
            let currency = CurrencyCode(groupCode: key)
            all += exact
            let group = Group(codes: [key], names: [currency?.description])
            var row = RevenueRow(group: group, currencyKey: key, figures: exact.rounded(in: currency))
            row.converted = conversion?.byCurrency[key] ?? ConvertedAmounts()
            own.add(row, in: nil)
            converted?.add(row, in: base)
        }
        let unpriced = sums[GroupCode.unknown]
        let lacksRates = conversion.map { $0.headline.unconverted > 0 } ?? false
        var nets = sums.mapValues(\.net)
        for (key, net) in nets {
            guard let currency = CurrencyCode(groupCode: key) else { continue }
            nets[key] = Money(millionths: net, currency: currency).roundedToMinorUnit.millionths
        }
        if let conversion { nets = conversion.knownNet.map { [Int64(conversion.base.packed): $0] } ?? [:] }
        knownNets = nets
        isWhole = unpriced == nil && !lacksRates
        let hasAmounts = conversion.map(\.headline.hasConverted) ?? sums.keys.contains { $0 != GroupCode.unknown }
        hasKnownPart = isWhole || hasAmounts
        lacksRefunds = unpriced.map { $0.refundedTransactions != 0 } ?? false || conversion?.lacksRefunds == true
        byCurrency = (converted.map { own.joined(with: $0) } ?? own).sorted(by: .key(.currency))
        headline = base.map { base in
            var cube = Cube(RevenueField.self, by: [], in: .one(base))
            let group = Group(codes: [], names: [])
            let currency = unpriced == nil ? Int64(base.packed) : GroupCode.unknown
            var row = RevenueRow(group: group, currencyKey: currency, figures: all)
            row.converted = conversion?.headline ?? ConvertedAmounts()
            cube.add(row, in: base)
            return cube
        }
    }
}

extension Cube {
    /// Adds a row with the keys of the cube.
    fileprivate mutating func add(_ row: RevenueRow, in base: CurrencyCode?) {
        let group = group(code: row.group.code(at:), name: row.group.name(at:))
        add(RevenueValues(row, in: base), to: group)
    }
}
