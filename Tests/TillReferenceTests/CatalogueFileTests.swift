import Testing
import TillCore
import TillLedger
import TillPricing
import TillTestSupport

@testable import TillReference

@Suite("Catalogues")
struct CatalogueFileTests {
    private static let storeKit = """
        {"identifier":"1","version":{"major":4,"minor":0},"settings":{"_storefront":"DEU"},
        "products":[
         {"productID":"coins","type":"Consumable","displayPrice":"0.99"},
         {"productID":"pro","type":"NonConsumable","displayPrice":"4"}],
        "nonRenewingSubscriptions":[{"productID":"course","type":"NonRenewingSubscription","displayPrice":"12.50"}],
        "subscriptionGroups":[{"id":"g","name":"Gold","subscriptions":[
         {"productID":"gold.month","type":"RecurringSubscription","displayPrice":"4.99",
          "recurringSubscriptionPeriod":"P1M",
          "introductoryOffer":{"paymentMode":"payAsYouGo","displayPrice":"0.99","numberOfPeriods":1},
          "adHocOffers":[{"offerID":"back","displayPrice":"2.49","paymentMode":"payAsYouGo"}]},
         {"productID":"gold.year","type":"RecurringSubscription","displayPrice":"39.99",
          "recurringSubscriptionPeriod":"P1Y","introductoryOffer":{"paymentMode":"free"}}]}]}
        """

    private static let transporter = """
        <?xml version="1.0" encoding="UTF-8"?>
        <package xmlns="http://apple.com/itunes/importer"><software><software_metadata><in_app_purchases>
        <family name="Gold"><in_app_purchase>
          <product_id>gold.month</product_id><type>subscription</type><duration>1 Month</duration>
          <products><product><cleared_for_sale>true</cleared_for_sale><intervals>
            <interval><start_date>2024-01-01</start_date><end_date>2025-01-01</end_date>
              <wholesale_price_tier>5</wholesale_price_tier></interval>
            <interval><start_date>2025-01-01</start_date><wholesale_price_tier>6</wholesale_price_tier></interval>
          </intervals></product></products>
          <locales><locale name="en-US"><title>Gold</title><type>other</type></locale></locales>
        </in_app_purchase></family>
        <in_app_purchase><product_id>coins</product_id><type>consumable</type>
          <products><product><wholesale_price_tier>1</wholesale_price_tier></product></products></in_app_purchase>
        </in_app_purchases></software_metadata></software></package>
        """

    private static func catalogue(_ texts: String...) throws -> Catalogue {
        var catalogue = Catalogue()
        for text in texts { try CatalogueFile.read(Array(text.utf8), name: "catalogue", into: &catalogue) }
        return catalogue
    }

    @Test("A StoreKit configuration tells types, periods and groups")
    func readsStoreKit() throws {
        let catalogue = try Self.catalogue(Self.storeKit)
        #expect(catalogue["coins"] == Catalogue.Entry(type: .consumable))
        #expect(catalogue["pro"]?.type == .nonConsumable)
        #expect(catalogue["course"]?.type == .nonRenewing)
        #expect(catalogue["gold.month"]?.period == BillingPeriod(months: 1))
        #expect(catalogue["gold.year"] == .init(type: .autoRenewable, period: BillingPeriod(years: 1), group: "Gold"))
    }

