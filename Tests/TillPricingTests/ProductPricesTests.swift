import Testing
import TillCore
import TillPricing
import TillReference

@Suite("Price look-up")
struct ProductPricesTests {
    private static let header =
        "product_id,bundle_id,territory,currency,price,effective_from,effective_to,"
        + "intro_price,intro_mode,offer_id,offer_price\n"

    private static func prices(_ rows: String, defaultTerritory: String? = nil) throws -> ProductPrices {
        let territory = try defaultTerritory.map { try #require(Territory($0)) }
        let list = try PriceList(csv: Array((header + rows).utf8), name: "prices.csv", defaultTerritory: territory)
        return try #require(list.prices(for: "a"))
    }

    private static func instant(_ text: String) throws -> Timestamp {
        try #require(Timestamp.parse(Array(text.utf8).span.bytes) ?? Timestamp.parseDay(Array(text.utf8).span.bytes))
    }

    /// What a sale told, as the columns of the tables below.
    struct Sale: Sendable {
        /// `nil` for a sale without a date.
        var at: String? = "2024-06-01"
        var storefront: String?
        var currency: String?
        var bundleID: String?
        var offerID: String?

        func point(in prices: ProductPrices) throws -> PricePoint? {
            prices.price(
                at: try at.map { try ProductPricesTests.instant($0) },
                storefront: storefront,
                currency: currency.flatMap { CurrencyCode($0) },
                bundleID: bundleID,
                offerID: offerID
            )
        }
    }

    // MARK: Time

    static let borders: [(String, Int64?)] = [
        ("2019-12-31T23:59:59.999Z", nil),
        ("2020-01-01T00:00:00Z", 1),
        ("2020-01-01T00:59:00+01:00", nil),
        ("2020-12-31T23:59:59.999Z", 1),
        ("2021-01-01T00:00:00Z", 2),
        ("2021-03-04T10:59:59.999Z", 2),
        ("2021-03-04T11:00:00Z", nil),
        ("2022-12-31T23:59:59.999Z", nil),
        ("2023-01-01", 3),
        ("9999-12-31", 3),
    ]

    @Test("A row holds from its first instant up to, not including, its end", arguments: borders)
    func holds(_ instant: String, _ units: Int64?) throws {
        let prices = try Self.prices(
            """
            a,,,EUR,3,2023-01-01,
            a,,,EUR,1,2020-01-01,2021-01-01
            a,,,EUR,2,2021-01-01,2021-03-04T12:00:00+01:00
            """
        )
        #expect(try Sale(at: instant).point(in: prices)?.price == units.map { $0 * 1_000_000 })
    }

    static let successions: [(String, Int64?)] = [
        ("1970-01-01", 1), ("2020-01-01", 2), ("2020-06-01", 5), ("2020-07-01", 2), ("2021-01-01", 3),
        ("2999-01-01", 3),
    ]

    @Test("A row without an end gives way to a newer one, and comes back when that one ends", arguments: successions)
    func succeeds(_ instant: String, _ units: Int64?) throws {
        let prices = try Self.prices(
            "a,,,EUR,1,,\na,,,EUR,2,2020-01-01,\na,,,EUR,5,2020-06-01,2020-07-01\na,,,EUR,3,2021-01-01,\n"
        )
        #expect(try Sale(at: instant).point(in: prices)?.price == units.map { $0 * 1_000_000 })
    }

    // MARK: Place

    static let mixed = """
        a,,US,USD,1,,
        a,,DEU,EUR,2,,2024-01-01
        a,,*,EUR,3,,
        a,,*,GBP,4,,
        """

    static let places: [(Sale, Int64?)] = [
        (Sale(storefront: "USA"), 1),
        (Sale(storefront: "US"), 1),
        (Sale(at: "2023-01-01", storefront: "DE"), 2),
        // Its own currency comes before its territory.
        (Sale(storefront: "USA", currency: "EUR"), 3),
        (Sale(at: "2023-01-01", storefront: "DEU", currency: "GBP"), 4),
        (Sale(storefront: "DEU", currency: "EUR"), 3),
        (Sale(storefront: "FRA", currency: "GBP"), 4),
        (Sale(currency: "GBP"), 4),
        (Sale(storefront: "FRA"), nil),
        (Sale(storefront: "FRA", currency: "CHF"), nil),
        (Sale(), nil),
        // An unknown storefront with the currency of a price.
        (Sale(currency: "USD"), 1),
        (Sale(currency: "EUR"), 3),
        (Sale(at: "2023-01-01", currency: "EUR"), 3),
        (Sale(currency: "CHF"), nil),
    ]

    @Test("The sale's own currency comes before its territory, and that before *", arguments: places)
    func prefersPlace(_ sale: Sale, _ units: Int64?) throws {
        #expect(try sale.point(in: Self.prices(Self.mixed))?.price == units.map { $0 * 1_000_000 })
    }

    @Test("The only row of * holds for every place, but for sales in another currency")
    func worldwide() throws {
        let prices = try Self.prices("a,,*,EUR,3,,\na,,CH,CHF,4,,\n")
        for storefront in ["USA", "US"] {
            #expect(try Sale(storefront: storefront).point(in: prices)?.price == 3_000_000)
            #expect(try Sale(storefront: storefront, currency: "EUR").point(in: prices)?.price == 3_000_000)
            #expect(try Sale(storefront: storefront, currency: "CHF").point(in: prices) == nil)
        }
        let alone = try Self.prices("a,,*,EUR,3,,\n")
        for storefront in [nil, "USA", "US", "ZZZ", "143441", ""] {
            #expect(try Sale(storefront: storefront).point(in: alone)?.price == 3_000_000)
            #expect(try Sale(storefront: storefront, currency: "EUR").point(in: alone)?.price == 3_000_000)
            #expect(try Sale(storefront: storefront, currency: "CHF").point(in: alone) == nil)
        }
    }

    /// Rows, the default territory, and the price of a sale in won: at an unknown storefront, in Korea, and in Japan.
    static let won: [(String, String?, Int64?, Int64?, Int64?)] = [
        ("a,,KR,KRW,1,,\n", nil, 1, 1, nil),
        ("a,,JP,JPY,980,,\n", nil, nil, nil, nil),
        ("a,,JP,JPY,980,,\n", "JPN", nil, nil, nil),
        ("a,,JP,JPY,980,,\na,,KR,KRW,1,,\n", "JPN", 1, 1, nil),
        ("a,,JP,JPY,980,,\na,,KR,KRW,1,,\n", "USA", 1, 1, nil),
        ("a,,JP,JPY,980,,\na,,*,KRW,2,,\n", "JPN", 2, 2, 2),
        ("a,,KR,KRW,1,,\na,,*,KRW,2,,\n", "KOR", 1, 1, 2),
        ("a,,KR,KRW,1,,\na,,*,KRW,2,,\n", "JPN", 2, 1, 2),
        ("a,,KE,KRW,1,,\na,,KW,KRW,2,,\n", "USA", nil, nil, nil),
        ("a,,KE,KRW,1,,\na,,KW,KRW,2,,\n", "KWT", 2, nil, nil),
        // A store that has changed its currency: a sale in the old one takes the last price in it.
        ("a,,KE,KRW,1,,\na,,KE,USD,2,2024-01-01,\n", nil, 1, nil, nil),
    ]

    @Test("A sale that tells its currency takes prices in it only, before any territory is asked", arguments: won)
    func ownCurrency(_ rows: String, _ territory: String?, _ nowhere: Int64?, _ korea: Int64?, _ japan: Int64?) throws {
        let prices = try Self.prices(rows, defaultTerritory: territory)
        for (storefront, units) in [(nil, nowhere), ("143466", nowhere), ("KOR", korea), ("JP", japan)] {
            let point = try Sale(storefront: storefront, currency: "KRW").point(in: prices)
            #expect(point?.price == units.map { $0 * 1_000_000 })
        }
    }

    static let undated: [(String, Sale, Int64?)] = [
        ("a,,*,EUR,3,,\n", Sale(at: nil), 3),
        ("a,,*,EUR,3,2020-01-01,\n", Sale(at: nil), nil),
        ("a,,*,EUR,3,,2030-01-01\n", Sale(at: nil), nil),
        ("a,,*,EUR,3,2020-01-01,\na,,US,USD,4,,\n", Sale(at: nil), 4),
        ("a,,*,EUR,3,2020-01-01,\na,,US,USD,4,,\n", Sale(at: nil, currency: "EUR"), nil),
        ("a,,*,EUR,3,,\na,,US,USD,4,,\n", Sale(at: nil), nil),
        ("a,,*,EUR,3,,\na,,US,USD,4,,\n", Sale(at: nil, storefront: "USA"), 4),
        ("a,,*,EUR,3,,\na,,US,USD,4,,\n", Sale(at: nil, currency: "EUR"), 3),
        ("a,,US,USD,4,2020-01-01,\na,,*,USD,3,,\n", Sale(at: nil, storefront: "USA"), 3),
        // Of a price for all time and a newer one, the former is the one without dates.
        ("a,,*,EUR,3,,\na,,*,EUR,5,2021-01-01,\n", Sale(at: nil), 3),
    ]

    @Test("A sale without a date takes rows without dates only", arguments: undated)
    func withoutDate(_ rows: String, _ sale: Sale, _ units: Int64?) throws {
        #expect(try sale.point(in: Self.prices(rows))?.price == units.map { $0 * 1_000_000 })
    }

    /// Rows, the currency that a sale of unknown storefront tells, and its price.
    static let mixtures: [(String, String?, Int64?)] = [
        ("a,,US,USD,10,,\na,,*,EUR,11,,\n", nil, nil),
        ("a,,US,USD,10,,\na,,*,EUR,11,,\n", "USD", 10),
        ("a,,US,USD,10,,\na,,*,EUR,11,,\n", "EUR", 11),
        ("a,,US,USD,10,,\na,,*,EUR,11,,\n", "CHF", nil),
        ("a,,US,USD,10,,\na,,PR,USD,12,,\na,,*,EUR,11,,\n", "USD", nil),
        ("a,,US,USD,10,,\na,,PR,USD,10,,\na,,*,EUR,11,,\n", "USD", 10),
        ("a,,US,USD,10,,\na,,DE,EUR,12,,\na,,*,EUR,11,,\n", "EUR", 11),
        ("a,,US,USD,10,,\na,,DE,EUR,12,,\n", "EUR", 12),
        // One currency, or one in effect.
        ("a,,US,USD,10,,\na,,*,USD,11,,\n", nil, 11),
        ("a,,US,USD,10,,\na,,*,USD,11,,\n", "EUR", nil),
        ("a,,US,USD,10,,2024-01-01\na,,*,EUR,11,,\n", nil, 11),
        ("a,,US,USD,10,,2024-01-01\na,,*,EUR,11,,\n", "USD", nil),
        ("a,,US,USD,10,,\na,,*,EUR,11,2025-01-01,\n", nil, 10),
        // The currency of a territory that changed it.
        ("a,,US,EUR,9,,\na,,US,USD,10,2024-01-01,\na,,*,EUR,11,,\n", nil, nil),
        ("a,,US,EUR,9,,\na,,US,USD,10,2025-01-01,\na,,*,EUR,11,,\n", nil, 11),
    ]

    @Test("Of several currencies in effect an unknown storefront takes its sale's own, or none", arguments: mixtures)
    func unknownStorefrontOfMixture(_ rows: String, _ currency: String?, _ units: Int64?) throws {
        let prices = try Self.prices(rows)
        for storefront in [nil, "", "143441"] {
            let sale = Sale(storefront: storefront, currency: currency)
            #expect(try sale.point(in: prices)?.price == units.map { $0 * 1_000_000 })
        }
    }

    static let unknown: [(String, String?, Int64?)] = [
        ("a,,US,USD,1,,\na,,PR,USD,1,,\n", nil, 1),
        ("a,,US,USD,1,,\na,,PR,USD,2,,\n", nil, nil),
        ("a,,US,USD,1,,\na,,DE,EUR,1,,\n", nil, nil),
        ("a,,US,USD,1,,\na,,DE,EUR,1,2025-01-01,\n", nil, 1),
        ("a,,US,USD,1,,\na,,DE,EUR,1,,2024-06-01\n", nil, 1),
        ("a,,US,USD,1,,\na,,*,EUR,2,,\n", nil, nil),
        ("a,,US,USD,1,,\na,,*,EUR,2,2025-01-01,\n", nil, 1),
        ("a,,US,USD,1,,\na,,DE,EUR,2,,\n", "DE", 2),
        ("a,,US,USD,1,,\na,,DE,EUR,2,,\na,,*,EUR,3,,\n", "USA", 1),
        ("a,,US,USD,1,,\na,,*,EUR,3,,\n", "FRA", 3),
        ("a,,US,USD,1,,\na,,DE,EUR,2,,\n", "FRA", nil),
        ("a,,US,USD,1,,\n", "FRA", 1),
    ]

    @Test("An unknown storefront is the default one, else *, else what all rows in effect agree on", arguments: unknown)
    func unknownStorefront(_ rows: String, _ defaultTerritory: String?, _ units: Int64?) throws {
        let prices = try Self.prices(rows, defaultTerritory: defaultTerritory)
        for storefront in [nil, "", "143441"] {
            #expect(try Sale(storefront: storefront).point(in: prices)?.price == units.map { $0 * 1_000_000 })
        }
    }

    @Test("A known storefront never takes the default one's price, nor that of another")
    func knownStorefront() throws {
        let prices = try Self.prices("a,,US,USD,1,,\n", defaultTerritory: "US")
        #expect(try Sale(storefront: "FRA").point(in: prices) == nil)
        #expect(try Sale().point(in: prices)?.price == 1_000_000)
    }

    @Test("Where rows agree on the price but not on an offer, the offer is left out")
    func partialAgreement() throws {
        let prices = try Self.prices("a,,US,USD,1,,,0.50,pay_as_you_go\na,,PR,USD,1,,,0.25,pay_as_you_go\n")
        let point = try #require(try Sale().point(in: prices))
        #expect(point.price == 1_000_000)
        #expect(point.introPrice == nil)
        #expect(point.introMode == nil)
    }

    // MARK: Bundles and offers

    static let bundles: [(String, String?, Int64?)] = [
        ("a,,,EUR,1,,\na,x,,EUR,2,,\n", "x", 2),
        ("a,,,EUR,1,,\na,x,,EUR,2,,\n", "y", 1),
        ("a,,,EUR,1,,\na,x,,EUR,2,,\n", nil, 1),
        ("a,x,,EUR,2,,\na,y,,EUR,3,,\n", "z", nil),
        ("a,x,,EUR,2,,\na,y,,EUR,3,,\n", nil, nil),
        ("a,x,,EUR,2,,\n", nil, 2),
        ("a,x,,EUR,2,,\n", "y", nil),
        ("a,,DE,EUR,1,,\na,x,,EUR,2,,2024-01-01\n", "x", 1),
    ]

    @Test("A bundle's own rows come before those of every bundle", arguments: bundles)
    func prefersBundle(_ rows: String, _ bundleID: String?, _ units: Int64?) throws {
        let sale = Sale(storefront: "DEU", bundleID: bundleID)
        #expect(try sale.point(in: Self.prices(rows))?.price == units.map { $0 * 1_000_000 })
    }

    static let offers: [(String?, Int64, Int64?)] = [
        (nil, 9_990_000, nil),
        ("spring", 9_990_000, 4_990_000),
        ("winback", 1_990_000, nil),
        ("unlisted", 9_990_000, nil),
    ]

    @Test("The rows of an offer are for its sales only", arguments: offers)
    func keepsOffersApart(_ offerID: String?, _ price: Int64, _ offerPrice: Int64?) throws {
        let prices = try Self.prices(
            "a,,,EUR,9.99,,,,,,\na,,,EUR,9.99,,,,,spring,4.99\na,,,EUR,1.99,,,,,winback,\n"
        )
        let point = try #require(try Sale(storefront: "DEU", offerID: offerID).point(in: prices))
        #expect(point.price == price)
        #expect(point.offerPrice == offerPrice)
    }

    @Test("A product with nothing but offers has no price without one")
    func onlyOffers() throws {
        let prices = try Self.prices("a,,,EUR,1,,,,,o,\n")
        #expect(try Sale().point(in: prices) == nil)
        #expect(try Sale(offerID: "o").point(in: prices)?.price == 1_000_000)
    }

    static let intros: [(String, Int64?, IntroMode?)] = [
        (",", nil, nil),
        ("0.99,", 990_000, nil),
        ("0.99,pay_up_front", 990_000, .payUpFront),
        (",free", 0, .free),
        ("0,free", 0, .free),
        (",pay_as_you_go", nil, .payAsYouGo),
    ]

    @Test("An introductory price is what the list says, and 0 for a trial", arguments: intros)
    func readsIntro(_ cells: String, _ price: Int64?, _ mode: IntroMode?) throws {
        let point = try #require(try Sale().point(in: Self.prices("a,,,EUR,9.99,,,\(cells)\n")))
        #expect(point.introPrice == price)
        #expect(point.introMode == mode)
        #expect(point.currency.description == "EUR")
    }
}
