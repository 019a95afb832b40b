public import TillColumns

/// The columns of the table `transactions`: one row per transaction in a document.
///
/// Raw values are positions; the order is part of the contract.
public enum TransactionColumn: Int, TableColumn {
    case environment
    case bundleID
    case appVersion
    case productID
    case productType
    case quantity
    case transactionID
    case originalTransactionID
    case webOrderLineItemID
    case purchaseDate
    case originalPurchaseDate
    case expiresDate
    case cancellationDate
    case cancellationReason
    /// The refunded share of the price in Apple's unit, thousandths of a percent: 100000 is the full price.
    case refundPercentage
    case refundReversedAt
    case isTrial
    case isIntro
    case isUpgraded
    case offerID
    case offerType
    case ownershipType
    case price
    case currency
    case storefront
    case accountToken
    case appTransactionID
    case subscriptionGroupID
    case observedAt
    case trust
    case kind
    case source
    case document
    case row

    public static let tableName = "transactions"

    public var name: String {
        switch self {
        case .bundleID: "bundle_id"
        case .appVersion: "app_version"
        case .productID: "product_id"
        case .productType: "product_type"
        case .transactionID: "transaction_id"
        case .originalTransactionID: "original_transaction_id"
        case .webOrderLineItemID: "web_order_line_item_id"
        case .purchaseDate: "purchase_date"
        case .originalPurchaseDate: "original_purchase_date"
        case .expiresDate: "expires_date"
        case .cancellationDate: "cancellation_date"
        case .cancellationReason: "cancellation_reason"
        case .refundPercentage: "refund_percentage"
        case .refundReversedAt: "refund_reversed_at"
        case .isTrial: "is_trial"
        case .isIntro: "is_intro"
        case .isUpgraded: "is_upgraded"
        case .offerID: "offer_id"
        case .offerType: "offer_type"
        case .ownershipType: "ownership_type"
        case .accountToken: "account_token"
        case .appTransactionID: "app_transaction_id"
        case .subscriptionGroupID: "subscription_group_id"
        case .observedAt: "observed_at"
        case .environment, .quantity, .price, .currency, .storefront, .trust, .kind, .source, .document, .row: "\(self)"
        }
    }

    public var type: ColumnType {
        switch self {
        case .environment, .bundleID, .appVersion, .productID, .productType, .offerID, .ownershipType, .currency,
            .storefront, .accountToken, .subscriptionGroupID, .trust, .kind, .source:
            .text
        case .transactionID, .originalTransactionID, .webOrderLineItemID, .appTransactionID: .identifier
        case .quantity, .price, .document: .int64
        case .cancellationReason, .refundPercentage, .offerType, .row: .int32
        case .isTrial, .isIntro, .isUpgraded: .bool
        case .purchaseDate, .originalPurchaseDate, .expiresDate, .cancellationDate, .refundReversedAt, .observedAt:
            .instant
        }
    }
}
