public import TillCore

/// The clocks of one place: offsets from UTC by the tz database, with daylight saving time.
///
///     types        [ LMT +0:53 | CET +1 | CEST +2 ]
///     transitions  1893-04-01 → 1   1916-04-30 → 2   …        then by the rule: CET-1CEST,M3.5.0,M10.5.0/3
///
/// Looking up is a binary search; past the last transition the rule is computed.
public struct TimeZoneRules: Sendable {
    /// `Europe/Berlin`
    public let name: String
    /// Seconds since 1970, ascending.
    let transitions: [Int64]
    /// The offset from each transition on, in seconds east of Greenwich.
    let offsets: [Int]
    /// The offset before the first transition.
    let firstOffset: Int
    /// The rule after the last transition; `nil` if its offset stays.
    let rule: PosixTimeZone?
    /// Whether the offset is always 0.
    public let isUTC: Bool

    package init(name: String, transitions: [Int64], offsets: [Int], firstOffset: Int, rule: PosixTimeZone?) {
        self.name = name
        self.transitions = transitions
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.rule = rule
        isUTC = transitions.isEmpty && firstOffset == 0 && rule == nil
    }

    /// UTC, without the tz database.
    public static let utc = TimeZoneRules(name: "UTC", transitions: [], offsets: [], firstOffset: 0, rule: nil)

    /// Seconds to be added to UTC at an instant, in seconds since 1970.
    public func offset(at second: Int64) -> Int {
        guard let last = transitions.last, second < last else {
            return rule?.offset(at: second) ?? offsets.last ?? firstOffset
        }
        let next = transitions.partitioningIndex { $0 > second }
        return next == 0 ? firstOffset : offsets[next - 1]
    }

    /// The first instant of a local day, counted in days from 1970-01-01.
    ///
    /// Mostly that is midnight; where clocks go forward at midnight the day begins later.
    public func startOfDay(_ day: Int) -> Timestamp {
        let (middle, overflow) = Int64(day).multipliedReportingOverflow(by: 86_400)
        guard !overflow, middle.magnitude < Int64.max.magnitude / 2000 else {
            return Timestamp(milliseconds: day < 0 ? .min : .max)
        }
        // No offset reaches two days.
        var (low, high) = (middle - 172_800, middle + 172_800)
        while low < high {
            let second = low + (high - low) / 2
            if second + Int64(offset(at: second)) >= middle { high = second } else { low = second + 1 }
        }
        return Timestamp(milliseconds: low * 1000)
    }
}
