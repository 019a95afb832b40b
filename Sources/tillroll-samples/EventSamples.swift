import TillCore

/// Ten days of a client log, 1 to 10 March 2026: calm, except for one hour of the ninth day.
struct EventSamples {
    private static let start = Timestamp.utc(2026, 3, 1)
    private static let days = 10
    private static let backgroundCount = 376
    /// From this hour on, the new version of one app could no longer reach the store.
    private static let spikeStart = Timestamp.utc(2026, 3, 9, hour: 14)
    private static let spikeCount = 24
    private static let spikeVersion = "4.2.0"
    private static let versionBefore = "4.1.0"
    private static let release = Timestamp.utc(2026, 3, 9, hour: 12)

    private let random: SplitMix64
    private let ids = TransactionIDs()

    init(_ clientele: Clientele) {
        random = clientele.random("events")
    }

    func files() -> [SampleFile] {
        [
            SampleFile(
                "events/events.ndjson",
                shows: "ten days of a client log; on 9 March between 14:00 and 15:00 UTC version 4.2.0 of one app "
                    + "fails far more often than before",
                lines: lines()
            )
        ]
    }

    /// The log in order of time; every third line is pure ASCII, every fourth names its absent members.
    func lines() -> [String] {
        (background() + spike()).sorted { $0.time < $1.time }.enumerated().map { index, event in
            let json = event.json(hasNulls: index % 4 == 0, hasNumericTime: index % 10 == 3)
            return index % 3 == 0 ? json.asciiOnly : json.compact
        }
    }

    /// Visits to the shop at even distances, so that no hour stands out.
    private func background() -> [ClientEvent] {
        var visits: [[ClientEvent]] = []
        var missing = Self.backgroundCount
        while missing > 0 {
            visits.append(Array(visit().prefix(missing)))
            missing -= visits.last?.count ?? 0
        }
        let distance = Self.days * Int(Timestamp.millisecondsPerDay) / visits.count
        return visits.enumerated().flatMap { index, visit in
            let begin = Self.start.adding(milliseconds: index * distance + random.number(in: 0...distance / 2))
            return visit.enumerated().map { step, event in
                var event = event
                event.time = begin.adding(seconds: step * 7, milliseconds: random.number(in: 0...6999))
                if event.time < Self.release, event.appVersion == Self.spikeVersion {
                    event.appVersion = Self.versionBefore
                }
                return event
            }
        }
    }

    private func spike() -> [ClientEvent] {
        (0..<Self.spikeCount).map { index in
            let product = random.pick([Shop.coins, Shop.pro, Shop.monthly])
            var event = event("failed", in: Shop.lumen, product, error: .storeUnreachable)
            event.time = Self.spikeStart.adding(seconds: index * 145, milliseconds: random.number(in: 0...9999))
            event.appVersion = index % 11 == 5 ? Self.versionBefore : Self.spikeVersion
            event.attemptID = random.hexadecimal(8)
            return event
        }
    }
}

// MARK: - Visits

extension EventSamples {
    private func visit() -> [ClientEvent] {
        let app = random.pick(Shop.apps)
        switch random.number(in: 1...100) {
        case ...68: return purchase(in: app)
        case ...94: return restore(in: app)
        case ...97:
            var event = event("product_request_failed", in: app)
            event.error = random.pick([.timedOut, .offline])
            return [event]
        default: return [event("verify_failed", in: app, random.pick(app.products), error: .invalidChain)]
        }
    }

    private func purchase(in app: App) -> [ClientEvent] {
        let product = random.pick(app.products)
        var begin = event("purchasing", in: app, product)
        begin.attemptID = random.hexadecimal(8)
        begin.quantity = product.type == .consumable ? random.pick([1, 1, 1, 2, 5]) : 1
        var outcome = begin
        switch random.number(in: 1...100) {
        case ...58:
            outcome.name = "purchased"
            outcome.transactionID = ids.next(after: 171_000_000_000_000)
            outcome.originalTransactionID = outcome.transactionID
            outcome.price = product.prices.last
            // Now and then the queue delivers a purchase again.
            if random.chance(10) { return [begin, outcome, outcome] }
        case ...94:
            outcome.name = "failed"
            outcome.error = random.pick(ClientError.everyday)
        default: outcome.name = "deferred"
        }
        return [begin, outcome]
    }

