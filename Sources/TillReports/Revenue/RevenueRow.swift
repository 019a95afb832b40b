import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// A row of revenue: its group, its figures, and the same converted and as proceeds.
struct RevenueRow: Sendable {
    let group: Group
    /// The code of the currency; `GroupCode.unknown` where the price is not known.
    let currencyKey: Int64
    var figures: RevenueFigures
    /// Amounts in the base currency.
    var converted = ConvertedAmounts()
    /// `nil` if the commission of a sale is not known.
    var estimate: ProceedsAmounts? = ProceedsAmounts()

    var currency: CurrencyCode? {
        currencyKey == GroupCode.unknown ? nil : CurrencyCode(packed: UInt32(truncatingIfNeeded: currencyKey))
    }

    /// The total of no rows, in the currency of a row.
    private static func emptyTotal(of row: RevenueRow) -> RevenueRow {
        RevenueRow(
            group: Group(codes: [row.currencyKey], names: [row.currency?.description]),
            currencyKey: row.currencyKey,
            figures: RevenueFigures()
        )
    }

    private mutating func add(_ row: RevenueRow) {
        figures += row.figures
        converted.add(row.converted)
        if let estimate = row.estimate { self.estimate?.add(estimate) } else { self.estimate = nil }
    }

    /// One row per currency, sorted by it. Rounded amounts are sums of the rounded amounts of the rows.
    static func totals(of rows: some Collection<RevenueRow>) -> [RevenueRow] {
        var totals = CodedTotals<RevenueRow>()
        for row in rows {
            totals.update(row.currencyKey, in: row.currency, entering: emptyTotal(of: row)) { $0.add(row) }
        }
        return totals.all.sorted { Order.precedes($0.group.name(at: 0), $1.group.name(at: 0)) }
    }
}

/// The rows of a report that converts and estimates nothing, made when they are read.
struct PlainRevenueRows: RandomAccessCollection, Sendable {
    let groups: [Group]
    /// By the number of the group, exact.
    let figures: [RevenueFigures]
    /// The place of the currency among the keys.
    let currencyIndex: Int
    /// Whether amounts are rounded to the minor unit, as in written rows.
    var roundsAmounts = false

    var startIndex: Int { 0 }
    var endIndex: Int { groups.count }

    subscript(_ index: Int) -> RevenueRow {
        let group = groups[index]
        var row = RevenueRow(group: group, currencyKey: group.code(at: currencyIndex), figures: figures[group.number])
        if roundsAmounts { row.figures = row.figures.rounded(in: row.currency) }
        return row
    }
}

extension RevenueRow {
    /// The columns that a report shows beside the keys.
    ///
    /// - Parameters:
    ///   - base: the currency of the converted amounts; `nil` if nothing is converted.
    ///   - isEstimated: whether proceeds are estimated.
    static func columns(base: CurrencyCode?, isEstimated: Bool) -> [ReportColumn<RevenueRow>] {
        var columns = figureColumns
        if let base { columns += convertedColumns(base) }
        if isEstimated { columns += proceedsColumns }
        return columns
    }

    private static let figureColumns: [ReportColumn<RevenueRow>] = [
        ReportColumn("transactions", "Transactions") { .count($0.figures.transactions) }.additive,
        ReportColumn("units", "Units") { .count($0.figures.units) }.additive,
        ReportColumn("gross", "Gross", isMain: true) { .money($0.figures.gross, $0.currency) }.additive,
        ReportColumn("refunded_transactions", "Refunded") { .count($0.figures.refundedTransactions) }.additive,
        ReportColumn("refunds", "Refunds", isMain: true) { .money($0.figures.refunds, $0.currency) }.additive,
        net,
        ReportColumn("unpriced_units", "Unpriced units") { .count($0.figures.unpricedUnits) }.additive,
    ]

    static let net = ReportColumn<RevenueRow>("net", "Net", isMain: true) { .money($0.figures.net, $0.currency) }
        .additive

    static func convertedColumns(_ base: CurrencyCode) -> [ReportColumn<RevenueRow>] {
        [
            ReportColumn("converted_gross", "Gross (\(base))") { .money($0.converted.gross, $0.target(base)) }.additive,
            ReportColumn("converted_refunds", "Refunds (\(base))") { .money($0.converted.refunds, $0.target(base)) }
                .additive,
            convertedNet(base),
            ReportColumn("unconverted_transactions", "Without a rate") { .count($0.converted.unconverted) }.additive,
        ]
    }

    static func convertedNet(_ base: CurrencyCode) -> ReportColumn<RevenueRow> {
        ReportColumn("converted_net", "Net (\(base))", isMain: true) { .money($0.converted.net, $0.target(base)) }
            .additive
    }

    /// The base currency, if the converted amounts of the row are known.
    private func target(_ base: CurrencyCode) -> CurrencyCode? {
        currency != nil && converted.isKnown ? base : nil
    }

    private static let proceedsColumns: [ReportColumn<RevenueRow>] = [
        ReportColumn("estimated_tax", "Tax (est.)") { row in
            row.estimate.map { .money($0.tax, row.currency) } ?? .absent
        }.additiveIfKnown,
        ReportColumn("estimated_commission", "Commission (est.)") { row in
            row.estimate.map { .money($0.commission, row.currency) } ?? .absent
        }.additiveIfKnown,
        ReportColumn("estimated_proceeds", "Proceeds (est.)", isMain: true) { row in
            row.estimate.map { .money($0.proceeds(ofNet: row.figures.net), row.currency) } ?? .absent
        }.additiveIfKnown,
    ]
}
