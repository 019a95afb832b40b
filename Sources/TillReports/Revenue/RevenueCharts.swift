import TillCore
import TillLedger
import TillReportModel

/// The charts of revenue: net by month, stacked by product.
///
/// One chart shows the net in the base currency; without one there is a chart for each of the currencies with the most rows.
/// Without a unit of time among the keys there is no chart.
struct RevenueCharts {
    let keys: [GroupKey]
    /// The currency of the converted amounts; `nil` where nothing is converted.
    let base: CurrencyCode?

    func charts(of rows: some Collection<RevenueRow>) -> [Chart] {
        guard let timeIndex = keys.timeIndex else { return [] }
        let unpriced = rows.reduce(0) { $0 + $1.figures.unpricedUnits }
        guard let base else { return charts(of: rows, RevenueRow.net, over: timeIndex, unpriced, []) }
        let unconverted = rows.reduce(0) { $0 + $1.converted.unconverted }
        let notes = [
            Chart.notDrawn(Int(unconverted), "sale or refund without a rate", "sales and refunds without a rate")
        ]
        return charts(of: rows, RevenueRow.convertedNet(base), over: timeIndex, unpriced, notes)
    }

    private func charts(
        of rows: some Collection<RevenueRow>,
        _ measure: ReportColumn<RevenueRow>,
        over timeIndex: Int,
        _ unpriced: Int64,
        _ notes: [String?]
    ) -> [Chart] {
        let sums = sums(of: rows, measure, over: timeIndex)
        // All charts have the same months, so that they can be compared.
        let axis = MonthAxis(sums.values.reduce(into: []) { $0.formUnion($1.categories) })
        let ranked = sums.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let (value, time) = (measure.heading.title, keys[timeIndex].title)
        let unit = time.lowercased()
        let notes =
            [
                Chart.notDrawn(ranked.dropFirst(Self.mostCharts).map(\.key)),
                Chart.notDrawn(axis.cutCount, "earlier \(unit)", "earlier \(unit)s"),
            ] + notes
            + [Chart.notDrawn(Int(unpriced), "unit without a known price", "units without a known price")]
        let cut = axis.isCut ? " (the last \(MonthAxis.limit))" : ""
        return ranked.prefix(Self.mostCharts).sorted { $0.key < $1.key }.map { currency, table in
            Chart(
                title: "\(value) by \(unit), \(currency)\(cut)",
                kind: .stackedColumns,
                categoryTitle: time,
                valueTitle: "\(value), \(currency)",
                categories: axis.categories,
                series: table.series(
                    over: axis.categories,
                    named: table.largest(Self.mostSeries, over: axis.categories),
                    rest: { "\($0) other products" },
                    cell: { .money($0, currency) }
                ),
                notes: notes.compactMap(\.self)
            )
        }
    }

    /// The sums of a measure by currency, month and product.
    private func sums(
        of rows: some Collection<RevenueRow>,
        _ measure: ReportColumn<RevenueRow>,
        over timeIndex: Int
    ) -> [CurrencyCode: CrossTable] {
        let product = keys.firstIndex(of: .productID)
        var sums: [CurrencyCode: CrossTable] = [:]
        for row in rows {
            guard case .money(let money) = measure.cell(row) else { continue }
            let name = product.map { row.group.name(at: $0) ?? "unknown product" } ?? "all products"
            let month = row.group.cell(at: timeIndex, by: keys[timeIndex])
            sums[money.currency, default: CrossTable()].add(money.millionths, category: month, series: name)
        }
        return sums
    }

    private static let mostCharts = 4
    private static let mostSeries = 7
}
