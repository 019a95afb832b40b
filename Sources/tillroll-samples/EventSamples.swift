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

    func file() -> SampleFile { SampleFile("events/events.ndjson", lines: lines()) }

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
            event["attempt_id"] = random.hexadecimal(8)
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
            event["error"] = random.pick([ClientError.timedOut, .offline])
            return [event]
        default: return [event("verify_failed", in: app, random.pick(app.products), error: .invalidChain)]
        }
    }

    private func purchase(in app: App) -> [ClientEvent] {
        let product = random.pick(app.products)
        var begin = event("purchasing", in: app, product)
        begin["attempt_id"] = random.hexadecimal(8)
        begin["quantity"] = product.type == .consumable ? random.pick([1, 1, 1, 2, 5]) : 1
        var outcome = begin
        switch random.number(in: 1...100) {
        case ...58:
            outcome["event"] = "purchased"
            outcome["transaction_id"] = String(ids.next(after: 171_000_000_000_000))
            outcome["original_transaction_id"] = outcome["transaction_id"]
            outcome["price"] = product.prices.last?.amount
            outcome["currency"] = product.prices.last?.currency
            // Now and then the queue delivers a purchase again.
            if random.chance(10) { return [begin, outcome, outcome] }
        case ...94:
            outcome["event"] = "failed"
            outcome["error"] = random.pick(ClientError.everyday)
        default: outcome["event"] = "deferred"
        }
        return [begin, outcome]
    }

    private func restore(in app: App) -> [ClientEvent] {
        var visit = [event("restore_started", in: app)]
        guard !random.chance(20) else {
            var end = event("restore_failed", in: app)
            end["error"] = random.pick([ClientError.cancelled, .offline, .signInFailed])
            return visit + [end]
        }
        for product in app.products where product.type != .consumable && random.chance(55) {
            var event = event("restored", in: app, product)
            event["transaction_id"] = String(ids.next(after: 171_000_000_000_000))
            event["original_transaction_id"] = String(160_000_000_000_000 + random.number(in: 0...899_999_999_981))
            visit.append(event)
        }
        return visit + [event("restore_completed", in: app)]
    }

    private func event(_ name: String, in app: App, _ product: Product? = nil, error: ClientError? = nil) -> ClientEvent
    {
        ClientEvent(
            appVersion: random.pick(app.versions),
            members: [
                "v": 1, "event": name, "api": name == "verify_failed" ? "sk2" : "sk1", "bundle_id": app.bundleID,
                "os": "iOS", "os_version": random.pick(["17.7.2", "18.6.2", "26.1", "26.2"]),
                "storefront": random.pick(app.storefronts), "env": random.chance(4) ? "Sandbox" : "Production",
                "session_id": random.hexadecimal(12), "product_id": product?.id, "error": error,
            ]
        )
    }
}

/// One line of the client log, schema `tillroll-event/1`.
private struct ClientEvent {
    /// In the order in which they are written.
    private static let keys = [
        "v", "ts", "event", "api", "bundle_id", "app_version", "os", "os_version", "storefront", "product_id",
        "quantity", "transaction_id", "original_transaction_id", "price", "currency", "session_id", "attempt_id",
        "error", "env",
    ]

    /// Set when the event gets its place in the log.
    var time = Timestamp(milliseconds: 0)
    var appVersion: String
    private var members: [String: any JSONConvertible]

    init(appVersion: String, members: [String: (any JSONConvertible)?]) {
        self.appVersion = appVersion
        self.members = members.compactMapValues(\.self)
    }

    subscript(key: String) -> (any JSONConvertible)? {
        get { members[key] }
        set { members[key] = newValue }
    }

    /// Absent members are null or left out.
    func json(hasNulls: Bool, hasNumericTime: Bool) -> JSON {
        var members = members
        members["ts"] = hasNumericTime ? time : time.text(alwaysWithMilliseconds: true)
        members["app_version"] = appVersion
        return .object(
            Self.keys.compactMap { key in
                (members[key]?.json ?? (hasNulls ? .null : nil)).map { (key, $0) }
            }
        )
    }
}

/// An error as StoreKit hands it to an app.
struct ClientError: JSONConvertible {
    let json: JSON

    init(_ domain: String, _ code: Int, _ message: String) {
        json = ["domain": domain, "code": code, "message": message]
    }

    private init(_ error: ClientError, underlying: JSON) {
        json = JSON(joining: error.json, ["underlying": [underlying]])
    }

    func caused(by domain: String, _ code: Int) -> ClientError {
        ClientError(self, underlying: ["domain": domain, "code": code])
    }

    static let storeUnreachable = ClientError("ASDErrorDomain", 500, "Unhandled exception “ASDServerErrorDomain”")
        .caused(by: "AMSErrorDomain", 301)
    static let cancelled = ClientError("SKErrorDomain", 2, "The operation couldn’t be completed.")
    static let cannotConnect = ClientError("SKErrorDomain", 0, "Cannot connect to iTunes Store")
        .caused(by: "NSURLErrorDomain", -1009)
    static let cancelledSheet = ClientError("SKErrorDomain", 907, "不明なエラーが発生しました 🛒")
        .caused(by: "AMSErrorDomain", 6)
    static let unavailable = ClientError("SKErrorDomain", 5, "Produit indisponible « store »")
    static let notAllowed = ClientError("SKErrorDomain", 4, "Käufe sind auf diesem Gerät gesperrt")
    static let timedOut = ClientError("NSURLErrorDomain", -1001, "要求がタイムアウトしました。")
    static let offline = ClientError("NSURLErrorDomain", -1009, "Pas de connexion à Internet")
    static let signInFailed = ClientError("SSServerErrorDomain", 5020, "Forgot your password?\n\"Try again\"")
    static let invalidChain = ClientError("VerificationResult.VerificationError", 1, "invalidCertificateChain")

    /// Failures of an ordinary day; a cancellation is the most common one by far.
    static let everyday: [ClientError] = [
        .cancelled, .cancelled, .cancelled, .cancelled, .cannotConnect, .cannotConnect, .cancelledSheet, .unavailable,
        .notAllowed, .timedOut, .offline, .signInFailed, .storeUnreachable,
    ]
}
