import TillColumns
import TillCore
import TillRows

/// A ledger after its last row: every question a report may ask has one answer.
public struct SettledLedger: ~Copyable, Sendable {
    let table: TransactionTable
    let texts: TextDictionary
    public let environments: EnvironmentFilter
    public let rules: LedgerRules
    /// Rows seen, of all environments, copies included; without those of untrusted documents.
    public let rowCount: Int
    public let trust: TrustTally
    private let countedEnvironments: [Bool]
    let verifications: VerificationTally
    let events: EventTally
    private let lines: LineItems

    /// Transactions of all environments left after joining copies.
    public var uniqueCount: Int { table.count }

    init(_ ledger: consuming Ledger, rules: LedgerRules) {
        var verifications = ledger.verifications
        verifications.settle()
        self.verifications = verifications
        events = ledger.events
        texts = ledger.texts
        environments = ledger.environments
        rowCount = ledger.rowCount
        trust = ledger.trust
        self.rules = rules
        var counted: [Bool] = []
        for facet in ledger.transactions.facets { counted.append(ledger.counts(facet.environment)) }
        countedEnvironments = counted
        // The index by id has done its work; the one by line item takes its place in memory.
        ledger.transactions.dropIndex()
        var products = ProductCache(rules.prices, texts: texts)
        lines = LineItems(ledger.transactions, texts: texts, &products)
        table = ledger.transactions
    }

    /// The text of a code, such as ``SettledTransaction/product``.
    public func text(of code: Int) -> String { texts.text(of: code) }

    /// Gives every transaction of the environments asked for to `body`, in no particular order.
    ///
    /// Their units are at most `Int64.max` in all, so sums of units need no check. Cost: one pass; each product's
    /// prices are looked up once.
    public func forEachTransaction(_ body: (SettledTransaction) -> Void) throws(LedgerError) {
        var products = ProductCache(rules.prices, texts: texts)
        var units: UInt64 = 0
        for number in 0..<table.count {
            let entry = table.entries[number]
            guard countedEnvironments[Int(entry.facet)] else { continue }
            let transaction = try settle(entry, number: number, &products)
            let (sum, overflow) = units.addingReportingOverflow(transaction.units.magnitude)
            guard !overflow, sum <= Int64.max.magnitude else { throw Self.overflow(transaction.product, texts) }
            units = sum
            body(transaction)
        }
    }

    private func settle(
        _ entry: TransactionEntry,
        number: Int,
        _ products: inout ProductCache
    ) throws(LedgerError) -> SettledTransaction {
        let facet = table.facets[Int(entry.facet)]
        let extra = entry.extra == 0 ? nil : table.extras[Int(entry.extra) - 1]
        let product = products[entry.product]
        let isConsumable = product?.type == .consumable
        let isSubscription = LineItems.isSubscription(entry, facet, product?.type)
        let units = table.quantity(entry) ?? 1
        let cancellation = entry.flags.contains(.isUpgraded) ? nil : extra?.effectiveCancellation
        return SettledTransaction(
            kind: kind(entry, number: number, isSubscription: isSubscription, isConsumable: isConsumable),
            product: entry.product == 0 ? nil : Int(entry.product) - 1,
            purchaseDate: entry.purchaseDate == TransactionEntry.unknown
                ? nil : Timestamp(milliseconds: entry.purchaseDate),
            isSubscription: isSubscription,
            isConsumable: isConsumable,
            isFamilyShared: facet.ownership == Word.familyShared.rawValue,
            units: units,
            price: try price(entry, extra, facet, units: units, product),
            refundDate: cancellation.map(Timestamp.init(milliseconds:))
        )
    }

    private func kind(
        _ entry: TransactionEntry,
        number: Int,
        isSubscription: Bool,
        isConsumable: Bool
    ) -> TransactionKind {
        // Of a row without an id nothing says that it differs from the original.
        let isNamed = entry.identifier != TransactionEntry.unknown && entry.original != TransactionEntry.unknown
        let differs = isNamed && entry.original != entry.identifier
        if isConsumable { return .purchase }
        if isSubscription {
            if lines.isRestore(number) { return .restore }
            return differs ? .renewal : .purchase
        }
        return differs ? .restore : .purchase
    }

    /// The price that the transaction carries, which is that of all its units, else the list's price for each.
    private func price(
        _ entry: TransactionEntry,
        _ extra: TransactionExtra?,
        _ facet: TransactionFacet,
        units: Int64,
        _ product: ProductPrices?
    ) throws(LedgerError) -> Money? {
        func text(_ code: Int32?) -> String? { code.flatMap { $0 < 0 ? nil : texts.text(of: Int($0)) } }
        let ownCurrency = text(extra?.currency).flatMap { CurrencyCode($0) }
        if let price = extra?.price, let ownCurrency {
            return Money(millionths: Int128(price) * 1000, currency: ownCurrency)
        }
        guard let product, entry.purchaseDate != TransactionEntry.unknown else { return nil }
        let offerID = text(extra?.offerID)
        let point = product.price(
            at: Timestamp(milliseconds: entry.purchaseDate),
            storefront: text(extra?.storefront),
            currency: ownCurrency,
            bundleID: product.distinguishesBundles ? text(facet.bundleID) : nil,
            offerID: offerID
        )
        guard let point else { return nil }
        if entry.flags.contains(.isTrial) { return Money(millionths: 0, currency: point.currency) }
        // An introductory price that the list does not have is not known; the full price would be a guess.
        let unitPrice =
            entry.flags.contains(.isIntro)
            ? point.introPrice : offerID == nil ? point.price : point.offerPrice ?? point.price
        guard let unitPrice else { return nil }
        let (total, overflow) = unitPrice.multipliedReportingOverflow(by: units)
        guard !overflow else { throw Self.overflow(entry.product == 0 ? nil : Int(entry.product) - 1, texts) }
        return Money(millionths: Int128(total), currency: point.currency)
    }

    private static func overflow(_ product: Int?, _ texts: borrowing TextDictionary) -> LedgerError {
        var productID = ""
        if let product { productID = texts.text(of: product) }
        return LedgerError(code: "ledger.overflow", productID: productID)
    }
}

/// Prices by the number of the product in the ledger's texts, so that a transaction's are an index away.
struct ProductCache {
    private var known: [ProductPrices?]
    private var isKnown: [Bool]
    private let prices: PriceList?
    private let texts: TextDictionary

    init(_ prices: PriceList?, texts: TextDictionary) {
        self.prices = prices
        self.texts = texts
        known = Array(repeating: nil, count: texts.count + 1)
        isKnown = Array(repeating: prices == nil, count: texts.count + 1)
    }

    /// The prices of a product as entries number it: its code plus one, 0 where it is not known.
    subscript(_ product: UInt32) -> ProductPrices? {
        mutating get {
            let index = Int(product)
            if !isKnown[index] {
                isKnown[index] = true
                if index > 0 { known[index] = prices?.prices(for: texts.text(of: index - 1)) }
            }
            return known[index]
        }
    }
}
