import TillCore

/// Attempts and failures by ten minutes up to now, for figures of the last hours.
///
/// Each line of the log counts, as in incidents; figures of the whole report count transactions and attempts. Memory: 16
/// bytes for ten minutes of a kind of attempt or a code.
public struct RecentCounts: Sendable {
    private struct Count: Sendable {
        let slot: Int32
        /// An index into ``series``.
        let series: Int32
        let count: Int
    }

    private let series: [(family: AttemptFamily, failure: FailureKey?)]
    private let counts: [Count]
    /// In milliseconds.
    private let now: Int64

    /// - Parameter now: in milliseconds.
    init(_ cells: IncidentCells, now: Int64, text: (Int32) -> String) {
        self.now = now
        series = cells.series.map { series in
            (series.family, series.failure.map { FailureKey($0, text: text) })
        }
        let last = now / IncidentCells.slotLength
        counts = cells.ordered.lazy.filter {
            ($0.key.table == .attempts || $0.key.table == .failures) && $0.key.time <= last
        }
        .map { Count(slot: Int32($0.key.time), series: $0.key.series, count: Int(clamping: $0.count)) }
    }

    /// The counts of whole hours before now. The ten minutes in which they begin count whole.
    private func forEach(inLast hours: Int, _ body: (AttemptFamily, FailureKey?, Int) -> Void) {
        let start = max(0, now - Int64(hours) * Timestamp.millisecondsPerHour) / IncidentCells.slotLength
        for count in counts where count.slot >= start {
            let (family, failure) = series[Int(count.series)]
            body(family, failure, count.count)
        }
    }

    /// The rates of the last hours.
    public func rates(inLast hours: Int) -> FailureRates {
        var attempts: [AttemptFamily: Int] = [:]
        var failures: [AttemptFamily: Int] = [:]
        forEach(inLast: hours) { family, failure, count in
            if failure == nil { attempts[family, default: 0] += count } else { failures[family, default: 0] += count }
        }
        func count(_ family: AttemptFamily) -> Int { attempts[family] ?? 0 }
        let (failed, cancelled, deferred) = (failures[.purchase] ?? 0, count(.cancelled), count(.deferred))
        let (ended, begun) = (count(.purchase) + cancelled + deferred, count(.begun))
        return FailureRates(
            attempts: begun > 0 && begun >= failed + cancelled ? begun : ended,
            failed: failed,
            cancelled: cancelled,
            deferred: deferred,
            succeeded: count(.purchase) - failed,
            unfinished: max(0, begun - ended),
            verifications: count(.verifyReceipt),
            failedVerifications: failures[.verifyReceipt] ?? 0,
            pairedVerifications: 0
        )
    }

    /// The failures of each code in the last hours, without cancellations and deferrals.
    public func failures(inLast hours: Int) -> [FailureKey: Int] {
        var sums: [FailureKey: Int] = [:]
        forEach(inLast: hours) { _, failure, count in if let failure { sums[failure, default: 0] += count } }
        return sums
    }
}

extension FailureKey {
    /// - Parameter text: gives the text of a code.
    init(_ code: FailureCode, text: (Int32) -> String) {
        self.init(domain: code.domain < 0 ? nil : text(code.domain), code: code.code)
    }
}
