import Testing
import TillCore
import TillLedger
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

@Suite("The summary of the revenue report")
struct RevenueSummaryTests {
    private static func sale(
        _ id: Int,
        _ product: String,
        _ date: String,
        _ milliunits: Int64,
        _ currency: String = "USD"
    ) -> Row<TransactionColumn> {
        [
            .transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(date), .quantity: 1,
            .price: .number(milliunits), .currency: .text(currency), .environment: "production",
        ]
    }

    private static func rules(month: String, base: [(String, String, String)]? = nil) throws -> LedgerRules {
        var rules = LedgerRules()
        // The month is complete, though the sales of a test end sooner.
        let period = try BookingCalendar.usual.month(month)
        (rules.period, rules.completeDay) = (period, period.until.map { rules.calendar.lastDay(before: $0) })
        guard let base else { return rules }
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        let euro = try #require(CurrencyCode("EUR"))
        for (day, currency, rate) in base {
            let days = Int(Timestamp(day).milliseconds / Timestamp.millisecondsPerDay)
            let (quote, ratio) = (try #require(CurrencyCode(currency)), try #require(ExchangeRates.rate(rate)))
            try rates.add(day: days, base: euro, quote: quote, rate: ratio)
        }
        rules.conversion = Conversion(to: euro, rates: rates)
        return rules
    }

    /// The text of a member of a summary.
    private static func value(_ name: String, in text: some StringProtocol) -> String {
        let parts = text.split(separator: "\"\(name)\":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count < 2 ? "missing" : String(parts[1].prefix { $0 != "," && $0 != "}" })
    }

    private static func values(_ names: [String], in text: String) -> [String] { names.map { value($0, in: text) } }

    private static let figures = ["currency", "net", "previous_net", "year_before_net", "change", "year_change"]

    /// The report as people read it.
    private static func printed(_ rows: Rows, _ rules: LedgerRules) throws -> String {
        let input = InputSummary(documents: 5, accepted: 3, rejected: 2, bytes: 9)
        let ledger = rows.settled(rules: rules, needs: RevenueReport.needs)
        let document = try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
        return String(decoding: TableRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    // MARK: Hand-worked

    /// From March 2025 to March 2026.
    private static let year = Rows(transactions: [
        sale(1, "pro", "2025-03-01T09:00:00Z", 10_000), sale(2, "pro", "2026-02-03", 30_000),
        sale(3, "gem", "2026-02-28T23:59:59.999Z", 10_000), sale(4, "pro", "2026-03-01", 25_000),
        sale(5, "gem", "2026-03-31", 20_000), sale(6, "old", "2026-03-05", 6_000),
        // Of February, refunded in March.
        sale(7, "old", "2026-02-05", 5_000).with([.cancellationDate: "2026-03-02"]),
        sale(8, "tip", "2026-03-05", 99_000_000, "TWD"),
    ])

    @Test(
        "Net, the month before and the same a year before, refunds and the top products, in the currency with most sales"
    )
    func month() throws {
        let text = try summary("revenue", Self.year, rules: Self.rules(month: "2026-03"))
        // 25 + 20 + 6 − 5 = 46; February 30 + 10 + 5 = 45; March 2025 10. 1/45 = 0.022222; 36/10; 5/51 = 0.098039.
        #expect(
            text == """
                {"period":"1–31 March 2026","since":"2026-03-01T00:00:00Z","until":"2026-03-31T00:00:00Z",\
                "complete":true,"as_of":"2026-03-31","currency":"USD","net":46.00,"known_net":46.00,"tax":null,"without_tax":null,"commission":null,"proceeds":null,"previous_net":45.00,"year_before_net":10.00,"change":0.022222,\
                "year_change":3.6,"refund_rate":0.098039,"top_products":[\
                {"product_id":"pro","net":25.00,"share":0.543478},{"product_id":"gem","net":20.00,"share":0.434783},\
                {"product_id":"old","net":1.00,"share":0.021739}],"deferred":0.00,"exceptions":[{"name":"rejected","count":1}]}
                """
        )
    }

    @Test("The input reaches back to a period if its first sale is not later than the first day of it")
    func reach() throws {
        // The first sale is on 1 March 2025, so there is nothing to say of February 2025 and of March 2024.
        let first = try summary("revenue", Self.year, rules: Self.rules(month: "2025-03"))
        #expect(Self.values(Self.figures, in: first) == ["\"USD\"", "10.00", "null", "null", "null", "null"])
        // April 2025 has no sales: that is 0, after a month that is known. Without sales there is no currency.
        let empty = try summary("revenue", Self.year, rules: Self.rules(month: "2025-04"))
        #expect(Self.values(Self.figures, in: empty) == ["null", "null", "null", "null", "null", "null"])
        // January 2026 is known to have no sales; a change from 0 is none.
        let second = try summary("revenue", Self.year, rules: Self.rules(month: "2026-02"))
        #expect(Self.values(Self.figures, in: second) == ["\"USD\"", "45.00", "0.00", "null", "null", "null"])
    }

    @Test("Without a period, or with one that has no end, there is nothing before")
    func openPeriods() throws {
        var rules = LedgerRules()
        for period in [nil, Period(from: Timestamp("2026-03-01"), until: nil)] {
            rules.period = period
            let text = try summary("revenue", Self.year, rules: rules)
            #expect(Self.values(["previous_net", "year_before_net"], in: text) == ["null", "null"])
            #expect(!text.contains("\"net\":null"))
        }
    }

    @Test("In the base currency, with the digits of the tables")
    func base() throws {
        let rates = [("2026-02-03", "USD", "1.25"), ("2026-03-01", "USD", "1.50"), ("2025-03-01", "USD", "1.60")]
        var rules = try Self.rules(month: "2026-03", base: rates)
        rules.conversion?.longestGap = 60
        let text = try summary("revenue", Self.year, rules: rules)
        // 25/1.5 = 16.67, 20/1.5 = 13.33, old 6/1.5 − 5/1.25 = 4.00 − 4.00 = 0; TWD has no rate. February: pro 30/1.25
        // = 24, gem 8, old 4. March 2025: 10/1.6 = 6.25. (30 − 36)/36 = −0.166667; 23.75/6.25 = 3.8.
        #expect(Self.values(Self.figures, in: text) == ["\"EUR\"", "null", "36.00", "6.25", "null", "null"])
        #expect(Self.values(["known_net"], in: text) == ["30.00"])
        #expect(
            text.contains(
                """
                {"name":"unconverted","count":1,"currencies":[{"currency":"TWD","count":1,"since":"2026-03-05"}],\
                "since":"2026-03-05"}
                """
            )
        )
        let whole = try summary("revenue", Rows(transactions: Self.year.transactions.dropLast()), rules: rules)
        #expect(
            Self.values(Self.figures, in: whole) == ["\"EUR\"", "30.00", "36.00", "6.25", "-0.166667", "3.8"]
        )
        // Without the rates of a year ago, its net is not known.
        rules.conversion = try Self.rules(month: "2026-03", base: Array(rates.prefix(2))).conversion
        rules.conversion?.longestGap = 60
        let unknown = try summary("revenue", Rows(transactions: Self.year.transactions.dropLast()), rules: rules)
        #expect(Self.values(Self.figures, in: unknown) == ["\"EUR\"", "30.00", "36.00", "null", "-0.166667", "null"])
        // A gap that ends the run in the month itself is no more than unknown in another month.
        rules.conversion?.longestGap = 40
        rules.conversion?.gapRule = .fail
        let sold = Rows(transactions: Array(Self.year.transactions.prefix(4)))
        #expect(
            try Self.values(["net", "year_before_net"], in: summary("revenue", sold, rules: rules)) == [
                "16.67", "null",
            ]
        )
    }

    /// A year from 1 March 2026 for 365.00 dollars, and one of a currency without a rate.
    private static let subscriptions = [
        sale(1, "pro", "2026-03-01", 365_000).with([.expiresDate: "2027-03-01"]),
        sale(2, "old", "2025-12-01", 1_000).with([.expiresDate: "2026-01-01"]),
    ]

    @Test("Deferred is the closing balance of the report of deferred revenue")
    func deferred() throws {
        let rows = Rows(transactions: Self.subscriptions)
        // 31 of 365 days are earned in March.
        let rules = try Self.rules(month: "2026-03")
        let text = try summary("revenue", rows, rules: rules)
        #expect(Self.values(["deferred"], in: text) == ["334.00"])
        #expect(try Self.values(["closing"], in: summary("deferred", rows, rules: rules)) == ["334.00"])
        let line = "\n    Deferred 334.00 USD at the end of March 2026, tax included   tillroll report deferred\n"
        #expect(try Self.printed(rows, rules).contains(line))
        // A currency without a booking in March has a balance too: 334 of 365 yen.
        let yen = Self.sale(3, "pro", "2026-02-28", 365_000, "JPY").with([.expiresDate: "2027-02-28"])
        let both = Rows(transactions: Self.subscriptions + [yen])
        #expect(try Self.printed(both, rules).contains("Deferred 334.00 USD, 333 JPY at the end of March 2026"))
        // All of the other one is earned in December: 0 is known, and not worth a line.
        let before = try Self.rules(month: "2025-12")
        #expect(try Self.values(["deferred"], in: summary("revenue", rows, rules: before)) == ["0.00"])
        #expect(try !Self.printed(rows, before).contains("Deferred"))
    }

    @Test("Deferred without a rate is unknown, and ends no run")
    func deferredWithoutARate() throws {
        let yen = Self.sale(3, "pro", "2026-02-01", 1_200_000, "JPY").with([.expiresDate: "2027-02-01"])
        let rows = Rows(transactions: Self.subscriptions + [yen])
        var rules = try Self.rules(month: "2026-03", base: [("2026-03-01", "USD", "1.25")])
        #expect(try Self.values(["deferred"], in: summary("revenue", rows, rules: rules)) == ["null"])
        rules.conversion?.gapRule = .fail
        let text = try summary("revenue", rows, rules: rules)
        #expect(Self.values(["net", "deferred"], in: text) == ["292.00", "null"])
        let known = Rows(transactions: Self.subscriptions)
        #expect(try Self.values(["deferred"], in: summary("revenue", known, rules: rules)) == ["267.20"])
    }

    @Test("Rows that are not told apart by product have no top products")
    func withoutProducts() throws {
        var rules = try Self.rules(month: "2026-03")
        rules.keys = [.storefront]
        let text = try summary("revenue", Self.year, rules: rules)
        #expect(Self.values(["net", "previous_net", "top_products"], in: text) == ["46.00", "45.00", "null"])
    }

    @Test("People read the same figures in sentences, and which flag or command shows more")
    func sentences() throws {
        let rules = try Self.rules(month: "2026-03", base: [("2026-03-01", "USD", "1.00")])
        let ledger = Rows(transactions: Array(Self.year.transactions.prefix(6))).settled(
            rules: rules,
            needs: RevenueReport.needs
        )
        let input = InputSummary(documents: 5, accepted: 3, rejected: 2, bytes: 9)
        let document = try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
        let text = String(decoding: TableRenderer().render(document, options: RenderOptions()), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(
            Array(lines[0...5]) == [
                "Revenue, March 2026 (days in UTC; month complete)",
                "  Customer sales at least  31.00 EUR   no comparison",
                "    tax included",
                "    3 paid sales",
                "  ! 2 documents could not be read and are in no figure; --rejects FILE writes them",
                "  ! 1 sale or refund has no exchange rate and is in no converted amount: USD (1) since 31 March 2026; "
                    + "--fx FILE needs these rates",
            ]
        )
        #expect(
            try Self.printed(Self.year, Self.rules(month: "2026-03")).contains(
                """
                  Customer sales      46.00 USD   ▲ 2.22 % on February 2026
                    tax included                  ▲ 360.00 % on March 2025
                  Customer sales  99,000.00 TWD

                """
            )
        )
    }

    // MARK: Earlier periods

    static let periods: [(Period, CalendarKind, [String])] = [
        (month("2026-03"), .gregorian, ["2026-02-01", "2026-03-01", "2025-03-01", "2025-04-01"]),
        // Three months.
        (days("2026-01-01", "2026-04-01"), .gregorian, ["2025-10-01", "2026-01-01", "2025-01-01", "2025-04-01"]),
        // Seven days, over the end of February.
        (days("2024-02-27", "2024-03-05"), .gregorian, ["2024-02-20", "2024-02-27", "2023-02-27", "2023-03-05"]),
        (days("2024-02-29", "2024-03-01"), .gregorian, ["2024-02-28", "2024-02-29", "2023-02-28", "2023-03-01"]),
        // Up to the end of 28 February of a leap year, in days and in hours.
        (days("2024-02-20", "2024-02-29"), .gregorian, ["2024-02-11", "2024-02-20", "2023-02-20", "2023-03-01"]),
        (
            days("2024-02-28T12:00:00Z", "2024-02-29T00:00:00Z"), .gregorian,
            ["2024-02-28T00:00:00Z", "2024-02-28T12:00:00Z", "2023-02-28T12:00:00Z", "2023-03-01T00:00:00Z"]
        ),
        // ISO weeks 2026-W10 and W11, from Monday 2 March; a year before, 52 weeks.
        (days("2026-03-02", "2026-03-16"), .isoWeek, ["2026-02-16", "2026-03-02", "2025-03-03", "2025-03-17"]),
        // FY26 begins on 28 September 2025 and FY25 on 29 September 2024; their sixth months are weeks 23 to 26.
        (
            days("2026-03-01", "2026-03-29"), .appleFiscal,
            ["2026-02-01", "2026-03-01", "2025-03-02", "2025-03-30"]
        ),
        // Six hours.
        (
            days("2026-03-02T06:00:00Z", "2026-03-02T12:00:00Z"), .gregorian,
            ["2026-03-02T00:00:00Z", "2026-03-02T06:00:00Z", "2025-03-02T06:00:00Z", "2025-03-02T12:00:00Z"]
        ),
    ]

    private static func days(_ from: String, _ until: String) -> Period {
        Period(from: Timestamp(from), until: Timestamp(until))
    }

    private static func month(_ text: String) -> Period {
        (try? BookingCalendar.usual.month(text)) ?? Period(from: nil, until: nil)
    }

    @Test("The period of the same length before, and the same a year before", arguments: periods)
    func earlier(_ period: Period, _ kind: CalendarKind, _ expected: [String]) throws {
        let trailing = TrailingPeriods(of: period, in: BookingCalendar(kind))
        let (previous, year) = (try #require(trailing.previous), try #require(trailing.yearBefore))
        #expect([previous.from, previous.until, year.from, year.until] == expected.map { Timestamp($0) })
    }

    // MARK: Against other ways to the same figures

    /// A sale as the plain sum below reads it.
    private struct Sold {
        let month: Int
        let refundMonth: Int?
        let currency: String
        let cents: Int64
    }

    @Test(
        "The net of a month and of those before it is a plain sum, and the digits of their own reports",
        arguments: Seeds.some(of: UInt64(1)...40)
    )
    func againstPlainSums(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var (rows, sold): ([Row<TransactionColumn>], [Sold]) = ([], [])
        // Months from January 2025 on; the first sale is on the first day.
        func date(_ month: Int, _ day: Int) -> String {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(2025 + month / 12)-\(two(month % 12 + 1))-\(two(day))"
        }
        for id in 1...120 {
            let month = id == 1 ? 0 : Int.random(in: 0..<15, using: &generator)
            let refund =
                Int.random(in: 0..<4, using: &generator) == 0 ? month + Int.random(in: 0...2, using: &generator) : nil
            let currency = generator.pick(["USD", "USD", "EUR"])
            let cents = Int64.random(in: 1...9_999, using: &generator)
            let day = id == 1 ? 1 : Int.random(in: 1...28, using: &generator)
            var row = Self.sale(id, generator.pick(["a", "b", "c"]), date(month, day), cents * 10, currency)
            if let refund { row = row.with([.cancellationDate: .text(date(refund, 28))]) }
            rows.append(row)
            sold.append(Sold(month: month, refundMonth: refund, currency: currency, cents: cents))
        }
        let asked = Int.random(in: 12..<15, using: &generator)
        let isConverted = seed.isMultiple(of: 2)
        func rules(_ month: Int) throws -> LedgerRules {
            let rates = isConverted ? (0..<20).map { (date($0, 1), "USD", "1.1\($0 % 10)7") } : nil
            var rules = try Self.rules(month: String(date(month, 1).prefix(7)), base: rates)
            rules.conversion?.longestGap = 31
            return rules
        }
        let text = try summary("revenue", Rows(transactions: rows), rules: rules(asked))
        let currency = Self.value("currency", in: text).filter { $0 != "\"" }
        for (name, month) in [("net", asked), ("previous_net", asked - 1), ("year_before_net", asked - 12)] {
            let found = Self.value(name, in: text)
            let other = try findings("revenue", Rows(transactions: rows), rules: rules(month)).split(separator: "\n")
            let line = other.first {
                isConverted ? $0.hasPrefix("\"converted\"") : $0.hasPrefix("{\"currency\":\"\(currency)\"")
            }
            // Where the month has nothing in the currency its report has no line.
            #expect(found == line.map { Self.value("net", in: $0) } ?? "0.00")
            guard !isConverted else { continue }
            let sum = sold.filter { $0.currency == currency }.reduce(Int64(0)) { sum, sale in
                sum + (sale.month == month ? sale.cents : 0) - (sale.refundMonth == month ? sale.cents : 0)
            }
            #expect(
                found
                    == Money(millionths: Int128(sum) * 10_000, currency: try #require(CurrencyCode(currency)))
                    .decimalText
            )
        }
    }
}
