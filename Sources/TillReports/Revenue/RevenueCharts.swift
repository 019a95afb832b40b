import TillCore
import TillLedger
import TillReportModel

/// The charts of revenue over several months: net by month, and that of the largest products.
///
/// Amounts are in the base currency; without one each currency has its own scale. Without a unit of time among the keys
/// there is no chart.
struct RevenueCharts {
    let keys: [GroupKey]
    /// The currency of the converted amounts; `nil` if nothing is converted.
    let base: CurrencyCode?
    /// The currencies in the order of the summary.
    var order: [CurrencyCode] = []
    /// The name of the month, or week, that the input does not cover to its last day.
    var unfinished: String?

    func charts(of rows: some Collection<RevenueRow>) -> [Chart] {
        guard let timeIndex = keys.timeIndex else { return [] }
        let product = keys.firstIndex(of: .productID)
        var amounts = AmountCharts("Customer sales", by: keys[timeIndex].title)
        for row in rows {
            let name = product.map { row.group.name(at: $0) ?? Cell.unknownProduct } ?? "all products"
            let net = RevenueMeasure.net.cell(of: RevenueValues(row, in: base))
            amounts.add(net, at: row.group.cell(at: timeIndex, by: keys[timeIndex]), of: name)
        }
        let unpriced = rows.reduce(0) { $0 + $1.figures.unpricedUnits }
        let unconverted = base == nil ? 0 : rows.reduce(0) { $0 + $1.converted.unconverted }
        return amounts.charts(
            order: order,
            unfinished: unfinished,
            notes: [
                Chart.notDrawn(Int(unconverted), "sale or refund without a rate", "sales and refunds without a rate"),
                Chart.notDrawn(Int(unpriced), "unit without a known price", "units without a known price"),
            ]
        )
    }
}
