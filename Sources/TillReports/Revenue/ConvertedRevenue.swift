import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The conversion of revenue to one currency: it sums amounts by group and by the day or month whose rate applies.
struct ConvertedRevenue {
    private struct Part: Hashable {
        var group: Int
        var rateCode: Int64?
    }

    private let conversion: Conversion
    private let rules: LedgerRules
    private var parts: [Part: Bookings] = [:]

    fileprivate struct Bookings: Summed {
        var figures = RevenueFigures()
        /// Sales, refunds and reversals, 1 each. In the figures, a reversal cancels a refund.
        var count: Int64 = 0
        /// The first time of a booking; `nil` if none has one.
        var since: Timestamp?

        static func += (left: inout Bookings, right: Bookings) {
            left.figures += right.figures
            left.count += right.count
            if let since = right.since { left.since = min(left.since ?? since, since) }
        }

        mutating func visitSums(_ coder: inout some SumCoder) throws {
            try figures.visitSums(&coder)
            try coder.add(&count)
            try coder.earlier(&since)
        }
    }

    init(_ conversion: Conversion, _ rules: LedgerRules) {
        self.conversion = conversion
        self.rules = rules
    }

    mutating func book(
        _ figures: RevenueFigures,
        of transaction: SettledTransaction,
        at date: Timestamp?,
        in group: Int
    ) {
        let code = conversion.rateCode(purchase: transaction.purchaseDate, booking: date, in: rules.calendar)
        let booking = Bookings(figures: figures, count: 1, since: date)
        parts[Part(group: group, rateCode: code), default: Bookings()] += booking
    }

    mutating func visitSums(_ coder: inout some SumCoder, of groups: [Int]) throws {
        let unit = conversion.rateUnit
        try coder.table(&parts, blank: Part(group: 0)) { part, coder in
            try coder.number(&part.group, among: groups)
            try coder.timeCode(&part.rateCode, of: unit)
        }
    }

    /// Converts every row, and makes the sections and notes about the conversion.
    func settle(_ rows: inout [RevenueRow]) throws(Finding) -> Outcome {
        var places = Array(repeating: 0, count: rows.count)
        for (place, row) in rows.enumerated() { places[row.group.number] = place }
        var rates = KnownRates(conversion, in: rules.calendar)
        var unconverted: [UnconvertedKey: Bookings] = [:]
        var amounts = Array(repeating: ExactAmounts(), count: rows.count)
        var used: [CurrencyCode: ClosedRange<RateDecimal>] = [:]
        // In a fixed order, so that of several errors every run reports the same one.
        let inOrder = parts.sorted {
            (places[$0.key.group], $0.key.rateCode ?? .min) < (places[$1.key.group], $1.key.rateCode ?? .min)
        }
        for (part, bookings) in inOrder {
            let (place, figures) = (places[part.group], bookings.figures)
            guard let currency = rows[place].currency else { continue }
            switch try rates.rate(of: currency, at: part.rateCode) {
            case .success(let ratio):
                guard amounts[place].add(figures, times: ratio) else {
                    throw ExactAmounts.overflow(rows[place].group)
                }
                let decimal = RateDecimal(ratio)
                let known = used[currency] ?? decimal...decimal
                used[currency] = min(known.lowerBound, decimal)...max(known.upperBound, decimal)
            case .failure(.overflow): throw ExactAmounts.overflow(rows[place].group)
            case .failure(let gap):
                amounts[place].unconverted += bookings.count
                unconverted[UnconvertedKey(currency: currency, gap: gap), default: Bookings()] += bookings
            }
        }
        var (exact, shown) = (ExactAmounts(), ConvertedAmounts())
        var byCurrency: [Int64: ExactAmounts] = [:]
        let all = Group(codes: [GroupCode.unknown], names: ["all rows"])
        var remaining = FractionSum.limit.magnitude
        for (place, amount) in amounts.enumerated() {
            let row = ConvertedAmounts(amount, conversion.base, rules.rounding)
            // Totals and charts add up some of the rows. If the sum of all magnitudes fits, each such sum fits.
            let extent = RevenueFigures.amounts.reduce(0) { $0 + row.amounts[keyPath: $1].magnitude }
            guard extent <= remaining else { throw ExactAmounts.overflow(all) }
            remaining -= extent
            rows[place].converted = row
            shown.add(row)
            try exact.add(amount, of: all)
            try byCurrency[rows[place].currencyKey, default: ExactAmounts()].add(amount, of: all)
        }
        func rounded(_ exact: ExactAmounts) -> ConvertedAmounts {
            ConvertedAmounts(exact, conversion.base, rules.rounding)
        }
        return Outcome(
            headline: rounded(exact),
            knownNet: exact.net(in: conversion.base, rules.rounding),
            byCurrency: byCurrency.mapValues(rounded),
            rates: used,
            unconverted: unconverted,
            conversion: conversion,
            rules: rules
        )
    }

