import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Gross and refunds of a period in one currency.
struct RevenueTotal {
    let currency: CurrencyCode
    let gross: Int128
    let refunds: Int128
    var net: Int128 { gross - refunds }

    init(currency: CurrencyCode, gross: Int128 = 0, refunds: Int128 = 0) {
        (self.currency, self.gross, self.refunds) = (currency, gross, refunds)
    }

    /// The total in a currency; 0 where nothing was booked in it.
    init(of totals: [RevenueRow], in currency: CurrencyCode) {
        let figures = totals.first { $0.currency == currency }?.figures ?? RevenueFigures()
        self.init(currency: currency, gross: figures.gross, refunds: figures.refunds)
    }

    /// The total of all currencies in the base currency; `nil` if no amount has a rate, or no sale a price.
    init?(of totals: [RevenueRow], convertedTo base: CurrencyCode) {
        var sum = ConvertedAmounts()
        for total in totals { sum.add(total.converted) }
        guard sum.isKnown, totals.isEmpty || totals.contains(where: { $0.currency != nil }) else { return nil }
        self.init(currency: base, gross: sum.gross, refunds: sum.refunds)
    }
}

/// The totals of a period and of the periods for comparison.
struct RevenueTrend {
    /// The totals of an earlier period.
    struct Earlier {
        /// `February 2026`
        let name: String
        let totals: [RevenueRow]
        /// `nil` if the rows are not grouped by product.
        let products: ProductRanking?

        /// Whether amounts lack a rate, so that a converted sum would be too low. No exception says so of an earlier
        /// period.
        var lacksRates: Bool { totals.contains { $0.converted.unconverted > 0 } }
    }

    /// By currency.
    let totals: [RevenueRow]
    /// `nil` if the input does not reach back, or the figures are not known.
    let previous: Earlier?
    let yearBefore: Earlier?
    let base: CurrencyCode?

    /// The net of an earlier period in a currency; `nil` if it is not known.
    func net(of earlier: Earlier?, in currency: CurrencyCode) -> Int128? {
        guard let earlier else { return nil }
        guard base != nil else { return RevenueTotal(of: earlier.totals, in: currency).net }
        guard !earlier.lacksRates else { return nil }
        return RevenueTotal(of: earlier.totals, convertedTo: currency)?.net
    }

    /// The totals that people read: in the base currency where there is one, else by currency, that with the most sales
    /// first.
    var shown: [RevenueTotal] {
        if let base { return [RevenueTotal(of: totals, convertedTo: base)].compactMap(\.self) }
        return byTransactions.compactMap { row in row.currency.map { RevenueTotal(of: totals, in: $0) } }
    }

    /// The totals that have a currency, that with the most sales first, equal ones by their currency.
    private var byTransactions: [RevenueRow] {
        totals.filter { $0.currency != nil }.enumerated().sorted { left, right in
            (right.element.figures.transactions, left.offset) < (left.element.figures.transactions, right.offset)
        }
        .map(\.element)
    }

    /// The currency of the summary.
    var currency: CurrencyCode? { base ?? byTransactions.first?.currency }
}

/// The summary of the revenue report: net, its change, refunds, top products, deferred revenue, exceptions.
struct RevenueSummary {
    let trend: RevenueTrend
    let products: ProductRanking?
    /// `nil` if it is not counted.
    let balance: DeferredBalance?
    let span: ClosedRange<Timestamp>?
    /// The text for a period without sales.
    let nothing: Statement

    private static let mostProducts = 5

    func summary() -> Summary {
        Summary(
            span: span,
            facts: facts,
            statements: trend.totals.isEmpty ? [nothing] : statements,
            exceptions: [
                .unpriced: Int(trend.totals.reduce(0) { $0 + $1.figures.unpricedUnits }),
                .unconverted: Int(trend.totals.reduce(0) { $0 + $1.converted.unconverted }),
            ]
        )
    }

    // MARK: For programs

