import TillCore
import TillLedger

/// The net of each product in each currency, or in the base currency, summed from rounded rows.
struct ProductRanking {
    struct Product {
        /// `nil` where it is not known.
        let name: String?
        var transactions: Int64 = 0
        var net: Int128 = 0
    }

    private var products: [CurrencyCode: [Int64: Product]] = [:]

    /// `nil` where the rows are not told apart by product.
    ///
    /// - Parameter base: the currency of the converted amounts; `nil` for amounts in their own currencies.
    init?(of rows: some Collection<RevenueRow>, by keys: [GroupKey], base: CurrencyCode?) {
        guard let index = keys.firstIndex(of: .productID) else { return nil }
        for row in rows {
            guard let own = row.currency else { continue }
            let code = row.group.code(at: index)
            var product = products[base ?? own]?[code] ?? Product(name: row.group.name(at: index))
            product.transactions += row.figures.transactions
            product.net += base == nil ? row.figures.net : row.converted.net
            products[base ?? own, default: [:]][code] = product
        }
    }

    /// The products that brought money in a currency, the largest net first, equal ones by their names.
    func ranked(in currency: CurrencyCode) -> [Product] {
        (products[currency] ?? [:]).values.filter { $0.net > 0 }.sorted { left, right in
            left.net != right.net ? left.net > right.net : Order.precedes(left.name, right.name)
        }
    }
}
