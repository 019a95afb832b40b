import TillCore

/// Prices that look like a slip of the decimal point.
enum PriceJumps {
    /// Prices of one product and offer in one currency that are this many times as high as another are doubtful.
    private static let factor: Int64 = 10

    private struct Key: Hashable {
        let product: String
        let offer: String?
        let currency: CurrencyCode
    }

    /// A warning for each row whose price is ten times that of the row before it, or a tenth, of the same product,
    /// offer and currency; prices of 0 are left out.
    static func problems(in rows: [PriceListRow]) -> [Finding] {
        var last: [Key: PriceListRow] = [:]
        return rows.sorted { $0.line < $1.line }.compactMap { row in
            guard row.point.price > 0 else { return nil }
            let key = Key(product: row.productID, offer: row.offerID, currency: row.point.currency)
            defer { last[key] = row }
            guard let other = last[key] else { return nil }
            let (low, high) = (min(row.point.price, other.point.price), max(row.point.price, other.point.price))
            guard high / low >= factor else { return nil }
            let relation = row.point.price == high ? "ten times or more" : "a tenth or less of"
            return Finding(
                "prices.jump",
                at: row.line,
                cause: .warning,
                "the price of \(row.productID) is \(relation) the price on line \(other.line)"
            )
        }
    }
}
