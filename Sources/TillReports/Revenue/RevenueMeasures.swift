import TillCore
import TillLedger
import TillReportModel

/// What adds up in revenue.
enum RevenueField: Int, CubeField {
    case sales, paid, trials, units, refunded
    case gross, refunds
    /// The parts of both, without tax and as proceeds.
    case grossWithoutTax, grossProceeds, refundsWithoutTax, refundsProceeds
    /// Units of sales without a known price.
    case unpriced
    /// Sales, refunds and reversals whose amount has no rate, whose tax is not known, or only their commission.
    case unconverted, untaxed, uncommissioned

    var isAmount: Bool {
        switch self {
        case .gross, .refunds, .grossWithoutTax, .grossProceeds, .refundsWithoutTax, .refundsProceeds: true
        case .sales, .paid, .trials, .units, .refunded, .unpriced, .unconverted, .untaxed, .uncommissioned: false
        }
    }

    /// The amounts of sales and refunds without tax, and as proceeds.
    static let withoutTax = grossWithoutTax.set.union(refundsWithoutTax.set)
    static let proceeds = grossProceeds.set.union(refundsProceeds.set)
}

/// The figures of revenue.
enum RevenueMeasure {
    private typealias Field = RevenueField

    private static let rows: Measure.Readers = [.programs, .workbook]

    static let sales = Measure("transactions", "Transactions", .count, Field.sales, for: rows)
    static let paid = Measure("paid", "Paid", .count, Field.paid, for: .all)
    static let trials = Measure("trials", "Trials", .count, Field.trials, for: rows)
    static let units = Measure("units", "Units", .count, Field.units, for: rows)
    static let gross = Measure("gross", "Sales before refunds", .amount, Field.gross, for: .all).main
    static let refunded = Measure("refunded_transactions", "Refunded", .count, Field.refunded)
    static let refunds = Measure("refunds", "Refunds", .amount, Field.refunds, for: .all).main
    static let net = Measure("net", "Customer sales", .amount, Field.gross - Field.refunds, for: .all).main
    static let refundRate = Measure("refund_rate", "Refund rate", .ratio(of: gross.sum), Field.refunds, for: .workbook)
    static let unpriced = Measure("unpriced_units", "Unpriced units", .count, Field.unpriced, for: rows).onlyWhereAny
    static let unconverted = Measure("unconverted", "Without a rate", .count, Field.unconverted, for: .workbook)
        .onlyWhereAny
    static let tax = part("tax", "Tax (est.)", net.sum - withoutTax.sum)
    static let withoutTax = part("without_tax", "Sales without tax", Field.grossWithoutTax - Field.refundsWithoutTax)
    static let commission = part("commission", "Apple's commission (est.)", withoutTax.sum - proceeds.sum)
    static let proceeds = part("proceeds", "Proceeds (est.)", Field.grossProceeds - Field.refundsProceeds).main
    static let untaxed = Measure("untaxed_transactions", "Tax unknown", .count, Field.untaxed)
    static let uncommissioned = Measure(
        "uncommissioned_transactions",
        "Commission unknown",
        .count,
        Field.uncommissioned
    )

    private static func part(_ name: String, _ title: String, _ sum: FieldSum) -> Measure {
        Measure(name, title, .amount, sum, for: rows)
    }

    /// In the order of the columns. Converted amounts follow, where there are any.
    private static let all =
        [sales, paid, trials, units, gross, refunded, refunds, net, refundRate, unpriced] + parts
        + [untaxed, uncommissioned, unconverted]
    static let parts = [tax, withoutTax, commission, proceeds]
    /// What earlier reports have too.
    static let compared = [sales, units, gross, refunded, refunds, net]
    /// What is shown in the base currency.
    static let amounts = [gross.notMain, refunds.notMain, net] + parts
    static let converted =
        amounts.map { $0.named("converted_" + $0.name) } + [unconverted.named("unconverted_transactions")]

    /// The converted amounts in a workbook.
    static func converted(_ rules: LedgerRules) -> [Measure] { converted.filter { rules.knowsFees || !isOfParts($0) } }

    /// The measures of a reader.
    ///
    /// - Parameter rules: for people and workbooks, which leave out the parts where no source tells any tax or commission.
    static func all(for reader: Measure.Readers, _ rules: LedgerRules) -> [Measure] {
        all.filter { $0.readers.contains(reader) && (reader == .programs || rules.knowsFees || !isOfParts($0)) }
    }

    /// The heading of a measure; without any source of tax and commission, the headings of its parts are for programs alone.
    static func forPeople(_ heading: Column, of measure: Measure, _ rules: LedgerRules) -> Column {
        var heading = heading
        heading.isForPrograms = !rules.knowsFees && isOfParts(measure)
        return heading
    }

    private static func isOfParts(_ measure: Measure) -> Bool {
        [tax, withoutTax, commission, proceeds, untaxed, uncommissioned].contains {
            measure.sum.fields == $0.sum.fields
        }
    }

    /// The columns of the rows that programs get.
    ///
    /// - Parameters:
    ///   - base: the currency of the converted amounts; `nil` if nothing is converted.
    ///   - rules: without any source of tax and commission, their columns are for programs alone.
    ///   - values: the values of a row: on side 0 in its own currency, on side 1 in the base currency.
    static func rowColumns<Row, Values: FieldValues>(
        base: CurrencyCode?,
        _ rules: LedgerRules,
        _ values: @escaping @Sendable (Row, _ side: Int) -> Values
    ) -> [ReportColumn<Row>] {
        func columns(_ measures: [Measure], side: Int, in currency: CurrencyCode?) -> [ReportColumn<Row>] {
            measures.map { measure in
                ReportColumn(forPeople(measure.heading(in: currency), of: measure, rules)) {
                    measure.cell(of: values($0, side))
                }
            }
        }
        return columns(all(for: .programs, rules), side: 0, in: nil)
            + (base == nil ? [] : columns(converted, side: 1, in: base))
    }
}
