import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The summary: our figure and Apple's figure in the currency with the most units, and whether they agree.
struct ReconciliationSummary {
    private let rowCount: Int
    private let differing: Int
    private let tolerance: ReconciliationTolerance
    private let total: ReconciliationTotal?
    private let subscriptions: SubscriptionReconciliation?

    init(
        _ rows: [ReconciliationRow],
        _ subscriptions: SubscriptionReconciliation?,
        differing: Int,
        tolerance: ReconciliationTolerance
    ) {
        rowCount = rows.count
        self.differing = differing
        self.tolerance = tolerance
        self.subscriptions = subscriptions
        let totals = ReconciliationTotal.totals(of: rows, byKind: true).filter { $0.currency != nil }
        total =
            totals.enumerated().max { left, right in
                let (mine, other) = (left.element.measures, right.element.measures)
                let (few, many) = (mine.units + mine.appleUnits, other.units + other.appleUnits)
                // Of equal ones the first.
                return few != many ? few < many : left.offset > right.offset
            }?.element
    }

    private var differingSubscriptions: Int {
        subscriptions?.rows.count { !tolerance.allows($0.counts) } ?? 0
    }

    /// Whether all compared figures agree. It is false if no day of the reports about subscriptions can be compared.
    var agrees: Bool {
        differing == 0 && differingSubscriptions == 0 && subscriptions?.comparesNothing != true
    }

    /// - Parameters:
    ///   - months: the names of the periods that are compared, in no order.
    ///   - period: the days that are compared.
    func section(of apple: AppleFigures, months: Set<String>, _ period: Period?, _ rules: LedgerRules) -> Section {
        let kinds = apple.kinds.map(\.rawValue) + apple.subscriptions.kinds.map(\.rawValue)
        let names = months.sorted().map(PeriodWords.spoken)
        let time = names.count > 1 ? "\(names[0]) to \(names[names.count - 1])" : names.first
        var facts = [
            Fact("period", "Period", .text(time)), Fact("since", "From", .instant(period?.from)),
            Fact("until", "To before", .instant(period?.until)), Fact("kinds", "Reports", .list(kinds)),
        ]
        if apple.hasSales { facts += salesFacts }
        if let subscriptions {
            facts += [
                Fact("subscription_rows", "Rows of subscriptions", .count(subscriptions.rows.count)),
                Fact("differing_subscription_rows", "Of these differ", .count(differingSubscriptions)),
            ]
        }
        facts.append(Fact("verdict", "Verdict", .text(verdict)))
        var section = Section(name: "summary", title: "Summary", facts: facts, role: .summary)
        let titles = apple.kinds.map(\.title) + apple.subscriptions.kinds.map(\.title)
        let zone = rules.calendar.zone.name
        let heading = Statement("\(time ?? "No period"), days of \(zone); \(titles.joined(separator: ", "))")
        section.statements = [heading] + statements(hasSales: apple.hasSales)
        return section
    }

    private func statements(hasSales: Bool) -> [Statement] {
        var statements: [Statement] = []
        if hasSales, let total, let currency = total.currency {
            let (ours, apples) = (total.measures.gross, total.measures.appleGross)
            // Ours is not known where a sale has no price.
            let difference = ours.map { $0 - apples }
            let rows: Statement.Sentence =
                differing == 0 ? "no row differs" : "\(.count(differing)) of \(.count(rowCount)) rows differ"
            statements.append(
                Statement(
                    """
                    Ours \(ours.map { .money($0, currency) } ?? .absent) \(currency.description), Apple's \
                    \(.money(apples, currency)), difference \(difference.map { .money($0, currency) } ?? .absent); \(rows)
                    """
                )
            )
        } else if hasSales {
            statements.append(Statement("Neither side has a sale in the period."))
        }
        if let subscriptions {
            let (all, differing) = (subscriptions.rows.count, differingSubscriptions)
            let words: Statement.Sentence = differing == 0 ? "none differs" : "\(.count(differing)) differ"
            statements.append(Statement("Subscriptions: \(.count(all)) figures compared, \(words)"))
        }
        let verdict = verdict.prefix(1).uppercased() + verdict.dropFirst()
        statements.append(Statement("\(verdict)", tone: agrees ? .plain : .alarm))
        return statements
    }

    private var verdict: String {
        if agrees { return "agrees within \(tolerance)" }
        let isUncompared = differing == 0 && differingSubscriptions == 0
        return isUncompared
            ? "no day of subscriptions can be compared (status 3)" : "does not agree within \(tolerance) (status 3)"
    }

    private var salesFacts: [Fact] {
        let currency = total?.currency
        // Without rows both sides are 0; ours is not known where a sale has no price.
        let ours = total.map { $0.measures.gross } ?? 0
        let difference = ours.map { $0 - (total?.measures.appleGross ?? 0) }
        return [
            Fact("currency", "Currency", .text(currency?.description)),
            Fact("gross", "Ours", ours.map { .money($0, currency) } ?? .absent),
            Fact("apple_gross", "Apple's", .money(total?.measures.appleGross ?? 0, currency)),
            Fact("gross_difference", "Difference", difference.map { .money($0, currency) } ?? .absent),
            Fact("rows", "Rows", .count(rowCount)),
            Fact("differing_rows", "Rows that differ", .count(differing)),
        ]
    }
}
