import TillCore
import TillLedger
import TillPricing

/// A period beside the periods for comparison.
struct RevenueTrend {
    /// An earlier period.
    struct Earlier {
        /// `February 2026`
        let name: String
        /// The totals that people read; `nil` if they are not known.
        let shown: Cube?
        /// The products, the largest net first; `nil` if they are not known, or rows are not grouped by product.
        let products: Cube?

        init(name: String, _ rows: Cube, _ totals: RevenueTotals) {
            self.name = name
            shown = totals.known
            let products = shown == nil ? nil : rows.products { _ in true }
            self.products = products?.sorted(by: .largest(RevenueMeasure.net), .key(.productID))
        }

        /// The products whose net is not 0.
        var productsWithNet: Cube? {
            products.map { products in products.filter { products.value(RevenueMeasure.net, of: $0) != 0 } }
        }
    }

    let totals: RevenueTotals
    /// The totals that people read. Its sides are the period, the previous one, and the same a year before.
    let shown: Cube
    /// By product, without sales that have no price, the largest net of each currency first; `nil` if rows are not
    /// grouped by product.
    let products: Cube?
    /// `nil` if the input does not reach back.
    let previous: Earlier?
    let yearBefore: Earlier?

    /// - Parameter rows: of the report.
    init(_ rows: Cube, _ totals: RevenueTotals, previous: Earlier?, yearBefore: Earlier?) {
        (self.totals, self.previous, self.yearBefore) = (totals, previous, yearBefore)
        let now = totals.shown
        shown = now.joined(with: previous?.shown).joined(with: yearBefore?.shown).selecting(now.groups)
        let order = now.groups.compactMap { now.currency(of: $0) }
        products = rows.products { _ in true }?
            .sorted(by: .currencies(order), .largest(RevenueMeasure.net), .key(.productID))
    }

    var base: CurrencyCode? { totals.base }

    /// The currencies that people read, in their order.
    var currencies: [CurrencyCode] { shown.groups.compactMap { shown.currency(of: $0) } }

    /// Customer sales of a group of ``shown``: all of them, else the part that is known.
    func knownNet(of group: Int) -> Int128? {
        shown.value(RevenueMeasure.net, of: group) ?? shown.currency(of: group).flatMap(totals.knownNet)
    }

    /// All currencies in one group: on side 1 the headline in the base currency; `nil` without one.
    var totalsInBase: Cube? {
        guard base != nil, !shown.isEmpty else { return nil }
        return totals.byCurrency.only(side: 0).rollup(to: []).joined(with: shown.only(side: 0))
    }
}

extension Cube {
    /// Rows of revenue as people read them, by a key: in the base currency where they have one, else for each currency.
    /// `nil` if the rows lack the key.
    func shown(by key: GroupKey, where isIncluded: (Int) -> Bool = { _ in true }) -> Cube? {
        guard keys.contains(key) else { return nil }
        let hasBase = sides.count > 1
        return only(side: hasBase ? 1 : 0).rollup(to: hasBase ? [key] : [key, .currency], where: isIncluded)
    }

    /// The products of such rows, without sales that have no price; `nil` if rows are not grouped by product.
    func products(where isIncluded: (Int) -> Bool) -> Cube? {
        shown(by: .productID) { currency(of: $0) != nil && isIncluded($0) }
    }
}
