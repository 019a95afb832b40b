import TillCore

/// verifyReceipt responses of the form that iOS 7 brought, each as a server would have logged it.
struct VerifySamples {
    private var random: SplitMix64
    private let seed: UInt64
    private let customers: [Customer]

    init(seed: UInt64, clientele: Clientele) {
        self.seed = seed
        random = SplitMix64(seed: seed, stream: "verify")
        // The last five are left for app receipts alone.
        customers = Array(clientele.customers.dropLast(5))
    }

    mutating func files() throws -> [SampleFile] {
        let responses = try responses()
        return [
            SampleFile(
                path: "verify/responses.ndjson",
                shows: "one response a line: trials, introductory prices, renewals, restores, refunds, family sharing, "
                    + "an upgrade, the sandbox; the same customers again and again; failed verifications",
                lines: responses.map { $0.compact() }
            ),
            SampleFile(
                path: "verify/pretty.json",
                shows: "one response over many lines, with numbers, booleans and null where strings are usual",
                text: loosened(try succeeded(customers[0].snapshot(at: Timestamp.utc(2026, 3, 3)))).pretty() + "\n"
            ),
            SampleFile(
                path: "verify/array.json",
                shows: "three responses in one JSON array",
                text: "[\n" + (try array()).map { $0.compact() }.joined(separator: ",\n") + "\n]\n"
            ),
        ]
    }

    /// The log in order of time.
    mutating func responses() throws -> [JSONValue] {
        var log: [(instant: Timestamp, response: JSONValue)] = []
        for customer in customers {
            for snapshot in snapshots(of: customer) {
                let requestID = random.hexadecimal(16)
                let logged = snapshot.instant.adding(seconds: 1, milliseconds: random.number(in: 0...999))
                if customer.isSandbox {
                    // Production is asked first; it sends the receipt on to the sandbox.
                    let refused = logged.adding(seconds: -1)
                    log.append((refused, logging(.object(status(21_007)), at: refused, requestID: requestID)))
                }
                log.append((logged, logging(try succeeded(snapshot), at: logged, requestID: requestID)))
            }
        }
        log += failures()
        return log.sorted { $0.instant < $1.instant }.map(\.response)
    }

    /// Two or three looks at one customer; the later ones repeat the purchases of the earlier ones.
    private mutating func snapshots(of customer: Customer) -> [Snapshot] {
        let first = (customer.purchases.first?.date ?? customer.installed).adding(minutes: 2)
        let last = Timestamp.utc(2026, 3, 12).adding(minutes: random.number(in: 0...18 * 1440))
        let between = first.adding(days: 16, minutes: random.number(in: 0...1440))
        let instants = random.chance(40) ? [first, between, last] : [first, last]
        return instants.filter { $0 <= last }.map { customer.snapshot(at: $0) }
    }

    private mutating func array() throws -> [JSONValue] {
        try customers.suffix(3).map { customer in
            let instant = Timestamp.utc(2026, 3, 30).adding(minutes: random.number(in: 0...1440))
            return logging(
                try succeeded(customer.snapshot(at: instant)),
                at: instant,
                requestID: random.hexadecimal(16)
            )
        }
    }
}

// MARK: - Failures

extension VerifySamples {
    private mutating func failures() -> [(Timestamp, JSONValue)] {
        var codes = [21_002, 21_002, 21_002, 21_003, 21_003, 21_005, 21_005, 21_007]
        codes = random.shuffled(codes)
        var log = codes.map { code in
            let instant = someTime()
            var members = status(code)
            if code == 21_005 { members.append(("is-retryable", .boolean(true))) }
            return (instant, logging(.object(members), at: instant, requestID: random.hexadecimal(16)))
        }
        log.append(carrying(21_006, customers.first { $0.subscriptionEnd < Timestamp.utc(2026, 3, 31) }))
        log.append(carrying(21_003, customers.first { $0.purchases.last?.product.type == .nonConsumable }))
        return log
    }

    /// A status other than 0 with a whole receipt beside it: 21006 means "valid but expired", the others withhold it.
    private mutating func carrying(_ code: Int, _ customer: Customer?) -> (Timestamp, JSONValue) {
        let instant = Timestamp.utc(2026, 3, 31).adding(minutes: random.number(in: 0...1000))
        var members = status(code)
        if let customer {
            members.append(("environment", .string("Production")))
            members.append(("receipt", receipt(customer.snapshot(at: instant))))
        }
        return (instant, logging(.object(members), at: instant, requestID: random.hexadecimal(16)))
    }

    private mutating func someTime() -> Timestamp {
        Timestamp.utc(2026, 1, 5).adding(minutes: random.number(in: 0...84 * 1440), milliseconds: 417)
    }

    private func status(_ code: Int) -> [(key: String, value: JSONValue)] {
        [("status", .number(code))]
    }

    private func logging(_ response: JSONValue, at instant: Timestamp, requestID: String) -> JSONValue {
        guard case .object(let members) = response else { return response }
        return .object(
            [("logged_at_ms", .number(Int(instant.milliseconds))), ("request_id", .string(requestID))] + members
        )
    }
}

extension Customer {
    /// When the last period ends; never, for those who do not subscribe.
    fileprivate var subscriptionEnd: Timestamp {
        purchases.compactMap(\.expires).max() ?? Timestamp.utc(4001, 1, 1)
    }
}

// MARK: - Success

