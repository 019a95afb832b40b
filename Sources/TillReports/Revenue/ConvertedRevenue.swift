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

    private struct Bookings: Summed {
        var figures = RevenueFigures()
        /// Sales, refunds and reversals, 1 each. In the figures, a reversal cancels a refund.
        var count: Int64 = 0

        static func += (left: inout Bookings, right: Bookings) {
            left.figures += right.figures
            left.count += right.count
        }

        mutating func visitSums(_ coder: inout some SumCoder) throws {
            try figures.visitSums(&coder)
            try coder.add(&count)
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
        parts[Part(group: group, rateCode: code), default: Bookings()] += Bookings(figures: figures, count: 1)
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
        var unconverted: [UnconvertedKey: RevenueFigures] = [:]
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
                guard amounts[place].gross.add(figures.gross, times: ratio),
                    amounts[place].refunds.add(figures.refunds, times: ratio)
                else { throw ExactAmounts.overflow(rows[place].group) }
                amounts[place].hasConverted = true
                let decimal = RateDecimal(ratio)
                let known = used[currency] ?? decimal...decimal
                used[currency] = min(known.lowerBound, decimal)...max(known.upperBound, decimal)
            case .failure(.overflow): throw ExactAmounts.overflow(rows[place].group)
            case .failure(let gap):
                amounts[place].unconverted += bookings.count
                unconverted[UnconvertedKey(currency: currency, gap: gap), default: RevenueFigures()] += figures
            }
        }
        var (exact, shown) = (ExactAmounts(), ConvertedAmounts())
        let all = Group(codes: [GroupCode.unknown], names: ["all rows"])
        var remaining = FractionSum.limit.magnitude
        for (place, amount) in amounts.enumerated() {
            let row = ConvertedAmounts(amount, conversion.base, rules.rounding)
            // Totals and charts add up some of the rows. If the sum of all magnitudes fits, each such sum fits.
            let extent = row.gross.magnitude + row.refunds.magnitude
            guard extent <= remaining else { throw ExactAmounts.overflow(all) }
            remaining -= extent
            rows[place].converted = row
            shown.add(row)
            try exact.add(amount, of: all)
        }
        var outcome = Outcome(
            conversion,
            rules,
            shown,
            ConvertedAmounts(exact, conversion.base, rules.rounding),
            unconverted
        )
        outcome.rates = used
        return outcome
    }

    struct UnconvertedKey: Hashable {
        let currency: CurrencyCode
        let gap: RateGap
    }
}

extension ConvertedRevenue {
    /// The sections and notes about the conversion.
    struct Outcome {
        private typealias Figure = RevenueMeasure

        let sections: [Section]
        let notes: [String]
        /// The lowest and the highest rate that was used of each currency.
        fileprivate(set) var rates: [CurrencyCode: ClosedRange<RateDecimal>] = [:]

        /// - Parameters:
        ///   - shown: the sum of the rounded rows.
        ///   - exact: the exact sum, rounded once.
        init(
            _ conversion: Conversion,
            _ rules: LedgerRules,
            _ shown: ConvertedAmounts,
            _ exact: ConvertedAmounts,
            _ unconverted: [UnconvertedKey: RevenueFigures]
        ) {
            let base = conversion.base
            @Sendable func money(_ amount: Int128) -> Cell { shown.isKnown ? .money(amount, base) : .absent }
            func column(_ name: String, _ title: String, _ amount: Int128) -> ReportColumn<Void> {
                ReportColumn(name, title) { money(amount) }
            }
            let converted = Section(
                name: "converted",
                title: "Converted to \(base)",
                columns: [
                    ReportColumn(GroupKey.currency.heading) { .text(base.description) },
                    column("gross", "Gross", shown.gross), column("refunds", "Refunds", shown.refunds),
                    column("net", "Net", shown.net),
                    ReportColumn("unconverted_transactions", "Without a rate") { .count(shown.unconverted) },
                    column("residual_gross", "Rounding difference of gross", shown.gross - exact.gross),
                    column("residual_refunds", "Rounding difference of refunds", shown.refunds - exact.refunds),
                    column("residual_net", "Rounding difference of net", shown.net - exact.net),
                ],
                record: ()
            )
            let missing = unconverted.sorted {
                ($0.key.currency, $0.key.gap.rawValue) < ($1.key.currency, $1.key.gap.rawValue)
            }
            let measures = [
                Figure.sales.titled("Transactions"), Figure.gross, Figure.refunded, Figure.refunds, Figure.net,
            ]
            let list = Section(
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
                    (key: $0.key, values: RevenueValues($0.value.rounded(in: $0.key.currency), in: $0.key.currency))
                }
            )
            .totalled()
            sections = [converted, list]
            notes = Self.notes(conversion, rules, hasGaps: !missing.isEmpty)
        }

        private static func notes(_ conversion: Conversion, _ rules: LedgerRules, hasGaps: Bool) -> [String] {
            let day =
                switch conversion.dateRule {
                case .purchaseDate: "the rate of the purchase's day, refunds at that of their purchase"
                case .monthAverage: "the mean of the rates published in the month of the booking"
                case .monthEnd: "the rate of the last day of the month of the booking"
                }
            var notes = [
                "Converted amounts take \(day), from \(conversion.sources.joined(separator: ", ")). In each "
                    + "row gross and refunds are exact amounts rounded once (\(rules.rounding.rawValue)), and net is their "
                    + "difference. Totals and charts add up these rows; a rounding difference is such a total less the exact sum, "
                    + "rounded once."
            ]
            if hasGaps {
                notes.append("Amounts without a rate stay in their currency and are in no converted figure.")
            }
            return notes
        }
    }
}
