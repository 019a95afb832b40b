import TillCore

/// verifyReceipt responses of the form that iOS 7 introduced, as a server would have logged them.
struct VerifySamples {
    private let seed: UInt64
    private let customers: [Customer]
    private let random: SplitMix64

    init(_ clientele: Clientele) {
        seed = clientele.seed
        // The last five customers have app receipts only.
        customers = clientele.customers.dropLast(5)
        random = clientele.random("verify")
    }

    func files() throws -> [SampleFile] {
        [
            SampleFile("verify/responses.ndjson", lines: try responses()),
            SampleFile(
                "verify/pretty.json",
                text: loosened(try response(customers[0].snapshot(at: .utc(2026, 3, 3)))).pretty + "\n"
            ),
            SampleFile("verify/array.json", text: "[\n" + (try array()).joined(separator: ",\n") + "\n]\n"),
        ]
    }

    /// The lines of the log in order of time.
    func responses() throws -> [String] {
        var log: [(instant: Timestamp, response: JSON)] = []
        for customer in customers {
            for snapshot in snapshots(of: customer) {
                let requestID = random.hexadecimal(16)
                let logged = snapshot.instant.adding(seconds: 1, milliseconds: random.number(in: 0...999))
                if customer.isSandbox {
                    // Production refuses a receipt of the sandbox first.
                    let refused = logged.adding(seconds: -1)
                    log.append((refused, logging(["status": 21_007], at: refused, requestID)))
                }
                log.append((logged, logging(try response(snapshot), at: logged, requestID)))
            }
        }
        return (log + failures()).sorted { $0.instant < $1.instant }.map(\.response.compact)
    }

    /// Two or three looks at one customer; the later ones repeat the purchases of the earlier ones.
    private func snapshots(of customer: Customer) -> [Snapshot] {
        let first = (customer.purchases.first?.date ?? customer.installed).adding(minutes: 2)
        let last = Timestamp.utc(2026, 3, 12).adding(minutes: random.number(in: 0...18 * 1440))
        let between = first.adding(days: 16, minutes: random.number(in: 0...1440))
        let instants = random.chance(40) ? [first, between, last] : [first, last]
        return instants.filter { $0 <= last }.map(customer.snapshot)
    }

    private func array() throws -> [String] {
        try customers.suffix(3).map { customer in
            let instant = Timestamp.utc(2026, 3, 30).adding(minutes: random.number(in: 0...1440))
            let response = try response(customer.snapshot(at: instant))
            return logging(response, at: instant, random.hexadecimal(16)).compact
        }
    }

    /// Statuses other than 0, two of them with a receipt: 21006 means "valid but expired" and has one, 21003 should
    /// not.
    private func failures() -> [(Timestamp, JSON)] {
        let codes = random.shuffled([21_002, 21_002, 21_002, 21_003, 21_003, 21_005, 21_005, 21_007])
        let bare = codes.map { code in
            let instant = Timestamp.utc(2026, 1, 5)
                .adding(minutes: random.number(in: 0...84 * 1440), milliseconds: 417)
            let response: JSON = ["status": code, "is-retryable": code == 21_005 ? true : nil]
            return (instant, logging(response, at: instant, random.hexadecimal(16)))
        }
        let lapsed = customers.first { customer in
            customer.purchases.compactMap(\.expires).max().map { $0 < .utc(2026, 3, 31) } ?? false
        }
        let unlocked = customers.first { $0.purchases.last?.product.type == .nonConsumable }
        let withReceipt = [(21_006, lapsed), (21_003, unlocked)].map { code, customer in
            let instant = Timestamp.utc(2026, 3, 31).adding(minutes: random.number(in: 0...1000))
            let response: JSON = [
                "status": code, "environment": customer.map { _ in "Production" },
                "receipt": customer.map { receipt($0.snapshot(at: instant)) },
            ]
            return (instant, logging(response, at: instant, random.hexadecimal(16)))
        }
        return bare + withReceipt
    }

    private func logging(_ response: JSON, at instant: Timestamp, _ requestID: String) -> JSON {
        JSON(joining: ["logged_at_ms": instant, "request_id": requestID], response)
    }
}

// MARK: - Success

