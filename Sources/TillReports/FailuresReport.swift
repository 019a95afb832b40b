import TillCore
public import TillLedger
import TillReportModel

/// What failed, how often, since when, and where it suddenly rose.
public struct FailuresReport: Report {
    public static let name = "failures"
    public static let title = "Failures"
    public static let summary = "Failure codes of verifications and client events, their rates and spikes"

    public init(_ rules: LedgerRules) {}

    public mutating func update(with transaction: SettledTransaction) {}

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        let failures = ledger.failures.sorted { $0.key < $1.key }
        var series = Self.series(of: failures)
        let spikes = Self.table(of: ledger.spikes)
        series.charts = Self.charts(of: series, spikes: spikes)
        return Findings(
            sections: [Self.table(of: failures), Self.rates(ledger.failureRates), series, spikes],
            notes: [
                "Cancellations and valid but expired receipts (21006) are listed and are in no failure rate. "
                    + "A spike is 10 or more in an hour and 4 spreads above the median of the hours before."
            ]
        )
    }

    private static func key(_ key: FailureKey) -> [Cell] {
        [RevenueReport.text(key.domain), key.code.map(Cell.code) ?? .absent]
    }

    private static let keyColumns = [Column("domain", "Domain", isKey: true), Column("code", "Code", isKey: true)]

    private static func table(of failures: [(key: FailureKey, value: FailureCounts)]) -> Section {
        Section(
            name: "failures",
            title: "By code",
            columns: keyColumns + [
                Column("class", "Class"), Column("count", "Count"), Column("first", "First"), Column("last", "Last"),
            ],
            content: .table(
                failures.map { failure in
                    key(failure.key) + [
                        .text(failure.value.failureClass), .count(Int64(failure.value.count)),
                        failure.value.first.map(Cell.instant) ?? .absent,
                        failure.value.last.map(Cell.instant) ?? .absent,
                    ]
                }
            )
        )
    }

    private static func rates(_ rates: FailureRates) -> Section {
        let (attempts, failed, cancelled) = (Int64(rates.attempts), Int64(rates.failed), Int64(rates.cancelled))
        return Section(
            name: "rates",
            title: "Rates",
            columns: [
                Column("attempts", "Attempts"), Column("failed", "Failed"), Column("cancelled", "Cancelled"),
                Column("failure_rate", "Failure rate"), Column("cancel_rate", "Cancel rate"),
                Column("verifications", "Verifications"),
                Column("verification_failure_rate", "Verification failure rate"),
            ],
            content: .record([
                // A log that lacks beginnings can tell of more cancellations than attempts; then no rate is known.
                .count(attempts), .count(failed), .count(cancelled), .ratio(failed, of: max(0, attempts - cancelled)),
                .ratio(cancelled, of: attempts), .count(Int64(rates.verifications)),
                .ratio(Int64(rates.failedVerifications), of: Int64(rates.verifications)),
            ])
        )
    }

    private static func series(of failures: [(key: FailureKey, value: FailureCounts)]) -> Section {
        let rows = failures.enumerated().flatMap { order, failure in
            failure.value.hours.map { (hour: $0.key, order: order, key: failure.key, count: $0.value) }
        }
        return Section(
            name: "series",
            title: "By hour",
            columns: [Column("hour", "Hour", isKey: true)] + keyColumns + [Column("count", "Count")],
            content: .table(
                rows.sorted { ($0.hour, $0.order) < ($1.hour, $1.order) }.map { row in
                    [.instant(Timestamp(startOfHour: row.hour))] + key(row.key) + [.count(Int64(row.count))]
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
