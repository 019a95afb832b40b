import TillCore

/// The kind of a product; the raw value is attribute 1707 of an app receipt.
enum ProductType: Int {
    case nonConsumable = 0
    case consumable = 1
    case nonRenewing = 2
    case autoRenewable = 3

    /// The word in a price list.
    var priceListName: String { ["non_consumable", "consumable", "non_renewing", "auto_renewable"][rawValue] }

    /// The word in a StoreKit configuration.
    var storeKitWord: String {
        ["NonConsumable", "Consumable", "NonRenewingSubscription", "RecurringSubscription"][rawValue]
    }

    /// The word in a payload of StoreKit 2.
    var storeKitName: String {
        ["Non-Consumable", "Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription"][rawValue]
    }
}

/// A price and the days on which it holds; `until` is the first day on which it no longer does.
struct Price {
    let currency: String
    let amount: String
    let introductory: String
    let from: String
    let until: String

    init(_ currency: String, _ amount: String, intro: String = "", from: String = "2025-01-01", until: String = "") {
        (self.currency, self.amount, introductory) = (currency, amount, intro)
        (self.from, self.until) = (from, until)
    }
}

struct Product {
    let id: String
    let type: ProductType
    /// Length of a subscription's period.
    let days: Int
    let group: Int
    /// Empty for the one product that the price list forgets.
    let prices: [Price]

    init(_ id: String, _ type: ProductType, _ prices: Price...) {
        (self.id, self.type, days, group, self.prices) = (id, type, 0, 0, prices)
    }

    init(_ id: String, days: Int, group: Int, _ prices: Price...) {
        (self.id, type, self.days, self.group, self.prices) = (id, .autoRenewable, days, group, prices)
    }
}

struct App {
    let bundleID: String
    /// Apple's number for the app.
    let id: Int
    /// Oldest first.
    let versions: [String]
    let storefronts: [String]
    let products: [Product]
}

/// The three apps whose receipts the samples hold. None of them exists.
enum Shop {
    static let apps = [lumen, kochbuch, tabi]

    static let lumen = App(
        bundleID: "com.example.lumen",
        id: 1_414_478_124,
        versions: ["4.0.3", "4.1.0", "4.2.0"],
        storefronts: ["USA", "CAN", "GBR"],
        products: [monthly, yearly, coins, pro]
    )
    /// Its price changes in the middle of the period that the samples cover.
    static let monthly = Product(
        "com.example.lumen.monthly",
        days: 30,
        group: 20_512_001,
        Price("USD", "4.99", intro: "1.99", until: "2026-02-15"),
        Price("USD", "5.99", intro: "2.99", from: "2026-02-15")
    )
    static let yearly = Product(
        "com.example.lumen.yearly",
        days: 365,
        group: 20_512_001,
        Price("USD", "39.99", intro: "19.99")
    )
    static let coins = Product("com.example.lumen.coins100", .consumable, Price("USD", "0.99"))
    static let pro = Product("com.example.lumen.pro", .nonConsumable, Price("USD", "14.99"))

    static let kochbuch = App(
        bundleID: "de.beispiel.kochbuch",
        id: 995_121_555,
        versions: ["12.7", "12.8"],
        storefronts: ["DEU", "AUT", "FRA"],
        products: [weekly, baking, course]
    )
    static let weekly = Product(
        "de.beispiel.kochbuch.woche",
        days: 7,
        group: 20_730_442,
        Price("EUR", "1.49", intro: "0.49")
    )
    static let baking = Product("de.beispiel.kochbuch.backen", .nonConsumable, Price("EUR", "3.99"))
    static let course = Product("de.beispiel.kochbuch.kurs", .nonRenewing, Price("EUR", "12.50"))

    static let tabi = App(
        bundleID: "com.example.tabi",
        id: 680_948_820,
        versions: ["2.9.1", "3.0.0"],
        storefronts: ["JPN"],
        products: [tickets, map, stamps]
    )
    static let tickets = Product("com.example.tabi.tickets", .consumable, Price("JPY", "160"))
    static let map = Product("com.example.tabi.offlinemap", .nonConsumable, Price("JPY", "980"))
    /// Not in the price list, so that reports show units that have no price.
    static let stamps = Product("com.example.tabi.stamps", .consumable)
}
