import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The charts of failures: the whole time, stacked by code, and the hours around the largest spike.
///
/// Cancellations and valid but expired receipts are no failures, so no column counts them. A note says how many of them the
/// chart leaves out.
struct FailureCharts {
    private let table: FailureTable
    private let clock: ReportClock

    init(_ table: FailureTable) {
        self.table = table
        clock = table.calendar.clock
    }

    var charts: [Chart] {
        let failures = table.hours.filter { !table[$0.row].isHarmless }
        let peaks = table.spikes.filter { !table[$0.row].isHarmless }
        // The axis has the whole time of the input, so that hours without failures before its end are seen too.
        let ends = table.span.map { [$0.lowerBound.hour, $0.upperBound.hour] } ?? []
        guard !failures.isEmpty, let axis = TimeAxis(failures.map(\.hour) + ends, in: table.calendar) else { return [] }
        let counts = counts(failures, over: axis)
        // Both charts have the same codes in the same order, so that a code looks the same in both.
        let names = counts.largest(Self.mostSeries, over: axis.categories)
        var whole = chart(titled: "Failures by \(axis.unit.rawValue)", of: counts, over: axis, names, peaks)
        let outside = failures.reduce(0) { axis.column(of: $1.hour) == nil ? $0 + $1.count : $0 }
        let undated =
            table.rows.reduce(0) { $1.isHarmless ? $0 : $0 + $1.count } - failures.reduce(0) { $0 + $1.count }
        whole.notes += [
            Chart.notDrawn(outside, "earlier failure", "earlier failures"),
            Chart.notDrawn(undated, "failure without a time", "failures without a time"),
        ].compactMap(\.self)
        guard let peak = peaks.first, axis.unit != .hour else { return [whole] }
        let near = TimeAxis(hours: hours(around: peak.spike.hour.hour))
        let title = "Failures by hour around \(clock.textToTheMinute(of: peak.spike.hour))"
        return [whole, chart(titled: title, of: self.counts(failures, over: near), over: near, names, peaks)]
    }

    /// Some hours before and after one, but none before the first record or after the newest.
    private func hours(around peak: Int) -> ClosedRange<Int> {
        let (first, last) = (peak - Self.hoursBefore, peak + Self.hoursAfter)
        guard let span = table.span else { return first...last }
        return min(peak, max(first, span.lowerBound.hour))...max(peak, min(last, span.upperBound.hour))
    }

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
        return Chart(
            title: title,
            kind: .stackedColumns,
            categoryTitle: GroupKey(axis.unit).title + (clock.isUTC ? "" : ", \(clock.name)"),
            valueTitle: "Failures",
            categories: axis.categories,
            series: series,
            marks: Array(marks.prefix(Self.mostMarks)),
            notes: notes(over: axis) + (unmarked > 0 ? ["Not marked: \(unmarked) smaller spikes"] : [])
        )
    }

    /// How many cancellations and expired receipts of the time that is drawn are left out.
    private func notes(over axis: TimeAxis) -> [String] {
        let count = table.hours.reduce(0) { sum, hour in
            table[hour.row].isHarmless && axis.column(of: hour.hour) != nil ? sum + hour.count : sum
        }
        return count == 0 ? [] : ["Not drawn: \(count) cancellations and valid but expired receipts (21006)"]
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
