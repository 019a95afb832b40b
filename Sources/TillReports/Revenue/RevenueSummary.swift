import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The summary of the revenue report: net, its change, refunds, top products, deferred revenue, exceptions.
struct RevenueSummary {
    let trend: RevenueTrend
    /// `nil` if it is not counted.
    let balance: DeferredBalance?
    let span: ClosedRange<Timestamp>?
    /// The text for a period without sales.
    let nothing: Statement
    /// Customer sales of the last periods in the first currency, the oldest first; empty if they are not known.
    let course: [Cell]
    /// How often, and where, prices, rates and taxes are not known.
    let exceptions: ReportException.Counts
    let places: [ReportException: ExceptionPlaces]
    let rules: LedgerRules

    private static let mostProducts = 5

    func summary() -> Summary {
        var summary = Summary(
            span: span,
            facts: facts,
            statements: trend.totals.byCurrency.isEmpty ? [nothing] : statements,
            exceptions: exceptions
        )
        (summary.places, summary.tellsDataEnd) = (places, true)
        return summary
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
            Fact("net", "Customer sales", money(net)),
            Fact("known_net", "Known part", money(shown.isEmpty ? nil : trend.knownNet(of: 0)), isForPrograms: true),
            Fact("tax", "Tax (est.)", money(amount(Figure.tax))),
            Fact("without_tax", "Sales without tax", money(amount(Figure.withoutTax))),
            Fact("commission", "Apple's commission (est.)", money(amount(Figure.commission))),
            Fact("proceeds", "Proceeds (est.)", money(amount(Figure.proceeds))),
            Fact("previous_net", "Customer sales of the period before", money(previous)),
            Fact("year_before_net", "Customer sales a year before", money(yearBefore)),
            Fact("change", "Change", .change(from: previous, to: net)),
            Fact("year_change", "Change in a year", .change(from: yearBefore, to: net)),
            Fact("refund_rate", "Refund rate", shown.isEmpty ? .absent : Figure.refundRate.cell(of: shown[0, 0])),
            Fact("top_products", "Top products", topProducts(of: net)),
            Fact("deferred", "Deferred", money(deferred)),
        ]
    }

    /// The products with the largest net; absent if rows are not grouped by product.
    private func topProducts(of total: Int128?) -> Cell {
        guard let products = trend.products else { return .absent }
        guard let currency = trend.currencies.first else { return .records([]) }
        let largest = products.groups.lazy.filter { products.currency(of: $0) == currency }.compactMap { group in
            products.value(Figure.net, of: group).map { (name: products.name(of: group, at: 0), net: $0) }
        }
        return .records(
            largest.filter { $0.net > 0 }.prefix(Self.mostProducts).map { product in
                CellRecord(
                    [
                        .init("product_id", .text(product.name)), .init("net", .money(product.net, currency)),
                        .init("share", total.map { .ratio(product.net, of: $0) } ?? .absent),
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
            let totals = trend.totals.byCurrency
            let isPriced = trend.base != nil && totals.groups.contains { totals.currency(of: $0) != nil }
            return [Statement("Customer sales not known: no amount has a \(isPriced ? "rate" : "price")")]
        }
        let isOne = shown.count == 1
        var statements = shown.groups.prefix(Summary.mostCurrencies).enumerated().map { place, group in
            Statement(customerSales(group, isOne: isOne, isFirst: place == 0), weight: place == 0 ? .headline : .detail)
        }
        if isOne { statements += parts.map { Statement($0, weight: .detail) } }
        let deferred = balance?.statement(in: trend.currencies, base: trend.base, rules)
        return statements + Summary.others(of: trend.currencies) + [deferred, counts].compactMap(\.self)
    }

    /// Customer sales of a currency, with their changes, or as much of them as is known.
    private func customerSales(_ group: Int, isOne: Bool, isFirst: Bool) -> KeyFigure {
        let shown = trend.shown
        let (values, currency) = (shown[group, 0], shown.currency(of: group))
        let name = currency?.description ?? ""
        var (label, remarks) = ("Customer sales", changes(group))
        if !trend.totals.isWhole {
            // Without a refund that is not known, the known part may be too much.
            label += trend.totals.lacksRefunds ? ", known part" : " at least"
            remarks = ["no comparison"]
        } else if isOne, let refunds = shown.value(Figure.refunds, of: group), refunds != 0 {
            let refunded: Statement.Sentence = "\(Figure.refunds.cell(of: values)) refunded"
            remarks = remarks.dropLast() + [remarks.last.map { "\($0); \(refunded)" } ?? refunded]
        }
        var figure = KeyFigure(
            label,
            trend.knownNet(of: group).map { .money($0, currency) } ?? .absent,
            unit: name,
            content: isFirst ? "tax included" : nil,
            remarks: remarks
        )
        figure.course = isFirst ? course : []
        return figure
    }

    /// `▲ 4.20 % on February 2026`, and the same on a year before.
    private func changes(_ group: Int) -> [Statement.Sentence] {
        let shown = trend.shown
        guard let total = shown.value(Figure.net, of: group) else { return [] }
        var changes: [Statement.Sentence] = []
        var named: [String] = []
        for (side, earlier) in [(1, trend.previous), (2, trend.yearBefore)] {
            guard let earlier, !named.contains(earlier.name) else { continue }
            named.append(earlier.name)
            guard let net = shown.value(Figure.net, of: group, side: side), net != 0 else { continue }
            let (difference, sign) = total < net ? (net - total, "▼") : (total - net, "▲")
            changes.append("\(sign) \(.ratio(difference, of: net < 0 ? -net : net)) on \(earlier.name)")
        }
        return changes
    }

    /// Tax, sales without tax, Apple's commission and proceeds, as far as some source tells them.
    private var parts: [KeyFigure] {
        guard rules.knowsFees else { return [] }
        let values = trend.shown[0, 0]
        let net = Figure.net.sum.value(of: values)
        let unknown = Cell.text("not known")
        func figure(_ label: String, _ measure: Measure, of whole: Int128, _ words: String) -> KeyFigure? {
            guard let value = measure.value(of: values) else { return nil }
            let share: [Statement.Sentence] = whole == 0 ? [] : ["\(.ratio(value, of: whole))\(words)"]
            return KeyFigure(label, measure.cell(of: values), remarks: share)
        }
        func subtracted(_ figure: KeyFigure) -> KeyFigure {
            var figure = figure
            figure.isSubtracted = true
            return figure
        }
        guard let tax = figure("Tax (est.)", Figure.tax, of: net, "").map(subtracted) else {
            let flag: Statement.Sentence = rules.knowsTax ? "" : "--tax FILE tells it, or --tax none"
            let reason = trend.totals.isWhole ? places[.untaxed]?.words ?? flag : ""
            return [
                subtracted(KeyFigure("Tax", unknown, remarks: reason.parts.isEmpty ? [] : [reason])),
                KeyFigure("Proceeds", unknown),
            ]
        }
        let withoutTax = KeyFigure("Sales without tax", Figure.withoutTax.cell(of: values))
        guard rules.knowsCommission else { return [tax, withoutTax] }
        let whole = Figure.withoutTax.sum.value(of: values)
        guard let commission = figure("Apple (est.)", Figure.commission, of: whole, "").map(subtracted),
            let proceeds = figure("Proceeds (est.)", Figure.proceeds, of: net, " of customer sales")
        else {
            let count = trend.totals.byCurrency.total(RevenueField.uncommissioned)
            let reason: Statement.Sentence = "\(.count(Int64(clamping: count))) sales and refunds without a commission"
            return [
                tax, withoutTax, subtracted(KeyFigure("Apple", unknown, remarks: [reason])),
                KeyFigure("Proceeds", unknown),
            ]
        }
        return [tax, withoutTax, commission, proceeds]
    }

    /// `1,353 paid sales, 77 trials begun; 10 currencies`
    private var counts: Statement {
        let totals = trend.totals.byCurrency
        func words(_ field: RevenueField, _ one: String, _ several: String) -> Statement.Sentence {
            let count = Int64(clamping: totals.total(field))
            return "\(.count(count)) \(count == 1 ? one : several)"
        }
        var sentence = words(.paid, "paid sale", "paid sales")
        if totals.total(RevenueField.trials) > 0 {
            sentence = "\(sentence), \(words(.trials, "trial begun", "trials begun"))"
        }
        let currencies = totals.groups.filter { totals.currency(of: $0) != nil }.count
        return Statement(
            currencies > 1 ? "\(sentence); \(currencies.description) currencies" : sentence,
            weight: .detail
        )
    }
}
