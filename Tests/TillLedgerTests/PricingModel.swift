import TillRows
import TillTestSupport

/// The rule of prices as `docs/money.md` has it, in one pass over all rows for each step.
///
/// Amounts are whole units, and dates are months since January 2020.
struct PricingModel {
    /// A row of a price list for one product.
    struct ListRow {
        var bundleID: String?
        /// Alpha-3, or `*`.
        var territory: String
        var currency: String
        var price: Int
        var introPrice: Int?
        var offerID: String?
        var offerPrice: Int?
        var from: Int?
        var to: Int?

        static let header =
            "product_id,bundle_id,territory,currency,price,intro_price,offer_id,offer_price,effective_from,effective_to\n"

        var csv: String {
            let amounts = [introPrice.map { "\($0)" }, offerID, offerPrice.map { "\($0)" }]
            let cells = ["a", bundleID, territory, currency, "\(price)"] + amounts + [from, to].map { $0.map(day) }
            return cells.map { $0 ?? "" }.joined(separator: ",") + "\n"
        }

        func isInEffect(_ month: Int?) -> Bool {
            guard let month else { return from == nil && to == nil }
            return from ?? .min <= month && month < to ?? .max
        }

        func isOfSamePlace(as other: ListRow) -> Bool {
            bundleID == other.bundleID && offerID == other.offerID && territory == other.territory
                && (territory != "*" || currency == other.currency)
        }

        /// Whether both say what is paid at one place and time: they begin together, or one before the stated end of
        /// the other.
        func contradicts(_ other: ListRow) -> Bool {
            guard isOfSamePlace(as: other) else { return false }
            let (older, newer) = from ?? .min <= other.from ?? .min ? (self, other) : (other, self)
            return from == other.from || older.to.map { $0 > newer.from ?? .min } ?? false
        }
    }

    struct Sale {
        var month: Int?
        var bundleID: String?
        var storefront: String?
        var currency: String?
        var ownPrice: Int?
        var quantity: Int?
        var isTrial = false
        var isIntro = false
        var offerID: String?

        /// Alpha-3; `nil` where the storefront is not known, or is no ISO code.
        var territory: String? { storefront == "US" ? "USA" : storefront == "143441" ? nil : storefront }

        func row(id: Int) -> Row<TransactionColumn> {
            var row: Row<TransactionColumn> = [.transactionID: "\(id)", .productID: "a"]
            row[.purchaseDate] = month.map { .text(day($0)) }
            row[.bundleID] = bundleID.map { .text($0) }
            row[.storefront] = storefront.map { .text($0) }
            row[.currency] = currency.map { .text($0) }
            row[.price] = ownPrice.map { .number(Int64($0) * 1000) }
            row[.quantity] = quantity.map { .number(Int64($0)) }
            if isTrial { row[.isTrial] = true }
            if isIntro { row[.isIntro] = true }
            row[.offerID] = offerID.map { .text($0) }
            return row
        }
    }

    let rows: [ListRow]
    let defaultTerritory: String?

    var isSound: Bool {
        rows.indices.allSatisfy { index in rows[..<index].allSatisfy { !$0.contradicts(rows[index]) } }
    }

    /// What a sale is worth, such as `12 EUR`; `nil` where no price is known.
    func worth(_ sale: Sale) -> String? {
        if let price = sale.ownPrice, let currency = sale.currency { return "\(price) \(currency)" }
        let row = row(for: sale)
        if sale.isTrial { return (sale.currency ?? row?.currency ?? currency(for: sale)).map { "0 \($0)" } }
        guard let row, let price = unitPrice(row, sale) else { return nil }
        return "\(price * max(1, sale.quantity ?? 1)) \(row.currency)"
    }

    private func unitPrice(_ row: ListRow, _ sale: Sale) -> Int? {
        sale.isIntro ? row.introPrice : sale.offerID != nil ? row.offerPrice : row.price
    }

    /// The row of the list that the sale takes: of its offer, else of none; of its bundle, else of all.
    private func row(for sale: Sale) -> ListRow? {
        groups(for: sale).lazy.compactMap { match($0, sale) }.first
    }

    /// The currency of the rows that could hold for a sale of an unknown place, if they all have one.
    private func currency(for sale: Sale) -> String? {
        guard sale.territory ?? defaultTerritory == nil else { return nil }
        return groups(for: sale).lazy.compactMap { rows in
            let currencies = Set(newest(rows, sale).map(\.currency))
            return currencies.count == 1 ? currencies.first : nil
        }.first
    }

