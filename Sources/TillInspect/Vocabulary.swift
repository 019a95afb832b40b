import TillCore

/// What the values of members mean, by the names of the members.
struct Vocabulary: Sendable {
    enum Meaning: Sendable {
        /// The `status` of a verifyReceipt response.
        case verifyReceiptStatus
        /// A number that stands for something.
        case code([Int64: String])
        /// Thousandths of the currency's unit.
        case milliunits
        /// The text of an error, which may tell of a device.
        case message
        /// Certificates, as base64 of their DER.
        case certificates
    }

    /// By name, or by the name of the member around it and its own, with a point between them.
    private var meanings: [String: Meaning]

    /// The meaning of a member; `parent` is the member around it.
    func meaning(of name: String, in parent: String) -> Meaning? {
        meanings["\(parent).\(name)"] ?? meanings[name]
    }

    func adding(_ more: [String: Meaning]) -> Vocabulary {
        Vocabulary(meanings: meanings.merging(more) { $1 })
    }

    /// Names that mean the same in every format.
    static let common = Vocabulary(meanings: [
        "expiration_intent": .code(CodeNames.expirationIntent),
        "expirationIntent": .code(CodeNames.expirationIntent),
        "cancellation_reason": .code(CodeNames.cancellationReason),
        "cancellation-reason": .code(CodeNames.cancellationReason),
        "revocationReason": .code(CodeNames.cancellationReason),
        "auto_renew_status": .code(CodeNames.autoRenewStatus),
        "autoRenewStatus": .code(CodeNames.autoRenewStatus),
        "is_in_billing_retry_period": .code(CodeNames.billingRetry),
        "price_consent_status": .code(CodeNames.priceConsent),
        "price_increase_status": .code(CodeNames.priceConsent),
        "priceIncreaseStatus": .code(CodeNames.priceIncrease),
        "offerType": .code(CodeNames.offerType),
        "message": .message,
        "error_message": .message,
        "errorMessage": .message,
        "localizedDescription": .message,
        "x5c": .certificates,
    ])

    /// Whether a member is an instant in milliseconds where it is a number: `…_ms`, `…Date`, `…_date`, and when a dump
    /// says that something was written.
    static func isInstant(_ name: String) -> Bool {
        ["_ms", "-ms", "Date", "_date", "-date"].contains { name.hasSuffix($0) }
            || ["logged_at", "timestamp", "@timestamp", "ts", "received_at"].contains(name)
    }
}

/// The numbers by which Apple says things, in words (reference: verifyReceipt's and the App Store Server API's pages).
enum CodeNames {
    static let expirationIntent: [Int64: String] = [
        1: "the customer cancelled", 2: "billing error", 3: "price increase not accepted",
        4: "product not available", 5: "unknown error",
    ]
    static let cancellationReason: [Int64: String] = [0: "another reason", 1: "an issue in the app"]
    static let autoRenewStatus: [Int64: String] = [0: "renewal is off", 1: "renews"]
    static let billingRetry: [Int64: String] = [0: "no longer tried", 1: "still being tried"]
    static let priceConsent: [Int64: String] = [0: "not consented yet", 1: "consented"]
    static let priceIncrease: [Int64: String] = [0: "no response yet", 1: "consented or notified"]
    static let offerType: [Int64: String] = [
        1: "introductory offer", 2: "promotional offer", 3: "offer code", 4: "win-back offer",
    ]
    static let subscriptionStatus: [Int64: String] = [
        1: "active", 2: "expired", 3: "in billing retry", 4: "in billing grace period", 5: "revoked",
    ]
    static let productType: [Int64: String] = [
        0: "non-consumable", 1: "consumable", 2: "non-renewing subscription", 3: "auto-renewable subscription",
        4: "free subscription",
    ]

    /// A verifyReceipt status in words; `nil` for one of which nothing is known.
    static func verifyReceiptStatus(_ status: Int64) -> String? {
        FailureCatalogue.entry(domain: "verifyReceipt", code: status).map { "\($0.name): \($0.meaning)" }
    }
}
