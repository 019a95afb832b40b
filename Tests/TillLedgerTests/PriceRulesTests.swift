import Testing
import TillCore
import TillReference
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("Rules of price lists")
struct PriceRulesTests {
    private static func list(_ rows: String, zone: TimeZoneRules = .utc) throws -> PriceList {
        let header = "product_id,territory,currency,price,effective_from,effective_to,preserved_from,type,period\n"
        return try PriceList(csv: Array((header + rows).utf8), name: "prices.csv", zone: zone)
    }

    /// Three prices; who subscribed before a rise keeps the price from before it.
    private static let rises = """
        gold,*,USD,4.99,2020-01-01,,,auto_renewable,P1M
        gold,*,USD,5.99,2024-01-01,,2024-01-01,auto_renewable,P1M
        gold,*,USD,7.99,2025-01-01,,2025-01-01,auto_renewable,P1M

        """

    static let subscribers: [(String, String, Int64)] = [
        // Subscribed since, pays in March 2026.
        ("2019-05-01", "2026-03-01", 4_990_000), ("2023-12-31T23:59:59Z", "2026-03-01", 4_990_000),
        ("2024-01-01", "2026-03-01", 5_990_000), ("2024-12-31", "2026-03-01", 5_990_000),
        ("2025-01-01", "2026-03-01", 7_990_000),
        ("2023-05-01", "2024-05-01", 4_990_000), ("2024-05-01", "2024-05-01", 5_990_000),
    ]

    @Test("Who subscribed before a rise keeps the older price", arguments: subscribers)
    func preserves(_ since: String, _ date: String, _ price: Int64) throws {
        let prices = try #require(try Self.list(Self.rises).prices(for: "gold"))
        let point = prices.price(
            at: Timestamp(date),
            storefront: nil,
            currency: nil,
            bundleID: nil,
            offerID: nil,
            subscriberSince: Timestamp(since)
        )
        #expect(point?.price == price)
    }

    static let places: [(String, String, String, Int64)] = [
        // Storefront, subscribed since, pays on.
        ("DE", "2023-05-01", "2024-05-01", 4_990_000), ("DE", "2024-01-01", "2024-05-01", 5_990_000),
        ("AT", "2023-05-01", "2024-05-01", 4_990_000), ("AT", "2024-05-01", "2024-05-01", 4_990_000),
        // The row of Germany has ended, and the rows of * apply again.
        ("DE", "2023-05-01", "2026-05-01", 4_990_000), ("DE", "2024-05-01", "2026-05-01", 5_990_000),
        ("DE", "2025-05-01", "2026-05-01", 6_990_000), ("AT", "2024-05-01", "2026-05-01", 4_990_000),
        // A row of France for a month lay between; the price before that of * is not the one of the month.
        ("FR", "2024-05-01", "2026-02-15", 7_990_000), ("FR", "2024-05-01", "2026-05-01", 4_990_000),
        // Another currency is no earlier price of a subscriber.
        ("CH", "2023-05-01", "2024-05-01", 7_000_000),
    ]

