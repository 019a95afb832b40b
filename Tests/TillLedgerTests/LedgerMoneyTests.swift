import Testing
import TillCore
import TillReference
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("Money of transactions")
struct LedgerMoneyTests {
    private static let prices = """
        coins,*,USD,0.99,,consumable
        gold,*,USD,9.99,0.49,auto_renewable
        yen,JP,JPY,980,,
        dinar,KW,KWD,1.5,,
        tiny,*,USD,0.01,,
        vast,*,USD,9223372036854.77,,

        """

    private static func price(_ row: Row<TransactionColumn>, prices: String = prices) throws -> String? {
        let row = ([.transactionID: "1", .purchaseDate: "2026-03-01"] as Row<TransactionColumn>).with(row)
        let transaction = try #require(try settled([row], rules: LedgerRules(prices: PriceList(rows: prices)))["1"])
        return transaction.price.map { "\($0.decimalText) \($0.currency)" }
    }

    /// A row and what it is worth; `nil` where no price is known.
    static let sales: [(Row<TransactionColumn>, String?)] = [
        // The list's price for each unit.
        ([.productID: "coins"], "0.99 USD"),
        ([.productID: "coins", .quantity: 4], "3.96 USD"),
        ([.productID: "coins", .quantity: 0], "0.99 USD"),
        ([.productID: "coins", .quantity: -2], "0.99 USD"),
        ([.productID: "coins", .quantity: 254], "251.46 USD"),
        ([.productID: "yen", .storefront: "JPN", .quantity: 3], "2940 JPY"),
        ([.productID: "dinar", .storefront: "KWT", .quantity: 3], "4.500 KWD"),
        ([.productID: "tiny", .quantity: 922_337_203_685_477], "9223372036854.77 USD"),
        ([.productID: "vast"], "9223372036854.77 USD"),
        // Trials and introductory prices.
        ([.productID: "gold"], "9.99 USD"),
        ([.productID: "gold", .isTrial: true], "0.00 USD"),
        ([.productID: "gold", .isTrial: true, .isIntro: true], "0.00 USD"),
        ([.productID: "gold", .isTrial: false], "9.99 USD"),
        ([.productID: "gold", .isIntro: true], "0.49 USD"),
        ([.productID: "gold", .isIntro: true, .quantity: 2], "0.98 USD"),
        ([.productID: "coins", .isIntro: true], nil),
        // A price of its own is that of all units.
        ([.price: 3960, .currency: "USD", .quantity: 4], "3.96 USD"),
        ([.productID: "coins", .price: 1, .currency: "EUR", .quantity: 4], "0.001 EUR"),
        ([.productID: "coins", .price: 0, .currency: "USD"], "0.00 USD"),
        ([.price: 980_000, .currency: "JPY"], "980 JPY"),
        ([.price: 1500, .currency: "KWD"], "1.500 KWD"),
        ([.price: 9_223_372_036_854_775_807, .currency: "USD"], "9223372036854775.807 USD"),
        // Nobody is paid to buy.
        ([.price: -990, .currency: "USD"], nil),
        ([.productID: "coins", .price: -990, .currency: "USD"], "0.99 USD"),
        // Half a price is none: the list decides.
        ([.productID: "coins", .price: 5000], "0.99 USD"),
        ([.productID: "coins", .price: 5000, .currency: "usd"], "0.99 USD"),
        // The sale has its currency, and the list has no price in it.
        ([.productID: "coins", .currency: "EUR"], nil),
        ([.productID: "coins", .currency: "USD"], "0.99 USD"),
        ([.productID: "yen", .currency: "JPY"], "980 JPY"),
        ([.productID: "yen", .currency: "USD", .storefront: "JPN"], nil),
        // An offer whose price the list does not have; the full price would be a guess.
        ([.productID: "coins", .offerID: "spring"], nil),
        ([.productID: "coins", .offerID: "spring", .price: 500, .currency: "USD"], "0.50 USD"),
        // Some offers have a type and no id; type 1 is the introductory offer.
        ([.productID: "coins", .offerType: 4], nil), ([.productID: "coins", .offerType: 2], nil),
        ([.productID: "coins", .offerType: 1], "0.99 USD"),
        ([.productID: "gold", .offerID: "spring", .isTrial: true], "0.00 USD"),
        // A trial is worth nothing in its own currency, else in the list's.
        ([.productID: "other", .isTrial: true, .currency: "EUR"], "0.00 EUR"),
        ([.productID: "gold", .isTrial: true, .currency: "EUR"], "0.00 EUR"),
        ([.isTrial: true, .currency: "JPY"], "0 JPY"),
        ([.productID: "gold", .isTrial: true, .price: 5000], "0.00 USD"),
        ([.productID: "yen", .isTrial: true, .storefront: "USA"], nil),
        // Nothing is known.
        ([:], nil),
        ([.productID: "other"], nil),
        ([.productID: "other", .isTrial: true], nil),
        ([.price: 990], nil),
        ([.productID: "yen", .storefront: "USA"], nil),
    ]

