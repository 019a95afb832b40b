import TillCore
import TillReceipts
import TillReportModel

/// The meanings of members' values, by the names of the members. A new meaning is a line in one of the tables.
struct Vocabulary: Sendable {
    enum Meaning: Sendable {
        /// The `status` of a verifyReceipt response.
        case verifyReceiptStatus
        /// A number that Apple explains in words.
        case code([Int64: String])
        /// Thousandths of the currency's unit.
        case milliunits
        /// The text of an error, which may identify a device.
        case message
        /// Certificates, as base64 of their DER.
        case certificates
    }

    /// By the name of the member, or by the name of the member around it, a point, and its own name.
    private var meanings: [String: Meaning]

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

    /// verifyReceipt: responses, requests, pairs of both, and legacy receipts.
    static let verifyReceipt = common.adding(["status": .verifyReceiptStatus])

    /// App Store Server Notifications of both versions, and StoreKit 2.
    static let serverAPI = common.adding([
        "unified_receipt.status": .verifyReceiptStatus, "data.status": .code(CodeNames.subscriptionStatus),
        "price": .milliunits, "renewalPrice": .milliunits,
    ])

    private func adding(_ more: [String: Meaning]) -> Vocabulary {
        Vocabulary(meanings: meanings.merging(more) { $1 })
    }

    /// Members of these names, and of names with these endings, are instants.
    private static let instantNames: Set = ["logged_at", "timestamp", "@timestamp", "ts", "received_at"]
    private static let instantEndings = ["_ms", "-ms", "Date", "_date", "-date"]

    /// The meaning of a member; `parent` is the member around it.
    func meaning(of name: String, in parent: String) -> Meaning? {
        meanings["\(parent).\(name)"] ?? meanings[name]
    }

    /// The value of a member in words; `nil` if its name has no meaning, or its value none.
    func meaning(of value: InspectedNode.Value, named name: String, in parent: String) -> String? {
        switch meaning(of: name, in: parent) {
        case .verifyReceiptStatus: return value.integer.flatMap(CodeNames.verifyReceiptStatus)
        case .code(let names): return value.integer.flatMap { names[$0] }
        case .milliunits: return value.integer.map(Self.units)
        case .message, .certificates: return nil
        case nil:
            let isInstant = Self.instantNames.contains(name) || Self.instantEndings.contains { name.hasSuffix($0) }
            return isInstant ? Self.instant(value, named: name) : nil
        }
    }

    /// An instant in milliseconds: a number or a string of one, with a fraction from Xcode (quirk 35).
    ///
    /// The members that a dump adds may be in seconds. They are if the number is too small for milliseconds since 1973.
    private static func instant(_ value: InspectedNode.Value, named name: String) -> String? {
        guard let digits = value.digits, digits.utf8.count >= 9,
            var number = ScaledDecimal.parse(Array(digits.utf8).span.bytes, scale: 0, excess: .truncate)
        else { return nil }
        if !name.hasSuffix("ms"), !name.lowercased().hasSuffix("date"), number.magnitude < 100_000_000_000 {
            number *= 1000
        }
        return Timestamp(milliseconds: number).description
    }

    /// Thousandths as units with three decimals. The currency is in another member.
    private static func units(_ thousandths: Int64) -> String {
        let (whole, rest) = (thousandths.magnitude / 1000, thousandths.magnitude % 1000)
        let decimals = String(repeating: "0", count: 3 - String(rest).count) + String(rest)
        return "\(thousandths < 0 ? "-" : "")\(whole).\(decimals) in the currency's units"
    }
}

extension InspectedNode.Value {
    /// The integer of a number, of a string of one, or of a flag.
    var integer: Int64? {
        switch self {
        case .text("true"), .flag(true): 1
        case .text("false"), .flag(false): 0
        case .text(let text), .number(let text): Int64(text)
        case .null, .octets, .masked: nil
        }
    }

    /// The digits of a decimal number.
    fileprivate var digits: String? {
        switch self {
        case .text(let text), .number(let text):
            text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D } ? text : nil
        case .flag, .null, .octets, .masked: nil
        }
    }
}

/// Apple's codes in words (source: the pages of verifyReceipt and of the App Store Server API).
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

    /// A verifyReceipt status in words; `nil` for an unknown one.
    static func verifyReceiptStatus(_ status: Int64) -> String? {
        FailureCatalogue.entry(domain: "verifyReceipt", code: status).map { "\($0.name): \($0.meaning)" }
    }
}
