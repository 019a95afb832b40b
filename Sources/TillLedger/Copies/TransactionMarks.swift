import TillRows

/// What is odd about the copies of a transaction: fields in which two of them differ, and dates that cannot be.
///
/// A mark once set stays, so marks are joined by OR. The three facts with two flags each (`is_trial` and its like) are
/// not here: ``TransactionEntry/Flags/isContradictory`` tells of them.
struct TransactionMarks: OptionSet {
    var rawValue: UInt16

    static let original = TransactionMarks(rawValue: 1 << 0)
    static let webOrder = TransactionMarks(rawValue: 1 << 1)
    static let purchaseDate = TransactionMarks(rawValue: 1 << 2)
    static let expiresDate = TransactionMarks(rawValue: 1 << 3)
    static let product = TransactionMarks(rawValue: 1 << 4)
    static let quantity = TransactionMarks(rawValue: 1 << 5)
    static let environment = TransactionMarks(rawValue: 1 << 6)
    static let bundleID = TransactionMarks(rawValue: 1 << 7)
    static let productType = TransactionMarks(rawValue: 1 << 8)
    static let ownership = TransactionMarks(rawValue: 1 << 9)
    static let cancellationDate = TransactionMarks(rawValue: 1 << 10)
    static let price = TransactionMarks(rawValue: 1 << 11)
    static let currency = TransactionMarks(rawValue: 1 << 12)
    static let storefront = TransactionMarks(rawValue: 1 << 13)
    static let offerID = TransactionMarks(rawValue: 1 << 14)
    /// A copy was in a document older than the purchase that it tells of; no conflict.
    static let observedBeforePurchase = TransactionMarks(rawValue: 1 << 15)

    /// All that say that copies differ.
    static let conflicts = TransactionMarks(rawValue: (1 << 15) - 1)

    /// The columns of the marks that are conflicts, in the order of their bits.
    static let columns: [TransactionColumn] = [
        .originalTransactionID, .webOrderLineItemID, .purchaseDate, .expiresDate, .productID, .quantity, .environment,
        .bundleID, .productType, .ownershipType, .cancellationDate, .price, .currency, .storefront, .offerID,
    ]
}