extension VerifySamples {
    /// A response with status 0.
    private func succeeded(_ snapshot: Snapshot) throws -> JSONValue {
        var response: [(key: String, value: JSONValue)] = [
            ("status", .number(0)),
            ("environment", .string(snapshot.customer.isSandbox ? "Sandbox" : "Production")),
            ("receipt", receipt(snapshot)),
        ]
        let periods = snapshot.purchases.filter(\.isSubscription)
        guard let latest = periods.last else { return .object(response) }

        let encoded = try AppReceipt(snapshot: snapshot, seed: seed).base64
        let rows = periods.reversed().map { Self.transaction($0, isLatest: true) }
        response.append(("latest_receipt_info", .array(rows)))
        response.append(("latest_receipt", .string(encoded)))
        response.append(("pending_renewal_info", .array([renewal(latest, at: snapshot.instant)])))
        return .object(response)
    }

    private func receipt(_ snapshot: Snapshot) -> JSONValue {
        let customer = snapshot.customer
        let members: [(key: String, value: JSONValue)] =
            [
                ("receipt_type", .string(snapshot.receiptType)),
                ("adam_id", .number(snapshot.appID)),
                ("app_item_id", .number(snapshot.appID)),
                ("bundle_id", .string(customer.app.bundleID)),
                ("application_version", .string(snapshot.appVersion)),
                ("download_id", customer.isSandbox ? .number(0) : .number(customer.downloadID)),
                ("version_external_identifier", .number(customer.isSandbox ? 0 : 840_000_117)),
            ]
            + Self.date("receipt_creation_date", snapshot.instant.adding(seconds: -20))
            + Self.date("request_date", snapshot.instant.adding(milliseconds: 417))
            + Self.date("original_purchase_date", snapshot.installed)
            + [
                ("original_application_version", .string(snapshot.originalAppVersion)),
                ("in_app", .array(snapshot.purchases.map { Self.transaction($0, isLatest: false) })),
            ]
        return .object(members)
    }

    /// An element of `in_app`, or of `latest_receipt_info`, which knows more.
    static func transaction(_ purchase: Purchase, isLatest: Bool) -> JSONValue {
        var members: [(key: String, value: JSONValue)] =
            [
                ("quantity", .string(String(purchase.quantity))),
                ("product_id", .string(purchase.product.id)),
                ("transaction_id", .string(String(purchase.id))),
                ("original_transaction_id", .string(String(purchase.originalID))),
            ]
            + date("purchase_date", purchase.date)
            + date("original_purchase_date", purchase.originalDate)
        if let expires = purchase.expires { members += date("expires_date", expires) }
        if let item = purchase.webOrderLineItemID {
            members.append(("web_order_line_item_id", .string(String(item))))
        }
        members.append(("is_trial_period", .string(String(purchase.isTrial))))
        if purchase.isSubscription {
            members.append(("is_in_intro_offer_period", .string(String(purchase.isIntroductory))))
        }
        if let cancelled = purchase.cancelled {
            members += date("cancellation_date", cancelled)
            members.append(("cancellation_reason", .string(String(purchase.cancellationReason))))
        }
        members.append(("in_app_ownership_type", .string(purchase.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED")))
        if isLatest {
            members.append(("subscription_group_identifier", .string(String(purchase.product.group))))
            if purchase.isUpgraded { members.append(("is_upgraded", .string("true"))) }
        }
        return .object(members)
    }

    private func renewal(_ latest: Purchase, at instant: Timestamp) -> JSONValue {
        let isRunning = latest.expires.map { $0 > instant } ?? false
        var members: [(key: String, value: JSONValue)] = [
            ("auto_renew_product_id", .string(latest.product.id)),
            ("product_id", .string(latest.product.id)),
            ("original_transaction_id", .string(String(latest.originalID))),
            ("auto_renew_status", .string(isRunning ? "1" : "0")),
        ]
        if !isRunning {
            members.append(("expiration_intent", .string("1")))
            members.append(("is_in_billing_retry_period", .string("0")))
        }
        return .object(members)
    }

    /// Apple's three spellings of one date.
    private static func date(_ key: String, _ instant: Timestamp) -> [(key: String, value: JSONValue)] {
        [
            (key, .string(instant.gmtText)),
            (key + "_ms", .string(String(instant.milliseconds))),
            (key + "_pst", .string(instant.losAngelesText)),
        ]
    }
}

// MARK: - Other types than usual

extension VerifySamples {
    /// The same response as a less careful proxy would pass it on: what Apple writes as strings comes as numbers and
    /// booleans, what it writes as numbers as strings or null.
    private func loosened(_ value: JSONValue, under key: String = "") -> JSONValue {
        switch value {
        case .object(let members): .object(members.map { ($0.key, loosened($0.value, under: $0.key)) })
        case .array(let values): .array(values.map { loosened($0) })
        case .string(let text): loosened(text, under: key)
        case .number(let number):
            key == "download_id" ? .null : key == "status" ? .string(String(number)) : value
        case .boolean, .null: value
        }
    }

    private func loosened(_ text: String, under key: String) -> JSONValue {
        switch key {
        case "is_trial_period", "is_in_intro_offer_period": .boolean(text == "true")
        case "web_order_line_item_id": .null
        case "quantity", "transaction_id", "original_transaction_id", "auto_renew_status": number(text)
        case _ where key.hasSuffix("_ms"): number(text)
        default: .string(text)
        }
    }

    private func number(_ text: String) -> JSONValue {
        Int(text).map { .number($0) } ?? .string(text)
    }
}
