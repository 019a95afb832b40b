import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// What the conversion of revenue to one currency found.
struct RevenueConversion {
    private typealias Figure = RevenueMeasure

    /// All bookings, in one group.
    let headline: Cube
    /// The bookings without a rate, by currency, for each reason.
    let gaps: [RateGap: Cube]
    /// The number of bookings that have an amount.
    let bookings: Int128
    /// Gross less refunds of all bookings with a rate, rounded once; `nil` if it does not fit.
    let knownNet: Int128?
    /// The rates that were looked up.
    let rates: KnownRates
    let rules: LedgerRules

    private var conversion: Conversion { rates.conversion }
    var base: CurrencyCode { conversion.base }

    /// The currencies of bookings without a rate, and since when they have none.
    var places: ExceptionPlaces {
        var all = gaps.values.first?.empty()
        for gap in gaps.values { for group in gap.groups { all?.add(group, of: gap) } }
        return ExceptionPlaces(list: "currencies", key: "currency", all, rules.calendar) {
            $0[RevenueField.charges.rawValue]
        }
    }

    /// The headline in the base currency with what the rounded rows differ from it, and the amounts without a rate.
    func sections(of rows: Cube) -> [Section] {
        let sum = rows.only(side: 1).rollup(to: []) { rows.currency(of: $0) != nil }
        let cube = headline.joined(with: sum)
        var view = CubeView(cube)
        view.add(ReportColumn(GroupKey.currency.heading) { _ in .text(base.description) })
        let shown =
            Figure.amounts + [
                Figure.unconverted.named("unconverted_transactions"), Figure.untaxed,
                Figure.uncommissioned,
            ]
        for measure in shown { view.add(measure, side: 0, Figure.forPeople(measure.heading(), of: measure, rules)) }
        for measure in Figure.amounts {
            let heading = Column("residual_" + measure.name, "Rounding: " + measure.title)
            view.add(
                ReportColumn(Figure.forPeople(heading, of: measure, rules)) { group in
                    // The rows less the headline.
                    measure.cell(cube.change(of: measure, in: group).map { -$0 }, in: base)
                }
            )
        }
        let converted = Section(
            name: "converted",
            title: "Converted to \(base)",
            columns: view.columns,
            record: cube.groups[0],
            role: .detail
        )
        return [converted, unconvertedSection]
    }

    private var unconvertedSection: Section {
        typealias Row = (reason: RateGap, currency: CurrencyCode, values: CubeGroup)
        let rows = gaps.flatMap { reason, cube in
            cube.groups.compactMap { group in
                cube.currency(of: group).map { (reason: reason, currency: $0, values: cube.rounded[group, 0]) }
            }
        }
        let measures = [Figure.sales, Figure.gross, Figure.refunded, Figure.refunds, Figure.net]
        let columns: [ReportColumn<Row>] = [
            ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) },
            ReportColumn("reason", "Reason") { .text($0.reason.rawValue) },
        ]
        return Section(
            name: "unconverted",
            title: "Without a rate",
            columns: columns
                + measures.map { measure in ReportColumn(measure.notMain.heading()) { measure.cell(of: $0.values) } },
            rows: rows.sorted { ($0.currency, $0.reason.rawValue) < ($1.currency, $1.reason.rawValue) }
        )
        .totalled()
    }

    var notes: [String] {
        let day =
            switch conversion.dateRule {
            case .purchaseDate: "A sale is converted at the rate of its day, and its refund at the same rate."
            case .monthAverage: "A sale or a refund is converted at the mean of the rates published in its month."
            case .monthEnd: "A sale or a refund is converted at the rate of the last day of its month."
            }
        var notes = [
            "\(day) The rates are from \(conversion.sources.joined(separator: ", ")). Each row and each total is rounded "
                + "once (\(rules.rounding.rawValue)), so rows may differ from their total by some cents; the row "
                + "Rounding has the difference."
        ]
        if !gaps.isEmpty {
            notes.append("Amounts without a rate stay in their currency and are in no converted figure.")
        }
        return notes
    }
}