extension VerifySamples {
    /// A response with status 0.
    private func response(_ snapshot: Snapshot) throws -> JSON {
        let response: JSON = [
            "status": 0, "environment": snapshot.customer.environment, "receipt": receipt(snapshot),
        ]
        let periods = snapshot.purchases.filter(\.isSubscription)
        guard let latest = periods.last else { return response }

        let isRunning = latest.expires.map { $0 > snapshot.instant } ?? false
        return JSON(
            joining: response,
            [
                "latest_receipt_info": periods.reversed().map { Self.transaction($0, isLatest: true) },
                "latest_receipt": try AppReceipt(snapshot: snapshot, seed: seed).base64,
                "pending_renewal_info": [Self.renewal(of: latest, isRunning: isRunning)],
            ]
        )
    }

    private func receipt(_ snapshot: Snapshot) -> JSON {
        JSON(
            joining: [
                "receipt_type": snapshot.receiptType, "adam_id": snapshot.appID, "app_item_id": snapshot.appID,
                "bundle_id": snapshot.customer.app.bundleID, "application_version": snapshot.appVersion,
                "download_id": snapshot.downloadID, "version_external_identifier": snapshot.versionID,
            ],
            Self.date("receipt_creation_date", snapshot.instant.adding(seconds: -20)),
            Self.date("request_date", snapshot.instant.adding(milliseconds: 417)),
            Self.date("original_purchase_date", snapshot.installed),
            [
                "original_application_version": snapshot.originalAppVersion,
                "in_app": snapshot.purchases.map { Self.transaction($0, isLatest: false) },
            ]
        )
    }

    /// An element of `in_app`, or of `latest_receipt_info`, which has more members.
    static func transaction(_ purchase: Purchase, isLatest: Bool) -> JSON {
        JSON(
            joining: [
                "quantity": String(purchase.quantity), "product_id": purchase.product.id,
                "transaction_id": String(purchase.id), "original_transaction_id": String(purchase.originalID),
            ],
            date("purchase_date", purchase.date),
            date("original_purchase_date", purchase.originalDate),
            date("expires_date", purchase.expires),
            [
                "web_order_line_item_id": purchase.webOrderLineItemID.map { String($0) },
                "is_trial_period": String(purchase.isTrial),
                "is_in_intro_offer_period": purchase.isSubscription ? String(purchase.isIntroductory) : nil,
            ],
            date("cancellation_date", purchase.cancelled),
            [
                "cancellation_reason": purchase.cancelled.map { _ in String(purchase.cancellationReason) },
                "in_app_ownership_type": purchase.ownership,
                "subscription_group_identifier": isLatest ? String(purchase.product.group) : nil,
                "is_upgraded": isLatest && purchase.isUpgraded ? "true" : nil,
            ]
        )
    }

    /// An element of `pending_renewal_info`.
    static func renewal(of latest: Purchase, isRunning: Bool) -> JSON {
        [
            "auto_renew_product_id": latest.product.id, "product_id": latest.product.id,
            "original_transaction_id": String(latest.originalID), "auto_renew_status": isRunning ? "1" : "0",
            "expiration_intent": isRunning ? nil : "1", "is_in_billing_retry_period": isRunning ? nil : "0",
        ]
    }

    /// Apple's three spellings of one date.
    private static func date(_ key: String, _ instant: Timestamp?) -> JSON {
        guard let instant else { return [:] }
        return [
            key: instant.gmtText, key + "_ms": instant.millisecondsText, key + "_pst": instant.losAngelesText,
        ]
    }

    /// The same response as a less careful proxy would pass it on: numbers, booleans and null where Apple writes
    /// strings, strings and null where Apple writes numbers.
    private func loosened(_ value: JSON, under key: String = "") -> JSON {
        switch (value, key) {
        case (.object(let members), _): .object(members.map { ($0.key, loosened($0.value, under: $0.key)) })
        case (.array(let values), _): .array(values.map { loosened($0) })
        case (_, "download_id"), (_, "web_order_line_item_id"): .null
        case (.number(let number), "status"): .string(String(number))
        case (.string(let text), "is_trial_period"), (.string(let text), "is_in_intro_offer_period"):
            .boolean(text == "true")
        case (.string(let text), "quantity"), (.string(let text), "transaction_id"),
            (.string(let text), "original_transaction_id"), (.string(let text), "auto_renew_status"):
            Int(text)?.json ?? value
        case (.string(let text), _) where key.hasSuffix("_ms"): Int(text)?.json ?? value
        default: value
        }
    }
}
