import TillCore
import TillLedger
import TillReportModel

/// The charts of deferred revenue: the closing balance by month, stacked by product, and what the last one turns into.
struct DeferredCharts {
    let keys: [GroupKey]
    /// The unit of time among the keys.
    let unit: GroupKey
    /// The currency of the converted amounts; `nil` where nothing is converted.
    let base: CurrencyCode?

    private static let mostCharts = 4
    private static let mostSeries = 7

    /// The closing balances, in the base currency and in the currencies with the most rows.
    func balances(of rows: [DeferredRow]) -> [Chart] {
        let converted = base.map { charts(of: rows, DeferredRow.convertedClosing($0)) } ?? []
        return converted + charts(of: rows, DeferredRow.closing)
    }

    private func charts(of rows: [DeferredRow], _ measure: ReportColumn<DeferredRow>) -> [Chart] {
        let index = keys.filter { $0.unit == nil }.firstIndex(of: .productID)
        var sums: [CurrencyCode: CrossTable] = [:]
        for row in rows where row.time != nil {
            guard case .money(let money) = measure.cell(row) else { continue }
            let name = index.map { row.group.name(at: $0) ?? "unknown product" } ?? "all products"
            sums[money.currency, default: CrossTable()].add(money.millionths, category: .text(row.time), series: name)
        }
        let axis = MonthAxis(sums.values.reduce(into: []) { $0.formUnion($1.categories) })
        let ranked = sums.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let (value, time) = (measure.heading.title, unit.title.lowercased())
        let notes = [
            Chart.notDrawn(ranked.dropFirst(Self.mostCharts).map(\.key)),
            Chart.notDrawn(axis.cutCount, "earlier \(time)", "earlier \(time)s"),
        ]
        return ranked.prefix(Self.mostCharts).sorted { $0.key < $1.key }.map { currency, table in
            Chart(
                title: "\(value) by \(time), \(currency)",
                kind: .stackedColumns,
                categoryTitle: unit.title,
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

    /// What the last closing balance turns into, in the currencies with the most rows.
    func schedule(of rows: [ScheduledRow]) -> [Chart] {
        var sums: [CurrencyCode: CrossTable] = [:]
        var late: Set<CurrencyCode> = []
        let times = Set(rows.compactMap(\.time)).sorted().prefix(MonthAxis.limit)
        for row in rows {
            guard let time = row.time, let last = times.last, time <= last else {
                late.insert(row.currency)
                continue
            }
            sums[row.currency, default: CrossTable()].add(row.earned, category: .text(row.time), series: "Earned")
        }
        let axis = MonthAxis(sums.values.reduce(into: []) { $0.formUnion($1.categories) })
        let ranked = sums.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let others = Chart.notDrawn(ranked.dropFirst(Self.mostCharts).map(\.key))
        return ranked.prefix(Self.mostCharts).sorted { $0.key < $1.key }.map { currency, table in
            let notes = [others, late.contains(currency) ? "Not drawn: what is earned later" : nil]
            return Chart(
                title: "What the closing balance turns into, \(currency)",
                kind: .stackedColumns,
                categoryTitle: unit.title,
                valueTitle: "Earned, \(currency)",
                categories: axis.categories,
                series: table.series(
                    over: axis.categories,
                    named: ["Earned"],
                    rest: { _ in "" },
                    cell: { .money($0, currency) }
                ),
                notes: notes.compactMap(\.self)
            )
        }
    }
}
