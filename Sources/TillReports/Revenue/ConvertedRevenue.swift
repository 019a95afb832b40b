import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Revenue on its way to one currency: amounts by group and by the day or month whose rate they take.
struct ConvertedRevenue {
    private struct Part: Hashable {
        let group: Int
        let rateCode: Int64?
    }

    private let conversion: Conversion
    private let rules: LedgerRules
    private var parts: [Part: RevenueFigures] = [:]

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
        parts[Part(group: group, rateCode: code), default: RevenueFigures()] += figures
    }

    /// Converts every row and says what came of it.
    func settle(_ rows: inout [RevenueRow]) throws(LedgerError) -> Outcome {
        var places = Array(repeating: 0, count: rows.count)
        for (place, row) in rows.enumerated() { places[row.group.number] = place }
        var rates: [RateKey: Result<Ratio, RateGap>] = [:]
        var unconverted: [UnconvertedKey: RevenueFigures] = [:]
        var amounts = Array(repeating: ExactAmounts(), count: rows.count)
        // In one order, so that of several defects the same one is told in every run.
        let inOrder = parts.sorted {
            (places[$0.key.group], $0.key.rateCode ?? .min) < (places[$1.key.group], $1.key.rateCode ?? .min)
        }
        for (part, figures) in inOrder {
            let place = places[part.group]
            guard let currency = rows[place].currencyCode else { continue }
            let key = RateKey(currency: currency, code: part.rateCode)
            let rate = rates[key] ?? look(up: key)
            rates[key] = rate
            switch rate {
            case .success(let ratio):
                guard amounts[place].gross.add(figures.gross, times: ratio),
                    amounts[place].refunds.add(figures.refunds, times: ratio)
                else { throw ExactAmounts.overflow(rows[place].group) }
                amounts[place].hasConverted = true
            case .failure(.overflow): throw ExactAmounts.overflow(rows[place].group)
            case .failure(let gap):
                if gap == .noRateNearDay, conversion.gapRule == .fail { throw self.gap(key) }
                amounts[place].unconverted += figures.transactions + figures.refundedTransactions
                unconverted[UnconvertedKey(currency: currency, gap: gap), default: RevenueFigures()] += figures
            }
        }
        var (exact, shown) = (ExactAmounts(), ConvertedAmounts())
        let all = Group(code: GroupCode.unknown, name: "all rows")
        var room = FractionSum.limit.magnitude
        for (place, amount) in amounts.enumerated() {
            let row = ConvertedAmounts(amount, conversion.base, rules.rounding)
            // Rows are added up here, by currency and in charts; where all of them fit, whatever their sign, so do some.
            let extent = row.gross.magnitude + row.refunds.magnitude
            guard extent <= room else { throw ExactAmounts.overflow(all) }
            room -= extent
            rows[place].converted = row
            shown.add(row)
            try exact.add(amount, of: all)
        }
        return Outcome(conversion, rules, shown, ConvertedAmounts(exact, conversion.base, rules.rounding), unconverted)
    }

    private struct RateKey: Hashable {
        let currency: CurrencyCode
        let code: Int64?
    }

    struct UnconvertedKey: Hashable {
        let currency: CurrencyCode
        let gap: RateGap
    }

    private func look(up key: RateKey) -> Result<Ratio, RateGap> {
        do throws(RateGap) {
            return .success(try conversion.rate(of: key.currency, at: key.code, in: rules.calendar))
        } catch {
            return .failure(error)
        }
    }

    private func gap(_ key: RateKey) -> LedgerError {
        let unit = conversion.dateRule == .purchaseDate ? CalendarUnit.day : .month
        let time = key.code.map { rules.calendar.name(of: $0, by: unit) } ?? "an unknown day"
        return LedgerError(
            code: "fx.gap",
            group: "\(key.currency)",
            reason: "there is no rate of \(key.currency) for \(time), and --fx-gap fail allows no other day's"
        )
    }
}

extension ConvertedRevenue {
    /// What is told beside the rows.
    struct Outcome {
        let sections: [Section]
        let notes: [String]

        /// - Parameters:
        ///   - shown: the sum of the rows as they are told.
        ///   - exact: the exact sum, rounded once.
        init(
            _ conversion: Conversion,
            _ rules: LedgerRules,
            _ shown: ConvertedAmounts,
            _ exact: ConvertedAmounts,
            _ unconverted: [UnconvertedKey: RevenueFigures]
        ) {
            let base = conversion.base
            func money(_ millionths: Int128, _ currency: CurrencyCode) -> Cell {
                .money(Money(millionths: millionths, currency: currency))
            }
            let residuals = [shown.gross - exact.gross, shown.refunds - exact.refunds, shown.net - exact.net]
            let converted = Section(
                name: "converted",
                title: "Converted to \(base)",
                columns: [
                    GroupKey.currency.column, Column("gross", "Gross"), Column("refunds", "Refunds"),
                    Column("net", "Net"), Column("unconverted_transactions", "Unconverted transactions"),
                    Column("residual_gross", "Residual of gross"), Column("residual_refunds", "Residual of refunds"),
                    Column("residual_net", "Residual of net"),
                ],
                content: .record(
                    [.text(base.description)] + [shown.gross, shown.refunds, shown.net].map { money($0, base) }
                        + [.count(shown.unconverted)] + residuals.map { money($0, base) }
                )
            )
            let missing = unconverted.sorted {
                ($0.key.currency, $0.key.gap.rawValue) < ($1.key.currency, $1.key.gap.rawValue)
            }
            let list = Section(
                name: "unconverted",
                title: "Without a rate",
                columns: [
                    GroupKey.currency.column, Column("reason", "Reason"), Column("transactions", "Transactions"),
                    Column("gross", "Gross"), Column("refunded_transactions", "Refunded"), Column("refunds", "Refunds"),
                    Column("net", "Net"),
                ],
                content: .table(
                    missing.map { key, figures in
                        [
                            .text(key.currency.description), .text(key.gap.rawValue), .count(figures.transactions),
                            money(figures.gross, key.currency), .count(figures.refundedTransactions),
                            money(figures.refunds, key.currency), money(figures.net, key.currency),
                        ]
                    }
                )
            )
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
                    + "difference. Totals and charts add up these rows; a residual is such a total less the exact sum, "
                    + "rounded once."
            ]
            if hasGaps {
                notes.append("Amounts without a rate stay in their currency and are in no converted figure.")
            }
            return notes
        }
    }
}