    @Test("The price before a row of a territory may be that of *", arguments: places)
    func preservesWorldwide(_ storefront: String, _ since: String, _ date: String, _ price: Int64) throws {
        let list = try Self.list(
            """
            gold,*,EUR,4.99,2020-01-01,,,auto_renewable,P1M
            gold,DE,EUR,5.99,2024-01-01,2025-01-01,2024-01-01,auto_renewable,P1M
            gold,CH,CHF,7.00,2024-01-01,,2024-01-01,auto_renewable,P1M
            gold,*,EUR,6.99,2025-01-01,,2025-01-01,auto_renewable,P1M
            gold,FR,EUR,7.99,2026-02-01,2026-03-01,,auto_renewable,P1M

            """
        )
        let point = try #require(list.prices(for: "gold")).price(
            at: Timestamp(date),
            storefront: storefront,
            currency: nil,
            bundleID: nil,
            offerID: nil,
            subscriberSince: Timestamp(since)
        )
        #expect(point?.price == price)
    }

    @Test("A subscriber is known by the first transaction of the chain, in whatever order the rows come")
    func preservesInLedger() throws {
        let rules = LedgerRules(prices: try Self.list(Self.rises))
        func row(_ id: String, _ date: String) -> Row<TransactionColumn> {
            [
                .transactionID: .text(id), .originalTransactionID: "1", .productID: "gold", .purchaseDate: .text(date),
                .expiresDate: "2030-01-01", .webOrderLineItemID: .text("9\(id)"),
            ]
        }
        let rows = [row("3", "2026-03-01"), row("1", "2023-06-01"), row("2", "2024-06-01")]
        for rows in [rows, rows.reversed()] {
            let prices = try settled(rows, rules: rules).mapValues { $0.price?.decimalText }
            #expect(prices == ["1": "4.99", "2": "4.99", "3": "4.99"])
        }
        // The original purchase says when it began, whichever rows the input has.
        let renewal = row("3", "2026-03-01")
        func price(since original: RowValue?) throws -> String? {
            var renewal = renewal
            renewal[.originalPurchaseDate] = original
            return try settled([renewal], rules: rules)["3"]?.price?.decimalText
        }
        #expect(try price(since: "2023-06-01") == "4.99")
        #expect(try price(since: "2024-06-01") == "5.99")
        #expect(try price(since: nil) == "7.99")
        // In the sandbox it may be later than the purchase.
        #expect(try price(since: "2026-04-01") == "7.99")
    }

    @Test(
        "A listed price for one period is no price of a charge for another, unless it is a trial, an intro or an offer"
    )
    func otherPeriods() throws {
        let list = try Self.list("year,*,USD,59.88,,,,auto_renewable,P1Y\nmonth,*,USD,4.99,,,,auto_renewable,P1M\n")
        func sale(
            _ product: RowValue,
            until expiry: RowValue?,
            _ facts: Row<TransactionColumn> = [:]
        ) throws
            -> SettledTransaction?
        {
            var row: Row<TransactionColumn> = [.transactionID: "1", .productID: product, .purchaseDate: "2026-03-05"]
            row[.expiresDate] = expiry
            return try settled([row.with(facts)], rules: LedgerRules(prices: list))["1"]
        }
        let commitment = try sale("year", until: "2026-04-05")
        #expect(commitment?.price == nil && commitment?.isOfOtherPeriod == true)
        #expect(try sale("month", until: "2027-03-05")?.price == nil)
        for expiry: RowValue? in ["2027-03-05", "2027-03-06T04:00:00Z", "2026-03-05T00:05:00Z", nil] {
            let sale = try sale("year", until: expiry)
            #expect((sale?.price?.decimalText, sale?.isOfOtherPeriod) == ("59.88", false))
        }
        // Five minutes are no period of Apple's; a trial is free, and a charge of its own price needs no list.
        #expect(try sale("year", until: "2026-04-05", [.isTrial: true])?.price?.decimalText == "0.00")
        #expect(try sale("year", until: "2026-04-05", [.price: 4990, .currency: "USD"])?.price?.decimalText == "4.99")
        #expect(try sale("year", until: "2026-04-05", [.isIntro: true])?.isOfOtherPeriod == false)
        // The charge is for the time to the smallest expiry: a later one is an extension.
        let row: Row<TransactionColumn> = [.transactionID: "1", .productID: "month", .purchaseDate: "2026-03-05"]
        let rows = ["2026-05-05", "2026-04-05", "2026-05-05"].map { row.with([.expiresDate: .text($0)]) }
        #expect(try settled(rows, rules: LedgerRules(prices: list))["1"]?.price?.decimalText == "4.99")
    }

    @Test("A trial has the currency that all rows that can hold have, though their prices differ")
    func trialCurrency() throws {
        let euros = "a,DE,EUR,1,,,,,\na,FR,EUR,2,,,,,\n"
        func currency(_ rows: String, in storefront: RowValue? = nil) throws -> String? {
            var row: Row<TransactionColumn> = [
                .transactionID: "1", .productID: "a", .purchaseDate: "2026-03-05", .isTrial: true,
            ]
            row[.storefront] = storefront
            let trial = try settled([row], rules: LedgerRules(prices: Self.list(rows)))["1"]
            return trial?.price.map { "\($0.decimalText) \($0.currency)" }
        }
        #expect(try currency(euros) == "0.00 EUR")
        #expect(try currency(euros + "a,US,USD,2,,,,,\n") == nil)
        #expect(try currency(euros + "a,US,USD,2,2027-01-01,,,,\n") == "0.00 EUR")
        #expect(try currency(euros, in: "JPN") == nil)
        #expect(try currency(euros + "a,*,USD,3,,,,,\n") == nil)
    }

    @Test("A time without a price between two prices is a warning")
    func gaps() throws {
        let list = try Self.list(
            """
            a,*,USD,1,2020-01-01,2021-01-01,,,
            a,*,USD,2,2022-01-01,,,,
            b,*,USD,1,2020-01-01,2021-01-01,,,
            b,*,USD,2,2021-01-01,,,,
            c,DE,EUR,1,2020-01-01,2021-01-01,,,
            c,DE,EUR,2,2022-01-01,,,,
            c,*,USD,2,,,,,
            d,DE,EUR,1,2020-01-01,2021-01-01,,,
            d,DE,EUR,2,2022-01-01,,,,

            """
        )
        #expect(list.warnings.map(\.offset) == [3, 10])
        #expect(list.warnings.allSatisfy { $0.code == "prices.gap" })
        #expect(list.warnings.first?.reason.contains("2021-01-01T00:00:00Z to 2022-01-01T00:00:00Z") == true)
    }

    @Test("The row of an offer without the price of the offer is a warning")
    func offerWithoutPrice() throws {
        let rows = """
            product_id,currency,price,offer_id,offer_price
            a,USD,9.99,,
            a,USD,9.99,spring,4.99
            a,USD,9.99,winback,
            b,USD,9.99,winback

            """
        let list = try PriceList(csv: Array(rows.utf8), name: "prices.csv")
        #expect(
            list.warnings.map { "\($0.offset) \($0.code)" } == ["4 prices.offer-price", "5 prices.offer-price"]
        )
        #expect(list.warnings.first?.reason.contains("\"winback\"") == true)
    }

    /// A place and a currency, and the warning about the pair.
    static let territories: [(String, String?)] = [
        ("DE,EUR", nil), ("DE,USD", "prices.store-currency"), ("DE,JPY", "prices.territory-currency"),
        ("DE,DEM", "prices.store-currency"),
        ("JP,JPY", nil), ("JPN,EUR", "prices.store-currency"), ("JP,GBP", "prices.territory-currency"), ("US,USD", nil),
        ("US,EUR", "prices.store-currency"), ("US,CAD", "prices.territory-currency"), ("PL,PLN", nil), ("PL,EUR", nil),
        ("PL,CZK", "prices.territory-currency"), ("BG,BGN", nil), ("BG,EUR", nil), ("HR,HRK", nil), ("TW,USD", nil),
        ("KW,KWD", nil), ("KW,USD", nil), ("*,UAH", nil),
    ]

    @Test("A territory's store sells in its own currency, today's or an earlier one", arguments: territories)
    func judgesCurrency(_ place: String, _ code: String?) throws {
        let rows = "a,\(place),1,,,,,\n"
        guard let code, code != "prices.store-currency" else {
            let list = try Self.list(rows)
            #expect(list.rowCount == 1)
            #expect(list.warnings.map(\.code) == [code].compactMap(\.self))
            return
        }
        let error = try #require(throws: FileFindings.self) { try Self.list(rows) }
        #expect(error.findings.map(\.code) == [code])
    }

    @Test("All errors are reported at once, in the order of their lines")
    func reportsAll() throws {
        let rows = """
            a,*,JPY,160.50,,,,,
            b,*,USD,-1,,,,,
            c,*,USD,1,,,,,
            c,*,USD,2,,,,,
            d,*,USD,1,2024-01-01,2025-01-01,,,
            d,*,USD,1,2024-06-01,,,,
            e,US,JPY,1,,,,,
            f,*,USD,1,,,,auto_renewable,P1M
            f,US,USD,1,,,,auto_renewable,P1Y

            """
        let error = try #require(throws: FileFindings.self) { try Self.list(rows) }
        #expect(
            error.findings.map { "\($0.offset) \($0.code)" } == [
                "2 prices.exponent", "3 prices.negative", "5 prices.duplicate", "7 prices.overlap",
                "8 prices.territory-currency", "10 prices.two-periods",
            ]
        )
    }

    @Test("Days of the list begin in the time zone of the report", .needsTimeZones)
    func zonedDays() throws {
        let rows = "a,*,USD,1,2020-01-01,2026-03-08,,,\na,*,USD,2,2026-03-08,,,,\n"
        let list = try Self.list(rows, zone: TimeZoneRules.ofDatabase("America/Los_Angeles"))
        let prices = try #require(list.prices(for: "a"))
        func price(_ date: String) -> Int64? {
            prices.price(at: Timestamp(date), storefront: nil, currency: nil, bundleID: nil, offerID: nil)?.price
        }
        #expect(price("2026-03-08T07:59:59Z") == 1_000_000)
        #expect(price("2026-03-08T08:00:00Z") == 2_000_000)
    }

    static let periods: [(String, String?)] = [
        ("P1M", "P1M"), ("P1Y2M3W4D", "P1Y2M3W4D"), ("P", nil), ("P0M", nil), ("P1", nil), ("1M", nil), ("P1D1M", nil),
        ("P99999D", nil), ("P٣M", nil),
    ]

    @Test("Billing periods are ISO 8601's, or Apple's words", arguments: periods)
    func readsPeriod(_ text: String, _ expected: String?) {
        #expect(BillingPeriod(iso: text)?.iso == expected)
    }

    @Test("Apple's words for periods of days, months and years are read, and others are not")
    func readsWords() {
        #expect(BillingPeriod(words: "7 Days") == BillingPeriod(days: 7))
        #expect(BillingPeriod(words: "1 Month") == BillingPeriod(months: 1))
        #expect(BillingPeriod(words: "1 Year") == BillingPeriod(years: 1))
        #expect(BillingPeriod(words: "1 Fortnight") == nil)
        #expect(BillingPeriod(words: "-1 Month") == nil)
    }
}
