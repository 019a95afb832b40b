import TillCore
import TillLedger
import TillPricing
import TillReportModel

extension FailuresReport {
    /// The failures of each code by the keys of `--by`.
    static func groups(of table: FailureTable, _ grouping: FailureGrouping) -> Section {
        let calendar = table.calendar
        let keys = grouping.keys.enumerated().map { index, key in
            ReportColumn<FailureTable.GroupRow>(key.heading) { cell(of: $0.group.values[index], by: key, calendar) }
        }
        var section = Section(
            name: "groups",
            title: "By code, " + grouping.keys.map(\.title).joined(separator: ", "),
            columns: keyColumns(of: table) { table[$0.row] } + keys + [
                ReportColumn("count", "Count", isMain: true) { .count($0.group.count) },
                ReportColumn("share", "Share of code", isMain: true) {
                    .ratio($0.group.count, of: table[$0.row].count)
                },
                ReportColumn("first_hour", "First hour") { instant($0.group.hours?.lowerBound) },
                ReportColumn("last_hour", "Last hour") { instant($0.group.hours?.upperBound) },
            ],
            rows: table.groups
        )
        section.rankingColumn = section.columns.firstIndex { $0.name == "count" }
        return section
    }

    private static func instant(_ hour: Int?) -> Cell { .instant(hour.map { Timestamp(startOfHour: $0) }) }

    private static func cell(of value: FailureGroup.Value, by key: GroupKey, _ calendar: BookingCalendar) -> Cell {
        switch value {
        case .unknown: .absent
        case .text(let text): .text(text)
        case .time(let code):
            if let unit = key.unit, unit != .hour {
                .text(calendar.name(of: code, by: unit))
            } else {
                .instant(Timestamp(milliseconds: code))
            }
        }
    }
}
