import TillCore
public import TillLedger
import TillReportModel

/// Failures by code: how often, since when, at which rate, and the incidents in which rates rose.
public struct FailuresReport: Report {
    public static let name = "failures"
    public static let title = "Failures"
    public static let summary = "Failure codes of verifications and client events, their rates and incidents"

    public static let needs: LedgerNeeds = [.failures, .examples, .incidents]
    public static let groupKeys = FailureGrouping.known
    public static let countsTransactions = false
    public static let explainsFigures = true
    public static let version = 2

    /// The most example records that the report can list for each failure.
    public static let mostExamples = FailureExamples.limit

    private let exampleCount: Int
    /// The keys of `--by` by which the failures of each code are counted.
    private let grouping: FailureGrouping?
    /// All keys of `--by`.
    private let rateGrouping: FailureGrouping?

    public init(_ rules: LedgerRules) {
        exampleCount = rules.exampleCount
        let keys = rules.keys ?? []
        grouping = FailureGrouping(by: keys.filter(FailureGrouping.ofCodes.contains), in: rules.calendar)
        rateGrouping = FailureGrouping(by: keys, in: rules.calendar)
    }

    public mutating func update(with transaction: SettledTransaction) {}

    /// It has no counts of its own: failures are counted by the ledger, and closed partials have them.
    public mutating func visitSums(_ coder: inout some SumCoder) {}

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let table = try FailureTable(ledger, mostExamples: exampleCount, groupedBy: grouping)
        var sections = Self.overview(of: table) + [Self.codes(of: table)]
        if let grouping { sections.append(Self.groups(of: table, grouping)) }
        sections += [
            Section(name: "rates", title: "Rates", columns: Self.rates, record: table.rates, role: .headline)
        ]
        let groupRates = rateGrouping.map { ($0, ledger.failureRates(by: $0)) }
        if let (grouping, rates) = groupRates { sections.append(Self.rates(rates, grouping, in: table.calendar)) }
        sections += Self.course(of: table)
        sections += [
            Self.series(of: table), Self.incidents(of: table, withExamples: exampleCount > 0),
            Self.notices(of: table), Self.advice(on: table),
        ]
        if exampleCount > 0 { sections.append(Self.examples(of: table)) }
        return Findings(
            Self.summary(of: table),
            sections: sections,
            notes: notes + Self.notes(on: groupRates?.1) + [Self.lastHourNote(of: table)].compactMap(\.self),
            time: Self.time(of: table),
            typedRows: table
        )
    }

    private var notes: [String] {
        var notes = Self.usualNotes
        if grouping != nil { notes.append(Self.groupNote) }
        if exampleCount > 0 { notes.append(Self.exampleNote) }
        return notes
    }

    private static func summary(of table: FailureTable) -> Summary {
        let rates = table.rates
        return Summary(
            span: table.span,
            facts: [
                Fact("attempts", "Attempts", .count(rates.attempts)), Fact("failed", "Failed", .count(rates.failed)),
                Fact("failure_rate", "Failure rate", .ratio(rates.failed, of: rates.decided)),
                Fact("now", "Now", .instant(table.found.now)),
                Fact("now_from", "Now from", .text(table.nowFrom)),
                Fact("verdict", "Verdict", .text(table.verdict.rawValue)),
                Fact("incidents", "Incidents", .count(table.found.incidents.count)),
                Fact("ongoing", "Ongoing", .count(table.found.incidents.count { $0.state == .ongoing })),
            ],
            statements: FailureVerdict(table).statements,
            exceptions: [.impossibleTime: table.found.impossible, .eventsAhead: table.found.ahead],
            concerns: [.rejected, .undatedEvents, .impossibleTime, .eventsAhead, .otherEnvironment]
        )
    }

    private static func time(of table: FailureTable) -> CoveredTime {
        var time = CoveredTime()
        for row in table.rows {
            time.include(row.first)
            time.include(row.last)
        }
        for hour in [table.hours.first, table.hours.last].compactMap(\.self) {
            time.include(Timestamp(startOfHour: hour.hour))
        }
        return time
    }

    private static let usualNotes: [String] = [
        "Cancellations, deferrals and valid but expired receipts (21006) are listed and are in no failure rate. "
            + "In an incident, at least five accounts failed within 1, 6 or 24 hours, 1.5 times as often as is usual for "
            + "the app at that time of day, and chance does so once in 260,000 times. It goes on until ten failures that "
            + "would have come have not.",
        "The rate of a code is its count per verification for a status of verifyReceipt, per attempt for a cancellation "
            + "or deferral, and per other attempt for all other codes. Failed restores and product requests count, "
            + "although they are not attempts. A 21007 and the success that followed for the same receipt are one "
            + "verification.",
    ]

    private static let groupNote =
        "The share of a group is its part of all failures of the code. A failure belongs to the day, week or month in "
        + "which its UTC hour begins."

    private static let exampleNote =
        "Examples are the first records by source and document; tillroll inspect SOURCE --document N shows one."

    private static let hour = Column("hour", "Hour", isKey: true)

    /// The columns of a domain and a code.
    static func keyColumns<Row>(
        of table: FailureTable,
        _ row: @escaping @Sendable (Row) -> FailureTable.Row
    ) -> [ReportColumn<Row>] {
        [
            ReportColumn("domain", "Domain", isKey: true) { .text(table.domain(of: row($0))) },
            ReportColumn("code", "Code", isKey: true) { row($0).code.map(Cell.code) ?? .absent },
        ]
    }

    private static func codes(of table: FailureTable) -> Section {
        var section = Section(
            name: "failures",
            title: "By code",
            columns: keyColumns(of: table) { $0 } + [
                ReportColumn("class", "Class") { table.classCell(of: $0) },
                ReportColumn("count", "Count") { .count($0.count) },
                ReportColumn("first", "First") { .instant($0.first) },
                ReportColumn("last", "Last") { .instant($0.last) },
                ReportColumn("rate", "Rate", isMain: true) { .ratio($0.count, of: $0.cases) },
            ],
            rows: table.rows,
            // People read the codes in words.
            role: .detail
        )
        section.rankingColumn = section.columns.firstIndex { $0.name == "count" }
        return section
    }

    /// The figures of the section `rates`. Alerts name them too.
    static let rates: [ReportColumn<FailureRates>] = [
        ReportColumn("attempts", "Attempts") { .count($0.attempts) },
        ReportColumn("succeeded", "Succeeded") { .count($0.succeeded) },
        ReportColumn("failed", "Failed") { .count($0.failed) },
        ReportColumn("cancelled", "Cancelled") { .count($0.cancelled) },
        ReportColumn("deferred", "Deferred") { .count($0.deferred) },
        ReportColumn("unfinished", "Begun, not ended") { .count($0.unfinished) },
        ReportColumn("failure_rate", "Failure rate") { .ratio($0.failed, of: $0.decided) },
        ReportColumn("cancel_rate", "Cancel rate") { .ratio($0.cancelled, of: $0.attempts) },
        ReportColumn("verifications", "Verifications") { .count($0.verifications) },
        ReportColumn("verification_failure_rate", "Verification failure rate") {
            .ratio($0.failedVerifications, of: $0.verifications)
        },
        ReportColumn("paired_21007", "21007 followed by success") { .count($0.pairedVerifications) },
        ReportColumn("last_success", "Last purchase") { .instant($0.lastPurchase) },
    ]

    /// The meaning of the codes, and advice for each.
    private static func advice(on table: FailureTable) -> Section {
        let known = table.rows.lazy.compactMap { row -> (row: FailureTable.Row, entry: FailureEntry)? in
            table.entry(of: row).map { (row, $0) }
        }
        return Section(
            name: "advice",
            title: "What to do",
            columns: keyColumns(of: table) { $0.row } + [
                ReportColumn("name", "Name") { .text($0.entry.name) },
                ReportColumn("retry", "Retry") { .text($0.entry.retry.rawValue) },
                ReportColumn("advice", "Advice") { .text($0.entry.advice) },
            ],
            rows: known
        )
    }

    /// The places of some records of each code.
    private static func examples(of table: FailureTable) -> Section {
        Section(
            name: "examples",
            title: "Examples",
            columns: keyColumns(of: table) { $0.row } + [
                ReportColumn("source", "Source") { .text($0.place.source) },
                ReportColumn("line", "Line") { $0.place.line.map(Cell.code) ?? .absent },
                ReportColumn("document", "Document") { .code($0.place.document) },
            ],
            rows: table.rows.lazy.flatMap { row in
                row.examples.lazy.map { (row: row, place: $0) }
            }
        )
    }

    private static func series(of table: FailureTable) -> Section {
        Section(
            name: "series",
            title: "By hour",
            columns: [ReportColumn(hour) { .instant(Timestamp(startOfHour: $0.hour)) }]
                + keyColumns(of: table) { table[$0.row] }
                + [ReportColumn("count", "Count") { .count($0.count) }],
            rows: table.hours,
            role: .detail
        )
    }
}
