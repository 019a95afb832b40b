import TillJSON

/// Findings from the keys of an object while it is searched for documents.
struct ObjectMarks {
    /// Members of tillroll's rejects, of receipts as Unity hands them on, of old receipts, and of errors.
    enum Special: CaseIterable {
        case rawEncoding, innerOffset, payload
        // A receipt of iOS 3 to 6.
        case purchaseInfo, purchaseInfoInSnakeCase, purchaseInfoInCamelCase
        // An error by itself has one of these.
        case domain, type, title, errorDomain, errorDomainInSnakeCase
        // An answer of the App Store Server API that lists nothing has one of these.
        case signedTransactions, notificationHistory, data

        /// The purchase of a receipt of iOS 3 to 6, as Apple spells it first.
        static let purchaseInfos: [Special] = [.purchaseInfo, .purchaseInfoInSnakeCase, .purchaseInfoInCamelCase]

        var name: String {
            switch self {
            case .rawEncoding: "raw_encoding"
            case .innerOffset: "inner_offset"
            case .payload: "Payload"
            case .purchaseInfo: "purchase-info"
            case .purchaseInfoInSnakeCase: "purchase_info"
            case .purchaseInfoInCamelCase: "purchaseInfo"
            case .domain: "domain"
            case .type: "type"
            case .title: "title"
            case .errorDomain: "errorDomain"
            case .errorDomainInSnakeCase: "error_domain"
            case .signedTransactions: "signedTransactions"
            case .notificationHistory: "notificationHistory"
            case .data: "data"
            }
        }
    }

    /// The format of the discriminator with the highest rank.
    private(set) var strong: FormatID?
    /// The first format of a key that other kinds of objects have too.
    private(set) var weak: FormatID?
    /// Whether a member was there that only verifyReceipt responses have, and not the requests for them.
    private(set) var isResponse = false
    /// Whether a member was there that only requests have.
    private(set) var hasRequest = false
    /// Whether the object may be a line of `--rejects`.
    private(set) var mayBeReject = false
    /// Whether the object may be an error by itself.
    private(set) var mayBeError = false
    /// Whether the object may be a receipt of iOS 3 to 6 whose property list was written as JSON.
    private(set) var mayBeLegacyReceipt = false
    /// Whether the object may be an answer that lists nothing (``EmptyAnswer``).
    private(set) var mayBeEmptyAnswer = false
    /// Whether a member `status` of a response was there.
    private(set) var hasStatus = false
    /// Whether a member was there that holds purchases of a response, decoded.
    private(set) var hasPurchases = false
    private var last: Special?
    /// Whether the member that was noted last holds purchases if it is an object or a list.
    private var lastHoldsPurchases = false

    private static let purchaseKeys: Set = [
        "receipt", "in_app", "latest_receipt_info", "latest_expired_receipt_info",
    ]

    /// Whether the member that was noted last is a special one.
    func isLast(_ special: Special) -> Bool { last == special }

    mutating func note(_ special: Special?) {
        (last, lastHoldsPurchases) = (special, false)
        switch special {
        case .domain, .type, .title, .errorDomain, .errorDomainInSnakeCase: mayBeError = true
        case .rawEncoding, .innerOffset: mayBeReject = true
        case .purchaseInfo, .purchaseInfoInSnakeCase, .purchaseInfoInCamelCase: mayBeLegacyReceipt = true
        case .signedTransactions, .notificationHistory, .data: mayBeEmptyAnswer = true
        case .payload, nil: break
        }
    }

    mutating func note(_ discriminator: Discriminator, isAmbiguous: Bool) {
        let format = discriminator.format
        if format.type == VerifyFormat.self {
            let key = discriminator.canonicalKey
            if key == "response" || !VerifyFormat.requestKeys.contains(key) { isResponse = true }
            if key == "status" { hasStatus = true }
            lastHoldsPurchases = Self.purchaseKeys.contains(key)
            if key == "request" || key == "receipt-data" || key == "receipt_data" { hasRequest = true }
        }
        if isAmbiguous {
            weak = weak ?? format
        } else if strong == nil || format.type.rank > strong?.type.rank ?? .min {
            strong = format
        }
    }

    /// Notes the length of the object or list that the member noted last has.
    mutating func note(containerOf byteCount: Int) {
        if lastHoldsPurchases, byteCount > VerifyFormat.emptyListCount { hasPurchases = true }
    }
}
