import TillCore
public import TillPricing

/// The period lengths of the App Store's subscriptions, by their share of a month.
public enum RenewalPeriod: String, Sendable, CaseIterable {
    case day = "P1D"
    case threeDays = "P3D"
    case week = "P1W"
    case twoWeeks = "P2W"
    case month = "P1M"
    case twoMonths = "P2M"
    case threeMonths = "P3M"
    case sixMonths = "P6M"
    case year = "P1Y"

    /// The length given in a list; `nil` if the App Store has no such length.
    public init?(_ period: BillingPeriod) {
        let months = period.years * 12 + period.months
        let days = period.weeks * 7 + period.days
        guard months == 0 || days == 0 else { return nil }
        switch (months, days) {
        case (0, 1): self = .day
        case (0, 3): self = .threeDays
        case (0, 7): self = .week
        case (0, 14): self = .twoWeeks
        case (1, _), (0, 28...31): self = .month
        case (2, _): self = .twoMonths
        case (3, _): self = .threeMonths
        case (6, _): self = .sixMonths
        case (12, _): self = .year
        default: return nil
        }
    }

    /// Estimates the length from the days between purchase and expiry: a length within the tolerance, else unknown.
    ///
    /// Four weeks count as a month, and a month has 28 to 31 days; the tolerance includes the hours by which Apple
    /// moves a renewal.
    public init?(from start: Int64, to end: Int64) {
        let (length, overflow) = end.subtractingReportingOverflow(start)
        guard !overflow else { return nil }
        let hours = length.dividedFloor(by: Timestamp.millisecondsPerHour)
        for (period, days) in Self.tolerances where (days.lowerBound * 24..<days.upperBound * 24).contains(hours) {
            self = period
            return
        }
        return nil
    }

    /// Whole days that each length may take, the last one excluded.
    private static let tolerances: [(RenewalPeriod, Range<Int64>)] = [
        (.day, 1..<2), (.threeDays, 3..<4), (.week, 6..<9), (.twoWeeks, 13..<16), (.month, 27..<33),
        (.twoMonths, 58..<64), (.threeMonths, 88..<94), (.sixMonths, 179..<187), (.year, 360..<372),
    ]

    /// The factor from a price of this length to a monthly price, in millionths of a twelfth. A month has 30 days, 10
    /// times 3 days, `weekly` weeks, or half as many fortnights.
    func monthlyTwelfths(weeklyMillionths weekly: Int64) -> Int128 {
        let million: Int128 = 1_000_000
        return switch self {
        case .day: 360 * million
        case .threeDays: 120 * million
        case .week: 12 * Int128(weekly)
        case .twoWeeks: 6 * Int128(weekly)
        case .month: 12 * million
        case .twoMonths: 6 * million
        case .threeMonths: 4 * million
        case .sixMonths: 2 * million
        case .year: million
        }
    }
}
