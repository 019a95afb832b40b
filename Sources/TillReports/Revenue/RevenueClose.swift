import TillCore
import TillLedger
import TillReportModel

/// Revenue as the schedules of a close: by product, month and currency, refunds, restatements, and the tie-outs.
///
/// Amounts are in the base currency where there is one. Every figure is a sum of the rounded rows of the report, so
/// that each schedule adds up to the totals of the report.
struct RevenueClose<Rows: Collection<RevenueRow> & Sendable>: Sendable {
    let rows: Rows
    let keys: [GroupKey]
    let trend: RevenueTrend
    /// The lowest and the highest rate that was used of each currency.
    let rates: [CurrencyCode: ClosedRange<RateDecimal>]
    let isEstimated: Bool
    /// Sections of the report, of which late refunds and amounts without a rate are schedules.
    let sections: [Section]
    let restatement: [Section]

    private var base: CurrencyCode? { trend.base }

    @Sendable func schedules() -> ClosingSchedules {
        var schedules: [Schedule] = []
        if let index = keys.firstIndex(of: .productID) {
            let products = lines(at: index)
            schedules.append(Schedule(.products, productSection(products)))
            schedules.append(Schedule(.refunds, refundSection(products)))
        }
        if let index = keys.timeIndex {
            let months = lines(at: index)
            if Set(months.map(\.code)).count > 1 {
                schedules.append(Schedule(.months, monthSection(months, keys[index])))
            }
        }
        schedules.append(Schedule(.currencies, currencySection))
        for section in sections {
            if section.name == "adjustments" { schedules.append(Schedule(.refunds, section)) }
            if section.name == "unconverted" { schedules.append(Schedule(.exceptions, section)) }
        }
        schedules += restatement.map { Schedule(.restatements, $0) }
        return ClosingSchedules(schedules, tieOuts: tieOuts)
    }

    // MARK: Lines

    /// The sum of rows that share a key, in one currency.
    private struct Line: Sendable {
        let code: Int64
        /// `nil` if it is not known.
        let name: String?
        /// `nil` if amounts are not known.
        let currency: CurrencyCode?
        var figures = RevenueFigures()
        /// In ``currency``.
        var gross: Int128 = 0
        var refunds: Int128 = 0
        var unconverted: Int64 = 0
        var hasAmount = false
        /// The net of the period before; `nil` if it is not known.
        var before: Int128?

        var net: Int128 { gross - refunds }
        /// Absent where the rows have no price or no rate.
        func money(_ amount: Int128) -> Cell { hasAmount ? .money(amount, currency) : .absent }
    }

    private struct LineKey: Hashable {
        let code: Int64
        let currency: CurrencyCode?
    }

    /// By the key at an index: in the base currency a line each, else one for each currency. They have no order.
    private func lines(at index: Int) -> [Line] {
        var lines: [LineKey: Line] = [:]
        for row in rows {
            let key = LineKey(code: row.group.code(at: index), currency: base ?? row.currency)
            var line =
                lines[key] ?? Line(code: key.code, name: row.group.name(at: index), currency: key.currency)
            line.figures += row.figures
            line.unconverted += row.converted.unconverted
            if row.currency != nil, base == nil || row.converted.isKnown {
                line.hasAmount = true
                line.gross += base == nil ? row.figures.gross : row.converted.gross
                line.refunds += base == nil ? row.figures.refunds : row.converted.refunds
            }
            lines[key] = line
        }
        return Array(lines.values)
    }

    /// The place of a currency in the order of the summary, unknown ones last.
    private func place(_ currency: CurrencyCode?, _ order: [CurrencyCode]) -> Int {
        currency.flatMap { order.firstIndex(of: $0) } ?? order.count
    }

    // MARK: Columns

    private var currencyColumns: [ReportColumn<Line>] {
        base == nil ? [ReportColumn(GroupKey.currency.heading) { .text($0.currency?.description) }] : []
    }

    private func measures(of lines: [Line]) -> [ReportColumn<Line>] {
        var columns: [ReportColumn<Line>] = [
            ReportColumn("transactions", "Sales") { .count($0.figures.transactions) }.additive,
            ReportColumn("units", "Units") { .count($0.figures.units) }.additive,
            ReportColumn("gross", Column.title("Gross", in: base)) { $0.money($0.gross) }.additive,
            ReportColumn("refunds", Column.title("Refunds", in: base)) { $0.money($0.refunds) }.additive,
            ReportColumn("net", Column.title("Net", in: base)) { $0.money($0.net) }.additive,
            ReportColumn("refund_rate", "Refund rate") { $0.hasAmount ? .ratio($0.refunds, of: $0.gross) : .absent },
        ]
        if lines.contains(where: { $0.figures.unpricedUnits != 0 }) {
            columns.append(
                ReportColumn("unpriced_units", "Unpriced units") { .count($0.figures.unpricedUnits) }.additive
            )
        }
        if lines.contains(where: { $0.unconverted != 0 }) {
            columns.append(ReportColumn("unconverted", "Without a rate") { .count($0.unconverted) }.additive)
        }
        return columns
    }

