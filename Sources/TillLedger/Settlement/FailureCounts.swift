import TillColumns
public import TillCore

/// Failures of one domain and code.
public struct FailureCounts: Sendable {
    public let key: FailureKey
    public let count: Int
    /// When the first and the last of them were, as far as instants are known.
    public let first: Timestamp?
    public let last: Timestamp?
    /// The class of most of them; of two equally frequent ones, the first by name.
    public let failureClass: String
    /// How many in each UTC hour, by the number of hours since 1970, in order.
    public let hours: [(hour: Int, count: Int)]
    /// Hours in which it spiked, in order.
    public let spikes: [Spike]
    /// Where some records of it stand.
    public let examples: [RecordPlace]
}

extension SettledLedger {
    /// Gives the failures of every domain and code to `body`, in no particular order.
    ///
    /// A code that stands in verifications and in events is given once, because an app may log the status that its server got.
    /// If the ledger does not fit its memory, one partition is read at a time. Cost: that of sorting the cells.
    ///
    /// - Parameter mostExamples: how many examples each code gets, up to ten. There are none without ``LedgerNeeds/examples``.
    public func forEachFailure(
        mostExamples: Int = 0,
        _ body: (FailureCounts) throws -> Void
    ) throws {
        let starts = [events.failures.start, verifications.failures.start]
        let historyStart = [events.history.start, verifications.history.start].compactMap(\.self).min()
        guard let partitions, partitions.failurePartitions > 0 else {
            let logs = FailureLogs(events, verifications, starts: starts, historyStart: historyStart)
            return try logs.forEachFailure(texts, examples, mostExamples, body)
        }
        for partition in 0..<partitions.failurePartitions {
            var ledger = Ledger(environments: environments, needs: needs)
            try partitions.readFailures(of: partition, into: &ledger)
            let logs = FailureLogs(ledger.events, ledger.verifications, starts: starts, historyStart: historyStart)
            try logs.forEachFailure(ledger.texts, ledger.examples, mostExamples, body)
        }
    }
}

/// The failures of events and of verifications, of all codes or of one partition.
private struct FailureLogs {
    private let logs: [Log]
    /// Failures outside of the period.
    private let history: [Log]
    private let historyStart: Timestamp?

    private struct Log {
        let tally: FailureTally
        let cells: FailureTally.OrderedCells
        /// When the log begins: before that nothing is known.
        let start: Timestamp?

        init(_ tally: FailureTally, start: Timestamp?) {
            self.tally = tally
            cells = FailureTally.OrderedCells(tally)
            self.start = start
        }
    }

    init(_ events: EventTally, _ verifications: VerificationTally, starts: [Timestamp?], historyStart: Timestamp?) {
        logs = zip([events.failures, verifications.failures], starts).map { Log($0, start: $1) }
        history = [events.history, verifications.history].map { Log($0, start: nil) }
        self.historyStart = historyStart
    }

    func forEachFailure(
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int,
        _ body: (FailureCounts) throws -> Void
    ) rethrows {
        for (order, log) in logs.enumerated() {
            for code in log.tally.codes {
                if logs[..<order].contains(where: { $0.tally.number(of: code) != nil }) { continue }
                try body(counts(of: code, texts, examples.places(of: code, mostExamples)))
            }
        }
    }

    private func counts(
        of code: FailureCode,
        _ texts: borrowing TextDictionary,
        _ examples: [RecordPlace]
    ) -> FailureCounts {
        let (cells, sum, start) = Self.joined(code, in: logs)
        let domain = code.domain < 0 ? nil : texts.text(of: Int(code.domain))
        let key = FailureKey(domain: domain, code: code.code)
        let failureClass = Self.failureClass(cells, texts)
        var spikes: [Spike] = []
        let hours = cells.lazy.filter { $0.kind == .hour }.map { (hour: $0.hour, count: $0.count) }
        // A valid but expired receipt (21006) is no failure and no spike.
        let maySpike = failureClass != FailureClass.okExpired.rawValue
        if maySpike, hours.contains(where: { $0.count >= SpikeRule.smallestCount }),
            let firstHour = [start, historyStart].compactMap(\.self).min()?.hour
        {
            let before = Self.joined(code, in: history).cells
            spikes = Self.spikes(of: key, cells, before: before, firstHour: firstHour, texts)
        }
        return FailureCounts(
            key: key,
            count: sum.count,
            first: sum.first.map(Timestamp.init(milliseconds:)),
            last: sum.last.map(Timestamp.init(milliseconds:)),
            failureClass: failureClass,
            hours: Array(hours),
            spikes: spikes,
            examples: examples
        )
    }

    /// The cells and the sum of a code in some logs together, and when the first log with that code begins.
    private static func joined(
        _ code: FailureCode,
        in logs: [Log]
    ) -> (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum, start: Timestamp?) {
        var joined: (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum, start: Timestamp?) = ([], .init(), nil)
        for log in logs {
            guard let number = log.tally.number(of: code) else { continue }
            joined.cells = FailureCell.joined(joined.cells, log.cells[number])
            joined.sum.merge(log.tally.sums[number])
            joined.start = [joined.start, log.start].compactMap(\.self).min()
        }
        return joined
    }

    private static func failureClass(_ cells: ArraySlice<FailureCell>, _ texts: borrowing TextDictionary) -> String {
        var most: (name: String, count: Int)?
        for cell in cells where cell.kind == .failureClass {
            let name = texts.text(of: Int(cell.value))
            if let most, (most.count, name) >= (cell.count, most.name) { continue }
            most = (name, cell.count)
        }
        return most?.name ?? FailureClass.unknown.rawValue
    }

    /// Hours in which a failure spiked.
    ///
    /// The expectation of an hour comes from the hours before it, inside or outside of the period. Of an hour that is partly
    /// in the period, only that part counts.
    private static func spikes(
        of key: FailureKey,
        _ booked: ArraySlice<FailureCell>,
        before: ArraySlice<FailureCell>,
        firstHour: Int,
        _ texts: borrowing TextDictionary
    ) -> [Spike] {
        var hours: [Int: Int] = [:]
        for cell in booked where cell.kind == .hour { hours[cell.hour] = cell.count }
        let cells = FailureCell.joined(booked, before.filter { hours[$0.hour] == nil }[...])
        for cell in cells where cell.kind == .hour { hours[cell.hour] = cell.count }
        var spikes: [Spike] = []
        for cell in booked where cell.kind == .hour && cell.count >= SpikeRule.smallestCount {
            let judged = SpikeRule.judge(count: cell.count, hour: cell.hour, hours: hours, firstHour: firstHour)
            guard let judged, judged.z >= SpikeRule.smallestZ else { continue }
            spikes.append(
                Spike(
                    hour: Timestamp(startOfHour: cell.hour),
                    key: key,
                    count: cell.count,
                    doubledExpectation: judged.doubledExpectation,
                    zMillionths: Int64((judged.z * 1_000_000).rounded(.toNearestOrEven)),
                    explanation: SpikeRule.explain(hours, Array(cells), hour: cell.hour) { texts.text(of: Int($0)) }
                )
            )
        }
        return spikes
    }
}
