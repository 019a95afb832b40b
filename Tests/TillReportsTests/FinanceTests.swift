import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillReports
import TillRows
import TillTestSupport

/// Hand-worked numbers for the rules of money and time.
@Suite("Finance")
struct FinanceTests {
    private static func sale(_ id: Int, _ product: String, _ date: String) -> Row<TransactionColumn> {
        [.transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(date), .environment: "production"]
    }

    private static func rates(_ lines: [(String, String, String)]) throws -> ExchangeRates {
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        for (day, currency, rate) in lines {
            try rates.add(
                day: Int(Timestamp(day).milliseconds / Timestamp.millisecondsPerDay),
                base: #require(CurrencyCode("EUR")),
                quote: #require(CurrencyCode(currency)),
                rate: #require(ExchangeRates.rate(rate))
            )
        }
        return rates
    }

    private static func conversion(_ lines: [(String, String, String)]) throws -> Conversion {
        Conversion(to: try #require(CurrencyCode("EUR")), rates: try rates(lines))
    }

    /// The rows of one section, a line each; of revenue without the parts of amounts, unless it is asked for whole.
    private static func section(
        _ name: String,
        of report: String = "revenue",
        _ rows: Rows,
        _ rules: LedgerRules,
        isWhole: Bool = false
    ) throws -> [String] {
        let text = try findings(report, rows, rules: rules)
        let lines = (isWhole ? text : withoutParts(text)).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasPrefix("\"\(name)\":") }, "the report has no section \(name)")
        if lines[start].contains("[]") { return [] }
        guard lines[start].hasSuffix("[") else { return [String(lines[start].drop { $0 != "{" })] }
        return lines[(start + 1)...].prefix { $0.hasPrefix("{") }.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
    }

    // MARK: Periods

    /// Sales and refunds around March in UTC.
    private static let march = Rows(transactions: [
        // Bought in February, refunded in March and in April.
        sale(1, "coins", "2026-02-28T23:59:59.999Z").with([.cancellationDate: "2026-03-01"]),
        sale(2, "coins", "2026-02-10").with([.cancellationDate: "2026-04-01"]),
        // Bought in March, refunded in March and in April.
        sale(3, "coins", "2026-03-01").with([.cancellationDate: "2026-03-31T23:59:59.999Z"]),
        sale(4, "coins", "2026-03-31T23:59:59.999Z").with([.cancellationDate: "2026-04-01"]),
        sale(5, "coins", "2026-04-01"),
        [.transactionID: "6", .productID: "coins"],
    ])

    @Test("A closed month holds the sales that were made in it and the refunds that were made in it")
    func closedMonth() throws {
        var rules = LedgerRules(prices: try PriceList(rows: "coins,*,USD,1.00,,consumable\n"))
        rules.period = try BookingCalendar.usual.month("2026-03")
        // Sold: 3 and 4. Refunded: 1 and 3.
        #expect(
            try Self.section("revenue", Self.march, rules) == [
                #"{"month":"2026-03","product_id":"coins","currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":2.00,"refunded_transactions":2,"refunds":2.00,"net":0.00,"unpriced_units":0}"#
            ]
        )
        // 1 was bought in a month that is closed.
        #expect(
            try Self.section("adjustments", Self.march, rules) == [
                #"{"month":"2026-03","purchase_month":"2026-02","product_id":"coins","currency":"USD","refunded_transactions":1,"units":1,"refunds":1.00}"#
            ]
        )
        rules.refundDating = .purchase
        // Sold: 3 and 4, both refunded at some time.
        #expect(
            try Self.section("totals", Self.march, rules) == [
                #"{"currency":"USD","transactions":2,"paid":2,"trials":0,"units":2,"gross":2.00,"refunded_transactions":2,"refunds":2.00,"net":0.00,"unpriced_units":0}"#
            ]
        )
    }

    @Test("The months of a year are the year: every sale and refund is in one of them")
    func monthsAddUp() throws {
        var rules = LedgerRules(prices: try PriceList(rows: "coins,*,USD,1.00,,consumable\n"))
        var sold = 0
        var refunded = 0
        for month in 1...12 {
            rules.period = try BookingCalendar.usual.month("2026-\(month < 10 ? "0" : "")\(month)")
            for line in try Self.section("totals", Self.march, rules) {
                sold += line.contains("\"transactions\":2") ? 2 : line.contains("\"transactions\":1") ? 1 : 0
                refunded += line.contains("\"refunded_transactions\":2") ? 2 : 0
            }
        }
        #expect(sold == 5)
        #expect(refunded == 4)
    }

    @Test("Restores are in a period by their purchase")
    func restoresOfPeriod() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "pro", "2026-03-01"), Self.sale(2, "pro", "2026-03-02").with([.originalTransactionID: "1"]),
            Self.sale(3, "pro", "2026-04-02").with([.originalTransactionID: "1"]),
        ])
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        #expect(
            try Self.section("restores", of: "restores", rows, rules) == [
                #"{"restored":1,"eligible":2,"rate":0.5,"subscription_restores":0},"#
            ]
        )
    }

    @Test("Failures are in a period by their time")
    func failuresOfPeriod() throws {
        func failure(_ at: String) -> Row<EventColumn> {
            [
                .event: "failed", .at: .text(at), .environment: "production", .errorDomain: "SKErrorDomain",
                .errorCode: 0, .errorClass: "network",
            ]
        }
        let before = (22...28).flatMap { day in (0..<12).map { _ in failure("2026-02-\(day)T10:00:00Z") } }
        let now = (0..<12).map { _ in failure("2026-03-01T10:00:00Z") }
        let undated: Row<EventColumn> = [.event: "failed", .environment: "production"]
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        let rows = Rows(events: before + now + [undated])
        #expect(
            try Self.section("failures", of: "failures", rows, rules) == [
                #"{"domain":"SKErrorDomain","code":0,"class":"network","count":12,"first":"2026-03-01T10:00:00Z","last":"2026-03-01T10:00:00Z","rate":1}"#
            ]
        )
        #expect(try Self.section("series", of: "failures", rows, rules).count == 1)
    }

    // MARK: Conversion

    @Test("Rows and the total in the base currency, each rounded once, and what the rows add by rounding")
    func converts() throws {
        let rows = Rows(transactions: [
            // 1.00 / 1.50 = 0.6666…; 1.00 / 1.20 = 0.8333…
            Self.sale(1, "a", "2026-03-02").with([.price: 1000, .currency: "USD"]),
            Self.sale(2, "b", "2026-03-02").with([.price: 1000, .currency: "USD"]),
            Self.sale(3, "b", "2026-03-03").with([.price: 1000, .currency: "USD"]),
            // Refunded at the rate of its purchase: 1.00 / 1.50
            Self.sale(4, "c", "2026-03-02").with([.price: 1000, .currency: "USD", .cancellationDate: "2026-03-03"]),
            Self.sale(5, "d", "2026-03-02").with([.price: 10_000, .currency: "TWD"]),
            // A trial needs no rate.
            Self.sale(6, "e", "2026-03-02").with([.price: 0, .currency: "TWD", .isTrial: true]),
        ])
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-02", "USD", "1.50"), ("2026-03-03", "USD", "1.20")])
        let converted = try Self.section("revenue", rows, rules).map { line in
            line.drop { $0 != "c" }.split(separator: "\"converted_gross\":").last.map(String.init)
        }
        #expect(
            converted == [
                #"0.67,"converted_refunds":0.00,"converted_net":0.67,"unconverted_transactions":0}"#,
                // 0.6666… + 0.8333… = 1.50, though 0.67 + 0.83 = 1.50 as well
                #"1.50,"converted_refunds":0.00,"converted_net":1.50,"unconverted_transactions":0}"#,
                #"0.67,"converted_refunds":0.67,"converted_net":0.00,"unconverted_transactions":0}"#,
                // Nothing of it has a rate: not known, which is not 0.
                #"null,"converted_refunds":null,"converted_net":null,"unconverted_transactions":1}"#,
                #"0.00,"converted_refunds":0.00,"converted_net":0.00,"unconverted_transactions":0}"#,
            ]
        )
        // Without a rate of one, all sums are unknown.
        #expect(
            try Self.section("converted", rows, rules) == [
                #"{"currency":"EUR","gross":null,"refunds":null,"net":null,"unconverted_transactions":1,"residual_gross":null,"residual_refunds":null,"residual_net":null,"residual_tax":null,"residual_without_tax":null,"residual_commission":null,"residual_proceeds":null},"#
            ]
        )
        // 3 × 0.6666… + 0.8333… = 2.8333…; the rows say 0.67 + 1.50 + 0.67 = 2.84: 0.01 more.
        let rated = Rows(transactions: rows.transactions.filter { $0[.productID] != "d" })
        #expect(
            try Self.section("converted", rated, rules) == [
                #"{"currency":"EUR","gross":2.83,"refunds":0.67,"net":2.16,"unconverted_transactions":0,"residual_gross":0.01,"residual_refunds":0.00,"residual_net":0.01,"residual_tax":null,"residual_without_tax":null,"residual_commission":null,"residual_proceeds":null},"#
            ]
        )
        #expect(
            try Self.section("unconverted", rows, rules) == [
                #"{"currency":"TWD","reason":"no_rates","transactions":1,"gross":10.00,"refunded_transactions":0,"refunds":0.00,"net":10.00}"#
            ]
        )
    }

    @Test("By month, a refund takes the rate of the month in which it is booked")
    func convertsRefundsByMonth() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-03-02").with([.price: 6000, .currency: "USD", .cancellationDate: "2026-04-01"])
        ])
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-31", "USD", "1.50"), ("2026-04-30", "USD", "1.20")])
        rules.conversion?.dateRule = .monthEnd
        // 6.00 / 1.50 = 4.00 in March, 6.00 / 1.20 = 5.00 in April
        let line = try #require(try Self.section("converted", rows, rules).first)
        #expect(line.hasPrefix(#"{"currency":"EUR","gross":4.00,"refunds":5.00,"net":-1.00,"#))
        rules.refundDating = .purchase
        let cohort = try #require(try Self.section("converted", rows, rules).first)
        #expect(cohort.hasPrefix(#"{"currency":"EUR","gross":4.00,"refunds":4.00,"net":0.00,"#))
    }

    @Test("A missing rate ends the run where none may be missing, and names the currency and the day")
    func gapFails() throws {
        let rows = Rows(transactions: [Self.sale(1, "a", "2026-03-01").with([.price: 6000, .currency: "USD"])])
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-02", "USD", "1.50")])
        rules.conversion?.gapRule = .fail
        let error = try #require(throws: Finding.self) { try Self.section("revenue", rows, rules) }
        #expect(error.code == "fx.gap")
        #expect(error.description.contains("USD for 2026-03-01"))
    }

    @Test("An amount that leaves 128 bits when converted ends the run and names its row")
    func overflows() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-03-02").with([.price: 9_223_372_036_854_775_807, .currency: "USD"])
        ])
        var rates = ExchangeRates()
        rates.begin(source: "x")
        let (eur, usd, xaa, xab) = (
            try #require(CurrencyCode("EUR")), try #require(CurrencyCode("USD")), try #require(CurrencyCode("XAA")),
            try #require(CurrencyCode("XAB"))
        )
        let day = Int(Timestamp("2026-03-02").milliseconds / Timestamp.millisecondsPerDay)
        let rate = try #require(ExchangeRates.rate("9000000.123456789013"))
        try rates.add(day: day, base: usd, quote: xaa, rate: rate)
        try rates.add(day: day, base: xaa, quote: xab, rate: rate)
        try rates.add(day: day, base: xab, quote: eur, rate: rate)
        var rules = LedgerRules()
        rules.conversion = Conversion(to: eur, rates: rates)
        let error = try #require(throws: Finding.self) { try Self.section("revenue", rows, rules) }
        #expect(error.code == "ledger.overflow")
        #expect(error.description.contains("2026-03, a, USD"))
    }

    // MARK: Proceeds

    private static func list(_ rows: String) throws -> PriceList {
        let header = "product_id,territory,currency,price,commission,tax_rate,tax_included\n"
        return try PriceList(csv: Array((header + rows).utf8), name: "prices.csv")
    }

    /// Tax, sales without tax, commission and proceeds of each row of a section.
    private static func parts(_ name: String, _ rows: Rows, _ rules: LedgerRules) throws -> [String] {
        let lines = try section(name, rows, rules, isWhole: true)
        return try lines.map { line in
            try ["tax", "without_tax", "commission", "proceeds"].map { name in
                let value = try #require(line.split(separator: "\"\(name)\":").dropFirst().first)
                return String(value.prefix { $0 != "," })
            }
            .joined(separator: " ")
        }
    }

    @Test("Tax, commission and proceeds of a price list, and of --commission")
    func proceeds() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "vat", "2026-03-02"), Self.sale(2, "small", "2026-03-02"), Self.sale(3, "us", "2026-03-02"),
            Self.sale(4, "other", "2026-03-02").with([.price: 10_000, .currency: "EUR"]),
        ])
        var rules = LedgerRules(
            prices: try Self.list(
                """
                vat,*,EUR,9.99,0.30,0.20,
                small,*,EUR,9.99,0.15,0.20,true
                us,*,EUR,9.99,0.30,0.20,false

                """
            )
        )
        #expect(
            try Self.parts("revenue", rows, rules) == [
                // Not in the list: nothing says what tax is in it.
                "null null null null",
                // Tax 9.99 × 0.2 / 1.2 = 1.665, a tie, to the even; proceeds 9.99 × 0.85 / 1.2 = 7.07625
                "1.66 8.33 1.25 7.08",
                // Tax is not in the price: proceeds 9.99 × 0.7 = 6.993
                "0.00 9.99 3.00 6.99",
                // Proceeds 9.99 × 0.7 / 1.2 = 5.8275
                "1.66 8.33 2.50 5.83",
            ]
        )
        // One sale of unknown tax leaves the parts of all unknown.
        #expect(try Self.parts("totals", rows, rules) == ["null null null null"])
        #expect(try Self.section("totals", rows, rules, isWhole: true)[0].contains(#""untaxed_transactions":1,"#))
        rules.commission = 300_000
        rules.hasNoTax = true
        rules.rounding = .halfUp
        #expect(
            try Self.parts("revenue", rows, rules) == [
                "0.00 10.00 3.00 7.00", "1.67 8.32 1.24 7.08", "0.00 9.99 3.00 6.99", "1.67 8.32 2.49 5.83",
            ]
        )
        // Tax 1.67 + 1.67; without tax 39.97 − 3.34; proceeds 7.00 + 7.08 + 6.99 + 5.83
        #expect(try Self.parts("totals", rows, rules) == ["3.34 36.63 9.73 26.90"])
        #expect(try json("revenue", rows, rules: rules).contains(#""proceeds":"estimated","commission":0.3"#))
    }

    @Test("Where only the commission of a sale is unknown, tax is known, and that sale is counted")
    func unknownCommission() throws {
        let rows = Rows(transactions: [Self.sale(1, "vat", "2026-03-02"), Self.sale(2, "small", "2026-03-02")])
        let rules = LedgerRules(prices: try Self.list("vat,*,EUR,11.90,0.30,0.19,\nsmall,*,EUR,2.38,,0.19,\n"))
        // 11.90 / 1.19 = 10.00; 2.38 / 1.19 = 2.00
        #expect(try Self.parts("revenue", rows, rules) == ["0.38 2.00 null null", "1.90 10.00 3.00 7.00"])
        #expect(try Self.parts("totals", rows, rules) == ["2.28 12.00 null null"])
        let total = try Self.section("totals", rows, rules, isWhole: true)[0]
        #expect(total.contains(#""untaxed_transactions":0,"uncommissioned_transactions":1"#))
    }

    @Test("A refund takes back the parts of its sale, a partial one is an amount by itself, and a trial has parts of 0")
    func refundedParts() throws {
        let refunded = Self.sale(1, "vat", "2026-03-02").with([.cancellationDate: "2026-04-01"])
        let rows = Rows(transactions: [
            // Tax 9.99 × 0.19 / 1.19 = 1.595; proceeds 9.99 × 0.7 / 1.19 = 5.876
            refunded,
            // A third of 9.99 is 3.33: tax 0.5317, proceeds 1.9588
            refunded.with([.transactionID: "2", .refundPercentage: 33_333]),
            Self.sale(3, "trial", "2026-05-02").with([.price: 0, .currency: "EUR", .isTrial: true]),
        ])
        var rules = LedgerRules(prices: try Self.list("vat,*,EUR,9.99,0.30,0.19,\n"))
        rules.keys = [.month]
        #expect(
            try Self.parts("revenue", rows, rules) == [
                // Twice 1.60 and 5.88; then 1.60 + 0.53 and 5.88 + 1.96 back
                "3.20 16.78 5.02 11.76", "-2.13 -11.19 -3.35 -7.84", "0.00 0.00 0.00 0.00",
            ]
        )
        let line = try Self.section("totals", rows, rules)[0]
        #expect(line.contains(#""transactions":3,"paid":2,"trials":1,"#))
    }

    // MARK: Keys

    @Test("A sale under an offer is one by its type too, for some have no id; type 1 is an introductory offer")
    func offerKinds() throws {
        var rules = LedgerRules()
        rules.keys = [.saleKind]
        for (type, kind) in [(2, "offer"), (3, "offer"), (4, "offer"), (1, "new")] {
            let sale = Self.sale(1, "gold", "2026-03-09").with([
                .price: 3000, .currency: "USD", .offerType: .number(Int64(type)), .expiresDate: "2026-04-09",
            ])
            let rows = try Self.section("revenue", Rows(transactions: [sale]), rules)
            #expect(rows.count == 1 && rows[0].contains("\"sale_kind\":\"\(kind)\""), "\(type): \(rows)")
        }
    }

    @Test("Rows by any keys; the currency is always one of them")
    func keys() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "coins", "2026-03-02T10:30:00Z").with([.price: 1000, .currency: "USD", .storefront: "USA"]),
            Self.sale(2, "coins", "2026-03-02T10:59:59Z").with([.price: 1000, .currency: "EUR", .storefront: "DEU"]),
            Self.sale(3, "gold", "2026-03-09").with([
                .price: 5000, .currency: "USD", .storefront: "USA", .isIntro: true, .expiresDate: "2026-04-09",
                .bundleID: "b", .appVersion: "2",
            ]),
            Self.sale(4, "gold", "2026-04-09").with([
                .price: 5000, .currency: "USD", .originalTransactionID: "3", .expiresDate: "2026-05-09",
                .bundleID: "b", .appVersion: "2",
            ]),
            Self.sale(5, "gold", "2026-03-09").with([
                .price: 0, .currency: "USD", .isTrial: true, .expiresDate: "2026-04-09", .productType: "auto_renewable",
            ]),
            Self.sale(6, "gold", "2026-03-09").with([
                .price: 3000, .currency: "USD", .offerID: "back", .expiresDate: "2026-04-09",
            ]),
        ])
        func keys(_ keys: [GroupKey]) throws -> [String] {
            var rules = LedgerRules()
            rules.keys = keys
            return try Self.section("revenue", rows, rules).map {
                String($0.split(separator: ",\"paid\"").first ?? "")
            }
        }
        #expect(
            try keys([.storefront]) == [
                #"{"storefront":"DEU","currency":"EUR","transactions":1"#,
                #"{"storefront":"USA","currency":"USD","transactions":2"#,
                #"{"storefront":null,"currency":"USD","transactions":3"#,
            ]
        )
        #expect(
            try keys([.currency, .saleKind]) == [
                #"{"currency":"EUR","sale_kind":"new","transactions":1"#,
                #"{"currency":"USD","sale_kind":"intro","transactions":1"#,
                #"{"currency":"USD","sale_kind":"new","transactions":1"#,
                #"{"currency":"USD","sale_kind":"offer","transactions":1"#,
                #"{"currency":"USD","sale_kind":"renewal","transactions":1"#,
                #"{"currency":"USD","sale_kind":"trial","transactions":1"#,
            ]
        )
        #expect(
            try keys([.hour, .productID]).prefix(2) == [
                #"{"hour":"2026-03-02T10:00:00Z","product_id":"coins","currency":"EUR","transactions":1"#,
                #"{"hour":"2026-03-02T10:00:00Z","product_id":"coins","currency":"USD","transactions":1"#,
            ]
        )
        #expect(
            try keys([.week, .bundleID, .appVersion]) == [
                #"{"week":"2026-W10","bundle_id":null,"app_version":null,"currency":"EUR","transactions":1"#,
                #"{"week":"2026-W10","bundle_id":null,"app_version":null,"currency":"USD","transactions":1"#,
                #"{"week":"2026-W11","bundle_id":"b","app_version":"2","currency":"USD","transactions":1"#,
                #"{"week":"2026-W11","bundle_id":null,"app_version":null,"currency":"USD","transactions":2"#,
                #"{"week":"2026-W15","bundle_id":"b","app_version":"2","currency":"USD","transactions":1"#,
            ]
        )
        #expect(
            try keys([.productType]) == [
                #"{"product_type":"auto_renewable","currency":"USD","transactions":1"#,
                #"{"product_type":null,"currency":"EUR","transactions":1"#,
                #"{"product_type":null,"currency":"USD","transactions":4"#,
            ]
        )
        #expect(
            try keys([.day, .environment]).first
                == #"{"day":"2026-03-02","environment":"production","currency":"EUR","transactions":1"#
        )
    }

    @Test("A catalogue lists which products are consumables: they never restore and leave the denominator")
    func catalogue() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "coins", "2026-03-02"),
            Self.sale(2, "coins", "2026-03-03").with([.originalTransactionID: "1"]),
            Self.sale(3, "pro", "2026-03-02"),
        ])
        var rules = LedgerRules()
        var catalogue = Catalogue()
        try catalogue.add(Catalogue.Entry(type: .consumable), for: "coins")
        rules.catalogue = catalogue
        rules.keys = [.productType]
        #expect(
            try Self.section("restores", of: "restores", rows, rules) == [
                #"{"restored":0,"eligible":1,"rate":0,"subscription_restores":0},"#
            ]
        )
        #expect(
            try Self.section("revenue", rows, rules).first?.contains(
                #""product_type":"consumable","currency":null,"transactions":2"#
            ) == true
        )
    }

    // MARK: Comparison

    private static let endOfMarch = BookingCalendar.usual.lastDay(before: Timestamp("2026-04-01"))

    @Test("A month against the one before, and what is sold no more")
    func compares() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-02-02").with([.price: 4000, .currency: "USD"]),
            Self.sale(2, "a", "2026-03-02").with([.price: 5000, .currency: "USD"]),
            Self.sale(3, "b", "2026-02-03").with([.price: 1000, .currency: "USD", .cancellationDate: "2026-03-31"]),
            Self.sale(4, "c", "2025-03-03").with([.price: 8000, .currency: "USD"]),
            Self.sale(5, "a", "2026-01-03").with([.price: 8000, .currency: "USD"]),
        ])
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        rules.completeDay = Self.endOfMarch
        rules.comparison = .month
        // a: 5 after 4. b: nothing sold after 1, but its refund is booked. Of January and of 2025 nothing is said.
        #expect(
            try Self.section("comparison", rows, rules).filter { $0.contains("\"net\"") || $0.contains("refunds") } == [
                #"{"month":"2026-03","product_id":"a","currency":"USD","figure":"net","now":5.00,"before":4.00,"change":1.00,"relative":0.25}"#,
                #"{"month":"2026-03","product_id":"b","currency":"USD","figure":"refunds","now":1.00,"before":0.00,"change":1.00,"relative":null}"#,
                #"{"month":"2026-03","product_id":"b","currency":"USD","figure":"net","now":-1.00,"before":1.00,"change":-2.00,"relative":-2}"#,
            ]
        )
        rules.comparison = .year
        #expect(
            try Self.section("comparison_totals", rows, rules).last
                == #"{"currency":"USD","figure":"net","now":4.00,"before":8.00,"change":-4.00,"relative":-0.5}"#
        )
    }

    @Test("A month before the first sale is not known, and not 0; nor are totals with such a month")
    func comparesKnownMonths() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-02-10").with([.price: 4000, .currency: "USD"]),
            Self.sale(2, "a", "2026-03-02").with([.price: 5000, .currency: "USD"]),
            Self.sale(3, "b", "2026-03-02").with([.price: 1000, .currency: "USD"]),
        ])
        var rules = LedgerRules()
        rules.completeDay = Self.endOfMarch
        rules.comparison = .month
        #expect(
            try Self.section("comparison", rows, rules).filter { $0.contains("\"net\"") } == [
                #"{"month":"2026-02","product_id":"a","currency":"USD","figure":"net","now":4.00,"before":null,"change":null,"relative":null}"#,
                #"{"month":"2026-03","product_id":"a","currency":"USD","figure":"net","now":5.00,"before":4.00,"change":1.00,"relative":0.25}"#,
                #"{"month":"2026-03","product_id":"b","currency":"USD","figure":"net","now":1.00,"before":0.00,"change":1.00,"relative":null}"#,
            ]
        )
        func total() throws -> String? { try Self.section("comparison_totals", rows, rules).last }
        let unknown = #""before":null,"change":null,"relative":null}"#
        #expect(try total() == #"{"currency":"USD","figure":"net","now":10.00,"# + unknown)
        rules.period = try BookingCalendar.usual.month("2026-03")
        #expect(
            try total()
                == #"{"currency":"USD","figure":"net","now":6.00,"before":4.00,"change":2.00,"relative":0.5}"#
        )
        rules.comparison = .year
        #expect(try total() == #"{"currency":"USD","figure":"net","now":6.00,"# + unknown)
    }

    @Test("A product with a sale without a price on one side is not compared, and neither is a total")
    func comparesPriced() throws {
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-02-01").with([.price: 4000, .currency: "USD"]), Self.sale(2, "b", "2026-02-03"),
            Self.sale(3, "a", "2026-03-02").with([.price: 5000, .currency: "USD"]),
            Self.sale(4, "b", "2026-03-02").with([.price: 1000, .currency: "USD"]),
        ])
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        rules.completeDay = Self.endOfMarch
        rules.comparison = .month
        let unknown = #""before":null,"change":null,"relative":null}"#
        #expect(
            try Self.section("comparison", rows, rules).filter { $0.contains("\"net\"") } == [
                #"{"month":"2026-03","product_id":"a","currency":"USD","figure":"net","now":5.00,"before":4.00,"change":1.00,"relative":0.25}"#,
                #"{"month":"2026-03","product_id":"b","currency":"USD","figure":"net","now":1.00,"# + unknown,
            ]
        )
        #expect(
            try Self.section("comparison_totals", rows, rules).filter { $0.contains("\"net\"") } == [
                #"{"currency":"USD","figure":"net","now":6.00,"# + unknown
            ]
        )
    }

    @Test("A rise from below zero is positive, of counts as of amounts")
    func comparesReversals() throws {
        // Refunded in January, taken back in February.
        let rows = Rows(transactions: [
            Self.sale(1, "a", "2026-01-02").with([
                .price: 4000, .currency: "USD", .cancellationDate: "2026-01-03", .refundReversedAt: "2026-02-01",
            ])
        ])
        var rules = LedgerRules()
        rules.period = try BookingCalendar.usual.month("2026-03")
        rules.completeDay = Self.endOfMarch
        rules.comparison = .month
        #expect(
            try Self.section("comparison_totals", rows, rules) == [
                #"{"currency":"USD","figure":"refunded_transactions","now":0,"before":-1,"change":1,"relative":1}"#,
                #"{"currency":"USD","figure":"refunds","now":0.00,"before":-4.00,"change":4.00,"relative":1}"#,
                #"{"currency":"USD","figure":"net","now":0.00,"before":4.00,"change":-4.00,"relative":-1}"#,
            ]
        )
    }

    // MARK: Order

    @Test("Neither keys, rates nor periods make the order of rows matter", arguments: Seeds.some(of: UInt64(1)...20))
    func ignoresOrder(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let transactions = RandomRows.transactions(80, from: &generator).map { row in
            // Amounts near the end of 64 bits are another test's.
            row[.price] == 9_223_372_036_854_775_807 ? row.with([.price: 990]) : row
        }
        var rules = LedgerRules(prices: try PriceList(rows: "coins,*,USD,0.99,,consumable\npro,*,JPY,30,,\n"))
        rules.conversion = try Self.conversion([
            ("2024-02-28", "USD", "1.0831"), ("2026-02-27", "USD", "1.1799"), ("2026-02-27", "JPY", "183.2"),
            ("2026-03-02", "USD", "1.1701"),
        ])
        rules.commission = 300_000
        rules.keys = [.day, .storefront, .appVersion, .saleKind, .productType]
        if Bool.random(using: &generator) { rules.period = try BookingCalendar.usual.month("2026-03") }
        let expected = try json("revenue", Rows(transactions: transactions), rules: rules)
        #expect(expected.contains("converted_gross"))
        for _ in 0..<4 {
            let shuffled = transactions.shuffled(using: &generator)
            let cut = Int.random(in: 0...shuffled.count, using: &generator)
            let parts = [Rows(transactions: Array(shuffled[..<cut])), Rows(transactions: Array(shuffled[cut...]))]
            #expect(try json("revenue", Rows.settled(parts, rules: rules, needs: RevenueReport.needs)) == expected)
        }
    }
}
