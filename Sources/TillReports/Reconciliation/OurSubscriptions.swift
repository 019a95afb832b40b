import TillCore
import TillLedger
import TillPricing

/// Our subscriptions by day and product, by the definitions of ``SubscriptionsReport``.
struct OurSubscriptions {
    typealias Measure = AppleSubscriptionReport.Measure

    struct Key: Hashable {
        /// Days since 1970-01-01.
        let day: Int
        /// `nil` for charges that name none.
        let product: String?
    }

    private(set) var flows: [Key: SubscriptionHistory.ProductFlow] = [:]
    private var history: SubscriptionHistory
    /// The sales of the part that is being counted.
    private var sales = SubscriptionSales()

    init(_ calendar: BookingCalendar) {
        history = SubscriptionHistory(asOf: nil, calendar: calendar, unit: .day, tellsProducts: true)
    }

    mutating func update(with transactions: [SettledTransaction]) {
        for transaction in transactions { sales.see(transaction) }
    }

    mutating func finishPart(_ part: borrowing SettledLedger) throws {
        // The lengths of periods do not affect the comparison.
        try part.countSubscriptions(sales, in: &history) { _ in nil }
        sales = SubscriptionSales()
    }

    /// Names the products, after the last part.
    mutating func finish(_ ledger: borrowing SettledLedger) {
        for (key, flow) in history.products {
            flows[Key(day: key.month, product: key.product.map { ledger.text(of: $0) })] = flow
        }
    }

    /// The instant up to which anything is known.
    var asOf: Timestamp? { history.asOf }

    /// The last day with complete data.
    var lastWholeDay: Int? {
        asOf.map { asOf in
            let day = history.calendar.day(of: asOf)
            let next = history.calendar.start(of: Int64(day) + 1, by: .day)
            // One millisecond before midnight is as good as midnight.
            return asOf.milliseconds + 1 >= next.milliseconds ? day : day - 1
        }
    }
}

extension SubscriptionHistory.ProductFlow {
    /// The count of a measure on the day; for active subscriptions, the change.
    func value(of measure: AppleSubscriptionReport.Measure) -> Int64 {
        let value =
            switch measure {
            case .active: activeChange
            case .new: new
            case .churned: expired - resubscribed
            case .trials: trials
            case .conversions: conversions
            case .charges: charges
            }
        return Int64(value)
    }
}
