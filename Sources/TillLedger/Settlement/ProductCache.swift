import TillColumns
import TillRows

/// What is known of a product, looked up once.
///
/// A class, since every transaction asks: one reference is handed out instead of copies of its prices' tables.
final class Product: Sendable {
    let prices: ProductPrices?
    /// By the price list, else by a catalogue.
    let type: ProductType?
    /// The type as the ledger's texts number it.
    let typeCode: Int32?

    init(prices: ProductPrices?, type: ProductType?) {
        self.prices = prices
        self.type = type
        let word: Word? =
            switch type {
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .autoRenewable: .autoRenewable
            case .nonRenewing: .nonRenewing
            case nil: nil
            }
        typeCode = word.map { Int32($0.rawValue) }
    }
}

/// Products by their number in the ledger's texts, so that a transaction's is an index away.
struct ProductCache {
    private var known: [Product?]
    private var isKnown: [Bool]
    private let rules: LedgerRules
    private let texts: TextDictionary

    init(_ rules: LedgerRules, texts: TextDictionary) {
        self.rules = rules
        self.texts = texts
        known = Array(repeating: nil, count: texts.count + 1)
        isKnown = Array(repeating: rules.prices == nil && rules.catalogue == nil, count: texts.count + 1)
    }

    /// The product as entries number it: its code plus one, 0 where it is not known.
    subscript(_ product: UInt32) -> Product? {
        mutating get {
            let index = Int(product)
            if !isKnown[index] {
                isKnown[index] = true
                if index > 0 {
                    let productID = texts.text(of: index - 1)
                    known[index] = Product(
                        prices: rules.prices?.prices(for: productID),
                        type: rules.type(of: productID)
                    )
                }
            }
            return known[index]
        }
    }
}
