import TillColumns
import TillPricing
import TillRows

/// Properties of products, each looked up once, by the product number of entries: the code in the ledger's texts plus
/// one, 0 if unknown.
///
/// Each property has its own array, instead of one object per product: every transaction reads two or three, and
/// references to objects would be counted.
struct ProductCache {
    private var isKnown: [Bool]
    private var types: [ProductType?]
    private var typeCodes: [Int32?]
    private var prices: [ProductPrices?]
    private var preservesPrices: [Bool]
    private var pricedPeriods: [RenewalPeriod?]
    private var billingPeriods: [BillingPeriod?]
    var recentPrices = RecentPrices()
    private let rules: LedgerRules
    private let texts: TextDictionary

    init(_ rules: LedgerRules, texts: TextDictionary) {
        self.rules = rules
        self.texts = texts
        let count = texts.count + 1
        isKnown = Array(repeating: rules.prices == nil && rules.catalogue == nil, count: count)
        isKnown[0] = true
        types = Array(repeating: nil, count: count)
        typeCodes = Array(repeating: nil, count: count)
        prices = Array(repeating: nil, count: count)
        preservesPrices = Array(repeating: false, count: count)
        pricedPeriods = Array(repeating: nil, count: count)
        billingPeriods = Array(repeating: nil, count: count)
    }

    /// By the price list, else by a catalogue.
    mutating func type(of product: UInt32) -> ProductType? { types[known(product)] }

    /// The type as the ledger's texts number it.
    mutating func typeCode(of product: UInt32) -> Int32? { typeCodes[known(product)] }

    mutating func prices(of product: UInt32) -> ProductPrices? { prices[known(product)] }

    /// Whether the price list has the product.
    mutating func hasPrices(of product: UInt32) -> Bool { prices[known(product)] != nil }

    /// Whether earlier subscribers keep an older price.
    mutating func preservesPrices(of product: UInt32) -> Bool { preservesPrices[known(product)] }

    /// The length of the period for which the price list has the price of a subscription.
    mutating func pricedPeriod(of product: UInt32) -> RenewalPeriod? { pricedPeriods[known(product)] }

    /// The length of one period, by the price list, else by a catalogue.
    mutating func billingPeriod(of product: UInt32) -> BillingPeriod? { billingPeriods[known(product)] }

    /// The group of subscriptions by a catalogue.
    func group(of product: UInt32) -> String? {
        guard product > 0, let catalogue = rules.catalogue else { return nil }
        return catalogue[texts.text(of: Int(product) - 1)]?.group
    }

    private mutating func known(_ product: UInt32) -> Int {
        let index = Int(product)
        if !isKnown[index] { lookUp(index) }
        return index
    }

    private mutating func lookUp(_ index: Int) {
        isKnown[index] = true
        let productID = texts.text(of: index - 1)
        prices[index] = rules.prices?.prices(for: productID)
        preservesPrices[index] = prices[index]?.preservesPrices ?? false
        pricedPeriods[index] = prices[index]?.period.flatMap(RenewalPeriod.init)
        billingPeriods[index] = rules.billingPeriod(of: productID)
        types[index] = rules.type(of: productID)
        let word: Word? =
            switch types[index] {
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .autoRenewable: .autoRenewable
            case .nonRenewing: .nonRenewing
            case nil: nil
            }
        typeCodes[index] = word.map { Int32($0.rawValue) }
    }
}
