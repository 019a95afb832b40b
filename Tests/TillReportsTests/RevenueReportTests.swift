import Testing
import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@Suite("Revenue report")
struct RevenueReportTests {
    private static let prices = """
        coins,*,USD,0.99,,consumable
        gold,*,USD,9.99,0.49,auto_renewable
        manga,JP,JPY,980,,
        oud,KW,KWD,1.5,,

        """

    private static func sale(_ id: Int, _ product: String, _ date: String) -> Row<TransactionColumn> {
        [.transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(date), .environment: "production"]
    }

    /// March and April of a small shop.
    private static let shop = Rows(transactions: [
        sale(1, "coins", "2026-03-01").with([.quantity: 4]),
        sale(2, "coins", "2026-03-31T23:59:59.999Z").with([.cancellationDate: "2026-05-02"]),
        sale(3, "coins", "2026-04-01"),
        sale(4, "gold", "2026-03-03").with([.isTrial: true, .expiresDate: "2026-03-10"]),
        sale(5, "gold", "2026-03-10").with([
            .originalTransactionID: "4", .expiresDate: "2026-04-10", .isIntro: true, .webOrderLineItemID: "50",
        ]),
        // The same charge on another device.
        sale(6, "gold", "2026-03-11").with([
            .originalTransactionID: "4", .expiresDate: "2026-04-10", .isIntro: true, .webOrderLineItemID: "50",
        ]),
        sale(7, "gold", "2026-04-10").with([
            .originalTransactionID: "4", .expiresDate: "2026-05-10", .webOrderLineItemID: "51",
            .cancellationDate: "2026-04-11", .isUpgraded: true,
        ]),
        sale(8, "gold", "2026-04-11").with([.price: 19_990, .currency: "EUR", .quantity: 2]),
        sale(9, "manga", "2026-03-05").with([.storefront: "JPN", .quantity: 2]),
        sale(10, "manga", "2026-03-05").with([.storefront: "USA"]),
        sale(11, "oud", "2026-03-05").with([.storefront: "KWT"]),
        sale(12, "gift", "2026-03-06").with([.quantity: 3, .cancellationDate: "2026-03-07"]),
        [.transactionID: "13", .productID: "coins"],
        [.transactionID: "14", .purchaseDate: "2026-03-06"],
        // Not booked: sandbox, family shared, restored.
        sale(15, "coins", "2026-03-01").with([.environment: "sandbox"]),
        sale(16, "coins", "2026-03-01").with([.ownershipType: "family_shared"]),
        sale(17, "manga", "2026-03-09").with([.originalTransactionID: "9", .storefront: "JPN"]),
    ])

    private static func findingsWithoutParts(_ rows: Rows, _ rules: LedgerRules = LedgerRules()) throws -> String {
        try withoutParts(findings("revenue", rows, rules: rules))
    }

