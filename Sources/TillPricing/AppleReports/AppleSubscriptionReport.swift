/// One of Apple's subscription reports, added up by day and product.
///
/// Only rows with a measure of `report subscriptions` are added up. Other rows are counted.
public struct AppleSubscriptionReport: Sendable {
    /// The kind of a report.
    public enum Kind: String, Sendable, CaseIterable {
        /// The number of subscriptions in each state at the end of a day.
        case subscription
        /// The events of subscriptions on a day.
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

        /// The measures of the report, in the order in which they are shown.
        public var measures: [Measure] {
            switch self {
            case .subscription: [.active]
            case .subscriptionEvent: [.new, .churned, .trials, .conversions]
            case .subscriber: [.trials, .charges]
            }
        }
    }

    /// The counted figures, by the definitions of `report subscriptions`.
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

    /// A number of units, of which a part may be not reported by Apple.
    public struct Count: Hashable, Sendable {
        private var told: Int64 = 0
        private var isUntold = false

        /// Makes a count of 0 units.
        public init() {}

        /// The sum; `nil` if a part is not reported.
        public var units: Int64? { isUntold ? nil : told }

        /// Adds units; `nil` for units that are not reported.
        public mutating func add(_ units: Int64?) {
            if let units { told += units } else { isUntold = true }
        }

        /// Adds the units of `right`; the sum has no ``units`` if a part of either is not reported.
        public static func += (left: inout Count, right: Count) {
            left.told += right.told
            left.isUntold = left.isUntold || right.isUntold
        }
    }

    /// A subscription as Apple identifies it: by its id, by its name, or by both.
    public struct Product: Hashable, Sendable {
        /// Apple's number of the subscription, only digits.
        public var appleID: String?
        /// The name in App Store Connect, which is not a product id.
        public var name: String?

        /// Makes a product; an id or a name is needed to identify it, which is not checked.
        public init(appleID: String?, name: String?) {
            (self.appleID, self.name) = (appleID, name)
        }
    }

    /// A measure of a product on a day.
    public struct Entry: Sendable {
        /// Days since 1970-01-01; `nil` in a Subscription report without a day in its file name.
        public var day: Int?
        /// An index into ``AppleSubscriptionReport/products``.
        public var product: Int
        /// The figure that is counted.
        public var measure: Measure
        /// The sum over the rows of this day and product that change the measure; ``Measure/churned`` may be below 0.
        public var count: Count

        /// Makes an entry; `product` must be an index of the report that gets it.
        public init(day: Int?, product: Int, measure: Measure, count: Count) {
            (self.day, self.product, self.measure, self.count) = (day, product, measure, count)
        }
    }

    /// The file as the user named it.
    public var name: String
    /// The kind of the report, recognised by the names of its columns.
    public var kind: Kind
    /// The days that the report covers, since 1970-01-01, ascending: those of its rows, and the one in its name.
    public var days: [Int] = []
    /// The products, in the order of their first rows.
    public var products: [Product] = []
    /// The counts by day, product and measure, in no order.
    public var entries: [Entry] = []
    /// Rows that are part of an entry.
    public var rowCount = 0
    /// Rows without a measure.
    public var otherRowCount = 0
    /// Rows of unknown events, by the name of the event.
    public var unknownEvents: [String: Int] = [:]

    /// Makes a report without days, products and entries.
    public init(name: String, kind: Kind) {
        (self.name, self.kind) = (name, kind)
    }
}
