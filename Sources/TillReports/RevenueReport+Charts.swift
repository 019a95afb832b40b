import TillCore
import TillReportModel

extension RevenueReport {
    /// Net by month, stacked by product: a chart for each of the currencies with the most rows.
    ///
    /// Made from the finished table, so that whatever keys it has, the columns add up to what it says.
    static func charts(of table: Section) -> [Chart] {
        guard let month = table.index(of: "month"), let net = table.index(of: "net") else { return [] }
        let product = table.index(of: "product_id")
        var tables: [CurrencyCode: CrossTable] = [:]
        for row in table.tableRows {
            guard case .money(let money) = row[net] else { continue }
            let name = product.map { row[$0].name(orElse: "unknown product") } ?? "all products"
            tables[money.currency, default: CrossTable()].add(money.millionths, category: row[month], series: name)
        }
        // All charts have the same months, so that they can be held against each other.
        let axis = MonthAxis(tables.values.reduce(into: []) { $0.formUnion($1.categories) })
        let shown = tables.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(mostCharts)
        return shown.sorted { $0.key < $1.key }.map { chart(of: $0.value, in: $0.key, over: axis) }
    }

    private static let mostCharts = 4
    private static let mostSeries = 7

    private static func chart(of table: CrossTable, in currency: CurrencyCode, over axis: MonthAxis) -> Chart {
        let series = table.series(
            over: axis.categories,
            named: table.largest(mostSeries, over: axis.categories),
            rest: { "\($0) other products" },
            cell: { .money(Money(millionths: $0, currency: currency)) }
        )
        return Chart(
            title: "Net by month, \(currency)" + (axis.isCut ? " (the last \(MonthAxis.limit) months)" : ""),
            kind: .stackedColumns,
            categoryTitle: "Month",
            valueTitle: "Net, \(currency)",
            categories: axis.categories,
            series: series
        )
    }
}
