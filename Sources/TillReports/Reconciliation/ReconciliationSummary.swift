import TillCore
import TillPricing
import TillReportModel

/// The first lines: what both sides say in the currency with the most units, and whether they agree.
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

    /// Whether all that is compared agrees. Reports about subscriptions of which no day can be compared do not.
    var agrees: Bool {
        differing == 0 && differingSubscriptions == 0 && subscriptions?.comparesNothing != true
    }

    func section(of apple: AppleFigures) -> Section {
        let kinds = apple.kinds.map(\.rawValue) + apple.subscriptions.kinds.map(\.rawValue)
        var facts = [Fact("kinds", "Reports", .list(kinds))]
        if apple.hasSales { facts += salesFacts }
        if let subscriptions {
            facts += [
                Fact("subscription_rows", "Rows of subscriptions", .count(subscriptions.rows.count)),
                Fact("differing_subscription_rows", "Of these differ", .count(differingSubscriptions)),
            ]
        }
        facts.append(Fact("verdict", "Verdict", .text(verdict)))
        return Section(name: "summary", title: "Summary", facts: facts, role: .headline)
    }

    private var verdict: String {
        if agrees { return "agrees within \(tolerance)" }
        let isUncompared = differing == 0 && differingSubscriptions == 0
        return isUncompared
            ? "no day of subscriptions can be compared (status 3)" : "does not agree within \(tolerance) (status 3)"
    }

    private var salesFacts: [Fact] {
        let currency = total?.currency
        return [
            Fact("currency", "Currency", .text(currency?.description)),
            Fact("gross", "Ours", .money(total?.measures.gross ?? 0, currency)),
            Fact("apple_gross", "Apple's", .money(total?.measures.appleGross ?? 0, currency)),
            Fact(
                "gross_difference",
                "Difference",
                .money((total?.measures.gross ?? 0) - (total?.measures.appleGross ?? 0), currency)
            ),
            Fact("rows", "Rows", .count(rowCount)),
            Fact("differing_rows", "Rows that differ", .count(differing)),
        ]
    }
}
