import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The charts of failures: their rate in the last hours, and their numbers in the last hours and the whole time, stacked
/// by code, with the beginnings of incidents.
///
/// Cancellations and valid but expired receipts are no failures, so no column counts them. A note says how many of them
/// the chart leaves out.
struct FailureCharts {
    let table: FailureTable
    private let clock: ReportClock

    init(_ table: FailureTable) {
        self.table = table
        clock = table.calendar.clock
    }

    /// Failures, without what is harmless.
    private var failures: [FailureTable.Hour] { table.hours.filter { !table[$0.row].isHarmless } }

    /// The axis of the whole time of the input, so that hours without failures before its end are seen too.
    private func wholeAxis(_ failures: [FailureTable.Hour]) -> TimeAxis? {
        let ends = table.span.map { [$0.lowerBound.hour, $0.upperBound.hour] } ?? []
        return failures.isEmpty ? nil : TimeAxis(failures.map(\.hour) + ends, in: table.calendar)
    }

    /// The hours up to the newest record; `nil` if no record has a time.
    private var lastHours: ClosedRange<Int>? {
        table.span.map { max($0.lowerBound.hour, $0.upperBound.hour - Self.recentHours + 1)...$0.upperBound.hour }
    }

    /// Whether anything failed in the last hours.
    var hasRecent: Bool {
        guard let hours = lastHours else { return false }
        return table.hours.contains { hours.contains($0.hour) && !table[$0.row].isHarmless }
    }

    /// Whether the last hours are all that the input has.
    private var isShort: Bool { lastHours.map { $0.lowerBound == table.span?.lowerBound.hour } ?? false }

    /// The last two days by hour, with the codes that failed most in them; of a shorter input, all of it.
    var recent: [Chart] {
        guard hasRecent, let hours = lastHours else { return [] }
        if isShort { return [whole].compactMap(\.self) }
        let axis = TimeAxis(hours: hours)
        let counts = counts(failures, over: axis)
        let names = counts.largest(Self.mostSeries, over: axis.categories)
        return [chart(titled: "Last \(hours.count) hours", of: counts, over: axis, names)]
    }

    /// Whether ``charts`` has any.
    var hasCourse: Bool { !(isShort && hasRecent) && table.hours.contains { !table[$0.row].isHarmless } }

    /// The whole time.
    var charts: [Chart] { hasCourse ? [whole].compactMap(\.self) : [] }

    private var whole: Chart? {
        let failures = failures
        guard let axis = wholeAxis(failures) else { return nil }
        let counts = counts(failures, over: axis)
        let names = counts.largest(Self.mostSeries, over: axis.categories)
        var whole = chart(titled: "Failures by \(axis.unit.rawValue)", of: counts, over: axis, names)
        let outside = failures.reduce(0) { axis.column(of: $1.hour) == nil ? $0 + $1.count : $0 }
        let undated =
            table.rows.reduce(0) { $1.isHarmless ? $0 : $0 + $1.count } - failures.reduce(0) { $0 + $1.count }
        whole.notes += [
            Chart.notDrawn(outside, "earlier failure", "earlier failures"),
            Chart.notDrawn(undated, "failure without a time", "failures without a time"),
        ].compactMap(\.self)
        return whole
    }

    private static let recentHours = 48
    private static let mostSeries = 4
    private static let mostParts = 40
    private static let mostMarks = 6

    private func counts(_ failures: [FailureTable.Hour], over axis: TimeAxis) -> CrossTable {
        let categories = axis.categories
        var counts = CrossTable()
        for failure in failures {
            guard let column = axis.column(of: failure.hour) else { continue }
            let name = table.name(of: table[failure.row])
            counts.add(Int128(failure.count), category: categories[column], series: name)
        }
        return counts
    }

    private func chart(
        titled title: String,
        of counts: CrossTable,
        over axis: TimeAxis,
        _ names: [String]
    ) -> Chart {
        let series = counts.series(
            over: axis.categories,
            named: names,
            rest: { $0 == 1 ? "1 other code" : "\($0) other codes" },
            parts: Self.mostParts,
            cell: { .count(Int64(clamping: $0)) }
        )
        var chart = Chart(
            title: title,
            kind: .stackedColumns,
            categoryTitle: categoryTitle(of: axis.unit),
            valueTitle: "Failures",
            categories: axis.categories,
            series: series,
            marks: marks(over: axis, series: series),
            notes: notes(over: axis)
        )
        Self.limitMarks(of: &chart)
        if axis.unit == .hour { chart.valuesAre = "an hour" }
        return chart
    }

    /// The title of categories, with the time zone.
    func categoryTitle(of unit: CalendarUnit) -> String {
        GroupKey(unit).title + (clock.isUTC ? "" : ", \(clock.name)")
    }

    /// Removes all but the first marks. A note has the number of the others.
    static func limitMarks(of chart: inout Chart) {
        let unmarked = chart.marks.count - mostMarks
        guard unmarked > 0 else { return }
        chart.marks.removeLast(unmarked)
        chart.notes.append("Not marked: \(unmarked) more incidents")
    }

    /// A note with the numbers of cancellations and expired receipts in the drawn time; no note if there are none.
    private func notes(over axis: TimeAxis) -> [String] {
        var (cancelled, deferred, expired) = (0, 0, 0)
        for hour in table.hours where axis.column(of: hour.hour) != nil {
            let row = table[hour.row]
            guard row.isHarmless else { continue }
            switch FailureClass(rawValue: table.failureClass(of: row)) {
            case .okExpired: expired += hour.count
            case .deferred: deferred += hour.count
            default: cancelled += hour.count
            }
        }
        let parts = [
            (cancelled, cancelled == 1 ? "cancellation" : "cancellations"),
            (deferred, deferred == 1 ? "deferral" : "deferrals"),
            (expired, "valid but expired \(expired == 1 ? "receipt" : "receipts") (21006)"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: " and ")
        return words.isEmpty ? [] : ["Not drawn: \(words)"]
    }

    /// The beginnings of incidents, in their order.
    private func marks(over axis: TimeAxis, series: [Chart.Series]) -> [Chart.Mark] {
        let rest = series.firstIndex(where: \.isRest)
        return table.found.incidents.compactMap { incident -> Chart.Mark? in
            guard let key = incident.codes.first?.key, let column = axis.column(of: incident.since.hour),
                let index = series.firstIndex(where: { $0.title == key.name }) ?? rest
            else { return nil }
            return Chart.Mark(category: column, series: index, text: text(of: incident, key))
        }
    }

    /// The text of a mark.
    ///
    /// - Parameter key: the first code of the incident.
    func text(of incident: Incident, _ key: FailureKey) -> String {
        "Incident from \(clock.textToTheMinute(of: incident.since)): \(key.name), "
            + "\(incident.failures) failures"
    }
}
