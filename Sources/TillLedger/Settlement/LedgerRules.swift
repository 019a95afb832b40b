public import TillCore
public import TillPricing

/// The choices that a ledger leaves to its user.
public struct LedgerRules: Sendable {
    /// The month in which a refund is booked.
    public enum RefundDating: String, Sendable, CaseIterable {
        /// The month of the refund: closed months do not change, as in Apple's reports.
        case refund
        /// The month of the sale: past months change, as in cohort analyses.
        case purchase
    }

    /// The dates of refunds.
    public var refundDating: RefundDating
    /// For refunds dated by the purchase: the first instant from which on refunds and reversals are omitted; `nil` for
    /// no limit.
    public var refundsEnd: Timestamp?
    /// Prices for transactions without their own price, and product types if the list has them.
    public var prices: PriceList?
    /// Types, periods and groups of products from other files.
    public var catalogue: Catalogue?
    /// Names of products. No figure depends on them.
    public var productNames = ProductNames()
    /// The calendar for days and months.
    public var calendar = BookingCalendar.usual
    /// The period of figures: the selected one, in settled ledgers no longer than the data (``asOf``); `nil` for all
    /// time.
    public var period: Period?
    /// The selected period, where ``period`` ends sooner.
    public internal(set) var wholePeriod: Period?
    /// The day to whose end the data are known, in days since 1970 by the calendar; `nil` if it is not known.
    public internal(set) var asOf: Int?
    /// The last day of which a person says that the input has everything, in days since 1970.
    public var completeDay: Int?
    /// The instant up to which incidents are looked for; `nil` for the end of the data.
    public var now: Timestamp?
    /// Whether ``now`` is the clock of this machine.
    public var isNowClock = false
    /// Whether figures of the last hours before now are asked for.
    public var looksBack = false
    /// The keys of rows; `nil` for the default keys of a report.
    public var keys: [GroupKey]?
    /// Whether rows have the default keys of a report.
    public var hasDefaultKeys: Bool { keys?.isEmpty ?? true }
    /// The conversion of amounts to one currency; `nil` for no conversion.
    public var conversion: Conversion?
    /// The rounding of converted and estimated amounts, each rounded once.
    public var rounding = Rounding.halfEven
    /// Apple's share of a price without its tax, in millionths, for prices without a share in the price list.
    public var commission: Int64?
    /// Apple's shares by product, storefront and time, in place of ``commission``; a price list's own come first.
    public var commissions: RateSchedule?
    /// The tax in prices, in millionths of the price without tax, for prices without one in the price list.
    public var taxes: RateSchedule?
    /// The file of ``taxes``, as it was named.
    public var taxFile: String?
    /// Whether a price without a known tax has none in it.
    public var hasNoTax = false
    /// The territory of sales with an unknown storefront; `nil` if not given.
    public var defaultTerritory: Territory?
    /// The file of ``commissions``, as it was named.
    public var commissionFile: String?
    /// Apple's share of subscriptions after a year of paid service (``PaidService``), in millionths, if it is less than
    /// the usual share; `nil` if all years are alike.
    public var secondYearRate: Int64?

    /// The names of the accounts in a journal.
    public var accounts = JournalAccounts()

    /// The word for the check of signatures, shown with the other settings. The check is done before the ledger, like
    /// the selection of apps.
    public var trust = "off"
    /// The selected apps; empty for all.
    public var bundleIDs: [String] = []

    /// The earlier figures for the comparison.
    public var comparison: Comparison?
    /// The closed months to restate.
    public var closed: ClosedMonths?
    /// The time of the newest observation or purchase: as given for a closed part of the input, else as found when the
    /// ledger was settled, if it keeps ``LedgerNeeds/dataEnd``.
    public var newest: Timestamp?
    /// The first purchase of the whole input, if this ledger is one closed part of it.
    public var first: Timestamp?
    /// The number of this share of all chains; sales are then noted, to be compared with those of other shares. `nil`
    /// if the ledger has all chains that it must be compared with.
    public var share: Int?
    /// Weeks per month for the MRR of weekly subscriptions, in millionths; 4 is usual, 4.345 is exact.
    public var weeksPerMonthMillionths: Int64 = 4_000_000
    /// The number of shown records of each failure, at most ``FailureExamples/limit``.
    public var exampleCount = 0

    /// Starts with all time, months of the Gregorian calendar in UTC, no conversion and no commission.
    public init(refundDating: RefundDating = .refund, prices: PriceList? = nil) {
        self.refundDating = refundDating
        self.prices = prices
    }

    /// Whether any commission is known, so that proceeds are estimated.
    public var knowsCommission: Bool {
        commission != nil || commissions != nil || prices?.tellsCommission == true
    }

    /// Whether the tax in any price is known.
    public var knowsTax: Bool { taxes != nil || hasNoTax || prices?.tellsTax == true }

    /// Whether any tax or commission is known.
    public var knowsFees: Bool { knowsTax || knowsCommission }

    /// The type of a product, by the price list, else by a catalogue.
    public func type(of productID: String) -> ProductType? {
        prices?.prices(for: productID)?.type ?? catalogue?[productID]?.type
    }

    /// The length of one period of a subscription, by the price list, else by a catalogue.
    public func billingPeriod(of productID: String) -> BillingPeriod? {
        prices?.prices(for: productID)?.period ?? catalogue?[productID]?.period
    }

    /// Whether the purchase date of a transaction is in the selected period.
    @inlinable
    public func includesPurchase(of transaction: SettledTransaction) -> Bool {
        period?.contains(transaction.purchaseDate) ?? true
    }

    /// A refund, or the reversal of a refund.
    public struct RefundEntry: Sendable {
        /// The booking time; `nil` if unknown.
        public let date: Timestamp?
        /// 1 for a refund, -1 for its reversal.
        public let sign: Int64
    }

    /// The refund of a transaction and its reversal, for any selected period. A reversed refund stays in its month, and
    /// the reversal is booked when it was signed. With refunds dated by the purchase, the two cancel out.
    public func refundEntries(of transaction: SettledTransaction) -> [RefundEntry] {
        guard let refund = transaction.refundDate else { return [] }
        switch refundDating {
        case .purchase:
            let end = refundsEnd ?? Timestamp(milliseconds: .max)
            let isReversed = transaction.refundReversalDate.map { $0 < end } ?? false
            guard refund < end, !isReversed else { return [] }
            return [RefundEntry(date: transaction.purchaseDate, sign: 1)]
        case .refund: return Self.entries(refund, reversal: transaction.refundReversalDate)
        }
    }

    private static func entries(_ refund: Timestamp, reversal: Timestamp?) -> [RefundEntry] {
        let entry = RefundEntry(date: refund, sign: 1)
        guard let reversal else { return [entry] }
        return [entry, RefundEntry(date: reversal, sign: -1)]
    }

    /// Whether a refund or a reversal is booked in the selected period.
    @inlinable
    public func includes(_ entry: RefundEntry) -> Bool { period?.contains(entry.date) ?? true }

    /// The refund of a transaction, and its reversal, if they are in a later month than the purchase and in the
    /// selected period. Their own dates count, for any ``RefundDating``.
    public func lateRefundEntries(of transaction: SettledTransaction) -> [RefundEntry] {
        guard let refund = transaction.refundDate else { return [] }
        return Self.entries(refund, reversal: transaction.refundReversalDate).filter { entry in
            guard includes(entry), let date = entry.date else { return false }
            guard let purchase = transaction.purchaseDate else { return true }
            let unit = calendar.kind.period
            return calendar.code(of: purchase, by: unit) < calendar.code(of: date, by: unit)
        }
    }
}