    struct UnconvertedKey: Hashable {
        let currency: CurrencyCode
        let gap: RateGap
    }
}

extension ConvertedRevenue {
    /// What the conversion found.
    struct Outcome {
        private typealias Figure = RevenueMeasure

        /// The exact sum of all rows, rounded once.
        let headline: ConvertedAmounts
        /// The exact gross less refunds, rounded once.
        let knownNet: Int128?
        /// The same by code of the currency.
        let byCurrency: [Int64: ConvertedAmounts]
        /// The lowest and the highest rate that was used of each currency.
        let rates: [CurrencyCode: ClosedRange<RateDecimal>]
        fileprivate let unconverted: [UnconvertedKey: Bookings]
        fileprivate let conversion: Conversion
        fileprivate let rules: LedgerRules

        var base: CurrencyCode { conversion.base }

        /// Whether refunds are among the bookings without a rate.
        var lacksRefunds: Bool { unconverted.values.contains { $0.figures.refundedTransactions != 0 } }

        /// The currencies of bookings without a rate, and since when they have none; the most bookings first.
        var gaps: ExceptionPlaces {
            var gaps: [CurrencyCode: Bookings] = [:]
            for (key, bookings) in unconverted { gaps[key.currency, default: Bookings()] += bookings }
            let sorted = gaps.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            return ExceptionPlaces(
                list: "currencies",
                key: "currency",
                places: sorted.map { currency, bookings in
                    .init(
                        name: currency.description,
                        count: bookings.count,
                        since: bookings.since.map(rules.calendar.day)
                    )
                }
            )
        }

        /// The headline in the base currency with what the rounded rows differ from it, and the amounts without a rate.
        func sections(of rows: some Collection<RevenueRow>, _ totals: RevenueTotals) -> [Section] {
            let sum = rows.cube(by: [], of: [], in: base) { $0.currency != nil }.rollup(to: [])
            let cube = (totals.headline ?? sum).joined(with: sum)
            func residual(_ measure: Measure) -> ReportColumn<Int> {
                let heading = Column("residual_" + measure.name, "Rounding: " + measure.title)
                return ReportColumn(Figure.forPeople(heading, of: measure, rules)) { group in
                    // The rows less the headline.
                    measure.cell(cube.change(of: measure, in: group).map { -$0 }, in: base)
                }
            }
            var view = CubeView(cube)
            view.add(ReportColumn(GroupKey.currency.heading) { _ in .text(base.description) })
            let shown =
                Figure.amounts + [
                    Figure.unconverted.named("unconverted_transactions"), Figure.untaxed,
                    Figure.uncommissioned,
                ]
            for measure in shown { view.add(measure, side: 0, Figure.forPeople(measure.heading(), of: measure, rules)) }
            for measure in Figure.amounts { view.add(residual(measure)) }
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
            let missing = unconverted.sorted {
                ($0.key.currency, $0.key.gap.rawValue) < ($1.key.currency, $1.key.gap.rawValue)
            }
            let measures = [
                Figure.sales.titled("Transactions"), Figure.gross, Figure.refunded, Figure.refunds, Figure.net,
            ]
            return Section(
                name: "unconverted",
                title: "Without a rate",
                columns: [
                    ReportColumn(GroupKey.currency.heading) { .text($0.key.currency.description) },
                    ReportColumn("reason", "Reason") { .text($0.key.gap.rawValue) },
                ]
                    + measures.map { measure in
                        ReportColumn(measure.notMain.heading()) { measure.cell(of: $0.values) }
                    },
                rows: missing.map {
                    (
                        key: $0.key,
                        values: RevenueValues($0.value.figures.rounded(in: $0.key.currency), in: $0.key.currency)
                    )
                }
            )
            .totalled()
        }

        var notes: [String] { Self.notes(conversion, rules, hasGaps: !unconverted.isEmpty) }

        private static func notes(_ conversion: Conversion, _ rules: LedgerRules, hasGaps: Bool) -> [String] {
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
            if hasGaps {
                notes.append("Amounts without a rate stay in their currency and are in no converted figure.")
            }
            return notes
        }
    }
}
