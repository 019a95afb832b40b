import TillCore

/// An error as StoreKit hands it to an app.
struct ClientError {
    let domain: String
    let code: Int
    let message: String
    var underlying: [(domain: String, code: Int)] = []

    static let storeUnreachable = ClientError(
        domain: "ASDErrorDomain",
        code: 500,
        message: "Unhandled exception “ASDServerErrorDomain”",
        underlying: [("AMSErrorDomain", 301)]
    )
    static let cancelled = ClientError(
        domain: "SKErrorDomain",
        code: 2,
        message: "The operation couldn’t be completed."
    )
    static let cannotConnect = ClientError(
        domain: "SKErrorDomain",
        code: 0,
        message: "Cannot connect to iTunes Store",
        underlying: [("NSURLErrorDomain", -1009)]
    )
    static let cancelledSheet = ClientError(
        domain: "SKErrorDomain",
        code: 907,
        message: "不明なエラーが発生しました 🛒",
        underlying: [("AMSErrorDomain", 6)]
    )
    static let unavailable = ClientError(domain: "SKErrorDomain", code: 5, message: "Produit indisponible « store »")
    static let notAllowed = ClientError(
        domain: "SKErrorDomain",
        code: 4,
        message: "Käufe sind auf diesem Gerät gesperrt"
    )
    static let timedOut = ClientError(domain: "NSURLErrorDomain", code: -1001, message: "要求がタイムアウトしました。")
    static let offline = ClientError(domain: "NSURLErrorDomain", code: -1009, message: "Pas de connexion à Internet")
    static let signInFailed = ClientError(
        domain: "SSServerErrorDomain",
        code: 5020,
        message: "Forgot your password?\n\"Try again\""
    )
    static let invalidChain = ClientError(
        domain: "VerificationResult.VerificationError",
        code: 1,
        message: "invalidCertificateChain"
    )

    /// What fails on an ordinary day; a cancellation is the most common case by far.
    static let everyday: [ClientError] = [
        .cancelled, .cancelled, .cancelled, .cancelled, .cannotConnect, .cannotConnect, .cancelledSheet, .unavailable,
        .notAllowed, .timedOut, .offline, .signInFailed, .storeUnreachable,
    ]

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("domain", .string(domain)),
            ("code", .number(code)),
            ("message", .string(message)),
        ]
        if !underlying.isEmpty {
            let causes = underlying.map { cause in
                JSONValue.object([("domain", .string(cause.domain)), ("code", .number(cause.code))])
            }
            members.append(("underlying", .array(causes)))
        }
        return .object(members)
    }
}

/// One line of the client log, schema `tillroll-event/1`.
struct ClientEvent {
    enum Name: String {
        case purchasing
        case purchased
        case failed
        case restored
        case deferred
        case restoreStarted = "restore_started"
        case restoreCompleted = "restore_completed"
        case restoreFailed = "restore_failed"
        case verifyFailed = "verify_failed"
        case productRequestFailed = "product_request_failed"
    }

    var name: Name
    let app: App
    var appVersion: String
    let systemVersion: String
    let storefront: String
    let environment: String
    let sessionID: String
    let product: Product?
    /// Set when the event gets its place in the log.
    var time = Timestamp(milliseconds: 0)
    var quantity: Int?
    var transactionID: Int?
    var originalTransactionID: Int?
    var price: Price?
    var attemptID: String?
    var error: ClientError?

    /// The members that the event has; the others are null or left out.
    func json(hasNulls: Bool, hasNumericTime: Bool) -> JSONValue {
        let timestamp = JSONValue.string(time.text(alwaysWithMilliseconds: true))
        let members: [(key: String, value: JSONValue)] = [
            ("v", .number(1)),
            ("ts", hasNumericTime ? .number(Int(time.milliseconds)) : timestamp),
            ("event", .string(name.rawValue)),
            ("api", .string(name == .verifyFailed ? "sk2" : "sk1")),
            ("bundle_id", .string(app.bundleID)),
            ("app_version", .string(appVersion)),
            ("os", .string("iOS")),
            ("os_version", .string(systemVersion)),
            ("storefront", .string(storefront)),
            ("product_id", .text(product?.id)),
            ("quantity", quantity.map { .number($0) } ?? .null),
            ("transaction_id", .text(transactionID.map { String($0) })),
            ("original_transaction_id", .text(originalTransactionID.map { String($0) })),
            ("price", .text(price?.amount)),
            ("currency", .text(price?.currency)),
            ("session_id", .string(sessionID)),
            ("attempt_id", .text(attemptID)),
            ("error", error?.json ?? .null),
            ("env", .string(environment)),
        ]
        return .object(hasNulls ? members : members.filter { !$0.value.isNull })
    }
}

extension JSONValue {
    fileprivate var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }
}
