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

    /// The rates of failure by the keys of `--by`.
    static func rates(_ rates: GroupRates, _ grouping: FailureGrouping, in calendar: BookingCalendar) -> Section {
        let keys = grouping.keys.enumerated().map { index, key in
            ReportColumn<GroupRate>(key.heading) { cell(of: $0.values[index], by: key, calendar) }
        }
        var section = Section(
            name: "rates_by",
            title: "Rates by " + grouping.keys.map { $0.title.lowercased() }.joined(separator: ", "),
            columns: [ReportColumn("family", "Attempts to", isKey: true) { .text($0.family) }] + keys + [
                ReportColumn("attempts", "Attempts", isMain: true) { .count($0.attempts) },
                ReportColumn("failed", "Failed", isMain: true) { .count($0.failed) },
                ReportColumn("rate", "Rate", isMain: true) { .ratio($0.failed, of: $0.attempts) },
            ],
            rows: rates.groups.sorted { left, right in
                left.family != right.family
                    ? left.family < right.family : FailureGroup.Value.precede(left.values, right.values)
            }
        )
        section.rankingColumn = section.columns.firstIndex { $0.name == "failed" }
        return section
    }

    static func notes(on rates: GroupRates?) -> [String] {
        guard let rates else { return [] }
        var notes = [
            "Rates by the keys of --by count each line of the log that has a time; the table Rates counts each "
                + "transaction or attempt once. Cancellations and deferrals are not among their attempts. An "
                + "underlying error is compared with all attempts."
        ]
        if let start = rates.lostBefore {
            notes.append(
                "Rates by the keys of --by leave out the time before \(start): it has more than "
                    + "\(1 << 20) different values."
            )
        }
        return notes
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
