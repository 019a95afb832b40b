import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// One row of revenue: its group, what is counted, and what that comes to otherwise.
struct RevenueRow {
    let group: Group
    /// The code of the currency; `GroupCode.unknown` where no price is known.
    let currency: Int64
    var figures: RevenueFigures
    /// Amounts in the base currency.
    var converted = ConvertedAmounts()
    /// `nil` where the commission of some sale is not known.
    var estimate: ProceedsAmounts? = ProceedsAmounts()

    var currencyCode: CurrencyCode? { Self.currencyCode(currency) }

    static func currencyCode(_ code: Int64) -> CurrencyCode? {
        code == GroupCode.unknown ? nil : CurrencyCode(packed: UInt32(truncatingIfNeeded: code))
    }

    /// Sums by currency, sorted by it: of amounts that are rounded, as the rows tell them.
    static func totals(of rows: some Collection<RevenueRow>) -> [RevenueRow] {
        var totals: [Int64: RevenueRow] = [:]
        for row in rows {
            var total =
                totals[row.currency]
                ?? RevenueRow(
                    group: Group(code: row.currency, name: row.currencyCode?.description),
                    currency: row.currency,
                    figures: RevenueFigures()
                )
            total.figures += row.figures
            total.converted.add(row.converted)
            if let estimate = row.estimate {
                total.estimate?.add(estimate)
            } else {
                total.estimate = nil
            }
            totals[row.currency] = total
        }
        return totals.values.sorted { Order.precedes($0.group.names[0], $1.group.names[0]) }
    }

    /// What stands in a row beside the plain figures.
    struct Layout {
        let conversion: Conversion?
        let isEstimated: Bool
    }

    static func columns(_ layout: Layout) -> [Column] {
        var columns = [
            Column("transactions", "Transactions"), Column("units", "Units"), Column("gross", "Gross"),
            Column("refunded_transactions", "Refunded"), Column("refunds", "Refunds"), Column("net", "Net"),
            Column("unpriced_units", "Unpriced units"),
        ]
        if layout.conversion != nil { columns += ConvertedAmounts.columns }
        if layout.isEstimated { columns += ProceedsAmounts.columns }
        return columns
    }

    /// Cells under ``columns(_:)``.
    func cells(_ layout: Layout) -> [Cell] {
        func money(_ millionths: Int128) -> Cell {
            currencyCode.map { .money(Money(millionths: millionths, currency: $0)) } ?? .absent
        }
        var cells: [Cell] = [
            .count(figures.transactions), .count(figures.units), money(figures.gross),
            .count(figures.refundedTransactions), money(figures.refunds), money(figures.net),
            .count(figures.unpricedUnits),
        ]
        if let conversion = layout.conversion {
            cells += converted.cells(conversion.base, isKnown: currencyCode != nil)
        }
        if layout.isEstimated {
            cells += ProceedsAmounts.cells(estimate, ofNet: figures.net, currencyCode)
        }
        return cells
    }
}

extension CurrencyCode {
    /// The smallest amount that can be paid, in millionths.
    var quantum: Int128 {
        (minorUnitDigits..<6).reduce(1) { product, _ in product * 10 }
    }
}
