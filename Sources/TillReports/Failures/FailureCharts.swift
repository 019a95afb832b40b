import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The charts of failures: the last hours, the whole time, stacked by code, and the hours around the largest spike.
///
/// Cancellations and valid but expired receipts are no failures, so no column counts them. A note says how many of them
/// the chart leaves out.
struct FailureCharts {
    private let table: FailureTable
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
        if isShort { return whole.map { [$0.chart] } ?? [] }
        let axis = TimeAxis(hours: hours)
        let counts = counts(failures, over: axis)
        let names = counts.largest(Self.mostSeries, over: axis.categories)
        return [chart(titled: "Last \(hours.count) hours", of: counts, over: axis, names, peaks)]
    }

    /// Spikes of failures, the largest first.
    private var peaks: [FailureTable.SpikeRow] { table.spikes.filter { !table[$0.row].isHarmless } }

    /// Whether ``charts`` has any.
    var hasCourse: Bool { !(isShort && hasRecent) && table.hours.contains { !table[$0.row].isHarmless } }

    /// The whole time, and the hours around the largest spike, as far as ``recent`` does not have them.
    var charts: [Chart] {
        guard hasCourse, let whole else { return [] }
        guard let peak = peaks.first?.spike.hour.hour, whole.unit != .hour, lastHours?.contains(peak) != true else {
            return [whole.chart]
        }
        let near = TimeAxis(hours: hours(around: peak))
        let title = "Failures by hour around \(clock.textToTheMinute(of: Timestamp(startOfHour: peak)))"
        return [whole.chart, chart(titled: title, of: counts(failures, over: near), over: near, whole.names, peaks)]
    }

    /// The chart of the whole time, its unit, and the codes that it names: those around a spike are the same in the
    /// same order, so that a code looks the same in both.
    private var whole: (chart: Chart, unit: CalendarUnit, names: [String])? {
        let failures = failures
        guard let axis = wholeAxis(failures) else { return nil }
        let counts = counts(failures, over: axis)
        let names = counts.largest(Self.mostSeries, over: axis.categories)
        var whole = chart(titled: "Failures by \(axis.unit.rawValue)", of: counts, over: axis, names, peaks)
        let outside = failures.reduce(0) { axis.column(of: $1.hour) == nil ? $0 + $1.count : $0 }
        let undated =
            table.rows.reduce(0) { $1.isHarmless ? $0 : $0 + $1.count } - failures.reduce(0) { $0 + $1.count }
        whole.notes += [
            Chart.notDrawn(outside, "earlier failure", "earlier failures"),
            Chart.notDrawn(undated, "failure without a time", "failures without a time"),
        ].compactMap(\.self)
        return (whole, axis.unit, names)
    }

    /// Some hours before and after one, but none before the first record or after the newest.
    private func hours(around peak: Int) -> ClosedRange<Int> {
        let (first, last) = (peak - Self.hoursBefore, peak + Self.hoursAfter)
        guard let span = table.span else { return first...last }
        return min(peak, max(first, span.lowerBound.hour))...max(peak, min(last, span.upperBound.hour))
    }

    private static let recentHours = 48
    private static let hoursBefore = 36
    private static let hoursAfter = 11
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
        _ names: [String],
        _ peaks: [FailureTable.SpikeRow]
    ) -> Chart {
        let series = counts.series(
            over: axis.categories,
            named: names,
            rest: { $0 == 1 ? "1 other code" : "\($0) other codes" },
            parts: Self.mostParts,
            cell: { .count(Int64(clamping: $0)) }
        )
        let marks = marks(peaks, over: axis, series: series)
        let unmarked = marks.count - Self.mostMarks
        var chart = Chart(
            title: title,
            kind: .stackedColumns,
            categoryTitle: GroupKey(axis.unit).title + (clock.isUTC ? "" : ", \(clock.name)"),
            valueTitle: "Failures",
            categories: axis.categories,
            series: series,
            marks: Array(marks.prefix(Self.mostMarks)),
            notes: notes(over: axis) + (unmarked > 0 ? ["Not marked: \(unmarked) smaller spikes"] : [])
        )
        if axis.unit == .hour { chart.valuesAre = "an hour" }
        return chart
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

    private func marks(
        _ peaks: [FailureTable.SpikeRow],
        over axis: TimeAxis,
        series: [Chart.Series]
    ) -> [Chart.Mark] {
        let rest = series.firstIndex(where: \.isRest)
        return peaks.compactMap { peak -> Chart.Mark? in
            let name = table.name(of: table[peak.row])
            guard let column = axis.column(of: peak.spike.hour.hour),
                let index = series.firstIndex(where: { $0.title == name }) ?? rest
            else { return nil }
            let hour = clock.textToTheMinute(of: peak.spike.hour)
            return Chart.Mark(
                category: column,
                series: index,
                text: "Spike of \(name): \(peak.spike.count) in the hour from \(hour)"
            )
        }
    }
}
