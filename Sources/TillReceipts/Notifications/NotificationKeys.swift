import TillJSON

/// The members of a notification's body, of either version.
enum NotificationKey: String, CaseIterable {
    // V2
    case signedPayload
    case notificationType
    case subtype
    case notificationUUID
    case version
    case signedDate
    case data
    case summary
    case externalPurchaseToken
    case appData
    // V1
    case notificationTypeV1 = "notification_type"
    case environment
    case bid
    case bvrs
    case autoRenewProductID = "auto_renew_product_id"
    case autoRenewStatus = "auto_renew_status"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"
    case originalTransactionID = "original_transaction_id"
    case latestReceiptInfo = "latest_receipt_info"
    case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    case pendingRenewalInfo = "pending_renewal_info"
    case unifiedReceipt = "unified_receipt"
    case cancellationDate = "cancellation_date"
    case cancellationDateMilliseconds = "cancellation_date_ms"
    case cancellationReason = "cancellation_reason"
    case webOrderLineItemID = "web_order_line_item_id"
    // Not read; the first is a secret.
    case password
    case autoRenewAdamID = "auto_renew_adam_id"
    case latestReceipt = "latest_receipt"
    case latestExpiredReceipt = "latest_expired_receipt"
    case cancellationDatePST = "cancellation_date_pst"

    /// Whether other services' notifications do not have the member.
    var isApple: Bool {
        switch self {
        case .notificationType, .notificationTypeV1, .subtype, .version, .environment, .data, .summary, .password:
            false
        default: true
        }
    }

    /// Whether only V1 notifications have the member: a receipt, or a list from one.
    var isOfVersion1: Bool {
        switch self {
        case .unifiedReceipt, .latestReceiptInfo, .latestExpiredReceiptInfo, .pendingRenewalInfo, .latestReceipt,
            .latestExpiredReceipt:
            true
        default: false
        }
    }
}

/// The members of `data`, `summary`, `externalPurchaseToken` and `appData`, which have much in common.
enum NotificationDataKey: String, CaseIterable {
    case environment
    case appAppleID = "appAppleId"
    case bundleID = "bundleId"
    case bundleVersion
    case signedTransactionInfo
    case signedRenewalInfo
    case signedAppTransactionInfo
    case status
    case consumptionRequestReason

    /// Whether the `data` of other services' notifications does not have the member.
    var isApple: Bool { self != .environment && self != .status }
}

/// Where a V1 notification has a receipt, the most preferred place first.
enum ReceiptPlace: Int {
    case latest, unified, latestExpired

    /// The members that hold it.
    var path: [String] {
        switch self {
        case .latest: [NotificationKey.latestReceipt.rawValue]
        case .unified: [NotificationKey.unifiedReceipt.rawValue, UnifiedReceiptKey.latestReceipt.rawValue]
        case .latestExpired: [NotificationKey.latestExpiredReceipt.rawValue]
        }
    }
}

/// The members of a V1 notification's `unified_receipt`.
enum UnifiedReceiptKey: String, CaseIterable {
    case status
    case environment
    case latestReceipt = "latest_receipt"
    case latestReceiptInfo = "latest_receipt_info"
    case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    case pendingRenewalInfo = "pending_renewal_info"
}

// Each table is made once, and copied by all readers.

extension NotificationKey { static let keyTable = KeyTable<NotificationKey>() }
extension NotificationDataKey { static let keyTable = KeyTable<NotificationDataKey>() }
extension UnifiedReceiptKey { static let keyTable = KeyTable<UnifiedReceiptKey>() }
