import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The net of a single day, week or month and of the twelve before it, with the digits of their own reports.
struct RevenueCourse {
    /// The net of an earlier period, as far as it is known.
    enum Net {
        case totals([RevenueRow])
        /// The input begins later.
        case beforeRecords
        /// The amounts have no rate that the rules allow.
        case withoutRates
    }

    let course: PeriodCourse
    /// Of the periods before the last one, in their order.
    let nets: [Net]
    let trend: RevenueTrend
    /// The name of the unit that the input does not cover to its end.
    let unfinished: String?

    private static let mostCurrencies = 12

    private var names: [String] { course.periods.map { $0.name ?? "" } }

    /// `nil` where it is not known.
    private func net(_ net: Net, in currency: CurrencyCode) -> Int128? {
        guard case .totals(let totals) = net else { return nil }
        return trend.net(of: RevenueTrend.Earlier(name: "", totals: totals, products: nil), in: currency)
    }

    /// A column for each period in one currency; of several currencies each has a panel.
    var chart: Chart? {
        let drawn = trend.shown.prefix(Self.mostCurrencies)
        guard let first = drawn.first else { return nil }
        let series = drawn.map { total in
            let earlier = nets.map { net($0, in: total.currency) }
            return Chart.Series(
                title: drawn.count == 1 ? "Net" : total.currency.description,
                values: (earlier + [total.net]).map { $0.map { .money($0, total.currency) } ?? .absent }
            )
        }
        let unit = course.unit.rawValue
        var chart = Chart(
            title: "Net by \(unit)\(drawn.count == 1 ? ", \(first.currency)" : " and currency")",
            kind: drawn.count == 1 ? .stackedColumns : .panels,
            categoryTitle: GroupKey(course.unit).title,
            valueTitle: drawn.count == 1 ? "Net, \(first.currency)" : "Net, each currency on a scale of its own",
            categories: names.map(Cell.text),
            series: series,
            notes: notes(series)
                + [Chart.notDrawn(trend.shown.dropFirst(drawn.count).map(\.currency))]
                .compactMap(\.self)
        )
        chart.current = names.count - 1
        return chart.marking(unfinished: unfinished)
    }

    /// Why periods have no column.
    private func notes(_ series: [Chart.Series]) -> [String] {
        let names = names
        let before = nets.indices.filter { if case .beforeRecords = nets[$0] { true } else { false } }
        let missing = nets.indices.filter { index in
            !before.contains(index) && series.contains { $0.values[index] == .absent }
        }
        var notes: [String] = []
        if let first = before.first, let last = before.last {
            let span = first == last ? names[first] : "\(names[first]) to \(names[last])"
            notes.append("Not known: \(span), before the first record")
        }
        if !missing.isEmpty {
            notes.append("Not known, since amounts lack a rate: \(missing.map { names[$0] }.joined(separator: ", "))")
        }
        return notes
    }

    /// `nil` where nothing before the period is known.
    var section: Section? {
        guard let chart, chart.isWorthDrawing else { return nil }
        return Section(
            name: "course",
            title: "The last \(names.count) \(course.unit.rawValue)s",
            charts: [chart]
        )
    }
}
