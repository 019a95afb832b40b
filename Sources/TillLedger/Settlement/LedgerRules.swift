/// The choices that a ledger leaves to its user.
public struct LedgerRules: Sendable {
    /// In which month a refund is booked.
    public enum RefundDating: String, Sendable, CaseIterable {
        /// When the refund was made: closed months stay closed, as in Apple's reports.
        case refund
        /// When the sale was made: past months change, as in cohort analyses.
        case purchase
    }

    public var refundDating: RefundDating
    /// Prices for transactions that carry none, and product types where the list has them.
    public var prices: PriceList?
    /// How many weeks a month has for subscriptions by the week, in millionths; 4 is what is usual, 4.345 what is true.
    public var weeksPerMonthMillionths: Int64 = 4_000_000

    public init(refundDating: RefundDating = .refund, prices: PriceList? = nil) {
        self.refundDating = refundDating
        self.prices = prices
    }
}
