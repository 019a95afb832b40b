import TillCore

/// What a server received from the App Store: notifications of both versions.
struct NotificationSamples {
    private var random: SplitMix64
    private let jws: SignedJWS
    private let customers: [Customer]
    private static let end = Timestamp.utc(2026, 3, 31)

    init(seed: UInt64, clientele: Clientele) {
        random = SplitMix64(seed: seed, stream: "notification")
        jws = SignedJWS()
        customers = Array(clientele.customers.prefix(Story.allCases.count))
    }

    mutating func files() throws -> [SampleFile] {
        let bodies = try secondVersion()
        let signed = try bodies.map { body in
            JSONValue.object([("signedPayload", .string(try jws.text(of: body.compact())))]).compact()
        }
        return [
            SampleFile(
                path: "notification/v2.ndjson",
                shows: "App Store Server Notifications, version 2, as Apple posts them: purchases, renewals, refunds, "
                    + "a refund undone, a summary, a token, a test, one delivered twice; signed with a test key",
                lines: signed + signed.suffix(1)
            ),
            SampleFile(
                path: "notification/v2-decoded.json",
                shows: "the first of them decoded, with its nested payloads still signed",
                text: bodies[0].pretty() + "\n"
            ),
            SampleFile(
                path: "notification/v1.ndjson",
                shows: "notifications of version 1, old and new shapes, each with a made-up shared secret that must "
                    + "never come out again",
                lines: firstVersion().map { $0.compact() }
            ),
        ]
    }
}

// MARK: - Version 2

extension NotificationSamples {
    /// In order of time, with what has no time of its own at the end.
    private mutating func secondVersion() throws -> [JSONValue] {
        var bodies: [(instant: Timestamp, body: JSONValue)] = []
        for customer in customers {
            for purchase in customer.snapshot(at: Self.end).purchases {
                guard purchase.isSubscription || purchase.product.type == .consumable else { continue }
                bodies.append(try notification(of: purchase, customer))
                guard purchase.cancelled != nil, !purchase.isUpgraded else { continue }
                bodies.append(try refund(of: purchase, customer))
            }
        }
        bodies.sort { $0.instant < $1.instant }
        // One refund of a consumable turns out to be a mistake.
        let refunded = customers.flatMap { customer in
            customer.purchases.filter { $0.cancelled != nil && $0.product.type == .consumable }.map { (customer, $0) }
        }
        if let (customer, purchase) = refunded.first { bodies.append(try reversal(of: purchase, customer)) }
        return bodies.map(\.body) + others()
    }

    private mutating func notification(of purchase: Purchase, _ customer: Customer) throws -> (Timestamp, JSONValue) {
        let isFirst = purchase.id == purchase.originalID
        let type = !purchase.isSubscription ? "ONE_TIME_CHARGE" : isFirst ? "SUBSCRIBED" : "DID_RENEW"
        let subtype = purchase.isSubscription && isFirst ? "INITIAL_BUY" : nil
        let instant = purchase.date.adding(seconds: 3, milliseconds: random.number(in: 0...999))
        // Nothing of what happens later is known yet.
        var now = purchase
        (now.cancelled, now.isUpgraded) = (nil, false)
        return (instant, try body(type, subtype, about: now, of: customer, at: instant))
    }

    private mutating func refund(of purchase: Purchase, _ customer: Customer) throws -> (Timestamp, JSONValue) {
        let instant = (purchase.cancelled ?? purchase.date).adding(minutes: random.number(in: 1...30))
        return (instant, try body("REFUND", nil, about: purchase, of: customer, at: instant))
    }

    private mutating func reversal(of purchase: Purchase, _ customer: Customer) throws -> (Timestamp, JSONValue) {
        let instant = Timestamp.utc(2026, 3, 30, hour: 8)
        var restored = purchase
        restored.cancelled = nil
        return (instant, try body("REFUND_REVERSED", nil, about: restored, of: customer, at: instant))
    }

    private mutating func body(
        _ type: String,
        _ subtype: String?,
        about purchase: Purchase,
        of customer: Customer,
        at instant: Timestamp
    ) throws -> JSONValue {
        let payload = StoreKitPayload(customer: customer, signedAt: instant)
        let transaction = try jws.text(of: payload.transaction(purchase).compact())
        var data = app(of: customer) + [("signedTransactionInfo", .string(transaction))]
        if purchase.isSubscription {
            let renewal = try jws.text(of: payload.renewal(of: purchase).compact())
            data += [("signedRenewalInfo", .string(renewal)), ("status", .number(1))]
        }
        return envelope(type, subtype, ("data", .object(data)), at: instant)
    }

