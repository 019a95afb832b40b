import TillJSON

/// The members of a verifyReceipt response, and those that dumps add to it.
enum ResponseKey: String, CaseIterable {
    case status
    case environment
    case receipt
    case latestReceiptInfo = "latest_receipt_info"
    case latestReceipt = "latest_receipt"
    case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    case pendingRenewalInfo = "pending_renewal_info"
    case isRetryable = "is_retryable"
    case isRetryableHyphen = "is-retryable"
    case exception
    case autoRenewStatus = "auto_renew_status"
    case autoRenewProductID = "auto_renew_product_id"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"
    case cancellationReason = "cancellation_reason"
    case requestID = "request_id"
    case receiptData = "receipt_data"
    case receiptDataHyphen = "receipt-data"
    // The two halves of a pair.
    case request
    case response
    // Discriminators of a notification, whose other members can be those of a response.
    case notificationType = "notification_type"
    case unifiedReceipt = "unified_receipt"
    case autoRenewAdamID = "auto_renew_adam_id"
    case signedPayload
    case notificationTypeV2 = "notificationType"
    case notificationUUID
    // The discriminator of a client's event.
    case event
    // Members that payloads of a JWS have, and no transaction of a response.
    case signedDate = "signed_date"
    case transactionReason = "transaction_reason"
    // The key of rows that `convert -t ndjson` writes.
    case table
    // When the document was written, according to the dump.
    case loggedAtMilliseconds = "logged_at_ms"
    case loggedAt = "logged_at"
    case ts
    case timestamp
    case atTimestamp = "@timestamp"
    case time
    case receivedAt = "received_at"
    // The same, as collectors name it by default: Fluent Bit, journald, Debezium.
    case date
    case realtimeTimestamp = "__REALTIME_TIMESTAMP"
    case tsMilliseconds = "ts_ms"
}

extension ResponseKey {
    /// Whether the member is one of a response, and not of what is around it in a dump.
    var isOfResponse: Bool {
        switch self {
        case .status, .environment, .receipt, .latestReceiptInfo, .latestReceipt, .latestExpiredReceiptInfo,
            .pendingRenewalInfo, .isRetryable, .isRetryableHyphen, .exception, .autoRenewStatus, .autoRenewProductID,
            .expirationIntent, .isInBillingRetryPeriod, .cancellationReason:
            true
        case .requestID, .receiptData, .receiptDataHyphen, .request, .response, .notificationType, .unifiedReceipt,
            .autoRenewAdamID, .signedPayload, .notificationTypeV2, .notificationUUID, .event, .signedDate,
            .transactionReason, .table, .loggedAtMilliseconds, .loggedAt, .ts, .timestamp, .atTimestamp, .time,
            .receivedAt, .date, .realtimeTimestamp, .tsMilliseconds:
            false
        }
    }

    /// The members in which a dump says when a document was written, the most preferred first.
    static let logTimes: [ResponseKey] = [
        .loggedAtMilliseconds, .loggedAt, .ts, .timestamp, .atTimestamp, .time, .receivedAt, .date,
        .realtimeTimestamp, .tsMilliseconds,
    ]
}

/// The members of a request. All but the receipt are in the table only so that they are predicted; `password` is never
/// read.
enum RequestKey: String, CaseIterable {
    case receiptDataHyphen = "receipt-data"
    case receiptData = "receipt_data"
    case password
    case excludeOldTransactions = "exclude-old-transactions"
}

/// The members of the `receipt` object of an iOS 7 response, and one that only a flat iOS 6 receipt has.
enum ReceiptKey: String, CaseIterable {
    case receiptType = "receipt_type"
    case bundleID = "bundle_id"
    case applicationVersion = "application_version"
    case inApp = "in_app"
    case receiptCreationDate = "receipt_creation_date"
    case receiptCreationDateMilliseconds = "receipt_creation_date_ms"
    case requestDate = "request_date"
    case requestDateMilliseconds = "request_date_ms"
    case bid
    case bvrs
    case productID = "product_id"
    case transactionID = "transaction_id"
    // Not read: they are in the table so that they are predicted.
    case adamID = "adam_id"
    case appItemID = "app_item_id"
    case downloadID = "download_id"
    case versionExternalIdentifier = "version_external_identifier"
    case receiptCreationDatePST = "receipt_creation_date_pst"
    case requestDatePST = "request_date_pst"
    case originalPurchaseDate = "original_purchase_date"
    case originalPurchaseDateMilliseconds = "original_purchase_date_ms"
    case originalPurchaseDatePST = "original_purchase_date_pst"
    case originalApplicationVersion = "original_application_version"
    case environment

    /// Whether a row depends on the member.
    var isRead: Bool {
        switch self {
        case .receiptType, .bundleID, .applicationVersion, .inApp, .receiptCreationDate,
            .receiptCreationDateMilliseconds, .requestDate, .requestDateMilliseconds, .bid, .bvrs, .productID,
            .transactionID, .environment:
            true
        case .adamID, .appItemID, .downloadID, .versionExternalIdentifier, .receiptCreationDatePST, .requestDatePST,
            .originalPurchaseDate, .originalPurchaseDateMilliseconds, .originalPurchaseDatePST,
            .originalApplicationVersion:
            false
        }
    }
}

