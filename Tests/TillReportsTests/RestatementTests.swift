import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillRender
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Restatements of closed months")
struct RestatementTests {
    /// - Parameter price: in thousandths of a dollar.
    private static func sale(_ id: Int, _ date: String, _ price: Int64 = 990) -> Row<TransactionColumn> {
        [
            .transactionID: "\(id)", .productID: "coins", .purchaseDate: .text(date), .environment: "production",
            .price: .number(price), .currency: "USD",
        ]
    }

    /// The tables about restatements, a line each row, of rows that were `before` when the months were closed.
    private static func tables(
        _ before: Rows,
        _ now: Rows,
        then: LedgerRules = LedgerRules(),
        today: LedgerRules? = nil,
        _ differences: ClosedMonths.Differences = []
    ) throws -> [String] {
        var rules = today ?? then
        rules.closed = try closed(before, then: then, today: rules, differences)
        return lines(try findings("revenue", now, rules: rules))
    }

    private static func closed(
        _ before: Rows,
        then: LedgerRules,
        today: LedgerRules,
        _ differences: ClosedMonths.Differences
    ) throws -> ClosedMonths {
        try ClosedMonths(
            name: "march",
            then: ClosedMonths.Terms(then, .booked),
            now: ClosedMonths.Terms(today, .booked),
            differences
        ) { before.settled(environments: $0.environments, rules: $0.rules) }
    }

