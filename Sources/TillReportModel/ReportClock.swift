public import TillCore

/// The clock of a time zone: its offset from UTC at each instant.
///
/// Formats for people write instants by this clock. Formats for programs always write UTC.
public struct ReportClock: Sendable {
    /// The time zone: `America/Los_Angeles`.
    public let name: String
    /// Seconds ahead of UTC at an instant; `nil` for the clock of UTC.
    private let offset: (@Sendable (Timestamp) -> Int)?

    /// The clock of UTC.
    public static let utc = ReportClock(name: "UTC", offset: nil)

    private init(name: String, offset: (@Sendable (Timestamp) -> Int)?) {
        self.name = name
        self.offset = offset
    }

    /// Makes the clock of a zone, whose offset may differ from instant to instant.
    ///
    /// - Parameter offset: the seconds to be added to UTC at an instant.
    public init(name: String, offset: @escaping @Sendable (Timestamp) -> Int) {
        self.init(name: name, offset: .some(offset))
    }

    /// Whether it is ``utc``. A clock with a function for its offset is not, even if the offset is always 0.
    public var isUTC: Bool { offset == nil }

    /// The instant at which a UTC clock shows the time that this clock shows at `instant`, clamped to the range of
    /// `Timestamp`.
    public func local(_ instant: Timestamp) -> Timestamp {
        guard let offset else { return instant }
        let milliseconds = Int64(offset(instant)) * 1000
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? milliseconds < 0 ? .min : .max : sum)
    }

    /// `Z`, or the offset: `-07:00`. Local mean times of the 19th century also have seconds.
    public func zoneText(at instant: Timestamp) -> String {
        guard let offset else { return "Z" }
        let seconds = offset(instant)
        let parts = [seconds.magnitude / 3600, seconds.magnitude / 60 % 60, seconds.magnitude % 60]
        let shown = parts[2] == 0 ? parts.dropLast() : parts[...]
        return (seconds < 0 ? "-" : "+") + shown.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// RFC 3339: `2026-03-09T07:00:00-07:00`.
    public func text(of instant: Timestamp) -> String {
        local(instant).description.dropLast() + zoneText(at: instant)
    }

    /// `2026-03-09`
    public func day(of instant: Timestamp) -> String { String(local(instant).description.prefix { $0 != "T" }) }

    /// `07:00`
    public func time(of instant: Timestamp) -> String {
        String(local(instant).description.drop { $0 != "T" }.dropFirst().prefix(5))
    }

    /// `2026-03-09 14:00 UTC`, `2026-03-09 07:00-07:00`
    public func textToTheMinute(of instant: Timestamp) -> String {
        day(of: instant) + " " + time(of: instant) + (isUTC ? " UTC" : zoneText(at: instant))
    }
}
