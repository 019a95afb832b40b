import TillColumns
import TillCore

/// The failures of events and of verifications, of all codes or of one partition.
struct FailureLogs {
    private let logs: [Log]
    /// Failures outside of the period.
    private let history: [Log]
    /// `nil` without ``LedgerNeeds/incidents``.
    private let traffic: HourlyTraffic?
    /// The combinations of all logs.
    private let combinations: CombinationTable
    private let grouping: FailureGrouping?

    private struct Log {
        let tally: FailureTally
        let cells: FailureTally.OrderedCells
        /// The beginning of the log, in the period or before it; counts before it are unknown.
        let start: Timestamp?
        /// The numbers of the tally's combinations among those of all logs; `nil` if they are the same.
        let numbers: [Int32]?

        init(_ tally: FailureTally, start: Timestamp?, _ combinations: inout CombinationTable) {
            self.tally = tally
            cells = FailureTally.OrderedCells(tally)
            self.start = start
            if combinations.count == 0 {
                combinations = tally.combinations
                numbers = nil
            } else {
                numbers = tally.combinations.all.map { combinations.number(entering: $0) }
            }
        }

        /// The cells of a code in order, with the numbers of all logs.
        func cells(ofCode number: Int) -> ArraySlice<FailureCell> {
            let slice = cells[number]
            guard let numbers else { return slice }
            return slice.map { cell in
                var cell = cell
                if cell.kind == .combination { cell.value = numbers[Int(cell.value)] }
                return cell
            }
            .sorted { $0.packed < $1.packed }[...]
        }
    }

    init(
        _ events: EventTally,
        _ verifications: VerificationTally,
        starts: [Timestamp?],
        _ traffic: HourlyTraffic?,
        _ grouping: FailureGrouping?
    ) {
        var combinations = CombinationTable()
        logs = zip([events.failures, verifications.failures], starts).map { Log($0, start: $1, &combinations) }
        history = zip([events.history, verifications.history], starts).map { Log($0, start: $1, &combinations) }
        self.combinations = combinations
        self.traffic = traffic
        self.grouping = grouping
    }

    /// Passes the failures of every code to `body`: first those without incidents, then the others.
    ///
    /// - Parameter all: the texts of the traffic; `nil` if they are `texts`.
    func forEachFailure(
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int,
        _ all: TextsOfParts?,
        _ body: (FailureCounts) throws -> Void
    ) rethrows {
        var struck: [Struck] = []
        for (order, log) in logs.enumerated() {
            for code in log.tally.codes {
                if logs[..<order].contains(where: { $0.tally.number(of: code) != nil }) { continue }
                let counted = counts(of: code, texts, examples, mostExamples)
                if counted.incidents.isEmpty { try body(counted) } else { struck.append((code, counted)) }
            }
        }
        explain(&struck, texts, all)
        for (_, counted) in struck { try body(counted) }
    }

    private typealias Struck = (code: FailureCode, counted: FailureCounts)

    private func counts(
        of code: FailureCode,
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int
    ) -> FailureCounts {
        let (cells, sum, start) = joined(code, in: logs)
        let domain = code.domain < 0 ? nil : texts.text(of: Int(code.domain))
        let key = FailureKey(domain: domain, code: code.code)
        let failureClass = Self.failureClass(cells, texts)
        var spikes: [Spike] = []
        var incidents: [Incident] = []
        let hours = cells.lazy.filter { $0.kind == .hour }.map { (hour: $0.hour, count: $0.count) }
        let (before, _, startBefore) = joined(code, in: history)
        if hours.contains(where: { $0.count >= SpikeRule.smallestCount }),
            let firstHour = [start, startBefore].compactMap(\.self).min()?.hour
        {
            spikes = self.spikes(of: key, cells, before: before, firstHour: firstHour, texts)
            if FailureClass(rawValue: failureClass)?.isHarmless != true {
                incidents = self.incidents(of: spikes, key, cells, before: before) { hours in
                    examples.newest(of: code, in: hours, mostExamples)
                }
            }
        }
        return FailureCounts(
            key: key,
            count: sum.count,
            first: sum.first.map(Timestamp.init(milliseconds:)),
            last: sum.last.map(Timestamp.init(milliseconds:)),
            failureClass: failureClass,
            hours: Array(hours),
            spikes: spikes,
            incidents: incidents,
            examples: examples.places(of: code, mostExamples),
            groups: grouping?.groups(of: cells, count: sum.count, combinations, texts) ?? []
        )
    }

