import TillPricing

/// The effect of an event of a Subscription Event report on the figures of `report subscriptions` (App Store Connect
/// Help, Subscription events).
///
/// A figure changes on the day on which paid service begins or ends. So billing retry ends it, unless a grace period
/// continues it, and a cancellation during billing retry comes after that end. Apple may add events: an unknown one is
/// counted by its name.
enum AppleSubscriptionEvent: Hashable {
    /// Paid service of a new subscriber.
    case subscribe
    /// A free trial, by the name of the event.
    case startTrial
    /// An offer to a new subscriber: a free trial, or paid service.
    case startOffer
    /// The first payment after a free trial, by the name of the event.
    case paidAfterTrial
    /// The first payment at the standard price after an offer.
    case paidAfterOffer
    /// The end of service that may have been a trial only.
    case end
    /// The end of paid service.
    case endOfPaid
    /// The end of an offer, which was free or paid.
    case endOfOffer
    /// A late payment: the first one after a trial, or one after which service begins again.
    case recovery
    /// Paid service that begins again.
    case reactivate
    /// Service that begins again with an offer, which is free or paid.
    case reactivateToOffer
    /// An event that changes no figure: renewals, changes of the product, refunds, grace periods.
    case uncounted
    case unknown

    /// The kind of an offer's price; `untold` if the row does not have it.
    enum Offer { case free, paid, untold }

    /// A measure that an event changes, and the change for each unit; `nil` if it cannot be derived from the row.
    struct Change: Equatable {
        let measure: AppleSubscriptionReport.Measure
        let perUnit: Int64?

        init(_ measure: AppleSubscriptionReport.Measure, _ perUnit: Int64?) {
            (self.measure, self.perUnit) = (measure, perUnit)
        }
    }

    /// - Parameter name: `Paid Subscription from Introductory Offer`, in any case and spacing; older reports say
    ///   `Price` and `Cancelled`.
    init(_ name: String) {
        let text = AppleReportColumn.normalized(name)
            .replacing("introductory price", with: "introductory offer")
            .replacing("cancelled", with: "canceled")
            .replacing("billing grace period", with: "grace period")
        let parts = text.split(separator: " from ", maxSplits: 1).map(String.init)
        self = parts.count == 2 ? Self.event(parts[0], from: parts[1]) : Self.event(text)
    }

    private static func event(_ action: String) -> AppleSubscriptionEvent {
        switch action {
        case "subscribe": .subscribe
        case "start free trial": .startTrial
        case "start introductory offer", "start offer code": .startOffer
        case "cancel", "canceled", "canceled after renewal extension": .end
        case "reactivate", "reactivate with crossgrade", "reactivate with downgrade", "reactivate with upgrade":
            .reactivate
        case "reactivate with free trial": .uncounted
        case "renew", "refund", "crossgrade", "downgrade", "upgrade": .uncounted
        default:
            action.hasPrefix("reactivate ") && action.hasSuffix(" introductory offer") ? .reactivateToOffer : .unknown
        }
    }

    private static let payments = ["paid subscription", "crossgrade", "downgrade", "upgrade"]

    private static func event(_ action: String, from origin: String) -> AppleSubscriptionEvent {
        switch (action, origin) {
        case (let action, "free trial") where payments.contains(action): .paidAfterTrial
        case (let action, "introductory offer") where payments.contains(action): .paidAfterOffer
        case ("paid subscription", "offer code"): .paidAfterOffer
        case ("renewal", "billing retry"), ("renewals", "billing retry"), ("crossgrade", "billing retry"),
            ("downgrade", "billing retry"), ("upgrade", "billing retry"):
            .recovery
        case ("billing retry", "paid subscription"), ("billing retry", "standard price subscription"): .endOfPaid
        case ("billing retry", "free trial"): .uncounted
        case ("billing retry", "introductory offer"), ("billing retry", "offer code"): .endOfOffer
        case ("billing retry", "grace period"), ("canceled", "grace period"): .end
        case ("canceled", "billing retry"), ("renewal", "grace period"), ("renewals", "grace period"): .uncounted
        case ("grace period", _): .uncounted
        default: .unknown
        }
    }

    /// The measures that the event changes.
    ///
    /// - Parameters:
    ///   - offer: the price kind of the row's offer.
    ///   - paidPeriods: the number of consecutive paid periods, without trials; `nil` if the row does not have it.
    func changes(_ offer: Offer, paidPeriods: Int64?) -> [Change] {
        switch self {
        case .subscribe: [Change(.new, 1)]
        case .startTrial: [Change(.trials, 1)]
        case .startOffer:
            switch offer {
            case .free: [Change(.trials, 1)]
            case .paid: [Change(.new, 1)]
            case .untold: [Change(.trials, nil), Change(.new, nil)]
            }
        case .paidAfterTrial: [Change(.conversions, 1), Change(.new, 1)]
        case .paidAfterOffer:
            switch offer {
            case .free: [Change(.conversions, 1), Change(.new, 1)]
            case .paid: []
            case .untold: [Change(.conversions, nil), Change(.new, nil)]
            }
        case .end: paidPeriods == 0 ? [] : [Change(.churned, paidPeriods.map { _ in 1 })]
        case .endOfPaid: [Change(.churned, 1)]
        case .endOfOffer: offer == .free ? [] : [Change(.churned, offer == .paid ? 1 : nil)]
        case .recovery:
            switch paidPeriods {
            case nil, 0: [Change(.conversions, nil), Change(.new, nil), Change(.churned, nil)]
            case 1: [Change(.conversions, 1), Change(.new, 1)]
            default: [Change(.churned, -1)]
            }
        case .reactivate: [Change(.churned, -1)]
        case .reactivateToOffer: offer == .free ? [] : [Change(.churned, offer == .paid ? -1 : nil)]
        case .uncounted, .unknown: []
        }
    }
}