    /// The rows of each offer and bundle that the sale may take, in this order.
    private func groups(for sale: Sale) -> [[ListRow]] {
        let offers = sale.offerID.map { [$0, nil] } ?? [nil]
        return offers.flatMap { offer in
            let rows = rows.filter { $0.offerID == offer }
            let named = Set(rows.compactMap(\.bundleID))
            let hasGeneral = rows.contains { $0.bundleID == nil }
            // An app that is not known is the only one that the list names, if it names one and nothing for all.
            let bundle = sale.bundleID ?? (hasGeneral || named.count > 1 ? nil : named.first)
            let bundles = bundle.map { [$0, nil] } ?? [nil]
            return bundles.map { bundle in rows.filter { $0.bundleID == bundle } }
        }
    }

    private func newest(_ rows: [ListRow], _ sale: Sale) -> [ListRow] {
        let candidates = rows.filter { sale.currency == nil || $0.currency == sale.currency }
        let inEffect = candidates.filter { $0.isInEffect(sale.month) }
        return inEffect.filter { row in
            !inEffect.contains { $0.isOfSamePlace(as: row) && $0.from ?? .min > row.from ?? .min }
        }
    }

    /// Exact territory and newest `effective_from`, else `*`; unknown storefronts as that page says.
    private func match(_ rows: [ListRow], _ sale: Sale) -> ListRow? {
        let newest = newest(rows, sale)
        if let territory = sale.territory ?? defaultTerritory {
            if let row = newest.first(where: { $0.territory == territory }) { return row }
        } else if Set(newest.map(\.currency)).count > 1 {
            return nil
        }
        return agreed(newest.filter { $0.territory == "*" }) ?? (sale.territory == nil ? agreed(newest) : nil)
    }

    /// What all rows say, if they say the same.
    private func agreed(_ rows: [ListRow]) -> ListRow? {
        guard var row = rows.first else { return nil }
        guard rows.allSatisfy({ $0.price == row.price && $0.currency == row.currency }) else { return nil }
        if rows.contains(where: { $0.introPrice != row.introPrice }) { row.introPrice = nil }
        if rows.contains(where: { $0.offerPrice != row.offerPrice }) { row.offerPrice = nil }
        return row
    }
}

private func day(_ month: Int) -> String {
    let number = "\(month % 12 + 1)"
    return "\(2020 + month / 12)-\(number.count < 2 ? "0" : "")\(number)-01"
}

// MARK: - Random ones

extension PricingModel {
    /// Lists that are alike: few places, currencies and months. KEN and KWT may use any currency.
    init(from generator: inout SplitMix64) {
        let bundles: [String?] = generator.once(in: 4) ? [nil, "x", "y"] : [nil]
        let offers: [String?] = generator.once(in: 3) ? [nil, nil, "spring", "winback"] : [nil]
        let territories = generator.pick([["*"], ["*", "USA", "KEN"], ["USA", "KEN"], ["*", "KEN", "KWT"]])
        let currencies = generator.pick([["USD"], ["USD", "EUR"], ["USD", "EUR"]])
        rows = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            let from: Int? = generator.once(in: 2) ? nil : generator.below(24)
            let months = 1 + generator.below(24)
            let offerID = generator.pick(offers)
            return ListRow(
                bundleID: generator.pick(bundles),
                territory: generator.pick(territories),
                currency: generator.pick(currencies),
                price: 4 + generator.below(2),
                introPrice: generator.pick([nil, 1, 1, 2]),
                offerID: offerID,
                offerPrice: offerID == nil && generator.once(in: 2) ? nil : generator.pick([nil, 3, 3, 2]),
                from: from,
                to: months < 9 ? (from ?? 0) + months : nil
            )
        }
        defaultTerritory = generator.pick([nil, nil, "USA", "KEN", "FRA"])
    }
}

extension PricingModel.Sale {
    init(from generator: inout SplitMix64) {
        month = Self.month(from: &generator)
        bundleID = generator.pick([nil, "x", "z"])
        storefront = generator.pick([nil, nil, "143441", "US", "KEN", "FRA"])
        currency = generator.pick([nil, nil, "USD", "EUR", "GBP"])
        ownPrice = generator.once(in: 6) ? generator.below(9) : nil
        quantity = generator.pick([nil, -3, 0, 1, 1, 2, 300])
        isTrial = generator.once(in: 5)
        isIntro = generator.once(in: 4)
        offerID = generator.pick([nil, nil, "spring", "unlisted"])
    }

    private static func month(from generator: inout SplitMix64) -> Int? {
        generator.once(in: 5) ? nil : generator.below(34)
    }

    /// The same sale in a random month, or without a date.
    func atAnotherTime(from generator: inout SplitMix64) -> Self {
        var sale = self
        sale.month = Self.month(from: &generator)
        return sale
    }
}
