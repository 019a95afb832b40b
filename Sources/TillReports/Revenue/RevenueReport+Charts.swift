import TillCore
import TillReportModel

extension RevenueReport {
    /// Net by month, stacked by product: in the currency that all is converted to, and in each of those with the most
    /// rows.
    ///
    /// Made from the finished table, so that whatever keys it has, the columns add up to what it says.
    static func charts(of table: Section) -> [Chart] {
        guard let time = table.timeColumn else { return [] }
        return ["converted_net", "net"].compactMap { table.index(of: $0) }.flatMap { measure in
            charts(of: table, time: time, measure: measure)
        }
    }

    private static func charts(of table: Section, time: Int, measure: Int) -> [Chart] {
        let product = table.index(of: "product_id")
        var tables: [CurrencyCode: CrossTable] = [:]
        for row in table.tableRows {
            guard case .money(let money) = row[measure] else { continue }
            let name = product.map { row[$0].name(orElse: "unknown product") } ?? "all products"
            tables[money.currency, default: CrossTable()].add(money.millionths, category: row[time], series: name)
        }
        // All charts have the same months, so that they can be held against each other.
        let axis = MonthAxis(tables.values.reduce(into: []) { $0.formUnion($1.categories) })
        let ranked = tables.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let shown = ranked.prefix(mostCharts)
        let others = Chart.notDrawn(ranked.dropFirst(mostCharts).map(\.key))
        let notes = notes(on: table, measure: measure, others, axis, part: table.columns[time].title.lowercased())
        return shown.sorted { $0.key < $1.key }.map { currency, sums in
            let series = sums.series(
                over: axis.categories,
                named: sums.largest(mostSeries, over: axis.categories),
                rest: { "\($0) other products" },
                cell: { .money(Money(millionths: $0, currency: currency)) }
            )
            let (value, part) = (table.columns[measure].title, table.columns[time].title)
            let cut = axis.isCut ? " (the last \(MonthAxis.limit))" : ""
            return Chart(
                title: "\(value) by \(part.lowercased()), \(currency)\(cut)",
                kind: .stackedColumns,
                categoryTitle: part,
                valueTitle: "\(value), \(currency)",
                categories: axis.categories,
                series: series,
                notes: notes
            )
        }
    }

    /// What is in the table and in no chart of a measure.
    private static func notes(
        on table: Section,
        measure: Int,
        _ others: String?,
        _ axis: MonthAxis,
        part: String
    ) -> [String] {
        let isConverted = table.columns[measure].name == "converted_net"
        let unconverted = isConverted ? table.sum(of: "unconverted_transactions") : 0
        return [
            others,
            Chart.notDrawn(axis.cutCount, "earlier \(part)", "earlier \(part)s"),
            Chart.notDrawn(unconverted, "sale or refund without a rate", "sales and refunds without a rate"),
            Chart.notDrawn(
                table.sum(of: "unpriced_units"),
                "unit without a known price",
                "units without a known price"
            ),
        ].compactMap(\.self)
    }

    private static let mostCharts = 4
    private static let mostSeries = 7
}
