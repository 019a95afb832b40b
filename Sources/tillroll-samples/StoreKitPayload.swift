import TillCore

/// The payloads of StoreKit 2, as the App Store would sign them at an instant.
struct StoreKitPayload {
    let customer: Customer
    let signedAt: Timestamp

    private var environment: JSONValue { .string(customer.isSandbox ? "Sandbox" : "Production") }

    func transaction(_ purchase: Purchase) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("transactionId", .string(String(purchase.id))),
            ("originalTransactionId", .string(String(purchase.originalID))),
        ]
        if let item = purchase.webOrderLineItemID { members.append(("webOrderLineItemId", .string(String(item)))) }
        members += [
            ("bundleId", .string(customer.app.bundleID)),
            ("productId", .string(purchase.product.id)),
            ("purchaseDate", Self.date(purchase.date)),
            ("originalPurchaseDate", Self.date(purchase.originalDate)),
        ]
        if let expires = purchase.expires { members.append(("expiresDate", Self.date(expires))) }
        members += [
            ("quantity", .number(purchase.quantity)),
            ("type", .string(purchase.product.type.storeKitName)),
            ("inAppOwnershipType", .string(purchase.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED")),
            ("signedDate", Self.date(signedAt)),
        ]
        if let cancelled = purchase.cancelled {
            members += [
                ("revocationReason", .number(purchase.cancellationReason)), ("revocationDate", Self.date(cancelled)),
            ]
        }
        if purchase.isUpgraded { members.append(("isUpgraded", .boolean(true))) }
        if purchase.isTrial || purchase.isIntroductory {
            members += [
                ("offerType", .number(1)),
                ("offerDiscountType", .string(purchase.isTrial ? "FREE_TRIAL" : "PAY_AS_YOU_GO")),
            ]
        }
        let isRenewal = purchase.isSubscription && purchase.id != purchase.originalID
        members += [
            ("environment", environment),
            ("transactionReason", .string(isRenewal ? "RENEWAL" : "PURCHASE")),
            ("storefront", .string(customer.app.storefronts[0])),
        ]
        if let (currency, milliunits) = purchase.total {
            members += [("price", .number(milliunits)), ("currency", .string(currency))]
        }
        return .object(members)
    }

    /// What comes after the last period known at the instant.
    func renewal(of latest: Purchase) -> JSONValue {
        let isRunning = latest.expires.map { $0 > signedAt } ?? false
        var members: [(key: String, value: JSONValue)] = [
            ("originalTransactionId", .string(String(latest.originalID))),
            ("autoRenewProductId", .string(latest.product.id)),
            ("productId", .string(latest.product.id)),
            ("autoRenewStatus", .number(isRunning ? 1 : 0)),
        ]
        if !isRunning {
            members += [("expirationIntent", .number(1)), ("isInBillingRetryPeriod", .boolean(false))]
        }
        members += [("signedDate", Self.date(signedAt)), ("environment", environment)]
        if let expires = latest.expires, isRunning { members.append(("renewalDate", Self.date(expires))) }
        return .object(members)
    }

    /// The app itself; a document without rows.
    func app(_ snapshot: Snapshot) -> JSONValue {
        .object([
            ("receiptType", environment),
            ("appAppleId", .number(snapshot.appID)),
            ("bundleId", .string(customer.app.bundleID)),
            ("applicationVersion", .string(snapshot.appVersion)),
            ("receiptCreationDate", Self.date(signedAt)),
            ("originalPurchaseDate", Self.date(snapshot.installed)),
            ("originalApplicationVersion", .string(snapshot.originalAppVersion)),
            ("originalPlatform", .string("iOS")),
        ])
    }

    static func date(_ instant: Timestamp) -> JSONValue { .number(Int(instant.milliseconds)) }
}

extension ProductType {
    fileprivate var storeKitName: String {
        switch self {
        case .nonConsumable: "Non-Consumable"
        case .consumable: "Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        }
    }
}

extension Purchase {
    /// What the App Store says was paid, in thousandths of the unit: for the whole quantity, the offer taken off.
    /// `nil` for the product whose price is unknown.
    fileprivate var total: (currency: String, milliunits: Int)? {
        let day = date.day.date.isoText
        let price = product.prices.first { $0.from <= day && ($0.until.isEmpty || day < $0.until) }
        guard let price else { return nil }
        let unit = isTrial ? "0" : isIntroductory ? price.introductory : price.amount
        return (price.currency, Self.milliunits(unit) * quantity)
    }

    /// `4.99` is 4990.
    private static func milliunits(_ amount: String) -> Int {
        let parts = amount.split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1].prefix(3)) : ""
        let digits = String(parts.first ?? "0") + fraction + String(repeating: "0", count: 3 - fraction.count)
        return Int(digits) ?? 0
    }
}

extension CivilDate {
    fileprivate var isoText: String {
        Timestamp(milliseconds: Int64(daysSinceEpoch) * Timestamp.millisecondsPerDay).description.prefix(10).description
    }
}
