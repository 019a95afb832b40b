public import TillCore
import TillPricing

/// A sale for the deferral: its billing and refund dates, and the days over which it is earned.
///
/// Its bookings are those of the revenue report: the sale at its purchase, refunds and reversals as
/// ``LedgerRules/refundEntries(of:)`` dates them.
public struct DeferredSale: Sendable {
    /// A billing, a refund, or the reversal of a refund (a negative refund), in millionths.
    public struct Booking: Sendable {
        /// The booking time; `nil` without a date.
        public let date: Timestamp?
        /// The local day of ``date``, in days since 1970-01-01; `nil` without a date.
        public let day: Int?
        /// The gross of the sale; 0 for a refund.
        public var billed: Int128 = 0
        /// The refunded amount, negative for a reversal; 0 for a billing.
        public var refunds: Int128 = 0
    }

    /// The billing, then refund and reversal, for any selected period.
    public let bookings: [Booking]
    /// The days over which it is earned; `nil` if the purchase has no date. Then all amounts are earned when they are
    /// booked.
    public let service: ServiceSchedule?
    /// The millionths of a minor unit of its currency.
    public let quantum: Int128
    /// The last day with a booking that has a date.
    let lastBookedDay: Int

    init(bookings: [Booking], service: ServiceSchedule?, quantum: Int128) {
        self.bookings = bookings
        self.service = service
        self.quantum = quantum
        lastBookedDay = Self.lastDay(of: bookings)
    }

    private static func lastDay(of bookings: [Booking]) -> Int { bookings.reduce(Int.min) { max($0, $1.day ?? .min) } }

    /// `nil` for a transaction without amounts: not a sale, a trial, or a sale without a known price.
    public init?(_ transaction: SettledTransaction, rules: LedgerRules, quantum: Int128) {
        guard transaction.isSale, let price = transaction.price, price.millionths != 0 else { return nil }
        let calendar = rules.calendar
        let firstDay = transaction.purchaseDate.map { calendar.day(of: $0) }
        var bookings = [Booking(date: transaction.purchaseDate, day: firstDay, billed: price.millionths)]
        if let refund = transaction.refundAmount { bookings += Self.refunds(of: transaction, refund.millionths, rules) }
        self.bookings = bookings
        self.quantum = quantum
        lastBookedDay = Self.lastDay(of: bookings)
        service = firstDay.map { first in
            // Only the service of a subscription has an end; anything else is delivered when it is bought.
            let end = transaction.serviceEnd.map { calendar.day(of: $0) }
            return ServiceSchedule(from: first, to: end ?? first)
        }
    }

    private static func refunds(of transaction: SettledTransaction, _ amount: Int128, _ rules: LedgerRules) -> [Booking]
    {
        rules.refundEntries(of: transaction).map { entry in
            let day = entry.date.map { rules.calendar.day(of: $0) }
            return Booking(date: entry.date, day: day, refunds: amount * Int128(entry.sign))
        }
    }

    /// The part of `amount` that is earned by the end of a local day.
    func earned(of amount: Int128, through day: Int) -> Int128 {
        service?.earned(of: amount, through: day, quantum: quantum) ?? amount
    }
}
