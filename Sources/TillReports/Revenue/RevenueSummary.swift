import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The totals of a period and of the periods for comparison.
struct RevenueTrend {
    /// An earlier period.
    struct Earlier {
        /// `February 2026`
        let name: String
        /// The totals that people read; `nil` if they are not known.
        let shown: Cube?
        /// The products, the largest net first; `nil` if they are not known, or rows are not grouped by product.
        let products: Cube?

        init(
            name: String,
            _ rows: [RevenueRow],
            _ totals: RevenueTotals,
            by keys: [GroupKey],
            in base: CurrencyCode?
        ) {
            self.name = name
            shown = RevenueTrend.known(totals)
            let products = shown == nil ? nil : RevenueTrend.products(of: rows, by: keys, in: base)
            self.products = products?.sorted(by: .largest(RevenueMeasure.net), .key(.productID))
        }

        /// The products whose net is not 0.
        var productsWithNet: Cube? {
            products.map { products in products.filter { products.value(RevenueMeasure.net, of: $0) != 0 } }
        }
    }

    /// By currency, in their own currencies and in the base currency.
    let totals: Cube
    /// The totals that people read: the total in the base currency where there is one, else a total for each currency,
    /// the currency with the most sales first. Its sides are the period, the previous one, and the same a year before.
    let shown: Cube
    /// By product, without sales that have no price, the largest net of each currency first; `nil` if rows are not
    /// grouped by product.
    let products: Cube?
    /// `nil` if the input does not reach back.
    let previous: Earlier?
    let yearBefore: Earlier?
    let base: CurrencyCode?

    /// - Parameter products: see ``products(of:by:in:where:)``.
    init(totals: RevenueTotals, products: Cube?, previous: Earlier?, yearBefore: Earlier?, base: CurrencyCode?) {
        self.totals = totals.byCurrency
        (self.previous, self.yearBefore, self.base) = (previous, yearBefore, base)
        let now = Self.shown(of: totals)
        shown = now.joined(with: previous?.shown).joined(with: yearBefore?.shown).selecting(now.groups)
        let order = now.groups.compactMap { now.currency(of: $0) }
        self.products = products?.sorted(by: .currencies(order), .largest(RevenueMeasure.net), .key(.productID))
    }

    /// The currencies that people read, in their order.
    var currencies: [CurrencyCode] { shown.groups.compactMap { shown.currency(of: $0) } }

    /// The totals that people read; without any group if they are not known.
    private static func shown(of totals: RevenueTotals) -> Cube {
        let all = totals.byCurrency
        let priced = all.filter { all.currency(of: $0) != nil }
        guard let total = totals.headline else {
            return priced.only(side: 0).sorted(by: .largest(RevenueMeasure.sales), .key(.currency))
        }
        // Without a single price the total is not known.
        let isPriced = all.isEmpty || !priced.isEmpty
        return total.filter { isPriced && total.value(RevenueMeasure.net, of: $0) != nil }
    }

    /// The totals that people read of an earlier period; `nil` if they are not known. Without some rate a converted sum
    /// would be too low, and no exception says so of an earlier period.
    static func known(_ totals: RevenueTotals) -> Cube? {
        let shown = shown(of: totals)
        guard totals.headline != nil else { return shown }
        return shown.isEmpty || totals.byCurrency.total(RevenueField.unconverted) > 0 ? nil : shown
    }

    /// The net in a currency; 0 where nothing was booked in it.
    static func net(_ shown: Cube, in currency: CurrencyCode) -> Int128? {
        guard let group = shown.groups.first(where: { shown.currency(of: $0) == currency }) else { return 0 }
        return shown.value(RevenueMeasure.net, of: group)
    }

    /// Products without sales that have no price, in no order; `nil` if rows are not grouped by product.
    static func products(
        of rows: some Collection<RevenueRow>,
        by keys: [GroupKey],
        in base: CurrencyCode?,
        where isIncluded: (RevenueRow) -> Bool = { _ in true }
    ) -> Cube? {
        let measures = [RevenueMeasure.sales, RevenueMeasure.net]
        return rows.shown(by: .productID, of: keys, in: base, for: measures) { $0.currency != nil && isIncluded($0) }
    }
}

/// The summary of the revenue report: net, its change, refunds, top products, deferred revenue, exceptions.
struct RevenueSummary {
    let trend: RevenueTrend
    /// `nil` if it is not counted.
    let balance: DeferredBalance?
    let span: ClosedRange<Timestamp>?
    /// The text for a period without sales.
    let nothing: Statement
    /// Whether the tax of any price is known; else it is no exception that a tax is not.
    let knowsTax: Bool

    private static let mostProducts = 5

    func summary() -> Summary {
        Summary(
            span: span,
            facts: facts,
            statements: trend.totals.isEmpty ? [nothing] : statements,
            exceptions: [
                .unpriced: Int(clamping: trend.totals.total(RevenueField.unpriced)),
                .unconverted: Int(clamping: trend.totals.total(RevenueField.unconverted)),
                .untaxed: knowsTax ? Int(clamping: trend.totals.total(RevenueField.untaxed)) : 0,
            ]
        )
    }

