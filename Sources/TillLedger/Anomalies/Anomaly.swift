/// Something about transactions that a person should look at.
public enum Anomaly: String, Sendable, CaseIterable {
    /// One charge of a subscription, by its line item, is booked as a sale of several chains.
    case sameLineItem = "same_line_item"
    /// One chain is charged several times on the same date until the same expiry, by line items that differ.
    case sameCharge = "same_charge"
    /// Duplicates differ in a value that both know.
    case conflictingCopies = "conflicting_copies"
    case largeQuantity = "quantity_above_10"
    case refundBeforePurchase = "refund_before_purchase"
    case expiresBeforePurchase = "expires_before_purchase"
    /// A document tells of an original purchase more than a day later than the purchase.
    case originalAfterPurchase = "original_after_purchase"
    /// A document tells of a purchase that is later than the document.
    case observedBeforePurchase = "observed_before_purchase"
    /// A consumable whose original id is that of another transaction, as only a restore has.
    case consumableOriginal = "consumable_with_original"

    /// The most units that Apple's payment sheet sells at once.
    public static let largestQuantity: Int64 = 10
}

/// Transactions of which one thing is odd.
public struct AnomalyCount: Sendable {
    public internal(set) var transactions = 0
    /// The first ids, by length, then by text.
    public internal(set) var examples: [String] = []

    /// None.
    public init() {}

    init(transactions: Int, examples: [String]) {
        self.transactions = transactions
        self.examples = examples
    }
}

/// An account of the seller for which several accounts of the App Store seem to pay.
///
/// StoreKit 2 tells an app transaction, one for each App Store account and app: distinct ones are as many payers. Where a chain
/// does not tell it, one account cannot buy a product twice that is not used up, and all charges of its subscription are one
/// chain. So as many such chains of a product as were bought for one account are as many App Store accounts. Consumables make a
/// chain each time, so of those without an app transaction only a burst is told.
public struct AccountAnomaly: Sendable {
    /// Chains of sales made for the account.
    public internal(set) var chains = 0
    /// Payers at least: distinct app transactions, or the payers of the product that has most of them.
    public internal(set) var storeAccounts = 0
    /// Chains whose app transaction is told.
    public internal(set) var identifiedChains = 0
    /// The most chains that began within a day.
    public internal(set) var mostInDay = 0
    public internal(set) var first: Int64 = .max
    public internal(set) var last: Int64 = .min
    /// The first ids, by length, then by text.
    public internal(set) var examples: [String] = []

    /// How many chains within a day are a burst.
    public static let burst = 10
}

/// All that was found.
public struct AnomalyFindings: Sendable {
    public internal(set) var anomalies: [Anomaly: AnomalyCount] = [:]
    /// By the name of the column in which duplicates differ.
    public internal(set) var conflicts: [(column: String, count: AnomalyCount)] = []
    /// The worst first; of more than ``accountLimit`` the others are only counted.
    public internal(set) var accounts: [AccountAnomaly] = []
    public internal(set) var accountCount = 0

    /// Accounts that are shown.
    public static let accountLimit = 100
    /// Ids that are shown of each.
    public static let exampleCount = 5
}
