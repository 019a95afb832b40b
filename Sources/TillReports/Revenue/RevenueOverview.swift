import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The tables of revenue for people: by month, by product, by currency.
///
/// Amounts are in the base currency where there is one. Rows are sums of the rounded rows of
/// the report; totals are exact sums rounded once, and a row of rounding is between them.
struct RevenueOverview {
    let trend: RevenueTrend
    let rules: LedgerRules

    private var conversion: Conversion? { rules.conversion }

    /// Products and countries that have a row of their own, of each currency.
    static let mostRows = 12

    private typealias Figure = RevenueMeasure

    /// The table of months, if there are several, that of products, and with a base currency that of currencies.
    ///
    /// - Parameters:
    ///   - comparison: the table of products, where it is to be one of their changes.
    ///   - months: by month, or another unit of time, without sales that have no price; `nil` without such a key.
    ///   - countries: by country, without sales that have no price; `nil` if they are not counted.
    ///   - unfinished: the name of the month that the input does not cover to its end.
    func sections(
        _ comparison: Section?,
        months: Cube?,
        countries: Cube?,
        unfinished: String?,
        charts: @autoclosure @escaping @Sendable () -> [Chart]
    ) -> [Section] {
        let months = months.flatMap { $0.rollup(to: [$0.keys[0]]).count > 1 ? $0 : nil }
        var sections: [Section] = []
        if let months { sections.append(monthSection(months, unfinished: unfinished, charts: charts())) }
        if let products = comparison ?? productSection(isOnePeriod: months == nil) { sections.append(products) }
        if let countries, countries.groups.contains(where: { countries.name(of: $0, at: 0) != nil }) {
            sections.append(countrySection(countries))
        }
        if let base = conversion?.base { sections.append(currencySection(base)) }
        return sections
    }

    // MARK: Months

    private func monthSection(
        _ months: Cube,
        unfinished: String?,
        charts: @autoclosure @escaping @Sendable () -> [Chart]
    ) -> Section {
        let sorted = months.sorted(by: .key(months.keys[0]), .currencies(trend.currencies))
            .balanced(over: months.keys[0], to: trend.shown, for: Figure.all(for: .people, rules), hasTotals: true)
        var view = CubeView(sorted) { key, name in
            guard key != .currency else { return name }
            return name == unfinished ? name.map { $0 + " (to date)" } : name ?? "no date"
        }
        view.add(Figure.all(for: .people, rules))
        let unit = months.keys[0].title.lowercased()
        let title = conversion == nil ? "By \(unit) and currency" : "By \(unit)"
        return view.section("months", title, role: .overview, charts: charts())
    }

    // MARK: Products

    /// The products beside the period before, with products that sold only then: the largest of each currency, the
    /// others together, and all.
    private var products: Cube? {
        guard var products = trend.products else { return nil }
        if let previous = trend.previous {
            let (all, currencies) = (products.joined(with: previous.productsWithNet), trend.currencies)
            products = all.filter { all.currency(of: $0).map(currencies.contains) ?? false }
        }
        return products.top(Self.mostRows, of: .productID) { "\($0) other products" }
            .balanced(over: .productID, to: trend.shown, for: [Figure.net], hasTotals: true)
    }

    /// - Parameter isOnePeriod: whether the products are to be drawn; over several months their courses are drawn
    ///   instead.
    private func productSection(isOnePeriod: Bool) -> Section? {
        guard let products else { return nil }
        var view = CubeView(products)
        view.add([Figure.paid, Figure.net.titled("Sales")])
        if let previous = trend.previous {
            view.add(Figure.net, side: 1, Column("before", previous.name))
            view.addChange(of: Figure.net)
        }
        return view.section(
            "products",
            "Products",
            role: .overview,
            charts: isOnePeriod ? bars(of: products) : []
        )
    }

    /// The currencies whose products are drawn.
    private static let mostBarCharts = 3

    /// The rows of the table as bars, a chart for each of the largest currencies. Products whose net is 0 have none.
    private func bars(of products: Cube) -> [Chart] {
        let drawn = products.groups.filter {
            ![GroupCode.total, GroupCode.rounding].contains(products.code(of: $0, at: 0))
                && products.value(Figure.net, of: $0) ?? 0 != 0
        }
        let currencies = trend.currencies.filter { currency in
            products.groups.contains { products.currency(of: $0) == currency }
        }
        return currencies.prefix(Self.mostBarCharts).map { currency in
            let bars = drawn.filter { products.currency(of: $0) == currency }
            var chart = Chart(
                title: "Customer sales by product, \(currency)",
                kind: .bars,
                categoryTitle: GroupKey.productID.title,
                valueTitle: "Customer sales, \(currency)",
                categories: bars.map { .text(products.name(of: $0, at: 0) ?? Cell.unknownProduct) },
                series: [
                    Chart.Series(title: "Customer sales", values: bars.map { Figure.net.cell(of: products[$0, 0]) })
                ],
                notes: [Chart.notDrawn(Array(currencies.dropFirst(Self.mostBarCharts)))].compactMap(\.self)
            )
            chart.rest = bars.firstIndex { products.code(of: $0, at: 0) == GroupCode.rest }
            chart.repeatsRows = true
            return chart
        }
    }

    // MARK: Countries

    static let ofCountries = [Figure.paid, Figure.net.titled("Sales"), Figure.tax, Figure.proceeds]

    /// The countries with the most customer sales, with tax and proceeds where some of them are known.
    private func countrySection(_ countries: Cube) -> Section {
        let cube = countries.sorted(by: .currencies(trend.currencies), .largest(Figure.net), .key(.storefront))
            .top(Self.mostRows, of: .storefront) { "\($0) other countries" }
            .balanced(over: .storefront, to: trend.shown, for: Self.ofCountries, hasTotals: true)
        var view = CubeView(cube) { key, name in key == .storefront ? name ?? "unknown" : name }
        view.add(
            Self.ofCountries.filter { measure in
                measure.name == Figure.paid.name || cube.groups.contains { cube.value(measure, of: $0) != nil }
            }
        )
        return view.section("countries", "Countries", role: .overview)
    }

    // MARK: Currencies

    /// Own amounts, the rates that were used, and converted amounts; the largest first.
    private func currencySection(_ base: CurrencyCode) -> Section {
        let (rates, totals) = (trend.totals.rates, trend.totals.byCurrency)
        let sorted = totals.filter { totals.currency(of: $0) != nil }.sorted(by: .largest(Figure.net, side: 1))
        let cube =
            trend.totalsInBase.map { total in
                sorted.balanced(over: .currency, to: total, for: [Figure.net], hasTotals: true)
            } ?? sorted
        var view = CubeView(cube)
        view.add([Figure.paid, Figure.net.titled("Sales")])
        view.add(
            ReportColumn("rate", "FX rate: \((conversion?.dateRule ?? .purchaseDate).words)") { group in
                .text(cube.currency(of: group).flatMap { rates[$0] }.map(\.text))
            }
        )
        view.add([Figure.net.named("converted_net").titled("Sales")], side: 1)
        return view.section("currencies", "Currencies", role: .overview)
    }
}
