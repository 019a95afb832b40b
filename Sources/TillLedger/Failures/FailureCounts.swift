import TillColumns
public import TillCore

/// Failures of one domain and code.
public struct FailureCounts: Sendable {
    /// The domain and code that all of the failures have.
    public let key: FailureKey
    /// Failures in the period; without a period, those without a time too.
    public let count: Int
    /// The time of the first failure; `nil` if no failure has a time.
    public let first: Timestamp?
    /// The time of the last failure; `nil` if no failure has a time.
    public let last: Timestamp?
    /// The class of most of them; of two equally frequent ones, the first by name.
    public let failureClass: String
    /// The number of failures in each UTC hour, by the number of hours since 1970, in order.
    public let hours: [(hour: Int, count: Int)]
    /// Hours in which it spiked, in order.
    public let spikes: [Spike]
    /// Its spikes as incidents, in order. Cancellations and valid but expired receipts (21006) have none, nor has a
    /// ledger without ``LedgerNeeds/incidents``.
    public internal(set) var incidents: [Incident]
    /// The positions of some records.
    public let examples: [RecordPlace]
    /// The failures by the requested keys, in no particular order; empty without a grouping.
    public let groups: [FailureGroup]
}

extension SettledLedger {
    /// Passes the failures of every domain and code to `body`, in no particular order.
    ///
    /// A code that occurs in verifications and in events is passed once, because an app may log the status of its
    /// server. If the ledger does not fit its memory, one partition is read at a time. Cost: that of sorting the cells.
    ///
    /// - Parameters:
    ///   - mostExamples: the largest number of examples of each code and each incident, up to ten. There are none
    ///     without ``LedgerNeeds/examples``.
    ///   - grouping: the keys by which the failures of each code are grouped.
    public func forEachFailure(
        mostExamples: Int = 0,
        groupedBy grouping: FailureGrouping? = nil,
        _ body: (FailureCounts) throws -> Void
    ) throws {
        let logs = [events.failures, verifications.failures, events.history, verifications.history]
        let newest = logs.compactMap(\.end).max()
        let traffic = needs.contains(.incidents) ? HourlyTraffic(events, newest: newest) : nil
        // Each log begins with its first record, in the period or not.
        let starts = [(events.failures, events.history), (verifications.failures, verifications.history)].map {
            [$0.start, $1.start].compactMap(\.self).min()
        }
        guard let partitions, partitions.failurePartitions > 0 else {
            let logs = FailureLogs(events, verifications, starts: starts, traffic, grouping)
            return try logs.forEachFailure(texts, examples, mostExamples, nil, body)
        }
        for partition in 0..<partitions.failurePartitions {
            var ledger = Ledger(environments: environments, needs: needs)
            try partitions.readFailures(of: partition, into: &ledger)
            let (part, verifications) = (ledger.events, ledger.verifications)
            let logs = FailureLogs(part, verifications, starts: starts, traffic, grouping)
            // The texts of the traffic are those of the whole ledger.
            var all = TextsOfParts(texts: texts)
            all.translation.extend(with: ledger.texts, into: &all.texts)
            try logs.forEachFailure(ledger.texts, ledger.examples, mostExamples, all, body)
        }
    }
}
