public import TillCore

/// Spikes of one domain and code that belong together, with the hours from the first to the last.
public struct Incident: Sendable {
    /// The domain and code of all its spikes.
    public let key: FailureKey
    /// From its first spike to its last, by the number of hours since 1970.
    public let hours: ClosedRange<Int>
    /// Whether the newest record of the input is at most ``IncidentRule/longestPause`` hours later than its end.
    public let isOngoing: Bool
    /// Failures in its hours, the quiet ones between two spikes included.
    public let count: Int
    /// Attempts in its hours; of a status of verifyReceipt, responses. `nil` if the hours are not kept.
    public let attempts: Int?
    /// Failures in the seven days before.
    public let usualCount: Int
    /// Attempts or responses in the seven days before; `nil` if the hours are not kept.
    public let usualAttempts: Int?
    /// The largest of its spikes.
    public let zMillionths: Int64
    /// The causes, the best first; at most ``CauseRule/mostCauses``.
    public internal(set) var causes: [Cause] = []
    /// Its newest records, the newest first.
    public let examples: [DatedPlace]

    /// The beginning of its first hour.
    public var since: Timestamp { Timestamp(startOfHour: hours.lowerBound) }
    /// The end of its last hour.
    public var until: Timestamp { Timestamp(startOfHour: hours.upperBound + 1) }
}

/// The rule that groups spikes into incidents (`docs/rules.md`).
enum IncidentRule {
    /// The largest number of hours between two spikes of one incident, and between its end and the newest record while
    /// it is ongoing.
    static let longestPause = 3

    /// The spikes of one code, in order, as incidents.
    static func grouped(_ spikes: [Spike]) -> [ArraySlice<Spike>] {
        var groups: [ArraySlice<Spike>] = []
        var start = 0
        for index in spikes.indices {
            let next = index + 1
            if next < spikes.count, spikes[next].hour.hour - spikes[index].hour.hour <= longestPause { continue }
            groups.append(spikes[start..<next])
            start = next
        }
        return groups
    }

    /// Whether an incident that ends with an hour is ongoing.
    static func isOngoing(through hour: Int, newest: Timestamp?) -> Bool {
        guard let newest else { return false }
        let end = Timestamp(startOfHour: hour + 1).milliseconds
        return Int128(newest.milliseconds) - Int128(end) <= Int128(longestPause) * Int128(Timestamp.millisecondsPerHour)
    }
}
