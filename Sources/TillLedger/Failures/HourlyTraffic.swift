import TillColumns
import TillCore

/// The events with which incidents are compared, hour by hour.
struct HourlyTraffic {
    private let tally: TrafficTally
    /// The time of the newest record of the input.
    let newest: Timestamp?

    /// - Parameter events: settled.
    init(_ events: EventTally, newest: Timestamp?) {
        tally = events.traffic
        self.newest = newest
    }

    /// The number of cases that could have failed with a key in some hours; `nil` if an hour is not kept.
    ///
    /// - Parameters:
    ///   - failed: the number of failures. If fewer attempts began, the log lacks beginnings, and the ended attempts
    ///     are returned.
    ///   - isInPeriod: whether events outside the period are omitted.
    func cases(for key: FailureKey, failed: Int, in hours: Range<Int>, isInPeriod: Bool) -> Int? {
        guard let attempts = tally.attempts(in: hours, isInPeriod: isInPeriod) else { return nil }
        if key.domain == VerificationTally.domain { return attempts.responses }
        return attempts.begun < max(failed, 1) ? max(attempts.begun, attempts.ended) : attempts.begun
    }

    /// All events of some hours, each combination once; `nil` if an hour is not kept.
    func events(in hours: Range<Int>) -> CauseRule.Counts? {
        guard let slots = tally.slots(in: hours) else { return nil }
        var counts = IntegerMap<UInt64, Int>()
        for slot in slots {
            // The key 0 is that of empty slots.
            for cell in tally.cells(in: slot) { counts.add(Int(cell.count), to: UInt64(cell.number) + 1) }
        }
        var events: CauseRule.Counts = []
        counts.visit { number, count in events.append((tally.combinations[Int32(number - 1)], count)) }
        return events
    }
}

/// The texts of a ledger, and of a part of it whose codes are other ones.
struct TextsOfParts {
    var texts: TextDictionary
    /// From the codes of the part.
    var translation = TextTranslation()
}
