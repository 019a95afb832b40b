import TillCore
import TillLedger
import TillReportModel

/// The charts of revenue over several months: net by month, and that of the largest products.
///
/// Amounts are in the base currency; without one each currency has its own scale. Without a unit of time among the keys
/// there is no chart.
struct RevenueCharts {
    /// The currencies in the order of the summary.
    var order: [CurrencyCode] = []
    /// The name of the month, or week, that the input does not cover to its last day.
    var unfinished: String?

    func charts(of rows: Cube) -> [Chart] {
        guard let timeIndex = rows.keys.timeIndex else { return [] }
        let product = rows.keys.firstIndex(of: .productID)
        let side = rows.sides.count - 1
        var amounts = AmountCharts("Customer sales", by: rows.keys[timeIndex].title)
        for row in rows.groups {
            let name = product.map { rows.name(of: row, at: $0) ?? Cell.unknownProduct } ?? "all products"
            let net = RevenueMeasure.net.cell(of: rows[row, side])
            amounts.add(net, at: rows.cell(of: row, at: timeIndex), of: name)
        }
        let unpriced = rows.total(RevenueField.unpriced)
        let unconverted = rows.total(RevenueField.unconverted, side: side)
        return amounts.charts(
            order: order,
            unfinished: unfinished,
            notes: [
                Chart.notDrawn(
                    Int(clamping: unconverted),
                    "sale or refund without a rate",
                    "sales and refunds without a rate"
                ),
                Chart.notDrawn(Int(clamping: unpriced), "unit without a known price", "units without a known price"),
            ]
        )
    }
}
