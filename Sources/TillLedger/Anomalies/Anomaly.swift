/// A finding in transactions that a person should check.
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
    /// An original purchase is more than a day later than the purchase.
    case originalAfterPurchase = "original_after_purchase"
    /// A purchase is later than its document.
    case observedBeforePurchase = "observed_before_purchase"
    /// A consumable whose original id is that of another transaction, as only a restore has.
    case consumableOriginal = "consumable_with_original"

    /// The most units that Apple's payment sheet sells at once.
    public static let largestQuantity: Int64 = 10
}

/// Transactions with one kind of anomaly.
public struct AnomalyCount: Sendable {
    /// Transactions found, those without an id included.
    public internal(set) var transactions = 0
    /// The first ids, by length, then by text.
    public internal(set) var examples: [String] = []

    /// No transactions.
    public init() {}

    init(transactions: Int, examples: [String]) {
        self.transactions = transactions
        self.examples = examples
    }
}

/// An account of the seller with several probable App Store accounts as payers.
///
/// StoreKit 2 has an app transaction for each App Store account and app, so distinct app transactions are distinct
/// payers. Without an app transaction, the chains of a product are counted: one App Store account cannot buy a
/// non-consumable twice, and all charges of its subscription are one chain. So each such chain of a product is a
/// separate payer. Every purchase of a consumable is a new chain, so for consumables without an app transaction only a
/// burst is reported.
public struct AccountAnomaly: Sendable {
    /// Chains of sales made for the account.
    public internal(set) var chains = 0
    /// Payers at least: distinct app transactions, or the payers of the product that has most of them.
    public internal(set) var storeAccounts = 0
    /// Chains with an app transaction.
    public internal(set) var identifiedChains = 0
    /// The most chains that began within a day.
    public internal(set) var mostInDay = 0
    /// The first purchase, in milliseconds; `Int64.max` without a date.
    public internal(set) var first: Int64 = .max
    /// The last purchase, in milliseconds; `Int64.min` without a date.
    public internal(set) var last: Int64 = .min
    /// The first ids, by length, then by text.
    public internal(set) var examples: [String] = []

    /// The number of chains within a day from which on they are a burst.
    public static let burst = 10
}

/// The findings of the anomaly report.
public struct AnomalyFindings: Sendable {
    /// The transactions with each anomaly.
    public internal(set) var anomalies: [Anomaly: AnomalyCount] = [:]
    /// By the name of the column in which duplicates differ.
    public internal(set) var conflicts: [(column: String, count: AnomalyCount)] = []
    /// The worst first; of more than ``accountLimit`` the others are only counted.
    public internal(set) var accounts: [AccountAnomaly] = []
    /// The number of such accounts, shown or not.
    public internal(set) var accountCount = 0

    /// Accounts that are shown.
    public static let accountLimit = 100
    /// Ids that are shown of each.
    public static let exampleCount = 5
}
