import TillCore
import TillLedger
import TillReportModel

/// The answer of the report of subscriptions: how many are active, and how the last whole month went.
struct SubscriptionsSummary {
    let history: SubscriptionHistory
    /// The last month, or week, that the input covers to its end; `nil` if there is none.
    let lastWhole: MonthRow<MonthFlow>?
    /// The recurring revenue at the end of the last month, the currency with the most subscriptions first; empty if no
    /// subscription is active then.
    let recurring: [MonthRow<RecurringRevenue>]
    /// Whether the input covers the last month to its end.
    let endsWhole: Bool
    let unit: GroupKey
    let span: ClosedRange<Timestamp>?
    /// Documents whose clock is ahead.
    var ahead = 0

    init(
        of history: SubscriptionHistory,
        _ flows: [MonthRow<MonthFlow>],
        _ recurring: [MonthRow<RecurringRevenue>],
        unit: GroupKey,
        span: ClosedRange<Timestamp>?
    ) {
        (self.history, self.unit, self.span) = (history, unit, span)
        lastWhole = flows.last { $0.figures.isComplete }
        endsWhole = flows.last?.figures.isComplete ?? false
        self.recurring = recurring.filter { $0.month == flows.last?.month && $0.figures.currency != nil }
            .enumerated().sorted { left, right in
                let (few, many) = (
                    left.element.figures.counts.subscriptions, right.element.figures.counts.subscriptions
                )
                return few != many ? few > many : left.offset < right.offset
            }
            .map(\.element)
    }

    func summary() -> Summary {
        let flow = lastWhole?.figures.flow
        let revenue = recurring.first?.figures
        let facts = [
            Fact("as_of", "As of", .instant(history.asOf)), Fact("active", "Active and paid", .count(history.active)),
            Fact("in_trial", "In a trial", .count(history.inTrial)),
            Fact(unit.rawValue, "Last whole \(unit.rawValue)", .text(lastWhole?.month)),
            Fact("new", "New", flow.map { .count($0.new) } ?? .absent),
            Fact("churned", "Churned", lastWhole.map { .count($0.figures.churned) } ?? .absent),
            Fact("unobserved", "Unobserved", flow.map { .count($0.unobserved) } ?? .absent),
            Fact("churn_rate", "Churn rate", lastWhole?.figures.churnRate ?? .absent),
            Fact("currency", "Currency", .text(revenue?.currency?.description)),
            Fact("mrr", "MRR", revenue?.perMonth ?? .absent),
        ]
        var summary = Summary(
            span: span,
            facts: facts,
            statements: history.chains == 0 ? [Statement("No subscriptions")] : statements,
            exceptions: [.clockAhead: ahead],
            concerns: [
                .rejected, .untrusted, .conflicts, .changedByUnsigned, .undated, .oddIDs, .sameLineItem,
                .otherEnvironment,
                .withheld, .withoutExpiry, .clockAhead,
            ]
        )
        summary.tellsDataEnd = true
        return summary
    }

    private var statements: [Statement] {
        let (active, trials) = (Cell.count(history.active), Cell.count(history.inTrial))
        var statements = [
            Statement(
                "\(active) active and paid \(history.active == 1 ? "subscription" : "subscriptions"), \(trials) in a trial"
            )
        ]
        if let lastWhole {
            let (new, churned) = (Cell.count(lastWhole.figures.flow.new), Cell.count(lastWhole.figures.churned))
            let rate = lastWhole.figures.churnRate
            let month = PeriodWords.spoken(lastWhole.month)
            let unseen = Cell.count(lastWhole.figures.flow.unobserved)
            statements.append(
                Statement(
                    "\(month), the last whole \(unit.rawValue): \(new) new, \(churned) churned (\(rate) of those at its start), \(unseen) unobserved",
                    weight: .detail
                )
            )
        }
        for row in recurring.prefix(Summary.mostCurrencies) {
            guard let currency = row.figures.currency else { continue }
            let month = PeriodWords.spoken(row.month)
            let time = endsWhole ? "at the end of \(month)" : "so far in \(month)"
            statements.append(
                Statement("MRR \(row.figures.perMonth) \(currency.description), tax included, \(time)", weight: .detail)
            )
        }
        return statements
    }
}