    @Test("Transporter's metadata tell types, durations, families and tiers")
    func readsTransporter() throws {
        let catalogue = try Self.catalogue(Self.transporter)
        #expect(
            catalogue["gold.month"]
                == .init(type: .autoRenewable, period: BillingPeriod(months: 1), group: "Gold", name: "Gold")
        )
        #expect(catalogue["coins"] == Catalogue.Entry(type: .consumable))
        let tiers = try TransporterMetadata(Array(Self.transporter.utf8), name: "").products.map {
            $0.tiers.map(\.tier)
        }
        #expect(tiers == [[5, 6], [1]])
    }

    @Test("Both at once say what each says, and agree")
    func merges() throws {
        #expect(try Self.catalogue(Self.storeKit, Self.transporter).productIDs.count == 5)
    }

    @Test("A StoreKit configuration becomes a price list in the currency of its storefront")
    func becomesPriceList() throws {
        let list = try StoreKitConfiguration(Array(Self.storeKit.utf8), name: "").priceList()
        #expect(
            String(decoding: list, as: UTF8.self) == """
                product_id,territory,currency,price,type,period,intro_price,intro_mode,offer_id,offer_price,name
                coins,DEU,EUR,0.99,consumable,,,,,,
                pro,DEU,EUR,4,non_consumable,,,,,,
                course,DEU,EUR,12.50,non_renewing,,,,,,
                gold.month,DEU,EUR,4.99,auto_renewable,P1M,0.99,pay_as_you_go,,,
                gold.month,DEU,EUR,4.99,auto_renewable,P1M,,,back,2.49,
                gold.year,DEU,EUR,39.99,auto_renewable,P1Y,0,free,,,

                """
        )
        #expect(try PriceList(csv: list, name: "").productCount == 5)
    }

    @Test("A name in a price list is quoted, and no formula of a spreadsheet")
    func writesNames() throws {
        func list(_ name: String) throws -> (text: String, names: [String: String]) {
            let product = #""productID":"a","type":"Consumable","displayPrice":"1","referenceName":"\#(name)""#
            let text = "{\"products\":[{\(product)}]}"
            let list = try StoreKitConfiguration(Array(text.utf8), name: "").priceList()
            let row = String(decoding: list, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
            return (row, try PriceList(csv: list, name: "").names)
        }
        let comma = try list(#"Pro, \"yearly\""#)
        #expect(comma.text == #"a,USA,USD,1,consumable,,,,,,"Pro, ""yearly""""#)
        #expect(comma.names == ["a": #"Pro, "yearly""#])
        #expect(try list("=1+1").text == "a,USA,USD,1,consumable,,,,,,'=1+1")
        #expect(try list(" @SUM(A1)").text.hasSuffix(",' @SUM(A1)"))
    }

    /// What stands in place of the price of a product whose price is not filled in.
    static let emptyPrices = [#","displayPrice":"""#, #","displayPrice":" ""#, #","displayPrice":null"#, ""]

    @Test(
        "A product whose price is not filled in is in the catalogue and not in the price list",
        arguments: emptyPrices
    )
    func readsEmptyPrices(_ price: String) throws {
        let text = """
            {"products":[{"productID":"coins","type":"Consumable"\(price)},
             {"productID":"pro","type":"NonConsumable","displayPrice":"4"}],
            "subscriptionGroups":[{"name":"Gold","subscriptions":[
             {"productID":"gold.month","type":"RecurringSubscription","recurringSubscriptionPeriod":"P1M"\(price),
              "introductoryOffer":{"paymentMode":"free"}},
             {"productID":"gold.year","type":"RecurringSubscription","recurringSubscriptionPeriod":"P1Y",
              "displayPrice":"9","introductoryOffer":{"paymentMode":"payUpFront"\(price)},
              "adHocOffers":[{"offerID":"back","paymentMode":"payAsYouGo"\(price)}]}]}]}
            """
        let catalogue = try Self.catalogue(text)
        #expect(catalogue["coins"] == Catalogue.Entry(type: .consumable))
        #expect(catalogue["gold.month"]?.period == BillingPeriod(months: 1))
        #expect(catalogue.productIDs.count == 4)
        let list = try StoreKitConfiguration(Array(text.utf8), name: "").priceList()
        #expect(
            String(decoding: list, as: UTF8.self) == """
                product_id,territory,currency,price,type,period,intro_price,intro_mode,offer_id,offer_price,name
                pro,USA,USD,4,non_consumable,,,,,,
                gold.year,USA,USD,9,auto_renewable,P1Y,,,,,

                """
        )
        #expect(try PriceList(csv: list, name: "").productCount == 2)
    }

    static let rejected: [(String, String)] = [
        ("product_id,price\n", "catalogue.kind"),
        ("{", "catalogue.json"),
        ("{}", "catalogue.kind"),
        ("{\"products\":[{}]}", "catalogue.product-id"),
        ("{\"products\":[{\"productID\":\"a\",\"type\":\"Gift\",\"displayPrice\":\"1\"}]}", "catalogue.type"),
        ("{\"products\":[{\"productID\":\"a\",\"type\":\"Consumable\",\"displayPrice\":\"1,99\"}]}", "catalogue.price"),
        ("{\"products\":[],\"settings\":{\"_storefront\":\"ZZZ\"}}", "catalogue.storefront"),
        ("<html/>", "catalogue.kind"),
        ("<in_app_purchase>", "catalogue.xml"),
        ("<in_app_purchase><type>consumable</type></in_app_purchase>", "catalogue.product-id"),
        ("<in_app_purchase><product_id>a</product_id><type>gift</type></in_app_purchase>", "catalogue.type"),
        (
            "<in_app_purchase><product_id>a</product_id><type>consumable</type><interval>"
                + "<start_date>2025-01-01</start_date><end_date>2024-01-01</end_date>"
                + "<wholesale_price_tier>1</wholesale_price_tier></interval></in_app_purchase>",
            "catalogue.interval"
        ),
        (
            "<in_app_purchase><product_id>a</product_id><type>consumable</type>"
                + "<wholesale_price_tier>ten</wholesale_price_tier></in_app_purchase>",
            "catalogue.tier"
        ),
        (
            "<in_app_purchase><product_id>a</product_id><type>consumable</type>"
                + "<wholesale_price_tier>-5</wholesale_price_tier></in_app_purchase>",
            "catalogue.tier"
        ),
        (
            "<in_app_purchase><product_id>a</product_id><type>consumable</type><interval>"
                + "<wholesale_price_tier>99999</wholesale_price_tier></interval></in_app_purchase>",
            "catalogue.tier"
        ),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "catalogue.xml"),
    ]

    @Test("What is wrong with a catalogue has a code", arguments: rejected)
    func rejects(_ text: String, _ code: String) throws {
        let error = try #require(throws: FileFindings.self) { try Self.catalogue(text) }
        #expect(error.findings.map(\.code).contains(code))
    }

    @Test("Two files that contradict each other are an error")
    func conflicts() throws {
        let other = "{\"products\":[{\"productID\":\"coins\",\"type\":\"NonConsumable\",\"displayPrice\":\"1\"}]}"
        let error = try #require(throws: FileFindings.self) { try Self.catalogue(Self.storeKit, other) }
        #expect(error.findings.map(\.code) == ["catalogue.conflict"])
    }

    @Test(
        "A StoreKit configuration names products by their reference names, else in its own language, else in the first"
    )
    func namesStoreKitProducts() throws {
        let catalogue = try Self.catalogue(
            """
            {"settings":{"_locale":"de_DE","_storefront":"DEU"},"products":[
             {"productID":"a","type":"Consumable","referenceName":"100 coins",
              "localizations":[{"displayName":"Coins","locale":"de_DE"}]},
             {"productID":"b","type":"Consumable","referenceName":" ",
              "localizations":[{"displayName":"Gems","locale":"en_US"},{"displayName":"Edelsteine","locale":"de_DE"}]},
             {"productID":"c","type":"Consumable","localizations":[{"displayName":"Keys","locale":"fr"}]},
             {"productID":"d","type":"Consumable"}]}
            """
        )
        #expect(catalogue["a"]?.name == "100 coins")
        #expect(catalogue["b"]?.name == "Edelsteine")
        #expect(catalogue["c"]?.name == "Keys")
        #expect(catalogue["d"]?.name == nil)
    }

    @Test("Transporter's metadata name products by their reference names, else by their first title")
    func namesTransporterProducts() throws {
        let catalogue = try Self.catalogue(
            """
            <package><in_app_purchases>
            <in_app_purchase><product_id>a</product_id><reference_name>Gold, monthly</reference_name>
              <type>consumable</type><locales><locale name="en"><title>Gold</title></locale></locales></in_app_purchase>
            <in_app_purchase><product_id>b</product_id><type>consumable</type><locales>
              <locale name="en"><title>Silver</title></locale><locale name="de"><title>Silber</title></locale>
              </locales></in_app_purchase>
            </in_app_purchases></package>
            """
        )
        #expect(catalogue["a"]?.name == "Gold, monthly")
        #expect(catalogue["b"]?.name == "Silver")
    }

    @Test("Of two files that name a product the first one counts, and they do not contradict each other")
    func keepsFirstName() throws {
        func file(_ name: String) -> String {
            #"{"products":[{"productID":"a","type":"Consumable","referenceName":"\#(name)"}]}"#
        }
        #expect(try Self.catalogue(file("Coins"), file("Gold coins"))["a"]?.name == "Coins")
        #expect(try Self.catalogue(file(""), file("Gold coins"))["a"]?.name == "Gold coins")
    }
}
