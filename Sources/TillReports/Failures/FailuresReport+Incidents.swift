import TillCore
import TillLedger
import TillReportModel

extension FailuresReport {
    /// Incidents: the ongoing ones first, with the values that explain them.
    ///
    /// - Parameter isShown: whether an incident has a row.
    static func incidents(
        of table: FailureTable,
        withExamples: Bool,
        where isShown: (Incident) -> Bool = { _ in true }
    ) -> Section {
        var columns: [ReportColumn<Incident>] = [
            ReportColumn("id", "Id", isKey: true) { .text($0.id) },
            ReportColumn("what", "What") { .text($0.what.rawValue) },
            ReportColumn("state", "State", isMain: true) { .text($0.state.rawValue) },
            ReportColumn("since", "Since", isMain: true) { .instant($0.since) },
            ReportColumn("until", "Until") { .instant($0.until) },
            ReportColumn("opened", "Found") { .instant($0.opened) },
            ReportColumn("app", "App") { .text($0.app) },
            ReportColumn("codes", "Codes", isMain: true) { incident in
                .records(
                    incident.codes.map { record($0, "failures", class: table.failureClass(of: $0.key) ?? "unknown") }
                )
            },
            ReportColumn("window", "Window") { .count($0.window) },
            ReportColumn("failures", "Count", isMain: true) { .count($0.failures) },
            ReportColumn("attempts", "Attempts") { .count($0.attempts) },
            ReportColumn("rate", "Rate", isMain: true) { rate(of: $0) },
            ReportColumn("usual_rate", "Usual rate") { usualRate(of: $0) },
            ReportColumn("excess", "Excess") { .count($0.excess) },
            ReportColumn("score", "Bits") { .count($0.score) },
            ReportColumn("purchases", "Purchases") { $0.missing.map { .records([record($0)]) } ?? .absent },
            ReportColumn("causes", "Causes", isMain: true) { .records($0.causes.map(record)) },
            ReportColumn("underlying", "Underneath") { .records($0.underlying.map { record($0, "count") }) },
            ReportColumn("related", "Related") { .list($0.related) },
        ]
        if withExamples {
            columns.append(ReportColumn("examples", "Examples") { .records($0.examples.map(record)) })
        }
        return Section(
            name: "incidents",
            title: "Incidents",
            columns: columns,
            rows: table.found.incidents.filter(isShown),
            role: .headline
        )
    }

    /// Accounts that fail again and again.
    static func notices(of table: FailureTable) -> Section {
        Section(
            name: "notices",
            title: "Accounts that fail again and again",
            columns: [
                ReportColumn<AccountNotice>("what", "What") { _ in .text("one_account") },
                ReportColumn("app", "App") { .text($0.app) },
                ReportColumn("domain", "Domain") { .text($0.key.domain) },
                ReportColumn("code", "Code") { $0.key.code.map(Cell.code) ?? .absent },
                ReportColumn("account", "Account", isKey: true) { .text($0.account) },
                ReportColumn("hour", "Hour") { .instant($0.hour) },
                ReportColumn("failures", "Failures") { .count($0.failures) },
                ReportColumn("of", "Of") { .count($0.failuresInAll) },
            ],
            rows: table.found.notices,
            role: .detail
        )
    }

    /// The failures of an incident as a share of its attempts.
    static func rate(of incident: Incident) -> Cell {
        incident.attempts > 0 ? .ratio(incident.failures, of: incident.attempts) : .absent
    }

    /// The same before it.
    static func usualRate(of incident: Incident) -> Cell {
        incident.usual.map { .ratio($0.failures, of: $0.attempts) } ?? .absent
    }

    private static func record(_ code: Incident.Code, _ count: String, class failureClass: String? = nil) -> CellRecord
    {
        var members: [CellRecord.Member] = [
            .init("domain", .text(code.key.domain)), .init("code", code.key.code.map(Cell.code) ?? .absent),
        ]
        if let failureClass { members.append(.init("class", .text(failureClass))) }
        members.append(.init(count, .count(code.failures)))
        return CellRecord(members, text: "\(code.key.name): \(code.failures)")
    }

    private static func record(_ missing: MissingPurchases) -> CellRecord {
        CellRecord(
            [
                .init("expected", .count(missing.expected)), .init("actual", .count(missing.actual)),
                .init("window", .count(missing.hours)),
            ],
            text: "\(missing.actual) of \(missing.expected) expected in \(missing.hours) h",
            isAlone: true
        )
    }

    private static func record(_ cause: Cause) -> CellRecord {
        let text = "\(FailureVerdict.name(of: cause)): \(cause.failures) of \(cause.failuresInAll)"
        let values = CellRecord(
            cause.values.map { .init($0.dimension.name, .text($0.text)) },
            text: text,
            isAlone: true
        )
        var members: [CellRecord.Member] = [
            .init("values", .records([values])), .init("count", .count(cause.failures)),
            .init("of", .count(cause.failuresInAll)), .init("attempts", .count(cause.attempts)),
            .init("of_attempts", .count(cause.attemptsInAll)), .init("score", .count(cause.score)),
        ]
        if cause.isNew { members.append(.init("is_new", .flag(true))) }
        return CellRecord(members, text: text)
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