    private typealias Figure = RevenueMeasure

    // MARK: For programs

    private var facts: [Fact] {
        let shown = trend.shown
        // The first total, on each side.
        func amount(_ measure: Measure, side: Int = 0) -> Int128? {
            shown.isEmpty ? nil : shown.value(measure, of: 0, side: side)
        }
        func money(_ amount: Int128?) -> Cell { amount.map { .money($0, trend.currencies.first) } ?? .absent }
        let (net, previous, yearBefore) = (amount(Figure.net), amount(Figure.net, side: 1), amount(Figure.net, side: 2))
        let deferred = trend.currencies.first.flatMap { balance?.amount(in: $0, base: trend.base) }
        return [
            Fact("currency", "Currency", .text((trend.base ?? trend.currencies.first)?.description)),
            Fact("net", "Net", money(net)),
            Fact("tax", "Tax (est.)", money(amount(Figure.tax))),
            Fact("without_tax", "Sales without tax", money(amount(Figure.withoutTax))),
            Fact("commission", "Apple's commission (est.)", money(amount(Figure.commission))),
            Fact("proceeds", "Proceeds (est.)", money(amount(Figure.proceeds))),
            Fact("previous_net", "Net of the period before", money(previous)),
            Fact("year_before_net", "Net a year before", money(yearBefore)),
            Fact("change", "Change", .change(from: previous, to: net)),
            Fact("year_change", "Change in a year", .change(from: yearBefore, to: net)),
            Fact("refund_rate", "Refund rate", .ratio(amount(Figure.refunds) ?? 0, of: amount(Figure.gross) ?? 0)),
            Fact("top_products", "Top products", topProducts(of: net)),
            Fact("deferred", "Deferred", money(deferred)),
        ]
    }

    /// The products with the largest net; absent if rows are not grouped by product.
    private func topProducts(of total: Int128?) -> Cell {
        guard let products = trend.products else { return .absent }
        guard let total, let currency = trend.currencies.first else { return .records([]) }
        let largest = products.groups.lazy.filter { products.currency(of: $0) == currency }.compactMap { group in
            products.value(Figure.net, of: group).map { (name: products.name(of: group, at: 0), net: $0) }
        }
        return .records(
            largest.filter { $0.net > 0 }.prefix(Self.mostProducts).map { product in
                CellRecord(
                    [
                        .init("product_id", .text(product.name)), .init("net", .money(product.net, currency)),
                        .init("share", .ratio(product.net, of: total)),
                    ],
                    text: product.name ?? Cell.unknownProduct
                )
            }
        )
    }

    // MARK: For people

    private var statements: [Statement] {
        let shown = trend.shown
        guard !shown.isEmpty else {
            let isPriced = trend.base != nil && trend.totals.groups.contains { trend.totals.currency(of: $0) != nil }
            return [Statement("Net unknown: no amount has a \(isPriced ? "rate" : "price")")]
        }
        var statements: [Statement] = []
        for group in shown.groups.prefix(Summary.mostCurrencies) {
            statements.append(Statement("Net \(sentence(group))", weight: group == 0 ? .headline : .detail))
            if shown.count == 1 { statements.append(detail) }
        }
        let deferred = balance?.statement(in: trend.currencies, base: trend.base)
        return statements + Summary.others(of: trend.currencies) + [deferred].compactMap(\.self)
    }

    /// `14,263.66 EUR, ▲ 4.20 % on February 2026, ▲ 31.00 % on March 2025`
    private func sentence(_ group: Int) -> Statement.Sentence {
        let shown = trend.shown
        let total = shown.value(Figure.net, of: group) ?? 0
        let currency = shown.currency(of: group)?.description ?? ""
        var sentence: Statement.Sentence = "\(Figure.net.cell(of: shown[group, 0])) \(currency)"
        var named: [String] = []
        for (side, earlier) in [(1, trend.previous), (2, trend.yearBefore)] {
            guard let earlier, !named.contains(earlier.name) else { continue }
            named.append(earlier.name)
            guard let net = shown.value(Figure.net, of: group, side: side), net != 0 else { continue }
            let (difference, sign) = total < net ? (net - total, "▼") : (total - net, "▲")
            sentence = "\(sentence), \(sign) \(.ratio(difference, of: net < 0 ? -net : net)) on \(earlier.name)"
        }
        return sentence
    }

    /// `Gross 14,658.12, refunds 394.46 (2.70 %); 1,904 sales in 10 currencies`
    private var detail: Statement {
        let (total, totals) = (trend.shown[0, 0], trend.totals)
        // Sales without a price are an exception of the summary.
        let priced = totals.filter { totals.currency(of: $0) != nil }
        let sales = Int64(clamping: priced.total(RevenueField.sales))
        let words = priced.count == 1 ? "" : " in \(priced.count) currencies"
        return Statement(
            """
            Gross \(Figure.gross.cell(of: total)), refunds \(Figure.refunds.cell(of: total)) \
            (\(Figure.refundRate.cell(of: total))); \(.count(sales)) \(sales == 1 ? "sale" : "sales")\(words)
            """,
            weight: .detail
        )
    }
}