    @Test("A transaction is worth its own price, else that of the list times its quantity", arguments: sales)
    func isWorth(_ row: Row<TransactionColumn>, _ expected: String?) throws {
        #expect(try Self.price(row) == expected)
    }

    @Test("Without a date the price for all time counts, and no other of the list")
    func withoutDate() throws {
        let list = """
            product_id,currency,price,effective_from
            coins,USD,0.99,
            gold,USD,9.99,2020-01-01

            """
        let rules = LedgerRules(prices: try PriceList(csv: Array(list.utf8), name: "prices.csv"))
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1", .productID: "coins"], [.transactionID: "2", .productID: "gold"],
            [.transactionID: "3", .productID: "gold", .price: 990, .currency: "USD"],
            [.transactionID: "4", .productID: "gold", .isTrial: true, .currency: "USD"],
        ]
        let prices = try settled(rows, rules: rules).mapValues { $0.price?.decimalText }
        #expect(prices == ["1": "0.99", "2": nil, "3": "0.99", "4": "0.00"])
    }

    @Test("Without a price list only a transaction's own price is known")
    func withoutList() throws {
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1", .productID: "coins", .purchaseDate: "2026-03-01"],
            [.transactionID: "2", .productID: "coins", .price: 990, .currency: "USD"],
            // Stored rows may hold what no document tells.
            [.transactionID: "3", .productID: "coins", .price: -990, .currency: "USD"],
        ]
        let transactions = try settled(rows)
        #expect(transactions["3"]?.price == nil)
        #expect(transactions["1"]?.price == nil)
        #expect(transactions["2"]?.price?.decimalText == "0.99")
    }

    /// The quantity of a row, the units that count, and whether they are assumed.
    static let quantities: [(Int64?, Int64, Bool)] = [
        (nil, 1, true), (0, 1, true), (-1, 1, true), (-9_223_372_036_854_775_807, 1, true), (1, 1, false),
        (2, 2, false), (253, 253, false), (254, 254, false), (9_223_372_036_854_775_807, .max, false),
    ]

    @Test(
        "A quantity that no duplicate has, or that is below one, is one unit, which is assumed",
        arguments: quantities
    )
    func assumesQuantity(_ quantity: Int64?, _ units: Int64, _ isAssumed: Bool) throws {
        var row: Row<TransactionColumn> = [.transactionID: "1"]
        row[.quantity] = quantity.map { .number($0) }
        let transaction = try #require(try settled([row])["1"])
        #expect(transaction.units == units)
        #expect(transaction.isQuantityAssumed == isAssumed)
    }

    /// Products and quantities whose worth does not fit.
    static let overflows: [(String, Int64)] = [
        ("vast", 2), ("coins", 9_223_372_036_854_775_807),
    ]

    @Test("An amount beyond 64 bits ends the run and names the product", arguments: overflows)
    func refuses(_ product: String, _ quantity: Int64) throws {
        let row: Row<TransactionColumn> = [.productID: .text(product), .quantity: .number(quantity)]
        let error = try #require(throws: Finding.self) { try Self.price(row) }
        #expect(error == Finding.overflow(of: product))
    }

    @Test("Units beyond 64 bits in all end the run and name the product")
    func refusesUnits() throws {
        let row: Row<TransactionColumn> = [.productID: "other", .quantity: 9_223_372_036_854_775_807]
        let rows = [row.with([.transactionID: "1"]), row.with([.transactionID: "2"])]
        #expect(try settled([rows[0]])["1"]?.units == .max)
        let error = try #require(throws: Finding.self) { try settled(rows) }
        #expect(error == Finding.overflow(of: "other"))
    }
}
