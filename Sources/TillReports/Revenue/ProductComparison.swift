import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The net of each product in two periods, for people: the largest change first.
struct ProductComparison {
    /// A period and the amounts of its products.
    struct Side {
        /// `March 2026`
        let name: String
        /// `nil` if the input does not reach back to the period, or its amounts lack a rate.
        let products: ProductRanking?
    }

    let now: Side
    let before: Side
    /// In the order of the summary, then those of the earlier period alone.
    let currencies: [CurrencyCode]
    let base: CurrencyCode?

    /// - Parameter currencies: those of the summary, in its order.
    init(now: Side, before: Side, currencies: [CurrencyCode], base: CurrencyCode?) {
        (self.now, self.before, self.base) = (now, before, base)
        self.currencies = currencies + (before.products?.currencies ?? []).filter { !currencies.contains($0) }
    }

    private struct Row: Sendable {
        /// `nil` if it is not known.
        let productID: String?
        let currency: CurrencyCode
        let now: Int128
        /// `nil` if it is not known.
        let before: Int128?

        var title: String { productID ?? Cell.unknownProduct }
        var change: Int128? { before.map { now - $0 } }
        /// The size by which rows are ordered.
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
                productID: product.name,
                currency: currency,
                now: new?.product(product.code, in: currency)?.net ?? 0,
                before: old.map { $0.product(product.code, in: currency)?.net ?? 0 }
            )
        }
        return rows.sorted { left, right in
            left.size != right.size ? left.size > right.size : Order.precedes(left.title, right.title)
        }
    }

    var section: Section {
        let currency: [ReportColumn<Row>] =
            base == nil ? [ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) }] : []
        func money(_ name: String, _ title: String, _ amount: @escaping @Sendable (Row) -> Int128?) -> ReportColumn<Row>
        {
            ReportColumn(name, title) { row in amount(row).map { .money($0, row.currency) } ?? .absent }
        }
        return Section(
            name: "comparison_products",
            title: "Products, \(now.name) against \(before.name)",
            columns: [ReportColumn(GroupKey.productID.heading) { .product($0.productID) }] + currency + [
                money("now", Column.title(now.name, in: base), \.now),
                money("before", Column.title(before.name, in: base), \.before),
                money("change", "Change", \.change),
                ReportColumn("relative", "Change %") { .change(from: $0.before, to: $0.now) },
            ],
            rows: currencies.flatMap(rows),
            role: .overview,
            charts: bridges
        )
        .called("Compared")
    }

    // MARK: The bridge

    private static let mostBridges = 3
    private static let mostSteps = 8

    /// How the earlier net becomes the new one, in each of the largest currencies.
    private var bridges: [Chart] {
        // Without the earlier period there are no changes.
        guard before.products != nil else { return [] }
        let others = Chart.notDrawn(Array(currencies.dropFirst(Self.mostBridges)))
        return currencies.prefix(Self.mostBridges).map { bridge(in: $0, notes: [others].compactMap(\.self)) }
    }

    /// From the sum of the earlier nets to that of the new ones: the largest changes, and the rest together.
    private func bridge(in currency: CurrencyCode, notes: [String]) -> Chart {
        let rows = rows(in: currency)
        let changes = rows.filter { ($0.change ?? 0) != 0 }
        // A single remaining product is named, not shown as "1 other".
        let count = changes.count == Self.mostSteps + 1 ? changes.count : Self.mostSteps
        let rest = changes.dropFirst(count)
        var steps = [(name: before.name, amount: rows.reduce(Int128(0)) { $0 + ($1.before ?? 0) })]
        steps += changes.prefix(count).map { ($0.title, $0.change ?? 0) }
        if !rest.isEmpty {
            steps.append(("\(rest.count) other products", rest.reduce(Int128(0)) { $0 + ($1.change ?? 0) }))
        }
        steps.append((now.name, rows.reduce(Int128(0)) { $0 + $1.now }))
        var chart = Chart(
            title: "From \(before.name) to \(now.name), net in \(currency)",
            kind: .waterfall,
            categoryTitle: "Step",
            valueTitle: "Net, \(currency)",
            categories: steps.map { .text($0.name) },
            series: [Chart.Series(title: "Net", values: steps.map { .money($0.amount, currency) })],
            notes: notes
        )
        chart.rest = rest.isEmpty ? nil : steps.count - 2
        return chart
    }
}