    // MARK: Schedules

    private func productSection(_ lines: [Line]) -> Section {
        let lines = besideBefore(lines)
        let order = trend.shown.map(\.currency)
        let sorted = lines.sorted { left, right in
            let (first, second) = (place(left.currency, order), place(right.currency, order))
            if first != second { return first < second }
            return left.net != right.net ? left.net > right.net : Order.precedes(left.name, right.name)
        }
        var columns =
            [ReportColumn<Line>(GroupKey.productID.heading) { .product($0.name) }] + currencyColumns
            + measures(of: lines)
        if let previous = trend.previous, lines.contains(where: { $0.before != nil }) {
            columns += [
                ReportColumn("before", Column.title(previous.name, in: base)) { line in
                    line.before.map { .money($0, line.currency) } ?? .absent
                }.additive,
                ReportColumn("change", "Change %") { .change(from: $0.before, to: $0.hasAmount ? $0.net : nil) },
            ]
        }
        let title = "Revenue by product"
        return Section(name: "products", title: base.map { "\(title), \($0)" } ?? title, columns: columns, rows: sorted)
            .called("Revenue by product").totalled()
    }

    /// The lines with the net of the period before, and lines of products that were sold only then.
    private func besideBefore(_ lines: [Line]) -> [Line] {
        guard let previous = trend.previous, let products = previous.products else { return lines }
        var lines = lines
        for currency in Set(trend.shown.map(\.currency) + previous.totals.compactMap { base ?? $0.currency }) {
            guard trend.net(of: previous, in: currency) != nil else { continue }
            var earlier: [Int64: ProductRanking.Product] = [:]
            for product in products.ranked(in: currency) { earlier[product.code] = product }
            for index in lines.indices where lines[index].currency == currency {
                lines[index].before = earlier.removeValue(forKey: lines[index].code)?.net ?? 0
            }
            for product in earlier.values where product.net != 0 {
                var line = Line(code: product.code, name: product.name, currency: currency)
                (line.before, line.hasAmount) = (product.net, true)
                lines.append(line)
            }
        }
        return lines
    }

    private func monthSection(_ months: [Line], _ key: GroupKey) -> Section {
        let order = trend.shown.map(\.currency)
        func time(_ line: Line) -> Int64 { line.code == GroupCode.unknown ? .max : line.code }
        let sorted = months.sorted { (time($0), place($0.currency, order)) < (time($1), place($1.currency, order)) }
        let unit = key.title.lowercased()
        return Section(
            name: "months",
            title: base.map { "Revenue by \(unit), \($0)" } ?? "Revenue by \(unit)",
            columns: [ReportColumn<Line>(key.heading) { .text($0.name) }] + currencyColumns + measures(of: months),
            rows: sorted
        )
        .called("By \(unit)").totalled()
    }

    /// Amounts in their own currencies, the rates that were used, and converted amounts; the largest first.
    private var currencySection: Section {
        let (rates, order) = (rates, trend.shown.map(\.currency))
        let rows = trend.totals.enumerated().sorted { left, right in
            let (first, second) = (left.element, right.element)
            if (first.currency == nil) != (second.currency == nil) { return second.currency == nil }
            if base == nil { return place(first.currency, order) < place(second.currency, order) }
            let (mine, other) = (first.converted.net, second.converted.net)
            return mine != other ? mine > other : left.offset < right.offset
        }
        .map(\.element)
        var columns: [ReportColumn<RevenueRow>] = [
            ReportColumn(GroupKey.currency.heading) { .text($0.currency?.description) }
        ]
        let hasUnpriced = rows.contains { $0.figures.unpricedUnits != 0 }
        let leftOut = ["refunded_transactions"] + (hasUnpriced ? [] : ["unpriced_units"])
        columns += RevenueRow.columns(base: nil, isEstimated: isEstimated)
            .filter { !leftOut.contains($0.heading.name) }.map { $0.titled(["transactions": "Sales"]) }
        if let base {
            columns += [
                ReportColumn("lowest_rate", "Lowest rate", texts: .numbers) { row in
                    .text(row.currency.flatMap { rates[$0] }?.lowerBound.text)
                },
                ReportColumn("highest_rate", "Highest rate", texts: .numbers) { row in
                    .text(row.currency.flatMap { rates[$0] }?.upperBound.text)
                },
            ]
            let isComplete = !rows.contains { $0.converted.unconverted != 0 }
            columns += RevenueRow.convertedColumns(base)
                .filter { !isComplete || $0.heading.name != "unconverted_transactions" }
        }
        var section = Section(name: "currencies", title: "Revenue by currency", columns: columns, rows: rows)
            .called("By currency")
        // A currency has one row; only counts, and amounts in the base currency, are totalled.
        section.totals = .all
        return section
    }

