public import TillCore
import TillRows

/// The kind of a transaction, which depends on all other transactions (`docs/rules.md`).
public enum TransactionKind: Sendable {
    case purchase
    case renewal
    /// The same sale once more, on another device.
    case restore
}

/// A transaction whose kind, money and refund are settled.
public struct SettledTransaction: Sendable {
    /// Identifies it in the ledger.
    public let number: Int
    /// A purchase, a renewal or a restore; a consumable is always a purchase.
    public let kind: TransactionKind
    /// The product, as a code of the ledger's texts; `nil` if it is not known.
    public let product: Int?
    /// `nil` if no duplicate has it.
    public let purchaseDate: Timestamp?
    /// The expiry of a subscription's period; `nil` if no duplicate has one.
    public let expiresDate: Timestamp?
    /// The end of the service of a subscription: its expiry, else the end of the listed period; `nil` if
    /// neither is known.
    public let serviceEnd: Timestamp?
    /// Whether it is of a subscription, by the receipt, the price list or the catalogue.
    public let isSubscription: Bool
    /// Whether it is a consumable according to the catalogue, which cannot be restored.
    public let isConsumable: Bool
    /// Shared by a family member: neither a sale nor a restore.
    public let isFamilyShared: Bool
    /// Units bought, at least one.
    public let units: Int64
    /// Whether no duplicate has a quantity of at least 1, so that one unit is assumed, the default of a StoreKit
    /// payment.
    public let isQuantityAssumed: Bool
    /// The price of all units; `nil` if the price is unknown.
    public let price: Money?
    /// Whether its price is unknown because the listed one is for a period of another length.
    public let isOfOtherPeriod: Bool
    /// The date of its refund, even if the refund was reversed later, and not before the purchase; the cancellation of
    /// an upgrade is a refund only with a percentage.
    public let refundDate: Timestamp?
    /// Whether the documents date the refund before the purchase.
    public let isRefundEarly: Bool
    /// The share of the price that was refunded, in thousandths of a percent, 0…100,000; `nil` if no document has it.
    public let refundPercentage: Int64?
    /// The time of the reversal; `nil` if there is none.
    public let refundReversalDate: Timestamp?
    /// Whether an upgrade ended its service and no document has the refunded share of the price.
    public let isUnquantifiedUpgrade: Bool
    /// A trial, at an introductory price, under an offer, a renewal, or none of these.
    public let saleKind: SaleKind
    /// Codes of the ledger's texts, -1 where not known.
    let facts: Facts
    /// The tax in the price and Apple's commission, by the price list or by the rules.
    public let fees: Fees

    struct Facts: Sendable {
        var environment: Int32
        var bundleID: Int32
        var appVersion: Int32
        var storefront: Int32
        /// By the catalogue, else as the receipt says.
        var productType: Int32
    }

    /// The rates of what the seller does not get of a price.
    public struct Fees: Sendable {
        /// Tax in millionths of the price without tax; `nil` if it is not known.
        public let includedTax: Int64?
        /// Apple's share of the price without tax, in millionths; `nil` if it is not known.
        public let commission: Int64?
    }

    /// Whether it is of a subscription that renews itself.
    public var isRenewing: Bool { isSubscription && facts.productType != Int32(Word.nonRenewing.rawValue) }

    /// Whether it is a charge whose service has no known end.
    public var isWithoutExpiry: Bool { isSubscription && serviceEnd == nil && saleKind != .trial }

    /// Whether it was refunded and the refund was not reversed.
    public var isRefunded: Bool { refundDate != nil && refundReversalDate == nil }

    /// The refunded amount, even if the refund was reversed later: a share of the price, rounded half to even to the
    /// minor unit of its currency, or the full price without a percentage. `nil` if it was not refunded, or if the
    /// price is unknown.
    public var refundAmount: Money? {
        guard refundDate != nil, let price else { return nil }
        return refundPercentage.map { price.share($0) } ?? price
    }

    /// A purchase or renewal that is not family-shared.
    public var isSale: Bool { kind != .restore && !isFamilyShared }
}

extension Finding {
    /// The error of an amount above 64 bits.
    static func overflow(of productID: String) -> Finding {
        Finding("ledger.overflow", "the units of \(productID), or their price, do not fit 64 bits")
    }

    /// The error of sums that cannot be joined with the sums of another thread.
    public static func unjoinable(_ reason: String) -> Finding {
        Finding("ledger.join", "the sums of two threads do not fit each other, \(reason); please report this")
    }
}
