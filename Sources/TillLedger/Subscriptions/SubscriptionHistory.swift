public import TillCore
public import TillPricing

/// The figures of subscriptions by month (`docs/rules.md`, Subscriptions).
///
/// A month is the usual period of the booking calendar, by its code: a month of the Gregorian or of Apple's fiscal
/// calendar in its time zone, and with ISO weeks, which have no months, a week. If another unit is requested, it
/// replaces the month everywhere.
public struct SubscriptionHistory: Sendable {
    /// The flows of one month.
    public struct Flow: Sendable, Equatable {
        /// Chains whose first paid service began.
        public var new = 0
        /// Chains that began before the first row of the input; their paid service in the input began.
        public var startedBefore = 0
        /// Paid service of a chain that begins again after it had ended.
        public var resubscribed = 0
        /// Paid service that ended without a successor.
        public var expired = 0
        /// Paid service that ended after the newest document of its chain, so that a successor would not be known.
        public var unobserved = 0
        /// Paid subscriptions at the end of the month before.
        public var activeAtStart = 0
        /// Paid subscriptions at the end of the month.
        public var activeAtEnd = 0

        /// Starts with all counts at 0.
        public init() {}
    }

    /// Trials that began in one month.
    public struct TrialCohort: Sendable, Equatable {
        /// Chains whose first trial began in the month.
        public var trials = 0
        /// Those of the chains with a paid charge after the trial.
        public var converted = 0
        /// Whether every trial, and the grace period that can follow it, is over.
        public var isComplete = true

        /// Starts without trials, and complete.
        public init() {}
    }

    /// Paid charges made in one month.
    public struct ChargeCohort: Sendable, Equatable {
        /// Paid charges, refunded ones included.
        public var charges = 0
        /// Those of the charges with a refund that was not reversed.
        public var refunded = 0

        /// Starts with both counts at 0.
        public init() {}
    }

    /// The monthly recurring revenue of one currency at the end of a month.
    public struct RecurringKey: Hashable, Sendable {
        /// The month, by its code in ``SubscriptionHistory/calendar``.
        public var month: Int
        /// `nil` for subscriptions without a known price.
        public var currency: CurrencyCode?
    }

    /// The paid subscriptions in force at the end of a month, with their prices.
    public struct Recurring: Sendable, Equatable {
        /// Paid subscriptions in force; before ``SubscriptionHistory/finish()``, their change in the month.
        public var subscriptions = 0
        /// Subscriptions with a period estimated from its dates.
        public var estimated = 0
        /// Subscriptions with an unknown period; they are in no amount.
        public var withoutPeriod = 0
        /// Prices of each period.
        var prices: [RenewalPeriod: Int128] = [:]

        /// Starts without subscriptions and prices.
        public init() {}
    }

    /// The retention of a cohort in the n-th month of life.
    public struct Retention: Sendable, Equatable {
        /// The month in which the chains' first paid service began.
        public var cohort: Int
        /// The month of life, from 0 to ``SubscriptionHistory/retentionLimit``.
        public var month: Int
        /// Chains whose n-th month had begun.
        public var chains: Int
        /// Chains with paid service in the n-th month.
        public var retained: Int
    }

    /// The charges of a product with one length of period.
    public struct ProductPeriod: Sendable {
        /// The code of the product in the ledger's texts; `nil` for charges that name none.
        public var product: Int?
        /// The length, as ``RenewalPeriod`` names it; `nil` if it is unknown.
        public var period: String?
        /// Whether the length is estimated from the dates, and not from a list.
        public var isEstimated: Bool
        /// Paid charges, refunded ones included.
        public var charges: Int
    }

    /// A product in one month.
    public struct ProductKey: Hashable, Sendable {
        /// The month, by its code in ``SubscriptionHistory/calendar``.
        public var month: Int
        /// The code of the product in the ledger's texts; `nil` for charges that name none.
        public var product: Int?
    }

    /// The flows of one product in one month. Service that continues with another product leaves the first product and
    /// joins the other.
    public struct ProductFlow: Sendable, Equatable {
        /// Chains whose first paid service began, with this product.
        public var new = 0
        /// Chains that began before the first row of the input, and whose paid service in it began with this product.
        public var startedBefore = 0
        /// Paid service of a chain that began again, with this product, after it had ended.
        public var resubscribed = 0
        /// Paid service that ended with this product, without a successor.
        public var expired = 0
        /// Paid service that continued with this product after another one.
        public var joined = 0
        /// Paid service that continued with another product.
        public var left = 0
        /// First trials that began.
        public var trials = 0
        /// Trials that were followed by their first paid charge, which is of this product.
        public var conversions = 0
        /// Paid charges, refunded ones among them.
        public var charges = 0

        /// Starts with all counts at 0.
        public init() {}

        /// Active subscriptions at the end of the month less those at its start.
        public var activeChange: Int { new + startedBefore + resubscribed + joined - expired - left }
    }

    struct PeriodKey: Hashable, Sendable {
        var product: Int?
        var period: RenewalPeriod?
        var isEstimated: Bool
    }