    @Test("Few rows are made once, and more of them for each pass, with the same figures", arguments: [16_384, 16_385])
    func manyRows(_ count: Int) throws {
        // Each sale in an hour of its own, at 1 to 7 cents.
        let sales = (0..<count).map { number -> Row<TransactionColumn> in
            let hour = Timestamp(milliseconds: Int64(460_000 + number) * Timestamp.millisecondsPerHour)
            return Self.sale(number + 1, "coins", hour.description)
                .with([.quantity: 1, .price: .number(Int64(number % 7 + 1) * 10), .currency: "USD"])
        }
        var rules = LedgerRules()
        rules.keys = [.hour, .productID]
        let lines = try jsonWithoutCoverage("revenue", Rows(transactions: sales), rules: rules)
            .split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("{\"hour\":") } == count)
        let cents = (0..<count).reduce(0) { $0 + $1 % 7 + 1 }
        let net = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        #expect(
            lines.contains {
                $0.hasPrefix("{\"currency\":\"USD\",\"transactions\":\(count),\"paid\":\(count),\"trials\":0,")
                    && $0.contains("\"units\":\(count),\"gross\":\(net),")
            }
        )
        #expect(lines.contains { $0.contains("\"top_products\":[{\"product_id\":\"coins\",\"net\":\(net),") })
    }

    @Test("A small shop, refunds booked when they were made")
    func byRefund() throws {
        let rules = LedgerRules(prices: try PriceList(rows: Self.prices))
        let text = try jsonWithoutCoverage("revenue", Self.shop, rules: rules)
        #expect(
            text == """
                {"report":"revenue","version":2,
                "input":{"documents":5,"accepted":4,"rejected":1,"bytes":1000,"transactions":17,"unique_transactions":17},
                "settings":{"calendar":"gregorian","tz":"UTC","refunds_by":"refund","environment":["production","unknown"],"trust":"off","as_of":"2026-04-11"},
                "summary":{"period":"1 March – 2 May 2026","since":"2026-03-01T00:00:00Z","until":"2026-05-02T00:00:00Z","complete":null,"as_of":"2026-04-11","currency":"USD","net":null,"known_net":16.42,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"previous_net":null,"year_before_net":null,"change":null,"year_change":null,"refund_rate":null,"top_products":[{"product_id":"gold","net":10.48,"share":null},{"product_id":"coins","net":5.94,"share":null}],"deferred":0.00,"exceptions":[{"name":"rejected","count":1},{"name":"unpriced","count":5,"products":[{"product_id":"gift","count":3,"since":"2026-03-06"},{"product_id":"manga","count":1,"since":"2026-03-05"},{"product_id":null,"count":1,"since":"2026-03-06"}],"since":"2026-03-05"},{"name":"undated","count":1},{"name":"other_environment","count":1},{"name":"assumed_quantity","count":9},{"name":"upgrades_unquantified","count":1},{"name":"without_expiry","count":1}]},
                "revenue":[
                {"month":"2026-03","product_id":"coins","currency":"USD","transactions":2,"paid":2,"trials":0,"units":5,"gross":4.95,"refunded_transactions":0,"refunds":0.00,"net":4.95,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":2,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":"gift","currency":null,"transactions":1,"paid":0,"trials":0,"units":3,"gross":null,"refunded_transactions":1,"refunds":null,"net":null,"unpriced_units":3,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":0,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":"gold","currency":"USD","transactions":2,"paid":1,"trials":1,"units":2,"gross":0.49,"refunded_transactions":0,"refunds":0.00,"net":0.49,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":"manga","currency":"JPY","transactions":1,"paid":1,"trials":0,"units":2,"gross":1960,"refunded_transactions":0,"refunds":0,"net":1960,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":"manga","currency":null,"transactions":1,"paid":0,"trials":0,"units":1,"gross":null,"refunded_transactions":0,"refunds":null,"net":null,"unpriced_units":1,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":0,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":"oud","currency":"KWD","transactions":1,"paid":1,"trials":0,"units":1,"gross":1.500,"refunded_transactions":0,"refunds":0.000,"net":1.500,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-03","product_id":null,"currency":null,"transactions":1,"paid":0,"trials":0,"units":1,"gross":null,"refunded_transactions":0,"refunds":null,"net":null,"unpriced_units":1,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":0,"uncommissioned_transactions":0},
                {"month":"2026-04","product_id":"coins","currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":0.99,"refunded_transactions":0,"refunds":0.00,"net":0.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-04","product_id":"gold","currency":"EUR","transactions":1,"paid":1,"trials":0,"units":2,"gross":19.99,"refunded_transactions":0,"refunds":0.00,"net":19.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-04","product_id":"gold","currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":9.99,"refunded_transactions":0,"refunds":0.00,"net":9.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":"2026-05","product_id":"coins","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"month":null,"product_id":"coins","currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":0.99,"refunded_transactions":0,"refunds":0.00,"net":0.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0}
                ],
                "totals":[
                {"currency":"EUR","transactions":1,"paid":1,"trials":0,"units":2,"gross":19.99,"refunded_transactions":0,"refunds":0.00,"net":19.99,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"currency":"JPY","transactions":1,"paid":1,"trials":0,"units":2,"gross":1960,"refunded_transactions":0,"refunds":0,"net":1960,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"currency":"KWD","transactions":1,"paid":1,"trials":0,"units":1,"gross":1.500,"refunded_transactions":0,"refunds":0.000,"net":1.500,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":1,"uncommissioned_transactions":0},
                {"currency":"USD","transactions":7,"paid":6,"trials":1,"units":10,"gross":17.41,"refunded_transactions":1,"refunds":0.99,"net":16.42,"unpriced_units":0,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":7,"uncommissioned_transactions":0},
                {"currency":null,"transactions":3,"paid":0,"trials":0,"units":5,"gross":null,"refunded_transactions":1,"refunds":null,"net":null,"unpriced_units":5,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"untaxed_transactions":0,"uncommissioned_transactions":0}
                ],
                "adjustments":[
                {"month":"2026-05","purchase_month":"2026-03","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99}
                ]}

                """
        )
    }

    @Test("A month can have refunds and no sales, and by purchase the sale's own month has them")
    func datings() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "coins", "2024-02-29T23:59:59Z").with([.cancellationDate: "2025-01-01"]),
            Self.sale(2, "coins", "2024-02-01").with([.cancellationDate: "2024-12-31T23:59:59.999Z"]),
        ])
        let prices = try PriceList(rows: Self.prices)
        #expect(
            try Self.findingsWithoutParts(rows, LedgerRules(refundDating: .refund, prices: prices)) == """
                "revenue":[
                {"month":"2024-02","product_id":"coins","currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":1.98,"refunded_transactions":0,"refunds":0.00,"net":1.98,"unpriced_units":0},
                {"month":"2024-12","product_id":"coins","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0},
                {"month":"2025-01","product_id":"coins","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":1.98,"refunded_transactions":2,"refunds":1.98,"net":0.00,"unpriced_units":0}
                ],
                "adjustments":[
                {"month":"2024-12","purchase_month":"2024-02","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99},
                {"month":"2025-01","purchase_month":"2024-02","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99}
                ]}

                """
        )
        #expect(
            try Self.findingsWithoutParts(rows, LedgerRules(refundDating: .purchase, prices: prices)) == """
                "revenue":[
                {"month":"2024-02","product_id":"coins","currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":1.98,"refunded_transactions":2,"refunds":1.98,"net":0.00,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":1.98,"refunded_transactions":2,"refunds":1.98,"net":0.00,"unpriced_units":0}
                ],
                "adjustments":[
                {"month":"2024-12","purchase_month":"2024-02","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99},
                {"month":"2025-01","purchase_month":"2024-02","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99}
                ]}

                """
        )
    }

    @Test("The refund of a restore or of a family member belongs to no sale, and a sale without a date can be refunded")
    func refundsOfOthers() throws {
        let refunded: Row<TransactionColumn> = [
            .productID: "pro", .cancellationDate: "2026-03-02", .price: 990, .currency: "USD",
        ]
        let rows = Rows(transactions: [
            refunded.with([.transactionID: "2", .originalTransactionID: "1"]),
            refunded.with([.transactionID: "3", .ownershipType: "family_shared"]),
            refunded.with([.transactionID: "4"]),
        ])
        #expect(
            try Self.findingsWithoutParts(rows) == """
                "revenue":[
                {"month":"2026-03","product_id":"pro","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0},
                {"month":null,"product_id":"pro","currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":0.99,"refunded_transactions":0,"refunds":0.00,"net":0.99,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":0.99,"refunded_transactions":1,"refunds":0.99,"net":0.00,"unpriced_units":0}
                ],
                "adjustments":[
                {"month":"2026-03","purchase_month":null,"product_id":"pro","currency":"USD","refunded_transactions":1,"units":1,"refunds":0.99}
                ]}

                """
        )
    }

    @Test("Sums leave 64 bits without harm, and are rounded once, where the group is written")
    func largeSums() throws {
        let rows = Rows(
            transactions: (1...3).map { number in
                Self.sale(number, "pro", "2026-03-01").with([.price: 9_223_372_036_854_775_807, .currency: "USD"])
            }
        )
        #expect(
            try Self.findingsWithoutParts(rows) == """
                "revenue":[
                {"month":"2026-03","product_id":"pro","currency":"USD","transactions":3,"paid":3,"trials":0,"units":3,"gross":27670116110564327.42,"refunded_transactions":0,"refunds":0.00,"net":27670116110564327.42,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":3,"paid":3,"trials":0,"units":3,"gross":27670116110564327.42,"refunded_transactions":0,"refunds":0.00,"net":27670116110564327.42,"unpriced_units":0}
                ],
                "adjustments":[]}

                """
        )
    }

    @Test("A sale finer than a cent keeps its decimals until its group is written, and a total is rounded once too")
    func fineAmounts() throws {
        func fine(_ id: Int, _ date: String) -> Row<TransactionColumn> {
            Self.sale(id, "pro", date).with([.price: 1_005, .currency: "USD"])
        }
        // March: 2 × 1.005 = 2.01, refund all of one, 1.005 → 1.00 (tie to even). April: 1.005 → 1.00, refund 1.005 ×
        // 0.5 = 0.5025 → 0.50. All: 3.015 → 3.02, and 1.505 → 1.50.
        let rows = Rows(transactions: [
            fine(1, "2026-03-01"), fine(2, "2026-03-02").with([.cancellationDate: "2026-03-03"]),
            fine(3, "2026-04-01").with([.cancellationDate: "2026-04-03", .refundPercentage: 50_000]),
        ])
        #expect(
            try Self.findingsWithoutParts(rows) == """
                "revenue":[
                {"month":"2026-03","product_id":"pro","currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":2.01,"refunded_transactions":1,"refunds":1.00,"net":1.01,"unpriced_units":0},
                {"month":"2026-04","product_id":"pro","currency":"USD","transactions":1,"paid":1,"trials":0,"units":1,"gross":1.00,"refunded_transactions":1,"refunds":0.50,"net":0.50,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":3,"paid":3,"trials":0,"units":3,"gross":3.02,"refunded_transactions":2,"refunds":1.50,"net":1.52,"unpriced_units":0}
                ],
                "adjustments":[]}

                """
        )
    }

    @Test("A partial refund is booked when it was made and taken back when it was reversed; by purchase both vanish")
    func partialRefunds() throws {
        let sold = Self.sale(1, "pro", "2026-03-20").with([.price: 9_990, .currency: "USD", .quantity: 2])
        let rows = Rows(transactions: [
            // 9.99 × 0.33333 = 3.3299667
            sold.with([
                .cancellationDate: "2026-04-04", .cancellationReason: 0, .refundPercentage: 33_333,
                .observedAt: "2026-04-05", .refundReversedAt: "2026-05-02",
            ]),
            // An upgrade that tells a quarter, 2.4975, and one that tells nothing.
            sold.with([
                .transactionID: "2", .cancellationDate: "2026-04-06", .isUpgraded: true, .refundPercentage: 25_000,
            ]),
            sold.with([.transactionID: "3", .cancellationDate: "2026-04-06", .isUpgraded: true]),
        ])
        #expect(
            try Self.findingsWithoutParts(rows) == """
                "revenue":[
                {"month":"2026-03","product_id":"pro","currency":"USD","transactions":3,"paid":3,"trials":0,"units":6,"gross":29.97,"refunded_transactions":0,"refunds":0.00,"net":29.97,"unpriced_units":0},
                {"month":"2026-04","product_id":"pro","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":2,"refunds":5.83,"net":-5.83,"unpriced_units":0},
                {"month":"2026-05","product_id":"pro","currency":"USD","transactions":0,"paid":0,"trials":0,"units":0,"gross":0.00,"refunded_transactions":-1,"refunds":-3.33,"net":3.33,"unpriced_units":0}
                ],
                "totals":[
                {"currency":"USD","transactions":3,"paid":3,"trials":0,"units":6,"gross":29.97,"refunded_transactions":1,"refunds":2.50,"net":27.47,"unpriced_units":0}
                ],
                "adjustments":[
                {"month":"2026-04","purchase_month":"2026-03","product_id":"pro","currency":"USD","refunded_transactions":2,"units":4,"refunds":5.83},
                {"month":"2026-05","purchase_month":"2026-03","product_id":"pro","currency":"USD","refunded_transactions":-1,"units":-2,"refunds":-3.33}
                ]}

                """
        )
        let byPurchase = try Self.findingsWithoutParts(rows, LedgerRules(refundDating: .purchase))
        #expect(
            byPurchase.contains(
                """
                {"month":"2026-03","product_id":"pro","currency":"USD","transactions":3,"paid":3,"trials":0,"units":6,"gross":29.97,"refunded_transactions":1,"refunds":2.50,"net":27.47,"unpriced_units":0}
                ],
                "totals"
                """
            )
        )
    }

    @Test("Products are in order of their bytes, also those that Unicode holds to be equal")
    func productOrder() throws {
        let names = ["A", "a", "e\u{301}", "z", "\u{E9}", "\u{20AC}", "\u{1F600}"]
        let rows = names.enumerated().flatMap { index, name in
            ["USD", "EUR", "JPY"].enumerated().map { offset, currency in
                Self.sale(index * 3 + offset + 1, name, "2026-03-01").with([.price: 1000, .currency: .text(currency)])
            }
        }
        let text = try findings("revenue", Rows(transactions: rows.reversed()))
        let found = text.split(separator: "\n").filter { $0.hasPrefix("{\"month\"") }.map { line in
            line.split(separator: ",")[1...2].joined(separator: ",")
        }
        let expected = names.flatMap { name in
            ["EUR", "JPY", "USD"].map { "\"product_id\":\"\(name)\",\"currency\":\"\($0)\"" }
        }
        #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
}