    private var facts: [Fact] {
        let total = trend.shown.first
        let currency = total?.currency
        let previous = currency.flatMap { trend.net(of: trend.previous, in: $0) }
        let yearBefore = currency.flatMap { trend.net(of: trend.yearBefore, in: $0) }
        let deferred = currency.flatMap { balance?.amount(in: $0, base: trend.base) }
        return [
            Fact("currency", "Currency", .text(trend.currency?.description)),
            Fact("net", "Net", Self.money(total?.net, currency)),
            Fact("previous_net", "Net of the period before", Self.money(previous, currency)),
            Fact("year_before_net", "Net a year before", Self.money(yearBefore, currency)),
            Fact("change", "Change", .change(from: previous, to: total?.net)),
            Fact("year_change", "Change in a year", .change(from: yearBefore, to: total?.net)),
            Fact("refund_rate", "Refund rate", .ratio(total?.refunds ?? 0, of: total?.gross ?? 0)),
            Fact("top_products", "Top products", topProducts(of: total)),
            Fact("deferred", "Deferred", Self.money(deferred, currency)),
        ]
    }

    private static func money(_ amount: Int128?, _ currency: CurrencyCode?) -> Cell {
        amount.map { .money($0, currency) } ?? .absent
    }

    /// The products with the largest net; absent if rows are not grouped by product.
    private func topProducts(of total: RevenueTotal?) -> Cell {
        guard let products else { return .absent }
        guard let total else { return .records([]) }
        return .records(
            products.ranked(in: total.currency).filter { $0.net > 0 }.prefix(Self.mostProducts).map { product in
                let share = Cell.ratio(product.net, of: total.net)
                return CellRecord(
                    [
                        .init("product_id", .text(product.name)),
                        .init("net", .money(product.net, total.currency)), .init("share", share),
                    ],
                    text: product.title
                )
            }
        )
    }

    // MARK: For people

    private var statements: [Statement] {
        let shown = trend.shown
        guard !shown.isEmpty else {
            let isPriced = trend.base != nil && trend.totals.contains { $0.currency != nil }
            return [Statement("Net unknown: no amount has a \(isPriced ? "rate" : "price")")]
        }
        var statements: [Statement] = []
        for (index, total) in shown.prefix(Summary.mostCurrencies).enumerated() {
            statements.append(Statement("Net \(sentence(total))", weight: index == 0 ? .headline : .detail))
            if shown.count == 1 { statements.append(detail(of: total)) }
        }
        let deferred = balance?.statement(in: shown.map(\.currency), base: trend.base)
        return statements + Summary.others(of: shown.map(\.currency)) + [deferred].compactMap(\.self)
    }

    /// `14,263.66 EUR, ▲ 4.20 % on February 2026, ▲ 31.00 % on March 2025`
    private func sentence(_ total: RevenueTotal) -> Statement.Sentence {
        var sentence: Statement.Sentence = "\(.money(total.net, total.currency)) \(total.currency.description)"
        var named: [String] = []
        for earlier in [trend.previous, trend.yearBefore].compactMap(\.self) where !named.contains(earlier.name) {
            named.append(earlier.name)
            guard let net = trend.net(of: earlier, in: total.currency), net != 0 else { continue }
            let (difference, sign) = total.net < net ? (net - total.net, "▼") : (total.net - net, "▲")
            sentence = "\(sentence), \(sign) \(.ratio(difference, of: net < 0 ? -net : net)) on \(earlier.name)"
        }
        return sentence
    }

    /// `Gross 14,658.12, refunds 394.46 (2.70 %); 1,904 sales in 10 currencies`
    private func detail(of total: RevenueTotal) -> Statement {
        let rate = Cell.ratio(total.refunds, of: total.gross)
        // Sales without a price are an exception of the summary.
        let priced = trend.totals.filter { $0.currency != nil }
        let (sales, currencies) = (priced.reduce(0) { $0 + $1.figures.transactions }, priced.count)
        let words = currencies == 1 ? "" : " in \(currencies) currencies"
        return Statement(
            """
            Gross \(.money(total.gross, total.currency)), refunds \(.money(total.refunds, total.currency)) (\(rate)); \
            \(.count(sales)) \(sales == 1 ? "sale" : "sales")\(words)
            """,
            weight: .detail
        )
    }
}
