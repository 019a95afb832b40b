/// An instant: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// 64 bits hold the sentinels that Xcode writes (the years 1 and 4001) with room to spare.
@frozen
public struct Timestamp: Hashable, Sendable, Comparable {
    /// The number of milliseconds since 1970; negative before.
    public var milliseconds: Int64

    /// Takes any number of milliseconds since 1970, the smallest and the largest included.
    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The length of a UTC day without a leap second.
    public static let millisecondsPerDay: Int64 = 86_400_000
    /// Times that an event of the App Store can have, in milliseconds: from 10 July 2008, when it opened, to 2100. Years of
    /// other calendars (Buddhist, Japanese, Islamic) are outside of it.
    public static let ofStore: Range<Int64> = 1_215_648_000_000..<4_102_444_800_000
    /// The length of an hour without a leap second.
    public static let millisecondsPerHour: Int64 = 3_600_000

    /// The UTC day that holds the instant, and the milliseconds into it (0…86,399,999).
    public var day: (date: CivilDate, millisecondOfDay: Int64) {
        let days = milliseconds.dividedFloor(by: Self.millisecondsPerDay)
        // Not the instant less its midnight: that of the first day there is lies before the first instant there is.
        let rest = milliseconds % Self.millisecondsPerDay
        return (CivilDate(daysSinceEpoch: Int(days)), rest < 0 ? rest + Self.millisecondsPerDay : rest)
    }

    /// The UTC hour that holds the instant, by the number of hours since 1970.
    public var hour: Int { Int(milliseconds.dividedFloor(by: Self.millisecondsPerHour)) }

    /// The start of an hour, by the number of hours since 1970. The first representable hour starts at the first
    /// representable instant.
    public init(startOfHour hour: Int) {
        let (start, overflow) = Int64(hour).multipliedReportingOverflow(by: Self.millisecondsPerHour)
        self.init(milliseconds: overflow ? hour < 0 ? .min : .max : start)
    }

    /// The start of the UTC hour that holds the instant.
    public var startOfHour: Timestamp { Timestamp(startOfHour: hour) }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with as many digits as are needed: `2031-02-03T04:05:06Z`, `2031-02-03T04:05:06.007Z`.
    public var description: String {
        text(alwaysWithMilliseconds: false)
    }

    /// RFC 3339 in UTC; `alwaysWithMilliseconds` is the form of rows, the other that of reports.
    public func text(alwaysWithMilliseconds: Bool) -> String {
        let (date, millisecondOfDay) = day
        let (seconds, rest) = (Int(millisecondOfDay / 1000), Int(millisecondOfDay % 1000))
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ value: Int, width: Int, then mark: Unicode.Scalar) {
            if value < 0 { text.append(UInt8(ascii: "-")) }
            Self.appendDigits(of: value.magnitude, width: width, to: &text)
            text.append(UInt8(ascii: mark))
        }
        append(date.year, width: 4, then: "-")
        append(date.month, width: 2, then: "-")
        append(date.day, width: 2, then: "T")
        append(seconds / 3600, width: 2, then: ":")
        append(seconds / 60 % 60, width: 2, then: ":")
        let hasFraction = rest != 0 || alwaysWithMilliseconds
        append(seconds % 60, width: 2, then: hasFraction ? "." : "Z")
        if hasFraction { append(rest, width: 3, then: "Z") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func appendDigits(of value: UInt, width: Int, to text: inout [UInt8]) {
        if value >= 10 || width > 1 { appendDigits(of: value / 10, width: width - 1, to: &text) }
        text.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}

extension Int64 {
    /// The quotient rounded towards negative infinity; `divisor` is positive.
    @inlinable
    public func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
