import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The net of each product in two periods, for people: the largest change first.
struct ProductComparison {
    /// A period and its products; `nil` if the input does not reach back to it, or its amounts lack a price or a rate.
    typealias Side = (name: String, products: Cube?)

    private let now: Side
    private let before: Side
    /// The currencies of the summary in their order, then currencies that only the earlier period has.
    private let currencies: [CurrencyCode]
    /// By product, now and before.
    private let products: Cube

    private typealias Figure = RevenueMeasure

    /// `nil` if the products of this period are not known.
    ///
    /// - Parameter currencies: the currencies of the summary, in their order.
    init?(_ now: Side, against before: Side, currencies: [CurrencyCode]) {
        guard let cube = now.products?.joined(with: before.products) else { return nil }
        (self.now, self.before) = (now, before)
        let others = Set(cube.groups.compactMap { cube.currency(of: $0) }).subtracting(currencies)
        self.currencies = currencies + others.sorted()
        products = cube.sorted(by: .currencies(self.currencies), .largestChange(Figure.net), .key(.productID))
    }

    var section: Section {
        let products = products
        func title(_ name: String) -> String { Column.title(name, in: products.currency(ofSide: 0)) }
        var view = CubeView(products)
        view.add(Figure.net, side: 0, Column("now", title(now.name)))
        view.add(Figure.net, side: 1, Column("before", title(before.name)))
        view.add(ReportColumn("change", "Change") { products.changeCell(of: Figure.net, in: $0) })
        view.addChange(of: Figure.net, named: "relative")
        let title = "Products, \(now.name) against \(before.name)"
        return view.section("comparison_products", title, role: .overview, charts: bridges).called("Compared")
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

    /// From the sum of the earlier nets to the sum of the new ones: the largest changes, and the rest together.
    private func bridge(in currency: CurrencyCode, notes: [String]) -> Chart {
        let all = products.filter { products.currency(of: $0) == currency }
        func total(side: Int) -> Int128 {
            all.groups.reduce(0) { $0 + (all.value(Figure.net, of: $1, side: side) ?? 0) }
        }
        // A change that is not known is not a step.
        let changes = all.filter { all.change(of: Figure.net, in: $0) ?? 0 != 0 }
            .top(Self.mostSteps, of: .productID) { "\($0) other products" }
        var steps = [(name: before.name, amount: total(side: 1))]
        for group in changes.groups {
            let name = changes.name(of: group, at: 0) ?? Cell.unknownProduct
            steps.append((name, changes.change(of: Figure.net, in: group) ?? 0))
        }
        steps.append((now.name, total(side: 0)))
        var chart = Chart(
            title: "From \(before.name) to \(now.name), customer sales in \(currency)",
            kind: .waterfall,
            categoryTitle: "Step",
            valueTitle: "Customer sales, \(currency)",
            categories: steps.map { .text($0.name) },
            series: [Chart.Series(title: "Customer sales", values: steps.map { .money($0.amount, currency) })],
            notes: notes
        )
        chart.rest = changes.groups.first { changes.code(of: $0, at: 0) == GroupCode.rest }.map { $0 + 1 }
        return chart
    }
}
