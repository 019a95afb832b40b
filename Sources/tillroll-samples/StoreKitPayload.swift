import TillCore

/// The payloads of StoreKit 2, as the App Store would sign them at an instant.
struct StoreKitPayload {
    let customer: Customer
    let signedAt: Timestamp

    func transaction(_ purchase: Purchase) -> JSON {
        let isRenewal = purchase.isSubscription && purchase.id != purchase.originalID
        let isOffer = purchase.isTrial || purchase.isIntroductory
        let price = purchase.price
        return [
            "transactionId": String(purchase.id), "originalTransactionId": String(purchase.originalID),
            "webOrderLineItemId": purchase.webOrderLineItemID.map { String($0) },
            "bundleId": customer.app.bundleID, "productId": purchase.product.id,
            "subscriptionGroupIdentifier": purchase.isSubscription ? String(purchase.product.group) : nil,
            "purchaseDate": purchase.date, "originalPurchaseDate": purchase.originalDate,
            "expiresDate": purchase.expires,
            "quantity": purchase.quantity, "type": purchase.product.type.storeKitName,
            "inAppOwnershipType": purchase.ownership, "signedDate": signedAt,
            "revocationReason": purchase.cancelled.map { _ in purchase.cancellationReason },
            "revocationDate": purchase.cancelled,
            "revocationType": purchase.refundPercentage.map { _ in "REFUND_PRORATED" },
            "revocationPercentage": purchase.refundPercentage,
            "isUpgraded": purchase.isUpgraded ? true : nil,
            "offerType": isOffer ? 1 : nil,
            "offerDiscountType": isOffer ? purchase.isTrial ? "FREE_TRIAL" : "PAY_AS_YOU_GO" : nil,
            "environment": customer.environment, "transactionReason": isRenewal ? "RENEWAL" : "PURCHASE",
            "storefront": customer.app.storefronts[0],
            "price": price?.milliunits, "currency": price?.currency,
            "appTransactionId": String(700_000_000_000_000_000 + customer.downloadID),
        ]
    }

    /// The state of renewal after the last period known at the instant.
    func renewal(of latest: Purchase) -> JSON {
        let next = latest.expires.flatMap { $0 > signedAt ? $0 : nil }
        return [
            "originalTransactionId": String(latest.originalID),
            "autoRenewProductId": latest.product.id, "productId": latest.product.id,
            "autoRenewStatus": next == nil ? 0 : 1,
            "expirationIntent": next == nil ? 1 : nil, "isInBillingRetryPeriod": next == nil ? false : nil,
            "signedDate": signedAt, "environment": customer.environment, "renewalDate": next,
        ]
    }

    /// The app itself; a document without rows.
    func app(_ snapshot: Snapshot) -> JSON {
        [
            "receiptType": customer.environment, "appAppleId": snapshot.appID, "bundleId": customer.app.bundleID,
            "applicationVersion": snapshot.appVersion, "receiptCreationDate": signedAt,
            "originalPurchaseDate": snapshot.installed,
            "originalApplicationVersion": snapshot.originalAppVersion, "originalPlatform": "iOS",
        ]
    }
}

extension Purchase {
    /// The price that the App Store reports, in thousandths of the unit: for the whole quantity, less the offer.
    /// `nil` for the product whose price is unknown.
    fileprivate var price: (currency: String, milliunits: Int)? {
        let day = date.dayText
        let price = product.prices.first { $0.from <= day && ($0.until.isEmpty || day < $0.until) }
        guard let price else { return nil }
        let unit = isTrial ? "0" : isIntroductory ? price.introductory : price.amount
        guard let milliunits = ScaledDecimal.parse(Array(unit.utf8).span.bytes, scale: 3) else { return nil }
        return (price.currency, Int(milliunits) * quantity)
    }
}
