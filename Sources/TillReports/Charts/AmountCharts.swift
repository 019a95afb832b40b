import TillCore
import TillReportModel

/// The charts of an amount over months, or other units of time: the totals, and the largest products of the largest
/// currencies.
///
/// In one currency the totals are columns. Amounts of several currencies cannot be added and have no scale in common,
/// so that each currency has a panel of its own.
struct AmountCharts {
    /// The measure: `Net`.
    let measure: String
    /// The title of the categories: `Month`.
    let unit: String
    private(set) var sums: [CurrencyCode: CrossTable] = [:]

    private static let mostCurrencies = 12
    private static let mostProducts = 11
    /// Currencies whose products are drawn too.
    private static let mostByProduct = 2

    init(_ measure: String, by unit: String) {
        (self.measure, self.unit) = (measure, unit)
    }

    /// Adds an amount; a cell that is no money is not drawn.
    mutating func add(_ amount: Cell, at time: Cell, of product: String) {
        guard case .money(let money) = amount else { return }
        sums[money.currency, default: CrossTable()].add(money.millionths, category: time, series: product)
    }

    /// The currencies, that with the most amounts first.
    private var byCount: [CurrencyCode] {
        sums.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map(\.key)
    }

    /// - Parameters:
    ///   - order: the largest currencies in their order; others follow.
    ///   - unfinished: the name of the month that the input does not cover to its end.
    ///   - notes: further omissions of the charts.
    func charts(order: [CurrencyCode] = [], unfinished: String? = nil, notes: [String?] = []) -> [Chart] {
        // All charts have the same months, so that they can be compared.
        let axis = MonthAxis(sums.values.reduce(into: []) { $0.formUnion($1.categories) })
        let known = order.filter { sums[$0] != nil }
        let currencies = known + byCount.filter { !known.contains($0) }
        let word = unit.lowercased()
        let cut = Chart.notDrawn(axis.cutCount, "earlier \(word)", "earlier \(word)s")
        let totals = totals(
            of: currencies,
            over: axis.categories,
            notes: { _ in [cut] + notes },
            amounts: { (sums[$0] ?? CrossTable()).totals(over: axis.categories) }
        )
        let byProduct = currencies.prefix(Self.mostByProduct).map { products(in: $0, over: axis, notes: [cut]) }
        return ([totals] + byProduct).compactMap(\.self).map { $0.marking(unfinished: unfinished) }
    }

    /// The totals over time: columns in one currency, a panel for each of several; `nil` without a currency.
    ///
    /// - Parameters:
    ///   - notes: omissions of the amounts.
    ///   - amounts: those of a currency, one for each category; `nil` if an amount is not known.
    func totals(
        of currencies: [CurrencyCode],
        over categories: [Cell],
        notes: ([Chart.Series]) -> [String?],
        amounts: (CurrencyCode) -> [Int128?]
    ) -> Chart? {
        let drawn = currencies.prefix(Self.mostCurrencies)
        guard let first = drawn.first else { return nil }
        let isOne = drawn.count == 1
        let series = drawn.map { currency in
            Chart.Series(
                title: isOne ? measure : currency.description,
                values: amounts(currency).map { $0.map { .money($0, currency) } ?? .absent }
            )
        }
        return Chart(
            title: "\(measure) by \(unit.lowercased())\(isOne ? ", \(first)" : " and currency")",
            kind: isOne ? .stackedColumns : .panels,
            categoryTitle: unit,
            valueTitle: isOne ? "\(measure), \(first)" : "\(measure), each currency on a scale of its own",
            categories: categories,
            series: series,
            notes: (notes(series) + [Chart.notDrawn(Array(currencies.dropFirst(drawn.count)))]).compactMap(\.self)
        )
    }

    /// `nil` if a single product has amounts: the totals show it.
    private func products(in currency: CurrencyCode, over axis: MonthAxis, notes: [String?]) -> Chart? {
        guard let table = sums[currency] else { return nil }
        let names = table.largest(Self.mostProducts, over: axis.categories)
        guard names.count > 1 else { return nil }
        return Chart(
            title: "\(measure) by \(unit.lowercased()) and product, \(currency)",
            kind: .panels,
            categoryTitle: unit,
            valueTitle: "\(measure), \(currency)",
            categories: axis.categories,
            series: table.series(
                over: axis.categories,
                named: names,
                rest: { "\($0) other products" },
                cell: { .money($0, currency) }
            ),
            notes: notes.compactMap(\.self)
        )
    }
}

extension Chart {
    /// The chart with the category marked that has the name of a unit of time that is not over.
    func marking(unfinished name: String?) -> Chart {
        guard let name, let index = categories.firstIndex(of: .text(name)) else { return self }
        var chart = self
        chart.unfinished = index
        chart.notes.append("\(name) is to date")
        return chart
    }
}
