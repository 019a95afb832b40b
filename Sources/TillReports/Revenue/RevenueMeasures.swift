import TillCore
import TillLedger
import TillReportModel

/// What adds up in revenue.
enum RevenueField: Int, CubeField {
    case sales, units, gross, refunded, refunds
    /// Units of sales without a known price.
    case unpriced
    /// Sales, refunds and reversals whose amount has no rate.
    case unconverted
    /// Estimates.
    case tax, commission

    var isAmount: Bool {
        switch self {
        case .gross, .refunds, .tax, .commission: true
        case .sales, .units, .refunded, .unpriced, .unconverted: false
        }
    }
}

/// The figures of revenue.
enum RevenueMeasure {
    private typealias Field = RevenueField

    private static let rows: Measure.Readers = [.programs, .workbook]

    static let sales = Measure("transactions", "Sales", .count, Field.sales, for: .all)
    static let units = Measure("units", "Units", .count, Field.units, for: rows)
    static let gross = Measure("gross", "Gross", .amount, Field.gross, for: .all).main
    static let refunded = Measure("refunded_transactions", "Refunded", .count, Field.refunded)
    static let refunds = Measure("refunds", "Refunds", .amount, Field.refunds, for: .all).main
    static let net = Measure("net", "Net", .amount, Field.gross - Field.refunds, for: .all).main
    static let refundRate = Measure("refund_rate", "Refund rate", .ratio(of: gross.sum), Field.refunds, for: .workbook)
    static let unpriced = Measure("unpriced_units", "Unpriced units", .count, Field.unpriced, for: rows).onlyWhereAny
    static let unconverted = Measure("unconverted", "Without a rate", .count, Field.unconverted, for: .workbook)
        .onlyWhereAny
    static let tax = Measure("estimated_tax", "Tax (est.)", .amount, Field.tax).onlyIfWhole
    static let commission = Measure("estimated_commission", "Commission (est.)", .amount, Field.commission).onlyIfWhole
    static let proceeds = Measure(
        "estimated_proceeds",
        "Proceeds (est.)",
        .amount,
        net.sum - Field.tax - Field.commission
    )
    .onlyIfWhole.main

    /// In the order of the columns. Estimates and converted amounts follow, where there are any.
    private static let all = [sales, units, gross, refunded, refunds, net, refundRate, unpriced, unconverted]
    static let estimates = [tax, commission, proceeds]
    static let converted =
        [gross.notMain, refunds.notMain, net].map { $0.named("converted_" + $0.name) }
        + [unconverted.named("unconverted_transactions")]

    static func all(for reader: Measure.Readers) -> [Measure] { all.filter { $0.readers.contains(reader) } }

    /// The columns of the rows that programs get.
    ///
    /// - Parameters:
    ///   - base: the currency of the converted amounts; `nil` if nothing is converted.
    ///   - values: the values of a row: on side 0 in its own currency, on side 1 in the base currency.
    static func rowColumns<Row, Values: FieldValues>(
        base: CurrencyCode?,
        isEstimated: Bool,
        _ values: @escaping @Sendable (Row, _ side: Int) -> Values
    ) -> [ReportColumn<Row>] {
        func columns(_ measures: [Measure], side: Int, in currency: CurrencyCode?) -> [ReportColumn<Row>] {
            measures.map { measure in
                ReportColumn(measure.heading(in: currency)) { measure.cell(of: values($0, side)) }
            }
        }
        let own = all(for: .programs).map { $0.name == sales.name ? $0.titled("Transactions") : $0 }
        return columns(own, side: 0, in: nil) + (base == nil ? [] : columns(converted, side: 1, in: base))
            + (isEstimated ? columns(estimates, side: 0, in: nil) : [])
    }
}