    /// Refunds that are booked in the period, by product; without a base currency also by currency.
    private func refundSection(_ lines: [Line]) -> Section {
        let order = trend.shown.map(\.currency)
        let refunds = lines.filter { $0.figures.refundedTransactions != 0 || $0.refunds != 0 }.sorted { left, right in
            let (first, second) = (place(left.currency, order), place(right.currency, order))
            if first != second { return first < second }
            return left.refunds != right.refunds
                ? left.refunds > right.refunds : Order.precedes(left.name, right.name)
        }
        let all = refunds.reduce(into: [CurrencyCode?: Int128]()) { $0[$1.currency, default: 0] += $1.refunds }
        return Section(
            name: "refunds",
            title: base.map { "Refunds by product, \($0)" } ?? "Refunds by product",
            columns: [ReportColumn<Line>(GroupKey.productID.heading) { .product($0.name) }]
                + currencyColumns + [
                    ReportColumn("refunded_transactions", "Refunded sales") { .count($0.figures.refundedTransactions) }
                        .additive,
                    ReportColumn("refunds", Column.title("Refunds", in: base)) { $0.money($0.refunds) }.additive,
                    ReportColumn("share", "Share of refunds") { line in
                        line.hasAmount ? .ratio(line.refunds, of: all[line.currency] ?? 0) : .absent
                    },
                    ReportColumn("gross", Column.title("Gross", in: base)) { $0.money($0.gross) },
                    ReportColumn("refund_rate", "Refund rate") {
                        $0.hasAmount ? .ratio($0.refunds, of: $0.gross) : .absent
                    },
                ],
            rows: refunds
        )
        .called("Refunds").totalled()
    }

    // MARK: Tie-outs

    private var tieOuts: [TieOut] {
        let converted = base == nil ? "" : "converted_"
        let byCurrency = base == nil
        func tie(_ title: String, _ left: TieOut.Figure, _ right: TieOut.Figure...) -> TieOut {
            TieOut(title, [left], right, isPerCurrency: byCurrency)
        }
        var ties = [
            TieOut("Net: summary and products", [.init("net", in: "summary")], [.init("net", in: "products")]),
            tie("Net: products and all rows", .init("net", in: "products"), .init(converted + "net", in: "revenue")),
            tie("Net: products and months", .init("net", in: "products"), .init("net", in: "months")),
            tie(
                "Gross = net + refunds",
                .init("gross", in: "products"),
                .init("net", in: "products"),
                .init("refunds", in: "products")
            ),
            tie("Refunds: products and refunds", .init("refunds", in: "products"), .init("refunds", in: "refunds")),
            TieOut(
                "Sales: products and currencies",
                [.init("transactions", in: "products")],
                [.init("transactions", in: "currencies")]
            ),
            TieOut(
                "Restatements of net: groups and causes",
                [.init("net", in: "restatement")],
                [.init("net", in: "restatement_totals")],
                isPerCurrency: true
            ),
            TieOut(
                "Restatements of net: groups and transactions",
                [.init("net", in: "restatement")],
                [.init("net", in: "restated_transactions"), .init("rounding", in: "restatement")],
                isPerCurrency: true
            ),
        ]
        if base != nil {
            let net = tie(
                "Net: products and currencies",
                .init("net", in: "products"),
                .init("converted_net", in: "currencies")
            )
            ties.insert(net, at: 1)
        }
        return ties
    }
}

extension ReportColumn {
    /// The same column with the title that belongs to its name, if there is one.
    fileprivate func titled(_ titles: [String: String]) -> Self {
        var heading = heading
        heading.title = titles[heading.name] ?? heading.title
        return Self(heading, cell: cell)
    }
}
