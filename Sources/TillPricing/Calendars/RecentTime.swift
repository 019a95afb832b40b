public import TillCore

/// A time that is counted back from its end: `24h`, `7d`, `2w`.
///
/// It has whole hours or whole days. The last one contains the end: with data to 31 March 02:57, `24h` begins on 30
/// March at 03:00, and `14d` with 18 March. Days are those of the time zone; a week is seven days.
public struct RecentTime: Hashable, Sendable {
    private enum Unit: Character {
        case hour = "h"
        case day = "d"
        case week = "w"

        var hours: Int {
            switch self {
            case .hour: 1
            case .day: 24
            case .week: 7 * 24
            }
        }
    }

    private let count: Int
    private let unit: Unit

    /// Reads a number from 1 to 9999 and its unit; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap(Unit.init), (1...4).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits), count > 0
        else { return nil }
        (self.count, self.unit) = (count, unit)
    }

    /// Its length in hours, with 24 hours a day.
    public var hours: Int { count * unit.hours }

    /// Its first instant.
    public func start(endingWith last: Timestamp, in calendar: BookingCalendar) -> Timestamp {
        switch unit {
        case .hour: Timestamp(startOfHour: last.hour - (count - 1))
        case .day, .week: calendar.zone.startOfDay(calendar.day(of: last) - (hours / 24 - 1))
        }
    }
}
