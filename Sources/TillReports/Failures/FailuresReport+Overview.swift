import TillCore
import TillLedger
import TillReportModel

extension FailuresReport {
    /// The first sections for people: the last hours, and the codes with their meaning.
    static func overview(of table: FailureTable) -> [Section] {
        let charts = FailureCharts(table)
        let recent = Section(name: "recent", title: "Failures by hour", charts: charts.rates + charts.recent)
        return (charts.hasRecent || charts.hasRates ? [recent] : []) + [codesInWords(of: table)]
    }

    /// The charts of the whole time; none if the last hours are all of it.
    static func course(of table: FailureTable) -> [Section] {
        let charts = FailureCharts(table)
        return charts.hasCourse ? [Section(name: "course", title: "Failures over time", charts: charts.charts)] : []
    }

    private static func codesInWords(of table: FailureTable) -> Section {
        var inLastHour: [Int32: Int] = [:]
        let last = table.span?.upperBound.hour
        for hour in table.hours.reversed() where hour.hour == last { inLastHour[hour.row, default: 0] += hour.count }
        // By index of the row: there may be a million codes.
        var section = Section(
            name: "codes",
            title: "Codes",
            columns: [
                ReportColumn<Int>("code", "Code", isKey: true) { .text(table.name(of: table.rows[$0])) },
                ReportColumn("count", "Count") { .count(table.rows[$0].count) },
                ReportColumn("rate", "Rate", isMain: true) { .ratio(table.rows[$0].count, of: table.rows[$0].cases) },
                ReportColumn("last_hour", "Last hour") { [inLastHour] in
                    last == nil ? .absent : .count(inLastHour[Int32($0)] ?? 0)
                },
                ReportColumn("meaning", "Meaning", isMain: true) { .text(meaning(of: table.rows[$0], in: table)) },
            ],
            rows: table.rows.indices,
            role: .overview
        )
        section.rankingColumn = section.columns.firstIndex { $0.name == "count" }
        return section
    }

    /// The meaning of a code; the class for a code without a description.
    private static func meaning(of row: FailureTable.Row, in table: FailureTable) -> String {
        if let entry = table.entry(of: row) { return entry.meaning }
        let name = table.failureClass(of: row)
        return FailureClass(rawValue: name)?.words ?? name
    }

    /// A note that names the last hour; `nil` if no record has a time.
    static func lastHourNote(of table: FailureTable) -> String? {
        guard let newest = table.span?.upperBound else { return nil }
        let clock = table.calendar.clock
        let start = clock.textToTheMinute(of: Timestamp(startOfHour: newest.hour))
        return "The last hour is that of the newest record, from \(start)."
    }
}
