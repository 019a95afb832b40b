import TillCore

/// App Store Server Notifications of both versions, as a server received them.
struct NotificationSamples {
    private static let end = Timestamp.utc(2026, 3, 31)

    private let random: SplitMix64
    private let customers: ArraySlice<Customer>

    init(_ clientele: Clientele) {
        random = clientele.random("notification")
        customers = clientele.cast
    }

    func files() throws -> [SampleFile] {
        let bodies = try secondVersion()
        let signed = try bodies.map { body in
            (["signedPayload": try SignedJWS.store.text(of: body.compact)] as JSON).compact
        }
        return [
            SampleFile("notification/v2.ndjson", lines: signed + signed.suffix(1)),
            SampleFile("notification/v2-decoded.json", text: bodies[0].pretty + "\n"),
            SampleFile("notification/v1.ndjson", lines: firstVersion().map(\.compact)),
        ]
    }
}

// MARK: - Version 2

extension NotificationSamples {
    private typealias Notification = (instant: Timestamp, body: JSON)

    /// In order of time, with those about no transaction at the end.
    private func secondVersion() throws -> [JSON] {
        var notifications: [Notification] = []
        for customer in customers {
            for purchase in customer.snapshot(at: Self.end).purchases {
                guard purchase.isSubscription || purchase.product.type == .consumable else { continue }
                notifications.append(try sale(purchase, customer))
                guard let cancelled = purchase.cancelled, !purchase.isUpgraded else { continue }
                let instant = cancelled.adding(minutes: random.number(in: 1...30))
                notifications.append(try notification("REFUND", about: purchase, of: customer, at: instant))
            }
        }
        notifications.sort { $0.instant < $1.instant }
        // One refund of a consumable turns out to be a mistake.
        let refunded = customers.flatMap { customer in
            customer.purchases.filter { $0.cancelled != nil && $0.product.type == .consumable }.map { (customer, $0) }
        }
        if let (customer, purchase) = refunded.first {
            let instant = Timestamp.utc(2026, 3, 30, hour: 8)
            notifications.append(
                try notification("REFUND_REVERSED", about: purchase.uncancelled, of: customer, at: instant)
            )
        }
        return notifications.map(\.body) + others()
    }

    /// The notification right after a sale, which tells no later refund.
    private func sale(_ purchase: Purchase, _ customer: Customer) throws -> Notification {
        let isFirst = purchase.id == purchase.originalID
        let type = !purchase.isSubscription ? "ONE_TIME_CHARGE" : isFirst ? "SUBSCRIBED" : "DID_RENEW"
        let subtype = purchase.isSubscription && isFirst ? "INITIAL_BUY" : nil
        let instant = purchase.date.adding(seconds: 3, milliseconds: random.number(in: 0...999))
        return try notification(type, subtype, about: purchase.uncancelled, of: customer, at: instant)
    }

    private func notification(
        _ type: String,
        _ subtype: String? = nil,
        about purchase: Purchase,
        of customer: Customer,
        at instant: Timestamp
    ) throws -> Notification {
        let payload = StoreKitPayload(customer: customer, signedAt: instant)
        let isSubscription = purchase.isSubscription
        let data = JSON(
            joining: app(of: customer),
            [
                "bundleVersion": customer.app.versions[0],
                "signedTransactionInfo": try SignedJWS.store.text(of: payload.transaction(purchase).compact),
                "signedRenewalInfo": isSubscription
                    ? try SignedJWS.store.text(of: payload.renewal(of: purchase).compact) : nil,
                "status": isSubscription ? 1 : nil,
            ]
        )
        return (instant, envelope(type, subtype, ["data": data], at: instant))
    }

    private func app(of customer: Customer) -> JSON {
        ["environment": customer.environment, "appAppleId": customer.app.id, "bundleId": customer.app.bundleID]
    }

    private func envelope(_ type: String, _ subtype: String?, _ subject: JSON, at instant: Timestamp) -> JSON {
        let uuid = [8, 4, 4, 4, 12].map(random.hexadecimal).joined(separator: "-")
        return JSON(
            joining: ["notificationType": type, "subtype": subtype, "notificationUUID": uuid],
            subject,
            ["version": "2.0", "signedDate": instant]
        )
    }

    /// Notifications that are about no transaction.
    private func others() -> [JSON] {
        let instant = Timestamp.utc(2026, 3, 31, hour: 7)
        let app = app(of: customers[0])
        let summary: JSON = [
            "productId": Shop.monthly.id, "storefrontCountryCodes": Shop.lumen.storefronts,
            "succeededCount": 51, "failedCount": 2,
        ]
        let token: JSON = [
            "externalPurchaseId": random.hexadecimal(32), "tokenCreationDate": instant,
            "bundleId": Shop.lumen.bundleID,
        ]
        return [
            envelope("RENEWAL_EXTENSION", "SUMMARY", ["summary": JSON(joining: app, summary)], at: instant),
            envelope("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", ["externalPurchaseToken": token], at: instant),
            envelope("TEST", nil, ["data": app], at: instant),
        ]
    }
}

// MARK: - Version 1

extension NotificationSamples {
    /// One notification for each subscriber, in the old and the new shape by turns.
    private func firstVersion() -> [JSON] {
        customers.compactMap { customer in
            let periods = customer.snapshot(at: Self.end).purchases.filter(\.isSubscription)
            return periods.last.map { (customer, periods, $0) }
        }
        .enumerated().map { number, subscriber in
            let (customer, periods, latest) = subscriber
            return number % 2 == 0 ? oldShape(latest, customer) : newShape(periods, latest, customer)
        }
    }

    private func head(_ type: String, _ customer: Customer) -> JSON {
        [
            "notification_type": type, "password": String(repeating: "0", count: 32),
            "environment": customer.isSandbox ? "Sandbox" : "PROD",
        ]
    }

    /// The newest transaction alone, with its app, under the keys of iOS 6; the renewal state at the top level.
    private func oldShape(_ latest: Purchase, _ customer: Customer) -> JSON {
        let isCancelled = latest.cancelled != nil
        let row = JSON(
            joining: VerifySamples.transaction(latest, isLatest: false),
            ["bid": customer.app.bundleID, "bvrs": customer.app.versions[0]]
        )
        return JSON(
            joining: head(isCancelled ? "CANCEL" : "RENEWAL", customer),
            [
                "auto_renew_status": isCancelled ? "false" : "true", "auto_renew_product_id": latest.product.id,
                "latest_receipt_info": row,
            ]
        )
    }

    /// Everything in `unified_receipt`, the renewal state in a list.
    private func newShape(_ periods: [Purchase], _ latest: Purchase, _ customer: Customer) -> JSON {
        let receipt: JSON = [
            "status": 0, "environment": customer.environment,
            "latest_receipt_info": periods.reversed().map { VerifySamples.transaction($0, isLatest: true) },
            "pending_renewal_info": [VerifySamples.renewal(of: latest, isRunning: true)],
        ]
        return JSON(
            joining: head("DID_RENEW", customer),
            [
                "bid": customer.app.bundleID, "bvrs": customer.app.versions[0], "auto_renew_status": "true",
                "unified_receipt": receipt,
            ]
        )
    }
}
