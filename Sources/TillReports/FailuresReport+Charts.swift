import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The pictures of failures: over all the time there is, stacked by code, and the hours around the largest spike.
///
/// Cancellations and valid but expired receipts are no failures, so no column counts them; how many are left out is told.
struct FailureCharts {
    /// What each domain and code is called.
    private let names: TextDictionary
    private let failures: [HourCount]
    private let peaks: [HourCount]
    /// Cancellations and valid but expired receipts by the number of the hour.
    private let harmless: [Int: Int64]
    /// Failures that tell no time.
    private let undated: Int
    /// The hours of the first and the newest record: before and after them nothing is known.
    private let known: ClosedRange<Int>?
    private let calendar: BookingCalendar
    private let clock: ReportClock

    private struct HourCount {
        var hour: Int
        /// A text of ``names``.
        var name: Int32
        var count: Int64
    }

    /// - Parameters:
    ///   - codes: the table of codes, which has the class of each.
    ///   - series: the table of hours.
    ///   - span: the times of the first and of the newest record.
    init(
        codes: Section,
        series: Section,
        spikes: Section,
        span: ClosedRange<Timestamp>?,
        calendar: BookingCalendar = .usual
    ) {
        let keys = FailuresReport.harmless(in: codes)
        var names = TextDictionary()
        var (failures, peaks, harmless): ([HourCount], [HourCount], [Int: Int64]) = ([], [], [:])
        Self.visitHours(of: series) { hour, key, count in
            if keys.contains(key) {
                harmless[hour, default: 0] += count
                return
            }
            failures.append(HourCount(hour: hour, name: Self.name(key, &names), count: count))
        }
        Self.visitHours(of: spikes) { hour, key, count in
            if !keys.contains(key) { peaks.append(HourCount(hour: hour, name: Self.name(key, &names), count: count)) }
        }
        undated = Self.undated(in: codes, but: keys, dated: failures)
        (self.names, self.failures, self.peaks, self.harmless) = (names, failures, peaks, harmless)
        known = span.map { $0.lowerBound.hour...$0.upperBound.hour }
        self.calendar = calendar
        clock = calendar.clock
    }

    private static func name(_ key: [Cell], _ names: inout TextDictionary) -> Int32 {
        Int32(names.code(for: FailuresReport.name(ofDomain: key[0], code: key[1])))
    }

    private func name(of counted: HourCount) -> String { names.text(of: Int(counted.name)) }

    /// Gives the rows of a table with the columns `hour`, `domain`, `code` and `count` to `body`: the number of the hour, domain and
    /// code, the count.
    private static func visitHours(of table: Section, _ body: (Int, [Cell], Int64) -> Void) {
        guard let hour = table.index(of: "hour"), let domain = table.index(of: "domain"),
            let code = table.index(of: "code"), let count = table.index(of: "count")
        else { return }
        for row in table.tableRows {
            guard case .instant(let instant) = row[hour], case .count(let number) = row[count] else { continue }
            body(instant.hour, [row[domain], row[code]], number)
        }
    }

    /// What the table of codes counts, but for some, less what has an hour.
    private static func undated(in codes: Section, but keys: Set<[Cell]>, dated: [HourCount]) -> Int {
        guard let domain = codes.index(of: "domain"), let code = codes.index(of: "code"),
            let count = codes.index(of: "count")
        else { return 0 }
        let all = codes.tableRows.reduce(0) { sum, row in
            guard !keys.contains([row[domain], row[code]]), case .count(let number) = row[count] else { return sum }
            return sum + Int(number)
        }
        return all - dated.reduce(0) { $0 + Int($1.count) }
    }

