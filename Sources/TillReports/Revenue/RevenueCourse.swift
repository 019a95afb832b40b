import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The net of a single day, week or month and of the twelve before it, with the digits of their own reports.
struct RevenueCourse {
    /// The net of an earlier period, as far as it is known.
    enum Net {
        /// The totals that people read; `nil` if an amount has no price or no rate.
        case shown(Cube?)
        /// The input begins later.
        case beforeRecords
        /// The data do not reach to it.
        case afterRecords
    }

    let course: PeriodCourse
    /// Customer sales of each period, in order; the last one is the period of the report.
    let nets: [Net]
    let trend: RevenueTrend
    /// The name of the unit that the input does not cover to its end.
    let unfinished: String?

    private var names: [String] { course.periods.map { $0.name ?? "" } }

    /// By period; `nil` where it is not known.
    private func nets(in currency: CurrencyCode) -> [Int128?] {
        nets.map { net in
            guard case .shown(let shown?) = net else { return nil }
            // Nothing was booked in a currency without a group.
            guard let group = shown.groups.first(where: { shown.currency(of: $0) == currency }) else { return 0 }
            return shown.value(RevenueMeasure.net, of: group)
        }
    }

    /// The values in the first currency.
    var values: [Cell] {
        guard let currency = trend.currencies.first else { return [] }
        return nets(in: currency).map { net in net.map { .money($0, currency) } ?? .absent }
    }

    /// A column for each period in one currency; of several currencies each has a panel.
    var chart: Chart? {
        let totals = AmountCharts("Customer sales", by: GroupKey(course.unit).title)
            .totals(of: trend.currencies, over: names.map(Cell.text), notes: notes) { currency in
                nets(in: currency)
            }
        guard var chart = totals else { return nil }
        chart.current = names.count - 1
        let isToDate = unfinished == names[names.count - 1]
        let current = PeriodWords.spoken(names[names.count - 1]) + (isToDate ? " to date" : "")
        chart.title += " (\(names.count) \(course.unit.rawValue)s, \(current) marked)"
        return chart.marking(unfinished: unfinished)
    }

    /// Why periods have no column.
    private func notes(_ series: [Chart.Series]) -> [String] {
        let names = names
        let before = nets.indices.filter { if case .beforeRecords = nets[$0] { true } else { false } }
        let after = nets.indices.filter { if case .afterRecords = nets[$0] { true } else { false } }
        let missing = nets.indices.filter { index in
            !before.contains(index) && !after.contains(index) && index < nets.count - 1
                && series.contains { $0.values[index] == .absent }
        }
        var notes: [String] = []
        for (places, words) in [(before, "before the first record"), (after, "after the newest record")] {
            guard let first = places.first, let last = places.last else { continue }
            let span = first == last ? names[first] : "\(names[first]) to \(names[last])"
            notes.append("Not known: \(span), \(words)")
        }
        if !missing.isEmpty {
            notes.append(
                "Not known, since amounts lack a price or a rate: \(missing.map { names[$0] }.joined(separator: ", "))"
            )
        }
        return notes
    }

    /// `nil` if nothing before the period is known.
    var section: Section? {
        guard let chart, chart.isWorthDrawing else { return nil }
        return Section(
            name: "course",
            title: "The last \(names.count) \(course.unit.rawValue)s",
            charts: [chart]
        )
    }
}
