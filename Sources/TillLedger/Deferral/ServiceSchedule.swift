import TillCore

/// The days over which a sale is earned, and the earned part of an amount by the end of each day.
///
///     31 March … 29 April, 30 days          9.99 after 10 days:  9.99 × 10 / 30 = 3.33
///
/// After k of n days the amount × k / n is earned, rounded half to even to the minor unit of the currency; after the
/// last day the whole amount. Each day earns the difference from the day before, so the days add up to the whole
/// amount.
public struct ServiceSchedule: Hashable, Sendable {
    /// Local days since 1970-01-01.
    public let firstDay: Int
    /// At least 1.
    public let dayCount: Int

    /// - Parameter end: the first day without service. A service that ends on its first day or before it has one day.
    public init(from firstDay: Int, to end: Int) {
        self.firstDay = firstDay
        dayCount = max(1, end - firstDay)
    }

    /// The last local day of service, in days since 1970-01-01.
    public var lastDay: Int { firstDay + dayCount - 1 }

    /// The days of service up to the end of `day`: 0…``dayCount``.
    public func daysServed(through day: Int) -> Int { min(max(0, day - firstDay + 1), dayCount) }

    /// The part of `amount` that is earned by the end of `day`, in millionths like the amount.
    ///
    /// - Parameters:
    ///   - amount: below 2⁷⁴ in magnitude, as that of a sale is. Days are fewer than 2³⁸, so no product leaves 128
    ///     bits.
    ///   - quantum: the millionths of a minor unit.
    public func earned(of amount: Int128, through day: Int, quantum: Int128) -> Int128 {
        let days = daysServed(through: day)
        guard days < dayCount else { return amount }
        guard days > 0, amount != 0 else { return 0 }
        // Nearly every amount and product fits a word, which divides in a fraction of the time.
        if let amount = Int64(exactly: amount), let quantum = Int64(exactly: quantum) {
            let (product, overflow) = amount.multipliedReportingOverflow(by: Int64(days))
            let (divisor, isLarge) = quantum.multipliedReportingOverflow(by: Int64(dayCount))
            if !overflow, !isLarge { return Int128(product.dividedHalfEven(by: divisor)) * Int128(quantum) }
        }
        return (amount * Int128(days)).dividedHalfEven(by: quantum * Int128(dayCount)) * quantum
    }
}
