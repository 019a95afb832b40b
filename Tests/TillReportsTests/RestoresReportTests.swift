import Testing
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@Suite("Restores report")
struct RestoresReportTests {
    private static func rows(_ product: String, purchases: Range<Int>, restores: Range<Int>) -> [Row<TransactionColumn>]
    {
        purchases.map { [.transactionID: "\($0)", .productID: .text(product)] }
            + restores.map {
                [.transactionID: "\($0)", .originalTransactionID: "1", .productID: .text(product)]
            }
    }

    private static let subscriptions: [Row<TransactionColumn>] = (1...4).map { number in
        [
            .transactionID: "90\(number)", .originalTransactionID: "901", .productID: "gold",
            .webOrderLineItemID: .text(number < 4 ? "50" : "51"), .expiresDate: "2026-04-01",
        ]
    }

    private static let shop = Rows(
        transactions: rows("pro", purchases: 1..<3, restores: 3..<4)
            + rows("coins", purchases: 10..<14, restores: 14..<15)
            + rows("map", purchases: 20..<21, restores: 0..<0) + subscriptions + [
                [.transactionID: "30", .originalTransactionID: "1"],
                [
                    .transactionID: "31", .originalTransactionID: "1", .productID: "pro",
                    .ownershipType: "family_shared",
                ],
                [.transactionID: "32", .originalTransactionID: "1", .productID: "pro", .environment: "sandbox"],
            ],
        events: [
            [.event: "restored", .transactionID: "1"], [.event: "restored", .transactionID: "1"],
            [.event: "purchased", .transactionID: "2"], [.event: "purchased", .transactionID: "3"],
            [.event: "restore_completed"], [.event: "restore_failed"], [.event: "restore_failed"],
        ]
    )

    @Test("A small shop without a price list")
    func golden() throws {
        #expect(
            try jsonWithoutCoverage("restores", Self.shop) == """
                {"report":"restores","version":1,
                "input":{"documents":5,"accepted":4,"rejected":1,"bytes":1000,"transactions":16,"unique_transactions":16},
                "settings":{"calendar":"gregorian","tz":"UTC","refunds_by":"refund","environment":["production","unknown"],"trust":"off"},
                "summary":{"period":null,"since":null,"until":null,"complete":null,"as_of":null,"restored":3,"eligible":10,"rate":0.3,"subscription_restores":2,"exceptions":[{"name":"rejected","count":1},{"name":"undated","count":9},{"name":"other_environment","count":1}]},
                "restores":{"restored":3,"eligible":10,"rate":0.3,"subscription_restores":2},
                "by_product":[
                {"product_id":"coins","restored":1,"eligible":5,"rate":0.2},
                {"product_id":"map","restored":0,"eligible":1,"rate":0},
                {"product_id":"pro","restored":1,"eligible":3,"rate":0.333333},
                {"product_id":null,"restored":1,"eligible":1,"rate":1}
                ],
                "events":{"restored":1,"purchased":2,"rate":0.333333,"restore_completed":1,"restore_failed":2}}

                """
        )
    }

    @Test("Consumables of the price list leave the denominator, and its subscriptions are counted apart")
    func catalogue() throws {
        let prices = try PriceList(rows: "coins,*,USD,0.99,,consumable\nmap,*,USD,0.99,,auto_renewable\n")
        #expect(
            try findings("restores", Self.shop, rules: LedgerRules(prices: prices)) == """
                "restores":{"restored":2,"eligible":4,"rate":0.5,"subscription_restores":2},
                "by_product":[
                {"product_id":"pro","restored":1,"eligible":3,"rate":0.333333},
                {"product_id":null,"restored":1,"eligible":1,"rate":1}
                ],
                "events":{"restored":1,"purchased":2,"rate":0.333333,"restore_completed":1,"restore_failed":2}}

                """
        )
    }

    @Test("A share of nothing is null, and shares are rounded half to even")
    func rates() throws {
        let subscriptions = Rows(transactions: Self.subscriptions)
        #expect(
            try findings("restores", subscriptions) == """
                "restores":{"restored":0,"eligible":0,"rate":null,"subscription_restores":2},
                "by_product":[],
                "events":{"restored":0,"purchased":0,"rate":null,"restore_completed":0,"restore_failed":0}}

                """
        )
        // 1/128 = 0.0078125 exactly.
        let rows = Rows(transactions: Self.rows("pro", purchases: 1..<128, restores: 128..<129))
        #expect(try findings("restores", rows).contains("\"eligible\":128,\"rate\":0.007812,"))
    }
}
