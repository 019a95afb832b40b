import TillCore

/// Payloads in which everything is wrong that the anomaly report looks for, once each.
enum OddSamples {
    private static let signedAt = Timestamp.utc(2026, 3, 29, hour: 11)
    private static let march = Timestamp.utc(2026, 3, 5, hour: 9)
    private static let account = "5b1e8a4c-9f0d-4f6a-8e11-0a4d5c7b2f90"

    static var file: SampleFile {
        SampleFile("odd/payloads.ndjson", lines: payloads.map(\.compact))
    }

    private static let payloads: [JSON] = [
        // One charge, by its line item, under two chains of the same subscription.
        payload(of: Shop.monthly, 1, charge(1, expires: march.adding(days: 30))),
        payload(of: Shop.monthly, 2, charge(1, expires: march.adding(days: 30))),
        // Three App Store accounts unlock the app for one account of the seller.
        payload(of: Shop.pro, 3, at: march.adding(minutes: 3), ["appAccountToken": account]),
        payload(of: Shop.pro, 4, at: march.adding(minutes: 4), ["appAccountToken": account]),
        payload(of: Shop.pro, 5, at: march.adding(minutes: 5), ["appAccountToken": account]),
        // Two copies of a sale that differ in price and storefront.
        payload(of: Shop.pro, 6, ["storefront": "USA", "price": 14_990, "currency": "USD"]),
        payload(of: Shop.pro, 6, ["storefront": "GBR", "price": 12_990, "currency": "USD"]),
        // An unusual quantity.
        payload(of: Shop.coins, 7, quantity: 25),
        // A refund before the sale, an end before the start, a first sale after the sale, a sale after its signature.
        payload(of: Shop.coins, 8, ["revocationDate": march.adding(days: -2)]),
        payload(of: Shop.monthly, 9, charge(9, expires: march.adding(days: -30))),
        payload(of: Shop.pro, 10, ["originalPurchaseDate": march.adding(days: 3)]),
        payload(of: Shop.coins, 11, at: signedAt.adding(days: 1)),
        // A month that is over and a grace period that is not.
        payload(
            of: Shop.monthly,
            12,
            at: signedAt.adding(days: -31),
            charge(12, expires: signedAt.adding(days: -1))
        ),
        [
            "originalTransactionId": id(12), "autoRenewProductId": Shop.monthly.id, "productId": Shop.monthly.id,
            "autoRenewStatus": 1, "isInBillingRetryPeriod": true,
            "gracePeriodExpiresDate": signedAt.adding(days: 15), "signedDate": signedAt, "environment": "Production",
        ],
    ]

    private static func payload(
        of product: Product,
        _ number: Int,
        at date: Timestamp = march,
        quantity: Int = 1,
        _ others: JSON = [:]
    ) -> JSON {
        JSON(
            joining: [
                "transactionId": id(number), "originalTransactionId": id(number),
                "bundleId": Shop.lumen.bundleID, "productId": product.id, "purchaseDate": date, "quantity": quantity,
                "type": product.type.storeKitName, "inAppOwnershipType": "PURCHASED",
                "signedDate": signedAt, "environment": "Production",
            ],
            others
        )
    }

    private static func charge(_ number: Int, expires: Timestamp) -> JSON {
        ["webOrderLineItemId": String(440_000_000_000_000 + number), "expiresDate": expires]
    }

    private static func id(_ number: Int) -> String { String(990_000_000_000_000 + number) }
}
