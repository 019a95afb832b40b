import TillCore
import TillLedger
import TillReportModel

/// The sales and the net of each product, by currency or in the base currency, summed from rounded rows.
struct ProductRanking {
    struct Product {
        let code: Int64
        let currency: CurrencyCode
        /// `nil` if it is not known.
        let name: String?
        var transactions: Int64 = 0
        var net: Int128 = 0

        /// The id, or words for an unknown one.
        var title: String { name ?? Cell.unknownProduct }

        fileprivate mutating func add(_ transactions: Int64, net: Int128) {
            self.transactions += transactions
            self.net += net
        }
    }

    private var products = CodedTotals<Product>()
    /// The same by currency, the largest net first.
    private let ranked: [CurrencyCode: [Product]]

    /// `nil` if the rows are not grouped by product.
    ///
    /// - Parameters:
    ///   - base: the currency of the converted amounts; `nil` for amounts in their own currencies.
    ///   - includes: whether a row counts.
    init?(
        of rows: some Collection<RevenueRow>,
        by keys: [GroupKey],
        base: CurrencyCode?,
        where includes: (Group) -> Bool = { _ in true }
    ) {
        guard let index = keys.firstIndex(of: .productID) else { return nil }
        for row in rows {
            guard let own = row.currency, includes(row.group) else { continue }
            let (code, currency) = (row.group.code(at: index), base ?? own)
            products.update(
                code,
                in: currency,
                entering: Product(code: code, currency: currency, name: row.group.name(at: index))
            ) {
                $0.add(row.figures.transactions, net: base == nil ? row.figures.net : row.converted.net)
            }
        }
        ranked = Dictionary(grouping: products.all, by: \.currency).mapValues { products in
            products.sorted { left, right in
                left.net != right.net ? left.net > right.net : Order.precedes(left.name, right.name)
            }
        }
    }

    /// A product by its code; `nil` if it has no booking in the currency.
    func product(_ code: Int64, in currency: CurrencyCode) -> Product? { products[code, in: currency] }

    /// Sorted.
    var currencies: [CurrencyCode] { ranked.keys.sorted() }

    /// The products with bookings in a currency, the largest net first, equal ones by their names.
    func ranked(in currency: CurrencyCode) -> [Product] { ranked[currency] ?? [] }
}
