import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The tables of revenue for people: by month, by product, by currency. They are sums of all rows of the report.
///
/// Amounts are in the base currency where there is one. Every figure is a sum of the rounded rows of the report.
struct RevenueOverview {
    let trend: RevenueTrend
    let products: ProductRanking?
    /// The lowest and the highest rate that was used of each currency.
    let rates: [CurrencyCode: ClosedRange<RateDecimal>]
    let conversion: Conversion?

    /// Products that have a row of their own, of each currency.
    static let mostProducts = 20

    /// The table of months, if there are several, that of products, and with a base currency that of currencies.
    ///
    /// - Parameters:
    ///   - comparison: the table of products, where it is to be one of their changes.
    ///   - rows: the rows of the report.
    ///   - timeIndex: the place of the month among their keys.
    ///   - unfinished: the name of the month that the input does not cover to its end.
    func sections(
        _ comparison: Section?,
        of rows: some Collection<RevenueRow>,
        time: (index: Int, key: GroupKey)?,
        unfinished: String?,
        charts: @autoclosure @escaping @Sendable () -> [Chart]
    ) -> [Section] {
        let months = time.map { self.months(of: rows, $0.index) } ?? []
        let hasMonths = Set(months.map(\.name)).count > 1
        var sections: [Section] = []
        if hasMonths, let time {
            sections.append(monthSection(months, time.key, unfinished: unfinished, charts: charts()))
        }
        sections.append(comparison ?? productSection(isOnePeriod: !hasMonths))
        if conversion != nil { sections.append(currencySection) }
        return sections
    }

    private var base: CurrencyCode? { conversion?.base }

    private func currencyColumn<Row>(_ currency: @escaping @Sendable (Row) -> CurrencyCode) -> [ReportColumn<Row>] {
        base == nil ? [ReportColumn(GroupKey.currency.heading) { .text(currency($0).description) }] : []
    }

    // MARK: Months

    private struct MonthTotal: Sendable {
        let code: Int64
        let name: String
        let currency: CurrencyCode
        var sales: Int64 = 0
        var gross: Int128 = 0
        var refunds: Int128 = 0

        mutating func add(sales: Int64, gross: Int128, refunds: Int128) {
            self.sales += sales
            self.gross += gross
            self.refunds += refunds
        }
    }

    /// By month, and in each month by currency in the order of the summary.
    private func months(of rows: some Collection<RevenueRow>, _ index: Int) -> [MonthTotal] {
        var totals = CodedTotals<MonthTotal>()
        for row in rows {
            guard let own = row.currency else { continue }
            let (code, currency) = (row.group.code(at: index), base ?? own)
            totals.update(
                code,
                in: currency,
                entering: MonthTotal(code: code, name: row.group.name(at: index) ?? "no date", currency: currency)
            ) {
                $0.add(
                    sales: row.figures.transactions,
                    gross: base == nil ? row.figures.gross : row.converted.gross,
                    refunds: base == nil ? row.figures.refunds : row.converted.refunds
                )
            }
        }
        let order = trend.shown.map(\.currency)
        func place(_ total: MonthTotal) -> (Int64, Int) {
            (total.code == GroupCode.unknown ? .max : total.code, order.firstIndex(of: total.currency) ?? order.count)
        }
        return totals.all.sorted { place($0) < place($1) }
    }

    private func monthSection(
        _ months: [MonthTotal],
        _ key: GroupKey,
        unfinished: String?,
        charts: @autoclosure @escaping @Sendable () -> [Chart]
    ) -> Section {
        let unit = key.title.lowercased()
        return Section(
            name: "months",
            title: base == nil ? "By \(unit) and currency" : "By \(unit)",
            columns: [
                ReportColumn(key.heading) { .text($0.name == unfinished ? $0.name + " (to date)" : $0.name) }
            ] + currencyColumn(\MonthTotal.currency) + [
                ReportColumn("sales", "Sales") { .count($0.sales) },
                ReportColumn("gross", Column.title("Gross", in: base)) { .money($0.gross, $0.currency) },
                ReportColumn("refunds", Column.title("Refunds", in: base)) { .money($0.refunds, $0.currency) },
                ReportColumn("net", Column.title("Net", in: base)) { .money($0.gross - $0.refunds, $0.currency) },
            ],
            rows: months,
            role: .overview,
            charts: charts()
        )
    }

    // MARK: Products

    private struct ProductRow: Sendable {
        /// The id, or words for the row: `3 other products`, `Total`.
        let name: String
        let currency: CurrencyCode
        var sales: Int64
        var net: Int128
        /// `nil` if it is not known.
        let before: Int128?
        let kind: Kind

        enum Kind {
            case product, unknown, others, total
        }

        var cell: Cell {
            switch kind {
            case .product: .text(name)
            case .unknown: .product(nil)
            case .others: .word("others", name)
            case .total: .word("total", name)
            }
        }
    }

