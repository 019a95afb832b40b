public import TillColumns

/// The columns of the table `renewals`: one row per renewal state of a subscription.
///
/// Raw values are positions; the order is part of the contract.
public enum RenewalColumn: Int, TableColumn {
    case environment
    case bundleID
    case productID
    case autoRenewProductID
    case originalTransactionID
    case autoRenewStatus
    case expirationIntent
    case isInBillingRetryPeriod
    case gracePeriodExpiresDate
    case priceConsentStatus
    case offerID
    case offerType
    case renewalDate
    case renewalPrice
    case currency
    case accountToken
    case observedAt
    case trust
    case kind
    case source
    case document

    public static let tableName = "renewals"

    public var name: String {
        switch self {
        case .bundleID: "bundle_id"
        case .productID: "product_id"
        case .autoRenewProductID: "auto_renew_product_id"
        case .originalTransactionID: "original_transaction_id"
        case .autoRenewStatus: "auto_renew_status"
        case .expirationIntent: "expiration_intent"
        case .isInBillingRetryPeriod: "is_in_billing_retry_period"
        case .gracePeriodExpiresDate: "grace_period_expires_date"
        case .priceConsentStatus: "price_consent_status"
        case .offerID: "offer_id"
        case .offerType: "offer_type"
        case .renewalDate: "renewal_date"
        case .renewalPrice: "renewal_price"
        case .accountToken: "account_token"
        case .observedAt: "observed_at"
        case .environment, .currency, .trust, .kind, .source, .document: "\(self)"
        }
    }

    public var type: ColumnType {
        switch self {
        case .environment, .bundleID, .productID, .autoRenewProductID, .offerID, .currency, .accountToken, .trust,
            .kind, .source:
            .text
        case .originalTransactionID: .identifier
        case .renewalPrice, .document: .int64
        case .autoRenewStatus, .expirationIntent, .priceConsentStatus, .offerType: .int32
        case .isInBillingRetryPeriod: .bool
        case .gracePeriodExpiresDate, .renewalDate, .observedAt: .instant
        }
    }
}