    /// The cells and the sum of a code in some logs together, and when the first log with that code begins.
    private func joined(
        _ code: FailureCode,
        in logs: [Log]
    ) -> (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum, start: Timestamp?) {
        var joined: (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum, start: Timestamp?) = ([], .init(), nil)
        for log in logs {
            guard let number = log.tally.number(of: code) else { continue }
            joined.cells = FailureCell.joined(ofCode: joined.cells, log.cells(ofCode: number))
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
    /// The expectation of an hour comes from the hours before it, inside or outside of the period. Of an hour that is
    /// partly in the period, only that part counts.
    private func spikes(
        of key: FailureKey,
        _ booked: ArraySlice<FailureCell>,
        before: ArraySlice<FailureCell>,
        firstHour: Int,
        _ texts: borrowing TextDictionary
    ) -> [Spike] {
        var hours: [Int: Int] = [:]
        for cell in booked where cell.kind == .hour { hours[cell.hour] = cell.count }
        let cells = FailureCell.joined(ofCode: booked, before.filter { hours[$0.hour] == nil }[...])
        for cell in cells where cell.kind == .hour { hours[cell.hour] = cell.count }
        var spikes: [Spike] = []
        for cell in booked where cell.kind == .hour && cell.count >= SpikeRule.smallestCount {
            let judged = SpikeRule.judge(count: cell.count, hour: cell.hour, hours: hours, firstHour: firstHour)
            guard let judged, judged.z >= SpikeRule.smallestZ else { continue }
            let explanation = SpikeRule.explain(hours, cells, combinations, hour: cell.hour) { texts.text(of: Int($0)) }
            spikes.append(
                Spike(
                    hour: Timestamp(startOfHour: cell.hour),
                    key: key,
                    count: cell.count,
                    doubledExpectation: judged.doubledExpectation,
                    // Above 2⁴³ failures, which only a false partial has, it is more than 64 bits.
                    zMillionths: Int64(exactly: (judged.z * 1_000_000).rounded(.toNearestOrEven)) ?? .max,
                    explanation: explanation
                )
            )
        }
        return spikes
    }
}

// MARK: - Incidents

extension FailureLogs {
    /// The spikes of a code as incidents, whose causes are not known yet.
    private func incidents(
        of spikes: [Spike],
        _ key: FailureKey,
        _ booked: ArraySlice<FailureCell>,
        before: ArraySlice<FailureCell>,
        examples: (ClosedRange<Int>) -> [DatedPlace]
    ) -> [Incident] {
        guard let traffic else { return [] }
        return IncidentRule.grouped(spikes).compactMap { group in
            guard let first = group.first, let last = group.last else { return nil }
            let hours = first.hour.hour...last.hour.hour
            let week = (hours.lowerBound - 24 * SpikeRule.daysBack)..<hours.lowerBound
            let count = Self.count(in: Range(hours), booked)
            let usual = Self.count(in: week, booked) + Self.count(in: week, before)
            return Incident(
                key: key,
                hours: hours,
                isOngoing: IncidentRule.isOngoing(through: hours.upperBound, newest: traffic.newest),
                count: count,
                attempts: traffic.cases(for: key, failed: count, in: Range(hours), isInPeriod: true),
                usualCount: usual,
                usualAttempts: traffic.cases(for: key, failed: usual, in: week, isInPeriod: false),
                zMillionths: group.map(\.zMillionths).max() ?? 0,
                examples: examples(hours)
            )
        }
    }

    private static func count(in hours: Range<Int>, _ cells: ArraySlice<FailureCell>) -> Int {
        cells.during(hours).reduce(0) { $1.kind == .hour ? $0 + $1.count : $0 }
    }

    /// Finds the causes of all incidents. Incidents that begin in the same hour are compared with the same events,
    /// which are collected once.
    private func explain(_ struck: inout [Struck], _ texts: borrowing TextDictionary, _ all: TextsOfParts?) {
        guard let traffic else { return }
        var byStart: [Int: [(code: Int, incident: Int)]] = [:]
        for (code, entry) in struck.enumerated() {
            for (number, incident) in entry.counted.incidents.enumerated() {
                byStart[incident.hours.lowerBound, default: []].append((code, number))
            }
        }
        for (start, places) in byStart {
            guard let before = traffic.events(in: (start - CauseRule.hoursBefore)..<start) else { continue }
            for place in places {
                let hours = Range(struck[place.code].counted.incidents[place.incident].hours)
                let failures = failures(of: struck[place.code].code, in: hours).map { combination, count in
                    (combination: all.map { combination.translated($0.translation) } ?? combination, count: count)
                }
                let causes = CauseRule.causes(of: failures, before: before) { text in
                    all.map { $0.texts.text(of: Int(text)) } ?? texts.text(of: Int(text))
                }
                struck[place.code].counted.incidents[place.incident].causes = causes
            }
        }
    }

    /// The failures of a code in some hours of the period, by combination.
    private func failures(of code: FailureCode, in hours: Range<Int>) -> CauseRule.Counts {
        joined(code, in: logs).cells.during(hours).compactMap { cell in
            cell.kind == .combination ? (combination: combinations[cell.value], count: cell.count) : nil
        }
    }
}
