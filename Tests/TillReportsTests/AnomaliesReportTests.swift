import Testing
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@Suite("Anomalies report")
struct AnomaliesReportTests {
    private static func line(
        _ anomaly: String,
        _ rows: [Row<TransactionColumn>],
        prices: String? = nil
    ) throws -> String {
        let rules = LedgerRules(prices: try prices.map { try PriceList(rows: $0) })
        let text = try json("anomalies", Rows(transactions: rows), rules: rules)
        let start = "{\"anomaly\":\"\(anomaly)\","
        let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.map { String($0.dropFirst(start.count).prefix { $0 != "}" }) } ?? ""
    }

    /// One thing that is odd, and rows of which the transactions 1 (and 2) have it.
    static let odd: [(String, [Row<TransactionColumn>], Int)] = [
        (
            "same_line_item",
            [
                [.transactionID: "1", .webOrderLineItemID: "50", .expiresDate: "2026-04-01"],
                [.transactionID: "2", .webOrderLineItemID: "50", .expiresDate: "2026-04-01"],
            ], 2
        ),
        (
            "same_charge",
            ["1", "2"].map {
                [
                    .webOrderLineItemID: .text("5\($0)"), .transactionID: .text($0), .originalTransactionID: "9",
                    .purchaseDate: "2026-03-01",
                    .expiresDate: "2026-04-01",
                ]
            }, 2
        ),
        ("conflicting_copies", [[.transactionID: "1", .quantity: 1], [.transactionID: "1", .quantity: 2]], 1),
        ("quantity_above_10", [[.transactionID: "1", .quantity: 11]], 1),
        (
            "refund_before_purchase",
            [[.transactionID: "1", .purchaseDate: "2026-03-02", .cancellationDate: "2026-03-01"]], 1
        ),
        (
            "expires_before_purchase",
            [[.transactionID: "1", .purchaseDate: "2026-03-02", .expiresDate: "2026-03-01"]], 1
        ),
        (
            "original_after_purchase",
            [[.transactionID: "1", .purchaseDate: "2026-03-02", .originalPurchaseDate: "2026-03-03T00:00:00.001Z"]], 1
        ),
        (
            "observed_before_purchase",
            [[.transactionID: "1", .purchaseDate: "2026-03-02", .observedAt: "2026-03-01"]], 1
        ),
    ]

    @Test("An anomaly is listed with its transactions", arguments: odd)
    func lists(_ anomaly: String, _ rows: [Row<TransactionColumn>], _ count: Int) throws {
        let ids = count == 1 ? "\"1\"" : "\"1\",\"2\""
        let usual: Row<TransactionColumn> = [
            .transactionID: "7", .quantity: 10, .purchaseDate: "2026-03-02", .expiresDate: "2026-03-02",
            .cancellationDate: "2026-03-02", .originalPurchaseDate: "2026-03-03", .observedAt: "2026-03-02",
            .webOrderLineItemID: "7",
        ]
        #expect(try Self.line(anomaly, rows + [usual, usual]) == "\"transactions\":\(count),\"examples\":[\(ids)]")
        for (other, _, _) in Self.odd where other != anomaly {
            #expect(try Self.line(other, rows + [usual]) == "\"transactions\":0,\"examples\":[]")
        }
    }

