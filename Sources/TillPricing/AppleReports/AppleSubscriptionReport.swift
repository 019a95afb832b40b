/// What one of Apple's reports about subscriptions says, added up by day and product.
///
/// Only what `report subscriptions` counts too is added up. Other rows are counted.
public struct AppleSubscriptionReport: Sendable {
    /// What a report tells.
    public enum Kind: String, Sendable, CaseIterable {
        /// How many subscriptions were in which state at the end of a day.
        case subscription
        /// What happened to subscriptions on a day.
        case subscriptionEvent = "subscription_event"
        /// The payments of a day by customers without a name.
        case subscriber

        /// A heading for people.
        public var title: String {
            switch self {
            case .subscription: "Subscription"
            case .subscriptionEvent: "Subscription Event"
            case .subscriber: "Subscriber"
            }
        }

        /// What the report tells, in the order in which it is shown.
        public var measures: [Measure] {
            switch self {
            case .subscription: [.active]
            case .subscriptionEvent: [.new, .churned, .trials, .conversions]
            case .subscriber: [.trials, .charges]
            }
        }
    }

    /// What is counted, by the definitions of `report subscriptions`.
    public enum Measure: String, Sendable, CaseIterable {
        /// Paid subscriptions at the end of a day.
        case active
        /// Paid service that began for the first time.
        case new
        /// Paid service that ended, less paid service that began again.
        case churned
        /// Free trials that began.
        case trials
        /// First payments after a free trial.
        case conversions
        /// Payments, those of renewals among them.
        case charges
    }

    /// A number of units of which Apple may leave a part untold.
    public struct Count: Hashable, Sendable {
        private var told: Int64 = 0
        private var isUntold = false

        public init() {}

        /// The sum; `nil` where a summand is not told.
        public var units: Int64? { isUntold ? nil : told }

        /// Adds units; `nil` for units that are not told.
        public mutating func add(_ units: Int64?) {
            if let units { told += units } else { isUntold = true }
        }

        public static func += (left: inout Count, right: Count) {
            left.told += right.told
            left.isUntold = left.isUntold || right.isUntold
        }
    }

    /// A subscription as Apple names it. One of the two is told.
    public struct Product: Hashable, Sendable {
        /// Digits.
        public var appleID: String?
        /// The name in App Store Connect, which is no product id.
        public var name: String?

        public init(appleID: String?, name: String?) {
            (self.appleID, self.name) = (appleID, name)
        }
    }

    /// A measure of a product on a day.
    public struct Entry: Sendable {
        /// Days since 1970-01-01; `nil` in a Subscription report whose name tells no day.
        public var day: Int?
        /// An index into ``AppleSubscriptionReport/products``.
        public var product: Int
        public var measure: Measure
        public var count: Count

        public init(day: Int?, product: Int, measure: Measure, count: Count) {
            (self.day, self.product, self.measure, self.count) = (day, product, measure, count)
        }
    }

    /// The file as the user named it.
    public var name: String
    public var kind: Kind
    /// The days that the report covers, since 1970-01-01, ascending: those of its rows, and the one in its name.
    public var days: [Int] = []
    public var products: [Product] = []
    public var entries: [Entry] = []
    /// Rows that are part of an entry.
    public var rowCount = 0
    /// Rows that tell nothing that is counted.
    public var otherRowCount = 0
    /// Rows of events whose meaning is not known, by the name of the event.
    public var unknownEvents: [String: Int] = [:]

    public init(name: String, kind: Kind) {
        (self.name, self.kind) = (name, kind)
    }
}
