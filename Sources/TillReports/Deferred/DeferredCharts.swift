import TillCore
import TillLedger
import TillReportModel

/// The charts of deferred revenue: the closing balance by month, in total and of the largest products, and the schedule
/// of the last balance.
struct DeferredCharts {
    let keys: [GroupKey]
    /// The unit of time among the keys.
    let unit: GroupKey
    /// The currency of the converted amounts; `nil` if nothing is converted.
    let base: CurrencyCode?

    /// The closing balances, in the base currency where there is one.
    func balances(of rows: [DeferredRow]) -> [Chart] {
        let measure = base.map(DeferredRow.convertedClosing) ?? DeferredRow.closing
        let product = keys.filter { $0.unit == nil }.firstIndex(of: .productID)
        var amounts = AmountCharts(DeferredRow.closing.heading.title, by: unit.title)
        for row in rows where row.time != nil {
            let name = product.map { row.group.name(at: $0) ?? Cell.unknownProduct } ?? "all products"
            amounts.add(measure.cell(row), at: .text(row.time), of: name)
        }
        let unconverted = rows.reduce(0) { $0 + (base == nil ? 0 : $1.converted?.unconverted ?? 0) }
        return amounts.charts(notes: [
            Chart.notDrawn(Int(unconverted), "sale or refund without a rate", "sales and refunds without a rate")
        ])
    }

    /// The schedule of the last closing balance, in the base currency if there is one.
    func schedule(of rows: [ScheduledRow]) -> [Chart] {
        var amounts = AmountCharts("Earned from the closing balance", by: unit.title)
        let last = Set(rows.compactMap(\.time)).sorted().prefix(MonthAxis.limit).last
        var (isLater, unconverted) = (false, 0)
        for row in rows {
            guard let time = row.time, let last, time <= last else {
                isLater = true
                continue
            }
            let amount = base == nil ? row.earned : row.converted
            if amount == nil { unconverted += 1 }
            amounts.add(amount.map { .money($0, base ?? row.currency) } ?? .absent, at: .text(time), of: "all products")
        }
        return amounts.charts(notes: [
            isLater ? "Not drawn: amounts earned later" : nil,
            Chart.notDrawn(unconverted, "amount without a rate", "amounts without a rate"),
        ])
    }
}
