import TillCore
import TillLedger
import TillReportModel

/// Revenue as the schedules of a close: by product, month and currency, refunds, restatements, and the tie-outs.
///
/// Amounts are in the base currency where there is one. The figures by product and month are sums of the rounded rows of
/// the report, which may differ from its total in the base currency by some minor units.
struct RevenueClose: Sendable {
    let rows: Cube
    let trend: RevenueTrend
    let rules: LedgerRules
    /// Sections of the report, of which late refunds and amounts without a rate are schedules.
    let sections: [Section]
    let restatement: [Section]

    private typealias Figure = RevenueMeasure
    private var base: CurrencyCode? { trend.base }
    private var measures: [Measure] { Figure.all(for: .workbook, rules) }

    @Sendable func schedules() -> ClosingSchedules {
        var schedules: [Schedule] = []
        if let products = rows.shown(by: .productID) {
            schedules.append(Schedule(.products, productSection(products)))
            schedules.append(Schedule(.refunds, refundSection(products)))
        }
        if let time = rows.keys.timeIndex.map({ rows.keys[$0] }), let months = rows.shown(by: time),
            months.rollup(to: [time]).count > 1
        {
            schedules.append(Schedule(.months, monthSection(months, time)))
        }
        schedules.append(Schedule(.currencies, currencySection))
        for section in sections {
            if section.name == "adjustments" { schedules.append(Schedule(.refunds, section)) }
            if section.name == "unconverted" { schedules.append(Schedule(.exceptions, section)) }
        }
        schedules += restatement.map { Schedule(.restatements, $0) }
        return ClosingSchedules(schedules, tieOuts: tieOuts)
    }

    // MARK: Schedules

    private func titled(_ title: String) -> String { base.map { "\(title), \($0)" } ?? title }

    private func productSection(_ products: Cube) -> Section {
        let before = trend.previous?.productsWithNet
        let cube = products.joined(with: before)
            .sorted(by: .currencies(trend.currencies), .largest(Figure.net), .key(.productID))
            .balanced(over: .productID, to: trend.shown, for: measures)
        var view = CubeView(cube)
        view.add(measures)
        if let name = trend.previous?.name, before != nil, !cube.isEmpty {
            view.add([Figure.net.named("before").titled(name)], side: 1)
            view.addChange(of: Figure.net)
        }
        return view.section("products", titled("Revenue by product")).called("Revenue by product").totalled()
    }

    private func monthSection(_ months: Cube, _ key: GroupKey) -> Section {
        let sorted = months.sorted(by: .key(key), .currencies(trend.currencies))
        var view = CubeView(sorted.balanced(over: key, to: trend.shown, for: measures))
        view.add(measures)
        let unit = key.title.lowercased()
        return view.section("months", titled("Revenue by \(unit)")).called("By \(unit)").totalled()
    }

    /// Amounts in their own currencies, the rates that were used, and converted amounts; the largest first.
    private var currencySection: Section {
        let (rates, totals) = (trend.totals.rates, trend.totals.byCurrency)
        let order = base == nil ? Cube.Criterion.currencies(trend.currencies) : .largest(Figure.net, side: 1)
        let sorted = totals.sorted(by: order)
        let cube = trend.totalsInBase.map { sorted.balanced(over: .currency, to: $0, for: Figure.amounts) } ?? sorted
        var view = CubeView(cube)
        view.add([Figure.sales, Figure.units, Figure.gross, Figure.refunds, Figure.net, Figure.unpriced])
        if rules.knowsFees { view.add(Figure.parts) }
        if base != nil {
            for (name, isLowest) in [("Lowest", true), ("Highest", false)] {
                let column = ReportColumn<Int>(name.lowercased() + "_rate", name + " rate", texts: .numbers) { group in
                    let used = cube.currency(of: group).flatMap { rates[$0] }
                    return .text((isLowest ? used?.lowerBound : used?.upperBound)?.text)
                }
                view.add(column)
            }
            view.add(Figure.converted(rules), side: 1)
        }
        var section = view.section("currencies", "Revenue by currency").called("By currency")
        // A currency has one row; only counts, and amounts in the base currency, are totalled.
        section.totals = .all
        return section
    }

    /// Refunds that are booked in the period, by product; without a base currency also by currency.
    private func refundSection(_ products: Cube) -> Section {
        let all = products.sorted(by: .currencies(trend.currencies), .largest(Figure.refunds), .key(.productID))
            .balanced(over: .productID, to: trend.shown, for: measures)
        let cube = all.filter { group in
            [Figure.refunded, Figure.refunds].contains { all.value($0, of: group) ?? 0 != 0 }
        }
        let totals = cube.rolledUp(to: cube.keys.filter { $0 != .productID })
        var view = CubeView(cube)
        view.add([Figure.refunded.titled("Refunded sales"), Figure.refunds])
        view.add(
            ReportColumn("share", "Share of refunds") { group in
                guard let refunds = cube.value(Figure.refunds, of: group),
                    let all = totals.cube.value(Figure.refunds, of: totals.numbers[group])
                else { return .absent }
                return .ratio(refunds, of: all)
            }
        )
        view.add(Figure.gross, side: 0, Figure.gross.heading(in: base))
        view.add([Figure.refundRate])
        return view.section("refunds", titled("Refunds by product")).called("Refunds").totalled()
    }

    // MARK: Tie-outs

    private var tieOuts: [TieOut] {
        func figures(_ names: [(String, String)]) -> [TieOut.Figure] { names.map { .init($0.0, in: $0.1) } }
        func tie(_ title: String, _ left: (String, String), _ right: (String, String)..., all: Bool = false) -> TieOut {
            TieOut(title, figures([left]), figures(right), isPerCurrency: !all)
        }
        let isOne = base != nil
        let net = ("net", "products")
        let total = (isOne ? "converted_net" : "net", "currencies")
        return [
            tie("Customer sales: summary and products", ("net", "summary"), net, all: true),
            tie("Customer sales: products and currencies", net, total, all: isOne),
            tie("Customer sales: products and months", net, ("net", "months"), all: isOne),
            tie(
                "Sales before refunds = customer sales + refunds",
                ("gross", "products"),
                net,
                ("refunds", "products"),
                all: isOne
            ),
            tie("Refunds: products and refunds", ("refunds", "products"), ("refunds", "refunds"), all: isOne),
            tie(
                "Transactions: products and currencies",
                ("transactions", "products"),
                ("transactions", "currencies"),
                all: true
            ),
            tie(
                "Restatements of customer sales: groups and causes",
                ("net", "restatement"),
                ("net", "restatement_totals")
            ),
            tie(
                "Restatements of customer sales: groups and transactions",
                ("net", "restatement"),
                ("net", "restated_transactions"),
                ("rounding", "restatement")
            ),
        ]
    }
}
