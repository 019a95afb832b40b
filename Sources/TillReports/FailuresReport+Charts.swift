import TillCore
import TillReportModel

extension FailuresReport {
    /// Failures over all the time there is, stacked by code, and the hours around the largest spike.
    static func charts(of series: Section, spikes: Section) -> [Chart] {
        let failures = hours(of: series)
        let peaks = hours(of: spikes)
        guard let axis = TimeAxis(failures.map(\.hour)) else { return [] }
        let table = table(of: failures, over: axis)
        // The same codes in the same order, so that they look the same in both charts.
        let names = table.largest(mostSeries, over: axis.categories)
        let whole = chart(titled: "Failures by \(axis.unit)", of: table, over: axis, names, peaks)
        guard let peak = peaks.first, axis.step > 1 else { return [whole] }
        let near = TimeAxis(hours: peak.hour - hoursBefore...peak.hour + hoursAfter)
        let title = "Failures by hour around \(text(ofHour: peak.hour))"
        return [whole, chart(titled: title, of: self.table(of: failures, over: near), over: near, names, peaks)]
    }

    private static let hoursBefore = 36
    private static let hoursAfter = 11
    private static let mostSeries = 7
    private static let mostParts = 40
    private static let mostMarks = 6

    private struct HourCount {
        var hour: Int
        var name: String
        var count: Int64
    }

    /// The rows of a table with the columns `hour`, `domain`, `code` and `count`.
    private static func hours(of table: Section) -> [HourCount] {
        guard let hour = table.index(of: "hour"), let domain = table.index(of: "domain"),
            let code = table.index(of: "code"), let count = table.index(of: "count")
        else { return [] }
        return table.tableRows.compactMap { row in
            guard case .instant(let instant) = row[hour], case .count(let number) = row[count] else { return nil }
            let name = name(ofDomain: row[domain], code: row[code])
            return HourCount(hour: instant.hour, name: name, count: number)
        }
    }

    /// `SKErrorDomain 0`
    static func name(ofDomain domain: Cell, code: Cell) -> String {
        domain.name(orElse: "unknown domain") + " " + code.name(orElse: "without a code")
    }

    private static func table(of failures: [HourCount], over axis: TimeAxis) -> CrossTable {
        let categories = axis.categories
        var table = CrossTable()
        for failure in failures {
            guard let column = axis.column(of: failure.hour) else { continue }
            table.add(Int128(failure.count), category: categories[column], series: failure.name)
        }
        return table
    }

    /// `2026-03-09 14:00 UTC`
    static func text(ofHour hour: Int) -> String {
        let instant = Timestamp(startOfHour: hour).description
        return instant.prefix { $0 != "T" } + " " + instant.drop { $0 != "T" }.dropFirst().prefix(5) + " UTC"
    }

    private static func chart(
        titled title: String,
        of table: CrossTable,
        over axis: TimeAxis,
        _ names: [String],
        _ peaks: [HourCount]
    ) -> Chart {
        let series = table.series(
            over: axis.categories,
            named: names,
            rest: { $0 == 1 ? "1 other code" : "\($0) other codes" },
            parts: mostParts,
            cell: { .count(Int64(clamping: $0)) }
        )
        return Chart(
            title: title,
            kind: .stackedColumns,
            categoryTitle: axis.unit.prefix(1).uppercased() + axis.unit.dropFirst(),
            valueTitle: "Failures",
            categories: axis.categories,
            series: series,
            marks: marks(peaks, over: axis, series: series)
        )
    }

    private static func marks(_ peaks: [HourCount], over axis: TimeAxis, series: [Chart.Series]) -> [Chart.Mark] {
        let rest = series.firstIndex(where: \.isRest)
        let marks = peaks.compactMap { peak -> Chart.Mark? in
            guard let column = axis.column(of: peak.hour),
                let index = series.firstIndex(where: { $0.title == peak.name }) ?? rest
            else { return nil }
            return Chart.Mark(
                category: column,
                series: index,
                text: "Spike of \(peak.name): \(peak.count) in the hour from \(text(ofHour: peak.hour))"
            )
        }
        return Array(marks.prefix(mostMarks))
    }
}
