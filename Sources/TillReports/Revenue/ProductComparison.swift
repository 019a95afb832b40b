import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The net of each product in two periods, for people: the largest change first.
struct ProductComparison {
    /// A period and what its products brought.
    struct Side {
        /// `March 2026`
        let name: String
        /// `nil` where the input does not reach back to the period, or its amounts lack a rate.
        let products: ProductRanking?
    }

    let now: Side
    let before: Side
    /// In the order of the summary.
    let currencies: [CurrencyCode]
    let base: CurrencyCode?

    private struct Row: Sendable {
        let name: String
        let currency: CurrencyCode
        let now: Int128
        /// `nil` where it is not known.
        let before: Int128?

        var change: Int128? { before.map { now - $0 } }
        /// By what rows are ordered.
        var size: UInt128 { (change ?? now).magnitude }
    }

    private func rows(in currency: CurrencyCode) -> [Row] {
        let current = now.products?.ranked(in: currency) ?? []
        let earlier = before.products?.ranked(in: currency) ?? []
        let known = Set(current.map(\.code))
        let gone = earlier.filter { !known.contains($0.code) }
        let rows = (current + gone).map { product in
            let (new, old) = (now.products, before.products)
            return Row(
                name: product.name ?? "unknown product",
                currency: currency,
                now: new?.product(product.code, in: currency)?.net ?? 0,
                before: old.map { $0.product(product.code, in: currency)?.net ?? 0 }
            )
        }
        return rows.sorted { left, right in
            left.size != right.size ? left.size > right.size : Order.precedes(left.name, right.name)
        }
    }

    var section: Section {
        let suffix = base.map { " (\($0))" } ?? ""
        let currency: [ReportColumn<Row>] =
            base == nil ? [ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) }] : []
        func money(_ name: String, _ title: String, _ amount: @escaping @Sendable (Row) -> Int128?) -> ReportColumn<Row>
        {
            ReportColumn(name, title) { row in amount(row).map { .money($0, row.currency) } ?? .absent }
        }
        return Section(
            name: "comparison_products",
            title: "Products, \(now.name) against \(before.name)",
            columns: [ReportColumn(GroupKey.productID.heading) { .text($0.name) }] + currency + [
                money("now", now.name + suffix, \.now), money("before", before.name + suffix, \.before),
                money("change", "Change", \.change),
                ReportColumn("relative", "Change %") { .change(from: $0.before, to: $0.now) },
            ],
            rows: currencies.flatMap(rows),
            role: .overview
        )
    }
}
