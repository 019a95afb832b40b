public import TillRows

/// Seeded rows that meet often and contradict each other: few ids, few values, many nulls.
public enum RandomRows {
    /// The rows of a price list for the products.
    public static let prices = """
        coins,*,USD,0.99,,consumable
        gold,*,USD,9.99,0.49,auto_renewable
        pro,*,USD,1.99,,
        pro,JP,JPY,30,,

        """

    public static func transactions(_ count: Int, from generator: inout SplitMix64) -> [Row<TransactionColumn>] {
        (0..<count).map { _ in row(transactionColumns, from: &generator) }
    }

    private static let transactionColumns: [(TransactionColumn, [RowValue?])] = [
        (
            .transactionID,
            ["1", "2", "3", "9", "10", "11", "99", "100", "0", "00", "a", "1a", "zz", "9223372036854775808", nil]
        ),
        (.originalTransactionID, [nil, nil, "1", "10", "a", "zz", "0"]),
        (.webOrderLineItemID, [nil, "50", "51", "x"]),
        (.environment, [nil, nil, nil, "production", "production", "production", "sandbox", "xcode", "local_testing"]),
        (.bundleID, [nil, "com.example.a", "com.example.b"]),
        (.appVersion, [nil, "1", "2"]),
        (.productID, [nil, "coins", "gold", "pro", "pro"]),
        (.productType, [nil, nil, "consumable", "non_consumable", "auto_renewable"]),
        (.quantity, [nil, 0, 1, 2, 253, 254, 255, 100_000_000_000, -1, -100_000_000_000]),
        (
            .purchaseDate,
            [
                nil, "1969-12-31T23:59:59.999Z", "2024-02-29", "2026-03-01", "2026-03-01T00:00:00.600Z",
                "2026-03-01T00:00:01.000Z", "2026-03-01T00:00:01.001Z",
            ]
        ),
        (.expiresDate, [nil, nil, nil, "2026-04-01", "2026-04-01T00:00:00.900Z", "4001-01-01"]),
        (.cancellationDate, [nil, nil, nil, "2026-03-05", "2026-04-05"]),
        (.cancellationReason, [nil, nil, 0, 1]),
        (.refundPercentage, [nil, nil, 0, 33_333, 50_000, 100_000, 100_001, -1]),
        (.refundReversedAt, [nil, nil, nil, "2026-04-07", "2026-04-08"]),
        (.observedAt, [nil, "2026-03-06", "2026-04-06", "2026-04-07"]),
        (.isTrial, [nil, nil, false, true]),
        (.isIntro, [nil, nil, false, true]),
        (.isUpgraded, [nil, nil, false, true]),
        (.offerID, [nil, nil, nil, "summer", "winter"]),
        (.offerType, [nil, nil, 1, 2]),
        (.ownershipType, [nil, nil, "purchased", "family_shared"]),
        (.price, [nil, nil, 0, 990, 9_223_372_036_854_775_807]),
        (.currency, [nil, nil, "USD", "JPY", "usd"]),
        (.storefront, [nil, nil, "USA", "JPN", "nowhere"]),
        (.trust, ["unsigned", "unsigned", "unchecked", "unanchored", "trusted", "trusted"]),
        (.kind, ["verify", "jws"]),
        (.accountToken, [nil, "someone", "nobody"]),
        (.appTransactionID, [nil, nil, "0", "7", "70", "x7"]),
        (.subscriptionGroupID, [nil, "20", "200", "3"]),
        (
            .originalPurchaseDate,
            [nil, nil, "2026-03-01", "2026-03-01T18:00:00Z", "2026-03-02T06:00:00Z", "0001-01-01"]
        ),
    ]

    /// Responses of few requests, some of them 21007 and success.
    public static func documents(_ count: Int, from generator: inout SplitMix64) -> [Row<DocumentColumn>] {
        let columns: [(DocumentColumn, [RowValue?])] = [
            (.kind, ["verify", "verify", "verify", "pkcs7"]),
            (.status, [nil, 0, 0, 21_006, 21_007, 21_007, 21_003, 21_199]),
            (.isRetryable, [nil, false, true]),
            (.environment, [nil, "production", "sandbox"]),
            (.appVersion, [nil, "1", "2"]),
            (.pairKey, [nil, "a", "b", "c", "d", "e"]),
            (.loggedAt, instants),
        ]
        return (0..<count).map { _ in row(columns, from: &generator) }
    }

    public static func events(_ count: Int, from generator: inout SplitMix64) -> [Row<EventColumn>] {
        let columns: [(EventColumn, [RowValue?])] = [
            (
                .event,
                [
                    "failed", "failed", "failed", "purchased", "restored", "purchasing", "restore_failed", "deferred",
                    nil,
                ]
            ),
            (.environment, [nil, "production", "sandbox"]),
            (.at, instants),
            (.errorDomain, [nil, "SKErrorDomain", "SKErrorDomain", "SKErrorDomain", "verifyReceipt"]),
            (.errorCode, [nil, 0, 0, 0, 2, 21_003]),
            (.errorClass, [nil, "store", "network", "cancelled"]),
            (.transactionID, [nil, "0", "1", "2", "a"]),
            (.attemptID, [nil, "x", "y", "z"]),
            (.appVersion, [nil, "1", "2"]),
            (.osVersion, [nil, "18"]),
            (.storefront, [nil, "USA", "DEU"]),
            (.productID, [nil, "coins", "pro"]),
        ]
        return (0..<count).map { _ in row(columns, from: &generator) }
    }

    public static func renewals(_ count: Int, from generator: inout SplitMix64) -> [Row<RenewalColumn>] {
        let columns: [(RenewalColumn, [RowValue?])] = [
            (.environment, [nil, "production", "sandbox"]),
            (.originalTransactionID, [nil, "1", "10", "a", "zz"]),
            (.gracePeriodExpiresDate, [nil, "2026-04-05", "2026-04-17"]),
            (.observedAt, [nil, "2026-04-02", "2026-05-01"]),
        ]
        return (0..<count).map { _ in row(columns, from: &generator) }
    }

    /// Hours of which the last is loud.
    private static let instants: [RowValue?] =
        [nil, "2026-03-01T01:00:00Z", "2026-03-02T02:00:00Z", "2026-03-03T03:00:00Z"]
        + Array(repeating: "2026-03-04T03:30:00.001Z", count: 6)

    private static func row<Column>(
        _ columns: [(Column, [RowValue?])],
        from generator: inout SplitMix64
    ) -> Row<Column> {
        var row: Row<Column> = [:]
        for (column, values) in columns { row[column] = generator.pick(values) }
        return row
    }
}