/// The members of a transaction, in `in_app` as in `latest_receipt_info`, and of a flat iOS 6 receipt.
enum TransactionKey: String, CaseIterable {
    case quantity
    case productID = "product_id"
    case transactionID = "transaction_id"
    case originalTransactionID = "original_transaction_id"
    case purchaseDate = "purchase_date"
    case purchaseDateMilliseconds = "purchase_date_ms"
    case purchaseDatePST = "purchase_date_pst"
    case originalPurchaseDate = "original_purchase_date"
    case originalPurchaseDateMilliseconds = "original_purchase_date_ms"
    case originalPurchaseDatePST = "original_purchase_date_pst"
    case expiresDate = "expires_date"
    case expiresDateMilliseconds = "expires_date_ms"
    case expiresDatePST = "expires_date_pst"
    case webOrderLineItemID = "web_order_line_item_id"
    case isTrialPeriod = "is_trial_period"
    case isInIntroOfferPeriod = "is_in_intro_offer_period"
    case cancellationDate = "cancellation_date"
    case cancellationDateMilliseconds = "cancellation_date_ms"
    case cancellationDatePST = "cancellation_date_pst"
    case cancellationReason = "cancellation_reason"
    case ownershipType = "in_app_ownership_type"
    case subscriptionGroupIdentifier = "subscription_group_identifier"
    case isUpgraded = "is_upgraded"
    case promotionalOfferID = "promotional_offer_id"
    case offerCodeReferenceName = "offer_code_ref_name"
    case appAccountToken = "app_account_token"
    case expiresDateFormatted = "expires_date_formatted"
    case expiresDateFormattedPST = "expires_date_formatted_pst"
    case bid
    case bvrs
    case environment
    // As libraries name the expiry in their records of a transaction.
    case expirationDate = "expiration_date"
    case expirationDateMilliseconds = "expiration_date_ms"
    // Members that payloads of a JWS have, and no transaction of a response (``ReceiptInfoReader/decodePayload``).
    case signedDate = "signed_date"
    case transactionReason = "transaction_reason"
    case revocationDate = "revocation_date"
    case revocationReason = "revocation_reason"
    case offerType = "offer_type"
    case offerDiscountType = "offer_discount_type"
    case storefront
    case price
    case currency

    /// The members that no payload of a JWS has: they identify transactions of a response in camel case.
    static let ofResponsesOnly: [TransactionKey] = [
        .purchaseDateMilliseconds, .purchaseDatePST, .expiresDateMilliseconds, .cancellationDate,
        .cancellationDateMilliseconds, .cancellationReason, .isTrialPeriod, .isInIntroOfferPeriod,
        .expirationDate, .expirationDateMilliseconds,
    ]

    /// The members of transactions that records of other shops do not have.
    static let ofAppleOnly: Set<TransactionKey> = [
        .purchaseDateMilliseconds, .purchaseDatePST, .originalPurchaseDate, .originalPurchaseDateMilliseconds,
        .originalPurchaseDatePST, .expiresDateMilliseconds, .expiresDatePST, .webOrderLineItemID, .isTrialPeriod,
        .isInIntroOfferPeriod, .cancellationDateMilliseconds, .cancellationDatePST, .ownershipType,
        .promotionalOfferID, .offerCodeReferenceName, .expiresDateFormatted, .expiresDateFormattedPST, .bid, .bvrs,
    ]

    /// Whether a row depends on the member.
    var isRead: Bool {
        switch self {
        case .purchaseDatePST, .originalPurchaseDatePST, .expiresDatePST, .cancellationDatePST,
            .expiresDateFormattedPST:
            false
        default: true
        }
    }
}

/// The members of an element of `pending_renewal_info`.
enum RenewalKey: String, CaseIterable {
    case autoRenewProductID = "auto_renew_product_id"
    case originalTransactionID = "original_transaction_id"
    case productID = "product_id"
    case autoRenewStatus = "auto_renew_status"
    case expirationIntent = "expiration_intent"
    case isInBillingRetryPeriod = "is_in_billing_retry_period"
    case gracePeriodExpiresDate = "grace_period_expires_date"
    case gracePeriodExpiresDateMilliseconds = "grace_period_expires_date_ms"
    case priceConsentStatus = "price_consent_status"
    case priceIncreaseStatus = "price_increase_status"
    case promotionalOfferID = "promotional_offer_id"
    case offerCodeReferenceName = "offer_code_ref_name"
}

// Each table is made once, and copied by all readers.

extension ResponseKey { static let keyTable = KeyTable<ResponseKey>() }
extension RequestKey { static let keyTable = KeyTable<RequestKey>() }
extension ReceiptKey { static let keyTable = KeyTable<ReceiptKey>() }
extension TransactionKey { static let keyTable = KeyTable<TransactionKey>() }
extension RenewalKey { static let keyTable = KeyTable<RenewalKey>() }
