import TillCore

/// A made-up studio with three apps that sells in eleven countries and ten currencies.
enum StudioShop {
    struct Product {
        let id: String
        /// The name in App Store Connect.
        let name: String
        let type: ProductType
        /// The place of its price in ``Storefront/prices``.
        let tier: Int
        /// Length of a subscription's period; 0 for what is no subscription.
        let months: Int
        /// How often it is bought, beside the others.
        let weight: Int

        init(_ id: String, _ name: String, _ type: ProductType, tier: Int, months: Int = 0, weight: Int) {
            (self.id, self.name, self.type) = (id, name, type)
            (self.tier, self.months, self.weight) = (tier, months, weight)
        }

        /// The app's bundle id, with which the product's id begins.
        var bundleID: String { id.split(separator: ".").prefix(3).joined(separator: ".") }
    }

    struct Storefront {
        let code: String
        let currency: String
        let weight: Int
        /// In thousandths of the currency's unit, by tier.
        let prices: [Int]

        init(_ code: String, _ currency: String, weight: Int, _ prices: Int...) {
            (self.code, self.currency, self.weight, self.prices) = (code, currency, weight, prices)
        }
    }

    static let products = [
        Product("com.example.trailmap.monthly", "Trailmap, monthly", .autoRenewable, tier: 1, months: 1, weight: 24),
        Product("com.example.trailmap.yearly", "Trailmap, yearly", .autoRenewable, tier: 3, months: 12, weight: 14),
        Product("com.example.trailmap.lifetime", "Trailmap Lifetime", .nonConsumable, tier: 4, weight: 5),
        Product("com.example.trailmap.region", "Trailmap, one region", .nonConsumable, tier: 0, weight: 9),
        Product("com.example.scanner.monthly", "Scanner Pro, monthly", .autoRenewable, tier: 1, months: 1, weight: 14),
        Product("com.example.scanner.yearly", "Scanner Pro, yearly", .autoRenewable, tier: 3, months: 12, weight: 10),
        Product("com.example.scanner.pages50", "50 scanned pages", .consumable, tier: 0, weight: 12),
        Product("com.example.scanner.pages200", "200 scanned pages", .consumable, tier: 1, weight: 6),
        Product("com.example.paint.studio", "Paint Studio", .nonConsumable, tier: 2, weight: 8),
        Product("com.example.paint.ink", "Ink brushes", .nonConsumable, tier: 0, weight: 6),
        Product("com.example.paint.oil", "Oil colours", .nonConsumable, tier: 0, weight: 5),
        Product("com.example.paint.watercolour", "Watercolours", .nonConsumable, tier: 0, weight: 4),
    ]

    static let storefronts = [
        Storefront("USA", "USD", weight: 36, 1990, 4990, 9990, 29_990, 49_990),
        Storefront("DEU", "EUR", weight: 13, 1990, 4990, 9990, 29_990, 49_990),
        Storefront("GBR", "GBP", weight: 12, 1990, 4990, 8990, 29_990, 49_990),
        Storefront("JPN", "JPY", weight: 9, 300_000, 800_000, 1_500_000, 4_500_000, 8_000_000),
        Storefront("CAN", "CAD", weight: 7, 2990, 6990, 12_990, 39_990, 69_990),
        Storefront("FRA", "EUR", weight: 6, 1990, 4990, 9990, 29_990, 49_990),
        Storefront("AUS", "AUD", weight: 5, 2990, 7990, 14_990, 49_990, 79_990),
        Storefront("CHE", "CHF", weight: 4, 2000, 5000, 9000, 29_000, 49_000),
        Storefront("BRA", "BRL", weight: 4, 9900, 24_900, 49_900, 149_900, 249_900),
        Storefront("SWE", "SEK", weight: 3, 25_000, 59_000, 119_000, 349_000, 599_000),
        Storefront("MEX", "MXN", weight: 2, 39_000, 99_000, 199_000, 599_000, 999_000),
    ]

    /// Versions of an app with the day from which they are installed, oldest first.
    static let versions: [String: [(version: String, from: Timestamp)]] = [
        "com.example.trailmap": [
            ("5.1.2", .utc(2024, 1, 1)), ("5.1.3", .utc(2026, 3, 9)), ("5.2.0", .utc(2026, 3, 26)),
        ],
        "com.example.scanner": [("3.4.0", .utc(2024, 1, 1)), ("3.4.1", .utc(2026, 3, 20))],
        "com.example.paint": [("2.1.0", .utc(2024, 1, 1))],
    ]

    /// The price of a euro at the beginning, in ten-thousandths.
    private static let firstRates = [
        ("USD", 10_790), ("GBP", 8570), ("JPY", 1_631_000), ("CAD", 14_640), ("AUD", 16_530), ("CHF", 9760),
        ("BRL", 54_300), ("SEK", 115_400), ("MXN", 179_200),
    ]

    /// Exchange rates of all working days: each moves by up to four thousandths from one day to the next.
    static func rates(_ random: SplitMix64) -> SampleFile {
        var rates = firstRates
        var lines = ["date,currency,per_eur"]
        let days = StudioSales.start.day.date.daysSinceEpoch...StudioSales.end.day.date.daysSinceEpoch
        // 1 January 1970 was a Thursday, day 3 of a week from 0 to 6.
        for day in days where (day + 3) % 7 < 5 {
            let date = Timestamp(startOfHour: day * 24).dayText
            for index in rates.indices {
                rates[index].1 += rates[index].1 * random.number(in: -40...40) / 10_000
                let rate = rates[index].1
                let decimals = String(10_000 + rate % 10_000).dropFirst()
                lines.append("\(date),\(rates[index].0),\(rate / 10_000).\(decimals)")
            }
        }
        return SampleFile("finance/studio-rates.csv", lines: lines)
    }

    /// The products, as a StoreKit configuration without prices: the studio's receipts have the paid amounts.
    static var catalogue: SampleFile {
        func line(_ product: Product) -> String {
            var members = [
                "\"productID\" : \"\(product.id)\"", "\"referenceName\" : \"\(product.name)\"",
                "\"type\" : \"\(product.type.storeKitWord)\"", "\"displayPrice\" : \"\"",
            ]
            if product.months > 0 {
                members.append("\"recurringSubscriptionPeriod\" : \"\(product.months == 12 ? "P1Y" : "P1M")\"")
            }
            return "{ " + members.joined(separator: ", ") + " }"
        }
        func lines(_ products: [Product], indent: String) -> String {
            products.map { indent + line($0) }.joined(separator: ",\n")
        }
        let subscriptions = products.filter { $0.months > 0 }
        let groups = ["trailmap", "scanner"].map { app in
            """
                { "name" : "\(app)", "subscriptions" : [
            \(lines(subscriptions.filter { $0.id.contains(".\(app).") }, indent: "      "))
                ] }
            """
        }
        let text = """
            {
              "identifier" : "53545544",
              "version" : { "major" : 4, "minor" : 0 },
              "settings" : { "_locale" : "en_US", "_storefront" : "USA" },
              "products" : [
            \(lines(products.filter { $0.months == 0 }, indent: "    "))
              ],
              "nonRenewingSubscriptions" : [ ],
              "subscriptionGroups" : [
            \(groups.joined(separator: ",\n"))
              ]
            }

            """
        return SampleFile("finance/Studio.storekit", text: text)
    }
}
