public import TillCore

/// What a transaction is, seen together with all the others (finance.md §4).
public enum TransactionKind: Sendable {
    case purchase
    case renewal
    /// The same sale once more, on another device.
    case restore
}

/// A transaction whose kind, money and refund are settled.
public struct SettledTransaction: Sendable {
    /// Tells it from all others of the ledger.
    public let number: Int
    public let kind: TransactionKind
    /// The product, as a code of the ledger's texts; `nil` where it is not known.
    public let product: Int?
    public let purchaseDate: Timestamp?
    public let isSubscription: Bool
    /// Whether it is a consumable according to the catalogue, which cannot be restored.
    public let isConsumable: Bool
    /// Shared by a family member: neither a sale nor a restore.
    public let isFamilyShared: Bool
    /// Units bought; one where no copy tells, which is the default of a StoreKit payment.
    public let units: Int64
    /// What was paid for all units; `nil` where no price is known.
    public let price: Money?
    /// When it was refunded, unless the refund was reversed or only an upgrade.
    public let refundDate: Timestamp?

    /// A purchase or renewal that brought money to the one who asks.
    public var isSale: Bool { kind != .restore && !isFamilyShared }
}

/// Why a ledger could not be settled: an amount or a number of units that no integer holds.
public struct LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable: `ledger.overflow`.
    public let code: String
    /// The product whose amount it is.
    public let productID: String

    public var description: String {
        "the units of \(productID), or their price, do not fit 64 bits (\(code))"
    }
}
