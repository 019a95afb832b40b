import TillCore

/// The kind of a product; the raw value is attribute 1707 of an app receipt.
enum ProductType: Int {
    case nonConsumable = 0
    case consumable = 1
    case nonRenewing = 2
    case autoRenewable = 3

    private var names: (priceList: String, storeKit: String) {
        switch self {
        case .nonConsumable: ("non_consumable", "Non-Consumable")
        case .consumable: ("consumable", "Consumable")
        case .nonRenewing: ("non_renewing", "Non-Renewing Subscription")
        case .autoRenewable: ("auto_renewable", "Auto-Renewable Subscription")
        }
    }

    /// The word in a price list.
    var priceListName: String { names.priceList }
    /// The word in a payload of StoreKit 2.
    var storeKitName: String { names.storeKit }
}

/// A price and the days on which it holds; `until` is the first day on which it no longer does.
struct Price {
    var currency = "USD"
    let amount: String
    var introductory = ""
    var from = "2025-01-01"
    var until = ""
}

struct Product {
    let id: String
    let type: ProductType
    /// Length of a subscription's period.
    var days = 0
    var group = 0
    /// Empty for the one product that the price list forgets.
    var prices: [Price] = []
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
        id: "com.example.lumen.monthly",
        type: .autoRenewable,
        days: 30,
        group: 20_512_001,
        prices: [
            Price(amount: "4.99", introductory: "1.99", until: "2026-02-15"),
            Price(amount: "5.99", introductory: "2.99", from: "2026-02-15"),
        ]
    )
    static let yearly = Product(
        id: "com.example.lumen.yearly",
        type: .autoRenewable,
        days: 365,
        group: 20_512_001,
        prices: [Price(amount: "39.99", introductory: "19.99")]
    )
    static let coins = Product(id: "com.example.lumen.coins100", type: .consumable, prices: [Price(amount: "0.99")])
    static let pro = Product(id: "com.example.lumen.pro", type: .nonConsumable, prices: [Price(amount: "14.99")])

    static let kochbuch = App(
        bundleID: "de.beispiel.kochbuch",
        id: 995_121_555,
        versions: ["12.7", "12.8"],
        storefronts: ["DEU", "AUT", "FRA"],
        products: [weekly, baking, course]
    )
    static let weekly = Product(
        id: "de.beispiel.kochbuch.woche",
        type: .autoRenewable,
        days: 7,
        group: 20_730_442,
        prices: [Price(currency: "EUR", amount: "1.49", introductory: "0.49")]
    )
    static let baking = Product(
        id: "de.beispiel.kochbuch.backen",
        type: .nonConsumable,
        prices: [Price(currency: "EUR", amount: "3.99")]
    )
    static let course = Product(
        id: "de.beispiel.kochbuch.kurs",
        type: .nonRenewing,
        prices: [Price(currency: "EUR", amount: "12.50")]
    )

    static let tabi = App(
        bundleID: "com.example.tabi",
        id: 680_948_820,
        versions: ["2.9.1", "3.0.0"],
        storefronts: ["JPN"],
        products: [tickets, map, stamps]
    )
    static let tickets = Product(
        id: "com.example.tabi.tickets",
        type: .consumable,
        prices: [Price(currency: "JPY", amount: "160")]
    )
    static let map = Product(
        id: "com.example.tabi.offlinemap",
        type: .nonConsumable,
        prices: [Price(currency: "JPY", amount: "980")]
    )
    /// Not in the price list, so that reports show units that have no price.
    static let stamps = Product(id: "com.example.tabi.stamps", type: .consumable)
}
