import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// What adds up in revenue.
enum RevenueField: Int, CubeField {
    case sales, paid, trials, units, refunded, refundedUnits
    case gross, refunds
    /// The parts of both, without tax and as proceeds.
    case grossWithoutTax, grossProceeds, refundsWithoutTax, refundsProceeds
    /// Units of sales without a known price.
    case unpriced
    /// Sales, refunds and reversals of an amount; those whose amount has no rate, whose tax is not known, or only
    /// their commission.
    case charges, unconverted, untaxed, uncommissioned

    var isAmount: Bool {
        switch self {
        case .gross, .refunds, .grossWithoutTax, .grossProceeds, .refundsWithoutTax, .refundsProceeds: true
        case .sales, .paid, .trials, .units, .refunded, .refundedUnits, .unpriced, .charges, .unconverted, .untaxed,
            .uncommissioned:
            false
        }
    }

    /// What earlier reports do not have.
    static let ofParts: FieldSet = [
        grossWithoutTax, grossProceeds, refundsWithoutTax, refundsProceeds, charges, untaxed, uncommissioned,
    ]
    .reduce(into: []) { $0.formUnion($1.set) }

    /// The amounts of sales and refunds without tax, and as proceeds.
    static let withoutTax = grossWithoutTax.set.union(refundsWithoutTax.set)
    static let proceeds = grossProceeds.set.union(refundsProceeds.set)
}

/// The fields of a booking.
struct RevenueValues: FieldValues {
    let figures: RevenueFigures
    let currency: CurrencyCode?
    let fields: FieldSet
    let missing: FieldSet

    /// Names each field here and in the subscript: a loop over the fields costs each booking twice as much.
    ///
    /// - Parameter currency: of the amounts; `nil` if the price is not known.
    init(_ figures: RevenueFigures, in currency: CurrencyCode?) {
        (self.figures, self.currency) = (figures, currency)
        var fields = FieldSet()
        func include(_ field: RevenueField, _ isIncluded: Bool) { if isIncluded { fields.formUnion(field.set) } }
        include(.sales, figures.transactions != 0)
        include(.paid, figures.paid != 0)
        include(.trials, figures.trials != 0)
        include(.units, figures.units != 0)
        include(.refunded, figures.refundedTransactions != 0)
        include(.refundedUnits, figures.refundedUnits != 0)
        include(.gross, figures.gross != 0)
        include(.refunds, figures.refunds != 0)
        include(.grossWithoutTax, figures.grossWithoutTax != 0)
        include(.grossProceeds, figures.grossProceeds != 0)
        include(.refundsWithoutTax, figures.refundsWithoutTax != 0)
        include(.refundsProceeds, figures.refundsProceeds != 0)
        include(.unpriced, figures.unpricedUnits != 0)
        include(.charges, figures.gross != 0 || figures.refunds != 0)
        include(.untaxed, figures.untaxed != 0)
        include(.uncommissioned, figures.uncommissioned != 0)
        self.fields = fields
        var missing: FieldSet = currency == nil ? RevenueField.amounts : []
        if figures.untaxed > 0 { missing.formUnion(RevenueField.withoutTax) }
        if figures.untaxed + figures.uncommissioned > 0 { missing.formUnion(RevenueField.proceeds) }
        self.missing = missing
    }

    private typealias Field = RevenueField

    subscript(_ field: Int) -> Int128 {
        switch field {
        case Field.sales.rawValue: Int128(figures.transactions)
        case Field.paid.rawValue: Int128(figures.paid)
        case Field.trials.rawValue: Int128(figures.trials)
        case Field.units.rawValue: Int128(figures.units)
        case Field.refunded.rawValue: Int128(figures.refundedTransactions)
        case Field.refundedUnits.rawValue: Int128(figures.refundedUnits)
        case Field.gross.rawValue: figures.gross
        case Field.refunds.rawValue: figures.refunds
        case Field.grossWithoutTax.rawValue: figures.grossWithoutTax
        case Field.grossProceeds.rawValue: figures.grossProceeds
        case Field.refundsWithoutTax.rawValue: figures.refundsWithoutTax
        case Field.refundsProceeds.rawValue: figures.refundsProceeds
        case Field.unpriced.rawValue: Int128(figures.unpricedUnits)
        case Field.charges.rawValue: hasAmount ? 1 : 0
        case Field.untaxed.rawValue: Int128(figures.untaxed)
        case Field.uncommissioned.rawValue: Int128(figures.uncommissioned)
        default: 0
        }
    }

    /// Whether something is paid or paid back.
    var hasAmount: Bool { figures.gross != 0 || figures.refunds != 0 }

    init(saleOf transaction: SettledTransaction, _ rules: LedgerRules) {
        self.init(RevenueFigures(saleOf: transaction, rules.rounding), in: transaction.price?.currency)
    }

    init(refundOf transaction: SettledTransaction, _ entry: LedgerRules.RefundEntry, _ rules: LedgerRules) {
        let figures = RevenueFigures(refundOf: transaction, sign: entry.sign, rules.rounding)
        self.init(figures, in: transaction.price?.currency)
    }
}

extension RevenueFigures {
    /// The figures of a group that earlier reports have too, as far as they are known.
    init(of group: some FieldValues) {
        func count(_ field: RevenueField) -> Int64 { Int64(clamping: group[field.rawValue]) }
        self.init(
            transactions: count(.sales),
            units: count(.units),
            gross: group[RevenueField.gross.rawValue],
            refundedTransactions: count(.refunded),
            refundedUnits: count(.refundedUnits),
            refunds: group[RevenueField.refunds.rawValue],
            unpricedUnits: count(.unpriced)
        )
    }
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
    static let refundedUnits = Measure("refunded_units", "Refunded units", .count, Field.refundedUnits)
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

    /// The table that programs get of a cube, whose second side is in the base currency, if it has two.
    ///
    /// - Parameter rules: without any source of tax and commission, their columns are for programs alone.
    static func programView(of cube: Cube, _ rules: LedgerRules) -> CubeView {
        var view = CubeView(forPrograms: cube)
        for (side, measures) in [all(for: .programs, rules), converted].prefix(cube.sides.count).enumerated() {
            for measure in measures {
                let heading = measure.heading(in: cube.currency(ofSide: side))
                view.add(measure, side: side, forPeople(heading, of: measure, rules))
            }
        }
        return view
    }
}