    var charts: [Chart] {
        guard let axis = TimeAxis(failures.map(\.hour), in: calendar) else { return [] }
        let table = table(over: axis)
        // The same codes in the same order, so that they look the same in both charts.
        let names = table.largest(Self.mostSeries, over: axis.categories)
        var whole = chart(titled: "Failures by \(axis.unit.rawValue)", of: table, over: axis, names)
        let outside = failures.reduce(0) { axis.column(of: $1.hour) == nil ? $0 + Int($1.count) : $0 }
        whole.notes += [
            Chart.notDrawn(outside, "earlier failure", "earlier failures"),
            Chart.notDrawn(undated, "failure without a time", "failures without a time"),
        ].compactMap(\.self)
        guard let peak = peaks.first, axis.unit != .hour else { return [whole] }
        let near = TimeAxis(hours: hours(around: peak.hour), in: calendar)
        let title = "Failures by hour around \(clock.textToTheMinute(of: Timestamp(startOfHour: peak.hour)))"
        return [whole, chart(titled: title, of: self.table(over: near), over: near, names)]
    }

    /// Some hours before and after one, as far as anything is known of them.
    private func hours(around peak: Int) -> ClosedRange<Int> {
        let (first, last) = (peak - Self.hoursBefore, peak + Self.hoursAfter)
        guard let known else { return first...last }
        return min(peak, max(first, known.lowerBound))...max(peak, min(last, known.upperBound))
    }

    private static let hoursBefore = 36
    private static let hoursAfter = 11
    private static let mostSeries = 7
    private static let mostParts = 40
    private static let mostMarks = 6

    private func table(over axis: TimeAxis) -> CrossTable {
        let categories = axis.categories
        var table = CrossTable()
        for failure in failures {
            guard let column = axis.column(of: failure.hour) else { continue }
            table.add(Int128(failure.count), category: categories[column], series: name(of: failure))
        }
        return table
    }

    private func chart(titled title: String, of table: CrossTable, over axis: TimeAxis, _ names: [String]) -> Chart {
        let series = table.series(
            over: axis.categories,
            named: names,
            rest: { $0 == 1 ? "1 other code" : "\($0) other codes" },
            parts: Self.mostParts,
            cell: { .count(Int64(clamping: $0)) }
        )
        let marks = marks(over: axis, series: series)
        return Chart(
            title: title,
            kind: .stackedColumns,
            categoryTitle: GroupKey(axis.unit).title + (clock.isUTC ? "" : ", \(clock.name)"),
            valueTitle: "Failures",
            categories: axis.categories,
            series: series,
            marks: Array(marks.prefix(Self.mostMarks)),
            notes: notes(over: axis)
                + (marks.count > Self.mostMarks ? ["Not marked: \(marks.count - Self.mostMarks) smaller spikes"] : [])
        )
    }

    /// How much of the time that is drawn was left out.
    private func notes(over axis: TimeAxis) -> [String] {
        let count = harmless.reduce(0) { axis.column(of: $1.key) == nil ? $0 : $0 + $1.value }
        return count == 0 ? [] : ["Not drawn: \(count) cancellations and valid but expired receipts (21006)"]
    }

    private func marks(over axis: TimeAxis, series: [Chart.Series]) -> [Chart.Mark] {
        let rest = series.firstIndex(where: \.isRest)
        return peaks.compactMap { peak -> Chart.Mark? in
            guard let column = axis.column(of: peak.hour),
                let index = series.firstIndex(where: { $0.title == name(of: peak) }) ?? rest
            else { return nil }
            let hour = clock.textToTheMinute(of: Timestamp(startOfHour: peak.hour))
            return Chart.Mark(
                category: column,
                series: index,
                text: "Spike of \(name(of: peak)): \(peak.count) in the hour from \(hour)"
            )
        }
    }
}

extension FailuresReport {
    /// The domains and codes of a table of codes that are no failures: cancellations, and valid but expired receipts.
    static func harmless(in codes: Section?) -> Set<[Cell]> {
        guard let codes, let domain = codes.index(of: "domain"), let code = codes.index(of: "code"),
            let failureClass = codes.index(of: "class")
        else { return [] }
        let classes = [FailureClass.cancelled, .okExpired].map { Cell.text($0.rawValue) }
        return Set(codes.tableRows.filter { classes.contains($0[failureClass]) }.map { [$0[domain], $0[code]] })
    }

    /// `SKErrorDomain 0`
    static func name(ofDomain domain: Cell, code: Cell) -> String {
        domain.name(orElse: "unknown domain") + " " + code.name(orElse: "without a code")
    }
}
