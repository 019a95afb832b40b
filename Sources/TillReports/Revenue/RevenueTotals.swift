import TillCore
import TillLedger
import TillPricing

/// The totals of a report, each rounded once from its exact sum. Rows are rounded each for itself, so a column of rows
/// may differ from its total by some minor units.
struct RevenueTotals {
    /// By currency, in their own currencies, and with a conversion in the base currency on a second side. An unknown
    /// currency is last.
    let byCurrency: Cube
    /// All that has a price in the base currency, in one group; `nil` without a conversion.
    let headline: Cube?

    /// - Parameter rows: with exact amounts.
    init(of rows: PlainRevenueRows, _ conversion: ConvertedRevenue.Outcome?) {
        var sums: [Int64: RevenueFigures] = [:]
        for row in rows { sums[row.currencyKey, default: RevenueFigures()] += row.figures }
        let base = conversion?.base
        var own = Cube(RevenueField.self, by: [.currency], in: .ofGroup)
        var converted = base.map { Cube(RevenueField.self, by: [.currency], in: .one($0)) }
        var priced = RevenueFigures()
        for (key, exact) in sums {
            let currency = CurrencyCode(groupCode: key)
            if currency != nil { priced += exact }
            let group = Group(codes: [key], names: [currency?.description])
            var row = RevenueRow(group: group, currencyKey: key, figures: exact.rounded(in: currency))
            row.converted = conversion?.byCurrency[key] ?? ConvertedAmounts()
            own.add(row, in: nil)
            converted?.add(row, in: base)
        }
        byCurrency = (converted.map { own.joined(with: $0) } ?? own).sorted(by: .key(.currency))
        headline = base.map { base in
            var cube = Cube(RevenueField.self, by: [], in: .one(base))
            let group = Group(codes: [], names: [])
            var row = RevenueRow(group: group, currencyKey: Int64(base.packed), figures: priced)
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
