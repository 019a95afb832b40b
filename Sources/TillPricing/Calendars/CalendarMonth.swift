public import TillCore

/// A month of the Gregorian calendar in UTC.
public struct CalendarMonth: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let year: Int
    /// 1…12
    public let month: Int

    /// The month that holds an instant.
    public init(_ instant: Timestamp) {
        self.init(instant.day.date)
    }

    /// The month that holds a day.
    public init(_ date: CivilDate) {
        (year, month) = (date.year, date.month)
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month) < (right.year, right.month)
    }

    /// `2026-03`
    public var description: String {
        let digits = String(year.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return (year < 0 ? "-" : "") + padded + (month < 10 ? "-0" : "-") + String(month)
    }
}
