import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The summary: our figure and Apple's figure in each currency, that with the most units first, and whether they agree.
struct ReconciliationSummary {
    private let rowCount: Int
    private let differing: Int
    private let tolerance: ReconciliationTolerance
    /// Whether reports of sales cover a selected day.
    private let hasSales: Bool
    /// One of each currency, that with the most units first.
    private let totals: [ReconciliationTotal]
    private let subscriptions: SubscriptionReconciliation?

    init(
        _ rows: [ReconciliationRow],
        _ subscriptions: SubscriptionReconciliation?,
        differing: Int,
        tolerance: ReconciliationTolerance,
        hasSales: Bool
    ) {
        self.hasSales = hasSales
        rowCount = rows.count
        self.differing = differing
        self.tolerance = tolerance
        self.subscriptions = subscriptions
        // Reports of two kinds contain the same sales.
        var seen: Set<CurrencyCode?> = [nil]
        totals = ReconciliationTotal.totals(of: rows, byKind: true).enumerated().sorted { left, right in
            let (mine, other) = (left.element.measures, right.element.measures)
            let (many, few) = (mine.units + mine.appleUnits, other.units + other.appleUnits)
            return many != few ? many > few : left.offset < right.offset
        }
        .map(\.element).filter { seen.insert($0.currency).inserted }
    }

    private var total: ReconciliationTotal? { totals.first }

    private var differingSubscriptions: Int {
        subscriptions?.rows.count { !tolerance.allows($0.counts) } ?? 0
    }

    /// Whether all compared figures agree. It is false if no day can be compared, or none of the reports about
    /// subscriptions.
    var agrees: Bool {
        differing == 0 && differingSubscriptions == 0 && subscriptions?.comparesNothing != true
            && (hasSales || subscriptions != nil)
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
        if hasSales { facts += salesFacts }
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
        let reports = titles.isEmpty ? "no report of a day" : titles.joined(separator: ", ")
        section.statements = [Statement("\(time ?? "No period"), days of \(zone); \(reports)")] + statements
        return section
    }

    private var statements: [Statement] {
        var statements: [Statement] = []
        if hasSales { statements += salesStatements }
        if let subscriptions {
            let (all, differing) = (subscriptions.rows.count, differingSubscriptions)
            let words: Statement.Sentence = differing == 0 ? "none differs" : "\(.count(differing)) differ"
            statements.append(Statement("Subscriptions: \(.count(all)) figures compared, \(words)"))
        }
        let verdict = verdict.prefix(1).uppercased() + verdict.dropFirst()
        statements.append(Statement("\(verdict)", tone: agrees ? .plain : .alarm))
        return statements
    }

    private var salesStatements: [Statement] {
        guard rowCount > 0 else { return [Statement("Neither side has a sale in the period.")] }
        // Tables list differences within the tolerance too.
        let byMore = tolerance.allowsDifferences ? " by more than \(tolerance)" : ""
        let rows: Statement.Sentence =
            differing == 0
            ? "no row differs\(byMore)" : "\(.count(differing)) of \(.count(rowCount)) rows differ\(byMore)"
        let shown = totals.prefix(Summary.mostCurrencies).compactMap(Self.sentence)
        guard shown.count != 1 else { return [Statement("\(shown[0]); \(rows)")] }
        return shown.enumerated().map { Statement($1, weight: $0 == 0 ? .headline : .detail) }
            + Summary.others(of: totals.compactMap(\.currency))
            + [Statement(rows, weight: shown.isEmpty ? .headline : .detail)]
    }

    /// `Ours 14,658.12 USD, Apple's 14,671.10, difference -12.98`
    private static func sentence(_ total: ReconciliationTotal) -> Statement.Sentence? {
        guard let currency = total.currency else { return nil }
        let apples = Cell.money(total.measures.appleGross, currency)
        guard total.isKnown, let ours = total.measures.gross, let difference = total.measures.grossDifference else {
            return "Ours in \(currency.description) unknown (a sale has no price), Apple's \(apples)"
        }
        return """
            Ours \(.money(ours, currency)) \(currency.description), Apple's \(apples), difference \
            \(.money(difference, currency))
            """
    }

    private var verdict: String {
        if agrees { return "agrees within \(tolerance)" }
        if differing > 0 || differingSubscriptions > 0 { return "does not agree within \(tolerance) (status 3)" }
        return "no day of \(subscriptions == nil ? "sales" : "subscriptions") can be compared (status 3)"
    }

    private var salesFacts: [Fact] {
        let currency = total?.currency
        // Without rows both sides are 0; ours is not known where a sale has no price.
        let ours = rowCount == 0 ? 0 : total.flatMap { $0.isKnown ? $0.measures.gross : nil }
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
