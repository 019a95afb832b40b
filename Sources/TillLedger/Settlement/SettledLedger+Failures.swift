import TillColumns
public import TillCore

/// Numbers behind the failure rates (finance.md §6).
public struct FailureRates: Sendable {
    /// Attempts to buy.
    public let attempts: Int
    /// Attempts that failed, cancellations not among them.
    public let failed: Int
    public let cancelled: Int
    /// verifyReceipt responses, a 21007 and what followed it being one.
    public let verifications: Int
    /// Those with a status that is neither 0 nor 21006.
    public let failedVerifications: Int
    /// Responses 21007 that are part of the verification that followed.
    public let pairedVerifications: Int

    /// Attempts that were not cancelled; none where a log that lacks beginnings tells of more cancellations.
    public var uncancelled: Int { max(0, attempts - cancelled) }

    /// How many could have failed as those of a key did: what its count is a share of.
    public func cases(for key: FailureKey, _ counts: FailureCounts) -> Int {
        if key.domain == VerificationTally.domain { return verifications }
        return counts.failureClass == FailureClass.cancelled.rawValue ? attempts : uncancelled
    }
}

/// Restores as client events tell them.
public struct EventRestores: Sendable {
    public let restored: Int
    public let purchased: Int
    public let restoreCompleted: Int
    public let restoreFailed: Int
}

extension SettledLedger {
    /// Failures of verifications and of client events by key.
    public var failures: [FailureKey: FailureCounts] {
        talliedFailures.mapValues(\.counts)
    }

    /// The same, each with the beginning of the log that tells of it. One key may be in both logs: an app may pass
    /// on the status that its server got.
    private var talliedFailures: [FailureKey: (counts: FailureCounts, start: Timestamp?)] {
        Self.merged([events.failures, verifications.failures])
    }

    /// The same of times before and after the period that is asked for.
    private var failureHistory: [FailureKey: (counts: FailureCounts, start: Timestamp?)] {
        Self.merged([events.history, verifications.history])
    }

    private static func merged(
        _ tallies: [FailureTally]
    ) -> [FailureKey: (counts: FailureCounts, start: Timestamp?)] {
        var failures: [FailureKey: (counts: FailureCounts, start: Timestamp?)] = [:]
        for tally in tallies {
            for (key, counts) in zip(tally.keys, tally.counts) {
                guard var known = failures.removeValue(forKey: key) else {
                    failures[key] = (counts, tally.start)
                    continue
                }
                known.counts.merge(counts)
                known.start = [known.start, tally.start].compactMap(\.self).min()
                failures[key] = known
            }
        }
        return failures
    }

    /// When the first and the newest response or event of the period were; `nil` where none has a time.
    public var recordSpan: ClosedRange<Timestamp>? {
        let tallies = [events.failures, verifications.failures]
        guard let first = tallies.compactMap(\.start).min(), let last = tallies.compactMap(\.end).max() else {
            return nil
        }
        return first...last
    }

    public var failureRates: FailureRates {
        FailureRates(
            attempts: events.attemptCount,
            failed: events.lines.failed,
            cancelled: events.lines.cancelled,
            verifications: verifications.responses,
            failedVerifications: verifications.failed,
            pairedVerifications: verifications.paired
        )
    }

    public var eventRestores: EventRestores {
        EventRestores(
            restored: events.restoredCount,
            purchased: events.purchasedCount,
            restoreCompleted: events.lines.restoreCompleted,
            restoreFailed: events.lines.restoreFailed
        )
    }

    /// Hours in which a failure spiked, largest count first, then by hour and key.
    ///
    /// A valid but expired receipt (21006) is no failure and no spike. What is to be expected of an hour is told by the
    /// hours before it, whether they are in the period that is asked for or not.
    public var spikes: [Spike] {
        var spikes: [Spike] = []
        let history = failureHistory
        let historyStart = [events.history.start, verifications.history.start]
        for (key, tallied) in talliedFailures
        where tallied.counts.failureClass != FailureClass.okExpired.rawValue {
            let booked = tallied.counts
            var counts = booked
            if let earlier = history[key]?.counts { counts.addHistory(earlier) }
            guard let firstHour = ([tallied.start] + historyStart).compactMap(\.self).min()?.hour else { continue }
            // Sorted for the first spike, if there is one.
            var values: [DimensionCounts.Entry]?
            for (hour, count) in booked.hours where count >= SpikeRule.smallestCount {
                let judged = SpikeRule.judge(count: count, hour: hour, hours: counts.hours, firstHour: firstHour)
                guard let judged, judged.z >= SpikeRule.smallestZ else { continue }
                let sorted = values ?? counts.values.sorted
                values = sorted
                spikes.append(
                    Spike(
                        hour: Timestamp(startOfHour: hour),
                        key: key,
                        count: count,
                        doubledExpectation: judged.doubledExpectation,
                        zMillionths: Int64((judged.z * 1_000_000).rounded(.toNearestOrEven)),
                        explanation: SpikeRule.explain(counts, sorted, hour: hour) { texts.text(of: Int($0)) }
                    )
                )
            }
        }
        return spikes.sorted { left, right in
            if left.count != right.count { return left.count > right.count }
            return left.hour != right.hour ? left.hour < right.hour : left.key < right.key
        }
    }
}