    private func restore(in app: App) -> [ClientEvent] {
        var visit = [event("restore_started", in: app)]
        guard !random.chance(20) else {
            var end = event("restore_failed", in: app)
            end.error = random.pick([.cancelled, .offline, .signInFailed])
            return visit + [end]
        }
        for product in app.products where product.type != .consumable && random.chance(55) {
            var event = event("restored", in: app, product)
            event.transactionID = ids.next(after: 171_000_000_000_000)
            event.originalTransactionID = 160_000_000_000_000 + random.number(in: 0...899_999_999_981)
            visit.append(event)
        }
        return visit + [event("restore_completed", in: app)]
    }

    private func event(_ name: String, in app: App, _ product: Product? = nil, error: ClientError? = nil) -> ClientEvent
    {
        ClientEvent(
            name: name,
            app: app,
            appVersion: random.pick(app.versions),
            systemVersion: random.pick(["17.7.2", "18.6.2", "26.1", "26.2"]),
            storefront: random.pick(app.storefronts),
            environment: random.chance(4) ? "Sandbox" : "Production",
            sessionID: random.hexadecimal(12),
            product: product,
            error: error
        )
    }
}

/// One line of the client log, schema `tillroll-event/1`.
private struct ClientEvent {
    var name: String
    let app: App
    var appVersion: String
    let systemVersion: String
    let storefront: String
    let environment: String
    let sessionID: String
    let product: Product?
    var error: ClientError?
    /// Set when the event gets its place in the log.
    var time = Timestamp(milliseconds: 0)
    var quantity: Int?
    var transactionID: Int?
    var originalTransactionID: Int?
    var price: Price?
    var attemptID: String?

    /// Absent members are null or left out.
    func json(hasNulls: Bool, hasNumericTime: Bool) -> JSON {
        let absent: JSON? = hasNulls ? .null : nil
        return [
            "v": 1, "ts": hasNumericTime ? time.json : time.text(alwaysWithMilliseconds: true).json, "event": name,
            "api": name == "verify_failed" ? "sk2" : "sk1", "bundle_id": app.bundleID, "app_version": appVersion,
            "os": "iOS", "os_version": systemVersion, "storefront": storefront,
            "product_id": product?.id.json ?? absent, "quantity": quantity?.json ?? absent,
            "transaction_id": transactionID.map { String($0).json } ?? absent,
            "original_transaction_id": originalTransactionID.map { String($0).json } ?? absent,
            "price": price?.amount.json ?? absent, "currency": price?.currency.json ?? absent,
            "session_id": sessionID, "attempt_id": attemptID?.json ?? absent, "error": error?.json ?? absent,
            "env": environment,
        ]
    }
}

/// An error as StoreKit hands it to an app.
private struct ClientError {
    let domain: String
    let code: Int
    let message: String
    let underlying: JSON?

    init(_ domain: String, _ code: Int, _ message: String, underlying: (domain: String, code: Int)? = nil) {
        (self.domain, self.code, self.message) = (domain, code, message)
        self.underlying = underlying.map { ["domain": $0.domain, "code": $0.code] }
    }

    var json: JSON {
        ["domain": domain, "code": code, "message": message, "underlying": underlying.map { [$0] }]
    }

    static let storeUnreachable = ClientError(
        "ASDErrorDomain",
        500,
        "Unhandled exception “ASDServerErrorDomain”",
        underlying: ("AMSErrorDomain", 301)
    )
    static let cancelled = ClientError("SKErrorDomain", 2, "The operation couldn’t be completed.")
    static let cannotConnect = ClientError(
        "SKErrorDomain",
        0,
        "Cannot connect to iTunes Store",
        underlying: ("NSURLErrorDomain", -1009)
    )
    static let cancelledSheet = ClientError(
        "SKErrorDomain",
        907,
        "不明なエラーが発生しました 🛒",
        underlying: ("AMSErrorDomain", 6)
    )
    static let unavailable = ClientError("SKErrorDomain", 5, "Produit indisponible « store »")
    static let notAllowed = ClientError("SKErrorDomain", 4, "Käufe sind auf diesem Gerät gesperrt")
    static let timedOut = ClientError("NSURLErrorDomain", -1001, "要求がタイムアウトしました。")
    static let offline = ClientError("NSURLErrorDomain", -1009, "Pas de connexion à Internet")
    static let signInFailed = ClientError("SSServerErrorDomain", 5020, "Forgot your password?\n\"Try again\"")
    static let invalidChain = ClientError(
        "VerificationResult.VerificationError",
        1,
        "invalidCertificateChain"
    )

    /// Failures of an ordinary day; a cancellation is the most common one by far.
    static let everyday: [ClientError] = [
        .cancelled, .cancelled, .cancelled, .cancelled, .cannotConnect, .cannotConnect, .cancelledSheet, .unavailable,
        .notAllowed, .timedOut, .offline, .signInFailed, .storeUnreachable,
    ]
}
