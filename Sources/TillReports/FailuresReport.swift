import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// What failed, how often, since when, and where it suddenly rose.
public struct FailuresReport: Report {
    public static let name = "failures"
    public static let title = "Failures"
    public static let summary = "Failure codes of verifications and client events, their rates and spikes"

    public static let needs = LedgerNeeds.examples

    /// How many records of each failure can be named.
    public static let mostExamples = FailureExamples.limit

    private let exampleCount: Int
    private let calendar: BookingCalendar

    public init(_ rules: LedgerRules) {
        exampleCount = rules.exampleCount
        calendar = rules.calendar
    }

    public mutating func update(with transaction: SettledTransaction) {}

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        var listed = ListedFailures()
        try ledger.forEachFailure(mostExamples: exampleCount) { listed.append($0) }
        listed.sort()
        let rates = ledger.failureRates
        var series = Self.series(of: listed)
        var spikes = Self.table(of: listed.spikes)
        var overall = Self.table(of: rates)
        (spikes.isUrgent, overall.isUrgent) = (true, true)
        let codes = Self.table(of: listed, rates)
        series.drawing = { [series, spikes, calendar, span = ledger.recordSpan] in
            FailureCharts(codes: codes, series: series, spikes: spikes, span: span, calendar: calendar).charts
        }
        var sections = [codes, overall, series, spikes, Self.advice(on: listed)]
        if exampleCount > 0 { sections.append(Self.examples(of: listed)) }
        return Findings(sections: sections, notes: Self.notes + (exampleCount > 0 ? [Self.exampleNote] : []))
    }

    private static let notes = [
        "Cancellations and valid but expired receipts (21006) are listed and are in no failure rate. "
            + "A spike is 10 or more in an hour and 4 spreads above the median of the hours before.",
        "The rate of a code is its count per verification for a status of verifyReceipt, per attempt for a cancellation, "
            + "and else per attempt that was not cancelled; failed restores and product requests count, though they are "
            + "no attempts. A 21007 and the success that followed for the same receipt are one verification.",
    ]

    private static let exampleNote =
        "Examples are the first records by source and document; tillroll inspect SOURCE --document N shows one."

    private static func key(_ key: FailureKey) -> [Cell] {
        [RevenueReport.text(key.domain), key.code.map(Cell.code) ?? .absent]
    }

    private static let keyColumns = [Column("domain", "Domain", isKey: true), Column("code", "Code", isKey: true)]

    private static func table(of failures: ListedFailures, _ rates: FailureRates) -> Section {
        Section(
            name: "failures",
            title: "By code",
            columns: keyColumns + [
                Column("class", "Class"), Column("count", "Count"), Column("first", "First"), Column("last", "Last"),
                Column("rate", "Rate"),
            ],
            content: .table(
                failures.order.lazy.map { number in
                    let failure = failures[number]
                    let (name, failureClass) = (failures.key(of: failure), failures.failureClass(of: failure))
                    let cases = rates.cases(for: name, ofClass: failureClass)
                    return key(name) + [
                        .text(failureClass), .count(Int64(failure.count)),
                        failure.first.map(Cell.instant) ?? .absent, failure.last.map(Cell.instant) ?? .absent,
                        .ratio(Int64(failure.count), of: Int64(cases)),
                    ]
                }
            )
        )
    }

    private static func table(of rates: FailureRates) -> Section {
        let (attempts, failed, cancelled) = (Int64(rates.attempts), Int64(rates.failed), Int64(rates.cancelled))
        return Section(
            name: "rates",
            title: "Rates",
            columns: [
                Column("attempts", "Attempts"), Column("failed", "Failed"), Column("cancelled", "Cancelled"),
                Column("failure_rate", "Failure rate"), Column("cancel_rate", "Cancel rate"),
                Column("verifications", "Verifications"),
                Column("verification_failure_rate", "Verification failure rate"),
                Column("paired_21007", "21007 followed by success"),
            ],
            content: .record([
                .count(attempts), .count(failed), .count(cancelled), .ratio(failed, of: Int64(rates.uncancelled)),
                .ratio(cancelled, of: attempts), .count(Int64(rates.verifications)),
                .ratio(Int64(rates.failedVerifications), of: Int64(rates.verifications)),
                .count(Int64(rates.pairedVerifications)),
            ])
        )
    }

    /// What is known of the codes that came, and what to do about each.
    private static func advice(on failures: ListedFailures) -> Section {
        let known = failures.order.lazy.compactMap { number -> (FailureKey, FailureEntry)? in
            let key = failures.key(of: failures[number])
            guard let domain = key.domain else { return nil }
            return FailureCatalogue.entry(domain: domain, code: key.code).map { (key, $0) }
        }
        return Section(
            name: "advice",
            title: "What to do",
            columns: keyColumns + [Column("name", "Name"), Column("retry", "Retry"), Column("advice", "Advice")],
            content: .table(
                known.map { key, entry in
                    Self.key(key) + [.text(entry.name), .text(entry.retry.rawValue), .text(entry.advice)]
                }
            )
        )
    }

    /// Where records of each code stand.
    private static func examples(of failures: ListedFailures) -> Section {
        Section(
            name: "examples",
            title: "Examples",
            columns: keyColumns + [
                Column("source", "Source"), Column("line", "Line"), Column("document", "Document"),
            ],
            content: .table(
                failures.order.lazy.flatMap { number in
                    failures[number].examples.lazy.map { place in
                        key(failures.key(of: failures[number])) + [
                            .text(place.source), place.line.map(Cell.code) ?? .absent, .code(place.document),
                        ]
                    }
                }
            )
        )
    }

    private static func series(of failures: ListedFailures) -> Section {
        Section(
            name: "series",
            title: "By hour",
            columns: [Column("hour", "Hour", isKey: true)] + keyColumns + [Column("count", "Count")],
            content: .table(
                failures.hours.lazy.map { row in
                    [.instant(Timestamp(startOfHour: row.hour))] + key(failures.key(of: failures[row.failure]))
                        + [.count(Int64(row.count))]
                }
            ),
            isDetail: true
        )
    }

    private static func table(of spikes: [Spike]) -> Section {
        Section(
            name: "spikes",
            title: "Spikes",
            columns: [Column("hour", "Hour", isKey: true)] + keyColumns + [
                Column("count", "Count"), Column("expected", "Expected"), Column("z", "z"),
                Column("dimension", "Dimension"), Column("value", "Value"), Column("share", "Share"),
            ],
            content: .table(
                spikes.map { spike in
                    let explanation: [Cell] =
                        if let told = spike.explanation {
                            [
                                .text(told.dimension.name), .text(told.value),
                                .ratio(Int64(told.count), of: Int64(spike.count)),
                            ]
                        } else {
                            [.absent, .absent, .absent]
                        }
                    return [.instant(spike.hour)] + key(spike.key) + [
                        .count(Int64(spike.count)), .decimal(millionths: Int64(spike.doubledExpectation) * 500_000),
                        .decimal(millionths: spike.zMillionths),
                    ] + explanation
                }
            )
        )
    }
}