    /// The largest products of each currency, the others, and all.
    private var productRows: [ProductRow] {
        guard let products else { return [] }
        return trend.shown.flatMap { total in
            let currency = total.currency
            let sold = products.ranked(in: currency)
            let whole = trend.net(of: trend.previous, in: currency)
            let all = sold.map { row(of: $0, before: before($0, in: currency), currency) } + gone(from: sold, currency)
            // A row for one other product would be no shorter than the product.
            let count = all.count == Self.mostProducts + 1 ? all.count : Self.mostProducts
            let others = all.dropFirst(count)
            let known = all.prefix(count).reduce(Int128(0)) { $0 + ($1.before ?? 0) }
            let title = "\(others.count) other products"
            let rest = others.isEmpty ? [] : [sum(title, others, whole.map { $0 - known }, currency, .others)]
            let shown = all.prefix(count) + rest
            return shown + (shown.count > 1 ? [sum("Total", all[...], whole, currency, .total)] : [])
        }
    }

    /// The products that sold only in the period before; none where that period is not known.
    private func gone(from sold: [ProductRanking.Product], _ currency: CurrencyCode) -> [ProductRow] {
        guard trend.net(of: trend.previous, in: currency) != nil, let before = trend.previous?.products else {
            return []
        }
        let codes = Set(sold.map(\.code))
        return before.ranked(in: currency).filter { $0.net != 0 && !codes.contains($0.code) }.map { product in
            var row = row(of: product, before: product.net, currency)
            (row.sales, row.net) = (0, 0)
            return row
        }
    }

    private func row(of product: ProductRanking.Product, before: Int128?, _ currency: CurrencyCode) -> ProductRow {
        ProductRow(
            name: product.title,
            currency: currency,
            sales: product.transactions,
            net: product.net,
            before: before,
            kind: product.name == nil ? .unknown : .product
        )
    }

    private func sum(
        _ name: String,
        _ rows: ArraySlice<ProductRow>,
        _ before: Int128?,
        _ currency: CurrencyCode,
        _ kind: ProductRow.Kind
    ) -> ProductRow {
        ProductRow(
            name: name,
            currency: currency,
            sales: rows.reduce(0) { $0 + $1.sales },
            net: rows.reduce(0) { $0 + $1.net },
            before: before,
            kind: kind
        )
    }

    private func before(_ product: ProductRanking.Product, in currency: CurrencyCode) -> Int128? {
        guard let previous = trend.previous, trend.net(of: previous, in: currency) != nil else { return nil }
        return previous.products?.product(product.code, in: currency)?.net ?? 0
    }

    /// - Parameter isOnePeriod: whether the products are to be drawn; over several months their courses are drawn
    ///   instead.
    private func productSection(isOnePeriod: Bool) -> Section {
        let rows = productRows
        var columns: [ReportColumn<ProductRow>] =
            [ReportColumn(GroupKey.productID.heading) { $0.cell }] + currencyColumn(\ProductRow.currency) + [
                ReportColumn("sales", "Sales") { .count($0.sales) },
                ReportColumn("net", Column.title("Net", in: base)) { .money($0.net, $0.currency) },
            ]
        if let previous = trend.previous {
            columns += [
                ReportColumn("before", previous.name) { row in row.before.map { .money($0, row.currency) } ?? .absent },
                ReportColumn("change", "Change %") { .change(from: $0.before, to: $0.net) },
            ]
        }
        return Section(
            name: "products",
            title: "Products",
            columns: columns,
            rows: rows,
            role: .overview,
            charts: isOnePeriod ? Self.bars(of: rows) : []
        )
    }

    /// The currencies whose products are drawn.
    private static let mostBarCharts = 3

    /// The rows of the table as bars, a chart for each of the largest currencies. Products whose net is 0 have none.
    private static func bars(of rows: [ProductRow]) -> [Chart] {
        var currencies: [CurrencyCode] = []
        for row in rows where !currencies.contains(row.currency) { currencies.append(row.currency) }
        return currencies.prefix(mostBarCharts).map { currency in
            let bars = rows.filter { $0.currency == currency && $0.kind != .total && $0.net != 0 }
            var chart = Chart(
                title: "Net by product, \(currency)",
                kind: .bars,
                categoryTitle: GroupKey.productID.title,
                valueTitle: "Net, \(currency)",
                categories: bars.map { .text($0.name) },
                series: [Chart.Series(title: "Net", values: bars.map { .money($0.net, currency) })],
                notes: [Chart.notDrawn(Array(currencies.dropFirst(mostBarCharts)))].compactMap(\.self)
            )
            chart.rest = bars.firstIndex { $0.kind == .others }
            chart.repeatsRows = true
            return chart
        }
    }

    // MARK: Currencies

    /// Own amounts, the rates that were used, and converted amounts; the largest first.
    private var currencySection: Section {
        let rates = rates
        let day = (conversion?.dateRule ?? .purchaseDate).words
        let rows = trend.totals.filter { $0.currency != nil }.sorted { left, right in
            if left.converted.net != right.converted.net { return left.converted.net > right.converted.net }
            return Order.precedes(left.currency?.description, right.currency?.description)
        }
        var columns: [ReportColumn<RevenueRow>] = [
            ReportColumn(GroupKey.currency.heading) { .text($0.currency?.description) },
            ReportColumn("sales", "Sales") { .count($0.figures.transactions) }, RevenueRow.net,
            ReportColumn("rate", "FX rate: \(day)") { row in
                .text(row.currency.flatMap { rates[$0] }.map(\.text))
            },
        ]
        if let base {
            let net = RevenueRow.convertedNet(base)
            columns.append(ReportColumn(net.heading.name, net.heading.title, cell: net.cell))
        }
        return Section(name: "currencies", title: "Currencies", columns: columns, rows: rows, role: .overview)
    }
}