    /// The last instant with known data.
    public private(set) var asOf: Timestamp?
    /// The first purchase of the input.
    public private(set) var since: Timestamp?
    /// The latest beginning of a chain that was counted as one that began before ``since``.
    var latestEarlier: Timestamp?
    /// The instant as of which chains were counted; `nil` as long as none was.
    public internal(set) var countedAsOf: Timestamp?
    /// Chains counted.
    public internal(set) var chains = 0
    /// Chains with paid service at the end.
    public internal(set) var active = 0
    /// Chains in a trial at the end, without paid service.
    public internal(set) var inTrial = 0
    /// Active only because of a grace period.
    public internal(set) var inGrace = 0
    /// Charges without an expiry. The end of their service is unknown, so it counts in no month.
    public internal(set) var withoutExpiry = 0
    /// Flows by month.
    public internal(set) var flows: [Int: Flow] = [:]
    /// Trials by the month in which they began.
    public internal(set) var trials: [Int: TrialCohort] = [:]
    /// Paid charges by the month in which they were made.
    public internal(set) var charges: [Int: ChargeCohort] = [:]
    /// Subscriptions in force at the end of each month; ``finish()`` sums them.
    public internal(set) var recurring: [RecurringKey: Recurring] = [:]
    /// Retention by cohort and month of life, made by ``finish()``.
    public internal(set) var retention: [Retention] = []
    /// Lengths of periods, made by ``finish()``.
    public internal(set) var periods: [ProductPeriod] = []
    /// The flows of each product, if ``tellsProducts`` is set.
    public internal(set) var products: [ProductKey: ProductFlow] = [:]

    /// Charges of each product by the length of their period.
    var periodCounts: [PeriodKey: Int] = [:]
    /// By the month in which they began.
    var cohorts: [Int: [CohortCounts]] = [:]

    /// The longest grace period of the App Store, in days.
    public static let longestGraceDays: Int64 = 16
    /// The last month, or week, of a chain's life that retention counts; the first is 0.
    public static let retentionLimit = 120
    /// Months that are shown without a gap; a longer history shows those in which something happened.
    static let contiguousLimit = 1200

    /// The unit of time for a month.
    public let calendar: BookingCalendar
    let unit: CalendarUnit
    /// Whether ``products`` are counted.
    let tellsProducts: Bool

    /// An empty history with data up to an instant.
    ///
    /// - Parameters:
    ///   - unit: the unit of time used as the month; `nil` for the usual period of the calendar.
    ///   - tellsProducts: whether products are counted separately.
    public init(
        asOf: Timestamp?,
        calendar: BookingCalendar = .usual,
        unit: CalendarUnit? = nil,
        tellsProducts: Bool = false
    ) {
        self.asOf = asOf
        self.calendar = calendar
        self.unit = unit ?? calendar.kind.period
        self.tellsProducts = tellsProducts
    }

    /// The same history before its first chain.
    var withoutCounts: SubscriptionHistory {
        var history = SubscriptionHistory(asOf: asOf, calendar: calendar, unit: unit, tellsProducts: tellsProducts)
        (history.since, history.countedAsOf) = (since, countedAsOf)
        return history
    }

    /// Notes the first purchase and the last instant with known data, the same ones for all parts of a ledger.
    mutating func know(from first: Int64?, until milliseconds: Int64) {
        if let first { since = Timestamp(milliseconds: min(since?.milliseconds ?? first, first)) }
        asOf = Timestamp(milliseconds: max(asOf?.milliseconds ?? milliseconds, milliseconds))
    }

    /// Notes that chains are counted as of an instant.
    mutating func countChains(asOf milliseconds: Int64) { countedAsOf = Timestamp(milliseconds: milliseconds) }

    mutating func visitInstants(_ coder: inout some SumCoder) throws {
        try coder.later(&asOf)
        try coder.earlier(&since)
        try coder.later(&latestEarlier)
        let own = countedAsOf
        try coder.replace(&countedAsOf)
        if let own, let other = countedAsOf, own != other {
            throw coder.refusal(
                "its subscriptions are counted as of \(other), those of another partial as of \(own); "
                    + "write all of them with --as-of \(max(own, other))"
            )
        }
        if countedAsOf == nil { countedAsOf = own }
    }

    /// Whether some chain was counted as one that began before the first purchase, and did not: another part has an
    /// earlier one.
    public var needsFirst: Bool {
        guard let since, let latestEarlier else { return false }
        return latestEarlier >= since
    }

    /// The flows of a month.
    public func flow(inMonth month: Int) -> Flow { flows[month] ?? Flow() }

    /// The month of the last known instant; it is still running.
    public var lastMonth: Int? { asOf.map { month(of: $0.milliseconds) } }

    /// The month that holds an instant.
    func month(of milliseconds: Int64) -> Int {
        Int(calendar.code(of: Timestamp(milliseconds: milliseconds), by: unit))
    }

    /// Removes the months, and the cohorts of months, that are completely outside a period.
    public mutating func show(only period: Period) {
        let first = period.from.map { month(of: $0.milliseconds) } ?? .min
        let last = period.until.map { month(of: max($0.milliseconds, .min + 1) - 1) } ?? .max
        func isShown(_ month: Int) -> Bool { first <= month && month <= last }
        flows = flows.filter { isShown($0.key) }
        trials = trials.filter { isShown($0.key) }
        charges = charges.filter { isShown($0.key) }
        recurring = recurring.filter { isShown($0.key.month) }
        retention = retention.filter { isShown($0.cohort) }
    }

    /// `2026-03`, `FY26-06`, `2026-W10`
    public func name(ofMonth month: Int) -> String {
        calendar.name(of: Int64(month), by: unit)
    }
}
