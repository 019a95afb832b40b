import TillCore
import TillLedger
import TillReportModel

extension FailuresReport {
    /// Spikes that belong together, the newest first, with the values that explain them.
    static func incidents(of table: FailureTable, withExamples: Bool) -> Section {
        var columns: [ReportColumn<FailureTable.IncidentRow>] = [
            ReportColumn("since", "Since", isKey: true) { .instant($0.incident.since) },
            ReportColumn("until", "Until") { .instant($0.incident.until) },
            ReportColumn("ongoing", "Ongoing") { .flag($0.incident.isOngoing) },
            ReportColumn("domain", "Domain") { .text($0.incident.key.domain) },
            ReportColumn("code", "Code") { $0.incident.key.code.map(Cell.code) ?? .absent },
            ReportColumn("class", "Class") { table.classCell(of: table[$0.row]) },
            ReportColumn("count", "Count") { .count($0.incident.count) },
            ReportColumn("share", "Share") { share(of: $0.incident) },
            ReportColumn("usual_share", "Usual share") { usualShare(of: $0.incident) },
            ReportColumn("z", "z") { .decimal(millionths: $0.incident.zMillionths) },
            ReportColumn("causes", "Causes") { .records($0.incident.causes.map(record)) },
        ]
        if withExamples {
            columns.append(ReportColumn("examples", "Examples") { .records($0.incident.examples.map(record)) })
        }
        return Section(name: "incidents", title: "Incidents", columns: columns, rows: table.incidents, role: .headline)
    }

    /// The failures of an incident as a share of the attempts, or of the responses, in its hours.
    static func share(of incident: Incident) -> Cell { share(incident.count, of: incident.attempts) }

    /// The same over the seven days before.
    static func usualShare(of incident: Incident) -> Cell { share(incident.usualCount, of: incident.usualAttempts) }

    private static func share(_ count: Int, of attempts: Int?) -> Cell {
        guard let attempts, attempts > 0 else { return .absent }
        return .ratio(count, of: attempts)
    }

    private static func record(_ cause: Cause) -> CellRecord {
        let usual = Cell.ratio(cause.usualShare.part, of: cause.usualShare.whole)
        return CellRecord(
            cause.values.map { .init($0.dimension.name, .text($0.text)) } + [
                .init("count", .count(cause.share.part)),
                .init("share", .ratio(cause.share.part, of: cause.share.whole)), .init("usual_share", usual),
                .init("score", .decimal(millionths: cause.scoreMillionths)),
            ],
            text: "\(FailureVerdict.name(of: cause)): \(cause.share.part) of \(cause.share.whole)"
        )
    }

    private static func record(_ example: DatedPlace) -> CellRecord {
        let place = example.place
        return CellRecord(
            [
                .init("source", .text(place.source)), .init("document", .code(place.document)),
                .init("line", place.line.map(Cell.code) ?? .absent),
            ],
            text: "\(place.source) document \(place.document)"
        )
    }
}