    @Test("A consumable with the original id of another is odd where a list calls it a consumable")
    func consumables() throws {
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1", .originalTransactionID: "9", .productID: "coins"],
            [.transactionID: "2", .originalTransactionID: "2", .productID: "coins"],
            [.transactionID: "3", .originalTransactionID: "9", .productID: "pro"],
        ]
        let prices = "coins,*,USD,0.99,,consumable\n"
        #expect(
            try Self.line("consumable_with_original", rows, prices: prices) == "\"transactions\":1,\"examples\":[\"1\"]"
        )
        #expect(try Self.line("consumable_with_original", rows) == "\"transactions\":0,\"examples\":[]")
    }

    @Test("The fields in which duplicates differ are named, in every environment; examples are the first five ids")
    func conflicts() throws {
        var rows: [Row<TransactionColumn>] = []
        for number in 1...12 {
            let row: Row<TransactionColumn> = [.transactionID: .text("\(number)"), .environment: "sandbox"]
            rows += [row.with([.isTrial: true, .productID: "pro"]), row.with([.isTrial: false, .productID: "coins"])]
        }
        rows += [
            [.transactionID: "100", .environment: "production"], [.transactionID: "100", .environment: "sandbox"],
        ]
        let text = try json("anomalies", Rows(transactions: rows))
        #expect(text.contains("{\"field\":\"environment\",\"transactions\":1,\"examples\":[\"100\"]},"))
        #expect(
            text.contains("{\"field\":\"is_trial\",\"transactions\":12,\"examples\":[\"1\",\"2\",\"3\",\"4\",\"5\"]},")
        )
        #expect(
            text.contains("{\"field\":\"product_id\",\"transactions\":12,\"examples\":[\"1\",\"2\",\"3\",\"4\",\"5\"]}")
        )
    }

    @Test("One account for which several chains of one lasting product were bought has several App Store accounts")
    func accounts() throws {
        func sale(_ id: String, _ token: String, _ type: RowValue, _ date: RowValue) -> Row<TransactionColumn> {
            [
                .transactionID: .text(id), .originalTransactionID: .text(id), .productID: "pro", .productType: type,
                .accountToken: .text(token), .purchaseDate: date,
            ]
        }
        let rows =
            (1...3).map { sale("\($0)", "ada", "non_consumable", "2026-03-01") }
            + (11...14).map { sale("\($0)", "bob", "consumable", "2026-03-01") }
            // Ten purchases of something unknown within a day, the last one millisecond before it is over.
            + (21...29).map { sale("\($0)", "cyd", "consumable", "2026-03-01") }
            + [sale("30", "cyd", "consumable", "2026-03-01T23:59:59.999Z")]
            + [sale("41", "dee", "non_consumable", "2026-03-01")]
        let text = try json("anomalies", Rows(transactions: rows))
        let accounts = text.split(separator: "\n").filter { $0.hasPrefix("{\"store_accounts\"") }
        #expect(
            accounts == [
                """
                {"store_accounts":3,"chains":3,"most_in_a_day":3,"first":"2026-03-01T00:00:00Z",\
                "last":"2026-03-01T00:00:00Z","examples":["1","2","3"],"payers_by":"chain"},
                """,
                """
                {"store_accounts":1,"chains":10,"most_in_a_day":10,"first":"2026-03-01T00:00:00Z",\
                "last":"2026-03-01T23:59:59.999Z","examples":["21","22","23","24","25"],"payers_by":"chain"}
                """,
            ]
        )
    }

    @Test("App transactions tell payers apart; a chain without one is a payer of its own for a lasting product")
    func payers() throws {
        func sale(_ id: Int, _ token: String, _ app: String?, _ type: RowValue) -> Row<TransactionColumn> {
            var row: Row<TransactionColumn> = [
                .transactionID: .text("\(id)"), .productID: "pro", .productType: type, .accountToken: .text(token),
                .purchaseDate: "2026-03-01",
            ]
            row[.appTransactionID] = app.map { .text($0) }
            return row
        }
        let rows = [
            // Bought again by the same payer, after a refund: one account. Alone, two chains would be two.
            sale(1, "ada", "71", "non_consumable"), sale(2, "ada", "71", "non_consumable"),
            // Two payers of consumables, which no chain tells.
            sale(11, "bob", "72", "consumable"), sale(12, "bob", "73", "consumable"),
            sale(13, "bob", nil, "consumable"),
            // Two chains of 74, one without: two payers at least. The id 0 is none.
            sale(21, "cyd", "74", "non_consumable"), sale(22, "cyd", "74", "non_consumable"),
            sale(23, "cyd", "0", "non_consumable"),
            sale(31, "dee", "75", "consumable"), sale(32, "dee", "76", "consumable"),
            sale(33, "dee", "x", "consumable"),
        ]
        let text = try json("anomalies", Rows(transactions: rows))
        let accounts = text.split(separator: "\n").filter { $0.hasPrefix("{\"store_accounts\"") }.map { line in
            let members = line.split(separator: ",").map(String.init)
            return members[0] + " " + (members.last ?? "").filter { $0 != "}" }
        }
        #expect(
            Set(accounts) == [
                #"{"store_accounts":2 "payers_by":"both""#, #"{"store_accounts":3 "payers_by":"app_transaction_id""#,
            ]
        )
        #expect(accounts.count == 3)
    }
}
