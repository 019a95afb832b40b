import TillColumns
import TillCore

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
        failureTallies.reduce(into: [:]) { failures, tally in
            for (key, counts) in zip(tally.keys, tally.counts) { failures[key, default: FailureCounts()].merge(counts) }
        }
    }

    private var failureTallies: [FailureTally] { [events.failures, verifications.failures] }

    public var failureRates: FailureRates {
        FailureRates(
            attempts: events.attemptCount,
            failed: events.failed,
            cancelled: events.cancelled,
            verifications: verifications.responses,
            failedVerifications: verifications.failed
        )
    }

    public var eventRestores: EventRestores {
        EventRestores(
            restored: events.restoredCount,
            purchased: events.purchasedCount,
            restoreCompleted: events.restoreCompleted,
            restoreFailed: events.restoreFailed
        )
    }

    /// Hours in which a failure spiked, largest count first, then by hour and key.
    ///
    /// A valid but expired receipt (21006) is no failure and no spike.
    public var spikes: [Spike] {
        var spikes: [Spike] = []
        for tally in failureTallies {
            guard let start = tally.start else { continue }
            let firstHour = Int(start.milliseconds.dividedFloor(by: Timestamp.millisecondsPerHour))
            for (key, counts) in zip(tally.keys, tally.counts)
            where counts.failureClass != FailureClass.okExpired.rawValue {
                for (hour, count) in counts.hours where count >= SpikeRule.smallestCount {
                    let judged = SpikeRule.judge(count: count, hour: hour, hours: counts.hours, firstHour: firstHour)
                    guard let judged, judged.z >= SpikeRule.smallestZ else { continue }
                    spikes.append(
                        Spike(
                            hour: Timestamp(milliseconds: Int64(hour) * Timestamp.millisecondsPerHour),
                            key: key,
                            count: count,
                            doubledExpectation: judged.doubledExpectation,
                            zMillionths: Int64((judged.z * 1_000_000).rounded(.toNearestOrEven)),
                            explanation: SpikeRule.explain(counts, hour: hour) { texts.text(of: Int($0)) }
                        )
                    )
                }
            }
        }
        return spikes.sorted { left, right in
            if left.count != right.count { return left.count > right.count }
            return left.hour != right.hour ? left.hour < right.hour : left.key < right.key
        }
    }
}