    private func app(of customer: Customer) -> [(key: String, value: JSONValue)] {
        [
            ("environment", .string(customer.isSandbox ? "Sandbox" : "Production")),
            ("appAppleId", .number(customer.app.id)),
            ("bundleId", .string(customer.app.bundleID)),
            ("bundleVersion", .string(customer.app.versions[0])),
        ]
    }

    private mutating func envelope(
        _ type: String,
        _ subtype: String?,
        _ subject: (key: String, value: JSONValue),
        at instant: Timestamp
    ) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [("notificationType", .string(type))]
        if let subtype { members.append(("subtype", .string(subtype))) }
        let uuid = [8, 4, 4, 4, 12].map { random.hexadecimal($0) }.joined(separator: "-")
        members += [
            ("notificationUUID", .string(uuid)), subject, ("version", .string("2.0")),
            ("signedDate", StoreKitPayload.date(instant)),
        ]
        return .object(members)
    }

    /// Notifications that are about no transaction.
    private mutating func others() -> [JSONValue] {
        let instant = Timestamp.utc(2026, 3, 31, hour: 7)
        let app = Array(app(of: customers[0]).prefix(3))
        let summary: [(key: String, value: JSONValue)] = [
            ("productId", .string(Shop.monthly.id)),
            ("storefrontCountryCodes", .array(Shop.lumen.storefronts.map { .string($0) })),
            ("succeededCount", .number(51)), ("failedCount", .number(2)),
        ]
        let token: [(key: String, value: JSONValue)] = [
            ("externalPurchaseId", .string(random.hexadecimal(32))),
            ("tokenCreationDate", StoreKitPayload.date(instant)), ("bundleId", .string(Shop.lumen.bundleID)),
        ]
        return [
            envelope("RENEWAL_EXTENSION", "SUMMARY", ("summary", .object(app + summary)), at: instant),
            envelope("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", ("externalPurchaseToken", .object(token)), at: instant),
            envelope("TEST", nil, ("data", .object(app)), at: instant),
        ]
    }
}

// MARK: - Version 1

extension NotificationSamples {
    private func firstVersion() -> [JSONValue] {
        let subscribers = customers.filter { customer in customer.purchases.contains(where: \.isSubscription) }
        return subscribers.enumerated().map { number, customer in
            let periods = customer.snapshot(at: Self.end).purchases.filter(\.isSubscription)
            return number % 2 == 0 ? oldShape(periods, customer) : newShape(periods, customer)
        }
    }

    private func head(_ type: String, _ customer: Customer) -> [(key: String, value: JSONValue)] {
        [
            ("notification_type", .string(type)),
            ("password", .string(String(repeating: "0", count: 32))),
            ("environment", .string(customer.isSandbox ? "Sandbox" : "PROD")),
        ]
    }

    /// The newest transaction alone, with its app, in the words of iOS 6; the renewal state at the top level.
    private func oldShape(_ periods: [Purchase], _ customer: Customer) -> JSONValue {
        let latest = periods[periods.count - 1]
        let row = VerifySamples.transaction(latest, isLatest: false)
            .adding("bid", .string(customer.app.bundleID)).adding("bvrs", .string(customer.app.versions[0]))
        return .object(
            head(latest.cancelled == nil ? "RENEWAL" : "CANCEL", customer) + [
                ("auto_renew_status", .string(latest.cancelled == nil ? "true" : "false")),
                ("auto_renew_product_id", .string(latest.product.id)),
                ("latest_receipt_info", row),
            ]
        )
    }

    /// Everything in `unified_receipt`, the renewal state in a list.
    private func newShape(_ periods: [Purchase], _ customer: Customer) -> JSONValue {
        let latest = periods[periods.count - 1]
        let renewal: [(key: String, value: JSONValue)] = [
            ("auto_renew_product_id", .string(latest.product.id)), ("product_id", .string(latest.product.id)),
            ("original_transaction_id", .string(String(latest.originalID))), ("auto_renew_status", .string("1")),
        ]
        let rows = periods.reversed().map { VerifySamples.transaction($0, isLatest: true) }
        let receipt: [(key: String, value: JSONValue)] = [
            ("status", .number(0)),
            ("environment", .string(customer.isSandbox ? "Sandbox" : "Production")),
            ("latest_receipt_info", .array(rows)),
            ("pending_renewal_info", .array([.object(renewal)])),
        ]
        return .object(
            head("DID_RENEW", customer) + [
                ("bid", .string(customer.app.bundleID)), ("bvrs", .string(customer.app.versions[0])),
                ("auto_renew_status", .string("true")), ("unified_receipt", .object(receipt)),
            ]
        )
    }
}
