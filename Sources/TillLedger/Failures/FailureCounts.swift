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
        guard let partitions, partitions.failurePartitions > 0 else {
            return try events.failures.forEachCode(groupedBy: grouping, texts, examples, mostExamples, body)
        }
        for partition in 0..<partitions.failurePartitions {
            var ledger = Ledger(environments: environments, needs: needs)
            try partitions.readFailures(of: partition, into: &ledger)
            let failures = ledger.events.failures
            try failures.forEachCode(groupedBy: grouping, ledger.texts, ledger.examples, mostExamples, body)
        }
    }

    /// Looks for incidents in all records, in the period and outside of it. It finds nothing without
    /// ``LedgerNeeds/incidents``.
    ///
    /// - Parameters:
    ///   - now: the instant up to which it looks; `nil` for the end of the data.
    ///   - mostExamples: the largest number of examples of each incident, up to ten.
    public func findIncidents(now: Timestamp? = nil, mostExamples: Int = 0) throws -> IncidentFindings {
        var findings = IncidentFindings(events.cells, now: now?.milliseconds, looksBack: rules.looksBack, texts)
        guard mostExamples > 0, !findings.incidents.isEmpty else { return findings }
        findings.note(examples, texts, mostExamples)
        guard let partitions else { return findings }
        for partition in 0..<partitions.failurePartitions {
            var ledger = Ledger(environments: environments, needs: needs)
            try partitions.readFailures(of: partition, into: &ledger)
            findings.note(ledger.examples, ledger.texts, mostExamples)
        }
        return findings
    }
}

extension FailureTally {
    /// Passes the failures of every domain and code to `body`.
    fileprivate func forEachCode(
        groupedBy grouping: FailureGrouping?,
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int,
        _ body: (FailureCounts) throws -> Void
    ) rethrows {
        let cells = cellsByKind
        var rest = kinds.indices.sorted { kinds[$0].code.packed < kinds[$1].code.packed }[...]
        while let first = rest.first {
            let code = kinds[first].code
            // A code can have failures of several classes.
            let classes = rest.prefix { kinds[$0].code == code }
            rest = rest.dropFirst(classes.count)
            let own = classes.count == 1 ? cells[first] : Self.joined(classes.map { cells[$0] }, kind: first)
            let byName = classes.map { kind in
                (name: texts.text(of: Int(kinds[kind].failureClass)), count: cells[kind].reduce(0) { $0 + $1.count })
            }
            let times = classes.reduce(into: InstantBounds()) { $0.merge(bounds[$1]) }
            try body(
                FailureCounts(
                    key: FailureKey(code) { texts.text(of: Int($0)) },
                    count: own.reduce(0) { $0 + $1.count },
                    first: times.first.map(Timestamp.init(milliseconds:)),
                    last: times.last.map(Timestamp.init(milliseconds:)),
                    failureClass: byName.min { ($1.count, $0.name) < ($0.count, $1.name) }?.name
                        ?? FailureClass.unknown.rawValue,
                    hours: Self.hours(own),
                    examples: examples.places(of: code, mostExamples),
                    groups: grouping?.groups(of: own, combinations, texts) ?? []
                )
            )
        }
    }

    /// The cells of several kinds as cells of one of them.
    private static func joined(_ cells: [ArraySlice<FailureCell>], kind: Int) -> ArraySlice<FailureCell> {
        // All at once: one code can have as many classes as a table has rows.
        var joined = SortedCells<FailureCell>()
        for cell in cells.joined() { joined.add(cell.of(kind: Int32(kind))) }
        return joined.ordered[...]
    }

    /// The failures of each known hour.
    private static func hours(_ cells: ArraySlice<FailureCell>) -> [(hour: Int, count: Int)] {
        var hours: [(hour: Int, count: Int)] = []
        for cell in cells where cell.hour != FailureCell.noHour {
            if hours.last?.hour != cell.hour { hours.append((cell.hour, 0)) }
            hours[hours.count - 1].count += cell.count
        }
        return hours
    }
}
