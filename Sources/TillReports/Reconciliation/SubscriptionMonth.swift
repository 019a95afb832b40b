import TillCore
import TillPricing

/// A calendar month, by which subscriptions are compared.
struct SubscriptionMonth: Hashable, Sendable {
    private let code: Int64

    private static let calendar = BookingCalendar.usual

    init(of day: Int) { code = Self.calendar.code(of: DayName.midnight(day), by: .month) }

    /// `2026-03`
    var name: String { Self.calendar.name(of: code, by: .month) }

    /// All its days since 1970-01-01.
    var days: ClosedRange<Int> { Self.firstDay(of: code)...Self.firstDay(of: code + 1) - 1 }

    var neighbours: [SubscriptionMonth] { [days.lowerBound - 1, days.upperBound + 1].map(SubscriptionMonth.init) }

    private static func firstDay(of code: Int64) -> Int {
        Int(calendar.start(of: code, by: .month).milliseconds / Timestamp.millisecondsPerDay)
    }
}