    /// Without commas at their ends.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").drop { !$0.hasPrefix("\"restatement\"") }
            .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
            .filter { $0.hasPrefix("{") || $0.hasPrefix("\"") }
    }

    @Test("A document more adds its sale and its refund, and sales of open months are none")
    func lateDocument() throws {
        // Then 0.99 in March. Now also 1.98 in March, 1.98 of it refunded in March; the sale of April is new business.
        let now = Rows(transactions: [
            Self.sale(1, "2026-03-01"),
            Self.sale(2, "2026-03-05", 1980).with([.cancellationDate: "2026-03-20", .quantity: 2]),
            Self.sale(3, "2026-04-01"),
        ])
        #expect(
            try Self.tables(Rows(transactions: [Self.sale(1, "2026-03-01")]), now) == [
                #""restatement":["#,
                #"{"month":"2026-03","product_id":"coins","currency":"USD","cause":"late_document","transactions":1,"units":2,"gross":1.98,"refunded_transactions":1,"refunds":1.98,"net":0.00,"unpriced_units":0,"rounding":0.00,"booked_in":"2026-04"}"#,
                #""restatement_totals":["#,
                #"{"currency":"USD","cause":"late_document","transactions":1,"units":2,"gross":1.98,"refunded_transactions":1,"refunds":1.98,"net":0.00,"unpriced_units":0,"rounding":0.00}"#,
                #""restated_transactions":["#,
                #"{"transaction_id":"2","cause":"late_document","month":"2026-03","product_id":"coins","currency":"USD","transactions":1,"units":2,"gross":1.98,"refunded_transactions":1,"refunds":1.98,"net":0.00,"unpriced_units":0}"#,
            ]
        )
    }

    @Test("People read causes in words, and the net amount where a table is cut to fit")
    func printed() throws {
        let now = Rows(transactions: [Self.sale(1, "2026-03-01"), Self.sale(2, "2026-03-05", 1980)])
        var rules = LedgerRules()
        rules.closed = try Self.closed(Rows(transactions: [Self.sale(1, "2026-03-01")]), then: rules, today: rules, [])
        let ledger = now.settled(rules: rules)
        let input = InputSummary(documents: 2, accepted: 2, rejected: 0, bytes: 9)
        let document = try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
        func table(width: Int?) throws -> ArraySlice<Substring> {
            let bytes = TableRenderer().render(document, options: RenderOptions(width: width))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .drop { $0 != "Restatements of closed months" }
            return lines[try #require(lines.firstIndex { $0.hasPrefix("─") })...]
        }
        #expect(try table(width: nil).dropFirst().first?.contains("  late document  ") == true)
        // Customer sales are the last column that fits; three more columns follow.
        #expect(try table(width: 64).dropFirst().first?.split(separator: " ").suffix(2) == ["1", "1.98"])
    }

    @Test("A row is rounded once, and what that adds to its transactions is told")
    func rounding() throws {
        // Then 0.005, printed 0.00 (half to even). Now 0.005 + 0.005 + 0.005 = 0.015, printed 0.02. The two late
        // documents come to 0.010, the row to 0.02 − 0.00: rounding is 0.010.
        let before = Rows(transactions: [Self.sale(1, "2026-03-01", 5)])
        let now = Rows(transactions: (1...3).map { Self.sale($0, "2026-03-01", 5) })
        let lines = try Self.tables(before, now)
        #expect(lines.count == 7)
        #expect(lines[1].contains(#""gross":0.02,"refunded_transactions":0,"refunds":0.00,"net":0.02,"#))
        #expect(lines[1].contains(#""rounding":0.01,"#))
        #expect(lines[5].contains(#""transaction_id":"2","#) && lines[5].contains(#""gross":0.005,"#))
        // One more of 0.002 changes no printed row: 0.005 + 0.002 = 0.007 is 0.01, less 0.002 → 0.00 + 0.01.
        let small = try Self.tables(before, Rows(transactions: before.transactions + [Self.sale(4, "2026-03-01", 2)]))
        #expect(small[1].contains(#""net":0.01,"#) && small[1].contains(#""rounding":0.008,"#))
    }

    @Test("Dated by the purchase, a refund made after the close is told apart from a late document of an earlier one")
    func refundByPurchase() throws {
        let before = Rows(transactions: [
            Self.sale(1, "2026-03-01"), Self.sale(2, "2026-03-02"),
            // The report of March was made in April, and knew this refund of April.
            Self.sale(3, "2026-03-03").with([.cancellationDate: "2026-04-01"]),
        ])
        let now = Rows(transactions: [
            Self.sale(1, "2026-03-01").with([.cancellationDate: "2026-04-02"]),
            // The refund was made in March; only its document is late.
            Self.sale(2, "2026-03-02").with([.cancellationDate: "2026-03-30"]),
            Self.sale(3, "2026-03-03").with([.cancellationDate: "2026-04-01"]),
        ])
        var rules = LedgerRules(refundDating: .purchase)
        rules.period = try BookingCalendar.usual.month("2026-03")
        let byPurchase = try Self.tables(before, now, then: rules)
        #expect(
            Array(byPurchase[5...7]) == [
                #"{"currency":"USD","cause":"refund_by_purchase","transactions":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0,"rounding":0.00}"#,
                #""restated_transactions":["#,
                #"{"transaction_id":"1","cause":"refund_by_purchase","month":"2026-03","product_id":"coins","currency":"USD","transactions":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0}"#,
            ]
        )
        #expect(byPurchase[4].contains(#""cause":"late_document""#))
        // Dated by themselves, only the refund of March is one of March.
        rules.refundDating = .refund
        let byRefund = try Self.tables(before, now, then: rules)
        #expect(byRefund.count == 6)
        #expect(byRefund[5].hasPrefix(#"{"transaction_id":"2","cause":"late_document""#))
    }

    @Test("Each of a price list, a rate and a rule that changed has its own share, also of one transaction")
    func terms() throws {
        let rows = Rows(transactions: [
            [.transactionID: "1", .productID: "gold", .purchaseDate: "2026-03-01", .environment: "production"],
            Self.sale(2, "2026-03-02").with([.cancellationDate: "2026-04-02"]),
        ])
        func rules(_ dating: LedgerRules.RefundDating, price: String, rate: String) throws -> LedgerRules {
            var rules = LedgerRules(refundDating: dating, prices: try PriceList(rows: "gold,*,USD,\(price),,\n"))
            var rates = ExchangeRates()
            rates.begin(source: "rates.csv")
            let (euro, dollar) = (try #require(CurrencyCode("EUR")), try #require(CurrencyCode("USD")))
            let day = CivilDate(year: 2026, month: 3, day: 1).daysSinceEpoch
            try rates.add(day: day, base: euro, quote: dollar, rate: #require(ExchangeRates.rate(rate)))
            rules.conversion = Conversion(to: euro, rates: rates)
            rules.period = try BookingCalendar.usual.month("2026-03")
            rules.keys = [.month, .currency]
            return rules
        }
        // Then 9.99 + 0.99 = 10.98, at 1.10: 9.98 EUR. Prices: 8.99 + 0.99 = 9.98, at 1.10: 9.07 EUR, −1.00 and −0.91.
        // Rates: 9.98 at 1.25 is 7.98 EUR (7.984): −1.09. Rule: the refund of April is one of March by its purchase:
        // 0.99 is 0.79 EUR (0.792).
        let tables = try Self.tables(
            rows,
            rows,
            then: rules(.refund, price: "9.99", rate: "1.10"),
            today: rules(.purchase, price: "8.99", rate: "1.25"),
            [.prices, .rates]
        )
        #expect(
            Array(tables[1...3]) == [
                #"{"month":"2026-03","currency":"USD","cause":"price_list","transactions":0,"units":0,"gross":-1.00,"refunded_transactions":0,"refunds":0.00,"net":-1.00,"unpriced_units":0,"rounding":0.00,"converted_gross":-0.91,"converted_refunds":0.00,"converted_net":-0.91,"unconverted_transactions":0,"booked_in":"2026-04"}"#,
                #"{"month":"2026-03","currency":"USD","cause":"rate","transactions":0,"units":0,"gross":0.00,"refunded_transactions":0,"refunds":0.00,"net":0.00,"unpriced_units":0,"rounding":0.00,"converted_gross":-1.09,"converted_refunds":0.00,"converted_net":-1.09,"unconverted_transactions":0,"booked_in":"2026-04"}"#,
                #"{"month":"2026-03","currency":"USD","cause":"rule","transactions":0,"units":0,"gross":0.00,"refunded_transactions":1,"refunds":0.99,"net":-0.99,"unpriced_units":0,"rounding":0.00,"converted_gross":0.00,"converted_refunds":0.79,"converted_net":-0.79,"unconverted_transactions":0,"booked_in":"2026-04"}"#,
            ]
        )
        #expect(tables.filter { $0.contains("transaction_id") }.count == 2)
    }

    @Test(
        "A change of currency or product moves an amount between groups, and transactions without a document are named"
    )
    func moved() throws {
        let before = Rows(transactions: (1...3).map { Self.sale($0, "2026-03-01") })
        let now = Rows(transactions: [
            Self.sale(1, "2026-03-01").with([.currency: "EUR"]), Self.sale(2, "2026-03-01").with([.productID: "gems"]),
        ])
        let tables = try Self.tables(before, now)
        let nets = tables.filter { $0.contains("transaction_id") }.map { line in
            let words = line.split { "\",:{}".contains($0) }.map(String.init)
            return "\(words[1]) \(words[7]) \(words[9]) \(words[21])"
        }
        #expect(
            nets == [
                "1 coins EUR 0.99", "1 coins USD -0.99", "2 coins USD -0.99", "3 coins USD -0.99", "2 gems USD 0.99",
            ]
        )
        var rules = LedgerRules()
        rules.closed = try ClosedMonths(
            name: "march",
            then: ClosedMonths.Terms(rules, .booked),
            now: ClosedMonths.Terms(rules, .booked),
            []
        ) { before.settled(environments: $0.environments, rules: $0.rules) }
        let input = InputSummary(documents: 2, accepted: 2, rejected: 0, bytes: 0)
        let document = try ReportRegistry.document(named: "revenue", of: now.settled(rules: rules), input: input)
        #expect(document?.notes.contains { $0.contains("no input of this run mentions: 1.") } == true)
    }

    @Test("Rows without an id are told together, and an id that is no number by its text")
    func identity() throws {
        let nameless = Self.sale(0, "2026-03-01").without(.transactionID)
        let named = Self.sale(0, "2026-03-01").with([.transactionID: "GPA.1"])
        let tables = try Self.tables(
            Rows(transactions: [nameless]),
            Rows(transactions: [nameless, nameless, nameless, named])
        )
        let transactions = tables.filter { $0.contains("transaction_id") }
        #expect(transactions.count == 2)
        #expect(transactions[0].hasPrefix(#"{"transaction_id":"GPA.1""#) && transactions[0].contains(#""net":0.99"#))
        #expect(transactions[1].hasPrefix(#"{"transaction_id":null"#) && transactions[1].contains(#""net":1.98"#))
    }

    @Test("Of all time, the months up to the last printed one are closed, and what has no date")
    func scope() throws {
        let undated = Self.sale(9, "2026-03-01").without(.purchaseDate)
        let now = Rows(transactions: [
            Self.sale(1, "2026-03-01"), Self.sale(2, "2026-02-28"), Self.sale(3, "2026-04-01"), undated,
        ])
        let months = try Self.tables(Rows(transactions: [Self.sale(1, "2026-03-01")]), now)
            .filter { $0.contains("transaction_id") }.map {
                $0.contains("2026-02") ? "2026-02" : $0.contains("null") ? "null" : $0
            }
        #expect(months == ["2026-02", "null"])
    }

    @Test("Rows without a time close nothing unless a period has an end")
    func endless() throws {
        var rules = LedgerRules()
        rules.keys = [.productID]
        #expect(throws: Finding.self) { try Self.tables(Rows(), Rows(), then: rules) }
        rules.period = try BookingCalendar.usual.month("2026-03")
        #expect(try Self.tables(Rows(), Rows(), then: rules).count == 3)
    }
}
