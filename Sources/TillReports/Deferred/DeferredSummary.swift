import TillCore
import TillLedger
import TillReportModel

/// The summary of the report of deferred revenue: the movements and the closing balance.
struct DeferredSummary {
    let statement: DeferralStatement
    let span: ClosedRange<Timestamp>?
    let unpricedUnits: Int64
    let rules: LedgerRules

    /// The movement of all months or weeks in one currency.
    private struct Movement {
        let currency: CurrencyCode
        /// The last unit of time; `nil` if bookings have no date.
        var time: String?
        var figures: DeferredFigures

        /// Adds the movement of a later unit of time.
        mutating func add(_ other: Movement) {
            time = other.time ?? time
            figures.billed += other.figures.billed
            figures.refunds += other.figures.refunds
            figures.earned += other.figures.earned
            // Bookings without a date move no balance of a month.
            if other.time != nil { figures.closing = other.figures.closing }
        }
    }

    func summary() -> Summary {
        let movements = movements
        let first = movements.first
        func money(_ value: KeyPath<DeferredFigures, Int128>) -> Cell {
            first.map { .money($0.figures[keyPath: value], $0.currency) } ?? .absent
        }
        var summary = Summary(
            span: span,
            facts: [
                Fact("currency", "Currency", .text(first?.currency.description)),
                Fact("opening", "Opening balance", money(\.opening)), Fact("billed", "Billed", money(\.billed)),
                Fact("refunds", "Refunds", money(\.refunds)), Fact("earned", "Earned", money(\.earned)),
                Fact("closing", "Closing balance", money(\.closing)),
            ],
            statements: movements.isEmpty ? [nothing] : statements(movements),
            exceptions: [.unpriced: Int(unpricedUnits), .unconverted: Int(unconverted)]
        )
        summary.tellsDataEnd = true
        return summary
    }

    /// The sentence without a movement: the amounts are not known, or there are none.
    private var nothing: Statement {
        if statement.totals.contains(where: { $0.currency != nil }) {
            return Statement("Deferred revenue unknown: amounts have no rate")
        }
        if unpricedUnits > 0 { return Statement("Deferred revenue unknown: no amount has a price") }
        return .nothing("Nothing is billed, earned or deferred", rules)
    }

    /// Sales, refunds and reversals of the whole report without a rate.
    private var unconverted: Int64 {
        statement.rates == nil ? 0 : statement.convertedTotals.reduce(0) { $0 + ($1.converted?.unconverted ?? 0) }
    }

    /// In the base currency where there is one, else by currency, that with the most rows first, equal ones by their
    /// currency.
    private var movements: [Movement] {
        var movements: [CurrencyCode: Movement] = [:]
        for total in statement.rates == nil ? statement.totals : statement.convertedTotals {
            guard let currency = total.currency else { continue }
            let isConverted = statement.rates != nil
            if isConverted, total.converted?.isKnown == false { return [] }
            let movement = Movement(
                currency: currency,
                time: total.time,
                figures: isConverted ? total.converted?.figures ?? DeferredFigures() : total.figures
            )
            if var known = movements[currency] {
                known.add(movement)
                movements[currency] = known
            } else {
                movements[currency] = movement
            }
        }
        let rowCounts = statement.rows.reduce(into: [CurrencyCode: Int]()) { counts, row in
            if let currency = row.currency { counts[currency, default: 0] += 1 }
        }
        return movements.values.sorted { left, right in
            let (few, many) = (rowCounts[left.currency] ?? 0, rowCounts[right.currency] ?? 0)
            return few != many ? few > many : left.currency < right.currency
        }
    }

    private func statements(_ movements: [Movement]) -> [Statement] {
        var statements: [Statement] = []
        // A currency without a row in the last unit of time has a balance of 0 at its end.
        let last = movements.compactMap(\.time).max()
        for movement in movements.prefix(Summary.mostCurrencies) {
            let (figures, currency) = (movement.figures, movement.currency)
            func money(_ amount: Int128) -> Cell { .money(amount, currency) }
            let end = movement.time == nil ? "" : last.map { " " + DeferredBalance.atEnd(of: $0, rules) } ?? ""
            statements.append(
                Statement("Deferred \(money(figures.closing)) \(currency.description)\(end), tax included")
            )
            statements.append(
                Statement(
                    """
                    Opening \(money(figures.opening)) + billed \(money(figures.billed)) - refunds \
                    \(money(figures.refunds)) - earned \(money(figures.earned))
                    """,
                    weight: .detail
                )
            )
        }
        return statements + Summary.others(of: movements.map(\.currency))
    }
}
