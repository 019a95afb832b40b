import TillCore

/// Payloads in which everything is wrong that the anomaly report looks for, once each.
struct OddSamples {
    private static let signedAt = Timestamp.utc(2026, 3, 29, hour: 11)
    private static let march = Timestamp.utc(2026, 3, 5, hour: 9)
    private static let account = "5b1e8a4c-9f0d-4f6a-8e11-0a4d5c7b2f90"

    func files() -> [SampleFile] {
        [
            SampleFile(
                path: "odd/payloads.ndjson",
                shows:
                    "decoded payloads for `report anomalies`: a charge booked twice, one account paid for by several, "
                    + "copies that differ, 25 units, dates that cannot be; and a grace period",
                lines: payloads().map { $0.compact() }
            )
        ]
    }

    private func payloads() -> [JSONValue] {
        let day = Self.march
        // One charge, by its line item, under two chains of the same subscription.
        let charge: [(String, JSONValue)] = [
            ("webOrderLineItemId", .string("440000000000001")), ("expiresDate", Self.date(day.adding(days: 30))),
        ]
        var payloads = [1, 2].map { payload(of: Shop.monthly, number: $0, at: day, charge) }
        // Three App Store accounts unlock the app for one account of the seller.
        payloads += (3...5).map { number in
            payload(
                of: Shop.pro,
                number: number,
                at: day.adding(minutes: number),
                [("appAccountToken", .string(Self.account))]
            )
        }
        // Two copies of a sale that differ in price and storefront.
        payloads += [("USA", 14_990), ("GBR", 12_990)].map { storefront, price in
            payload(
                of: Shop.pro,
                number: 6,
                at: day,
                [("storefront", .string(storefront)), ("price", .number(price)), ("currency", .string("USD"))]
            )
        }
        payloads.append(payload(of: Shop.coins, number: 7, at: day, [], quantity: 25))
        payloads.append(
            payload(of: Shop.coins, number: 8, at: day, [("revocationDate", Self.date(day.adding(days: -2)))])
        )
        payloads.append(
            payload(
                of: Shop.monthly,
                number: 9,
                at: day,
                [
                    ("webOrderLineItemId", .string("440000000000009")),
                    ("expiresDate", Self.date(day.adding(days: -30))),
                ]
            )
        )
        payloads.append(
            payload(of: Shop.pro, number: 10, at: day, [("originalPurchaseDate", Self.date(day.adding(days: 3)))])
        )
        payloads.append(payload(of: Shop.coins, number: 11, at: Self.signedAt.adding(days: 1), []))
        // A month that is over and a grace period that is not.
        let lapsed: [(String, JSONValue)] = [
            ("webOrderLineItemId", .string("440000000000012")),
            ("expiresDate", Self.date(Self.signedAt.adding(days: -1))),
        ]
        payloads.append(payload(of: Shop.monthly, number: 12, at: Self.signedAt.adding(days: -31), lapsed))
        payloads.append(
            .object([
                ("originalTransactionId", .string(Self.id(12))), ("autoRenewProductId", .string(Shop.monthly.id)),
                ("productId", .string(Shop.monthly.id)), ("autoRenewStatus", .number(1)),
                ("isInBillingRetryPeriod", .boolean(true)),
                ("gracePeriodExpiresDate", Self.date(Self.signedAt.adding(days: 15))),
                ("signedDate", Self.date(Self.signedAt)), ("environment", .string("Production")),
            ])
        )
        return payloads
    }

    private func payload(
        of product: Product,
        number: Int,
        at date: Timestamp,
        _ others: [(String, JSONValue)],
        quantity: Int = 1
    ) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("transactionId", .string(Self.id(number))), ("originalTransactionId", .string(Self.id(number))),
            ("bundleId", .string(Shop.lumen.bundleID)), ("productId", .string(product.id)),
            ("purchaseDate", Self.date(date)), ("quantity", .number(quantity)),
            ("type", .string(Self.type(of: product))), ("inAppOwnershipType", .string("PURCHASED")),
            ("signedDate", Self.date(Self.signedAt)), ("environment", .string("Production")),
        ]
        members += others.map { (key: $0.0, value: $0.1) }
        return .object(members)
    }

    private static func type(of product: Product) -> String {
        switch product.id {
        case Shop.monthly.id: "Auto-Renewable Subscription"
        case Shop.coins.id: "Consumable"
        default: "Non-Consumable"
        }
    }

    private static func id(_ number: Int) -> String { String(990_000_000_000_000 + number) }

    private static func date(_ instant: Timestamp) -> JSONValue { .number(Int(instant.milliseconds)) }
}
