import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Subscriptions as finance.md §5 defines them: active, new, churned, trials, what recurs monthly, retention.
public struct SubscriptionsReport: Report {
    public static let name = "subscriptions"
    public static let title = "Subscriptions"
    public static let summary = "Active, new and churned subscriptions, trials, MRR and retention"
    public static let needs: LedgerNeeds = .subscriptions

    /// Of the part that is being counted.
    private var sales = SubscriptionSales()
    private var history: SubscriptionHistory
    /// Sales without a date.
    private var undated = 0
    private let rules: LedgerRules
    /// What figures are told by: the month, or the week of a calendar without months.
    private let part: GroupKey

    public init(_ rules: LedgerRules) {
        self.rules = rules
        part = GroupKey(rules.calendar.kind.period)
        history = SubscriptionHistory(asOf: nil, calendar: rules.calendar)
    }

    public mutating func update(with transaction: SettledTransaction) { sales.see(transaction) }

    public mutating func finishPart(_ part: borrowing SettledLedger) throws {
        var lengths: [Int: RenewalPeriod?] = [:]
        try part.countSubscriptions(sales, in: &history) { product in
            guard let product else { return nil }
            if let known = lengths[product] { return known }
            let length = rules.billingPeriod(of: part.text(of: product)).flatMap(RenewalPeriod.init)
            lengths[product] = .some(length)
            return length
        }
        undated += sales.undated
        sales = SubscriptionSales()
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        var history = history
        history.finish()
        if let period = rules.period { history.show(only: period) }
        return Findings(
            sections: Self.withCharts([
                Self.summary(of: history, undated: undated), months(of: history), try recurring(in: history),
                trials(of: history), refunds(of: history), retention(of: history), Self.periods(of: history, ledger),
            ]),
            notes: notes(history)
        )
    }

    /// What a month or week is: `calendar months in UTC`.
    private var partText: String {
        let zone = rules.calendar.zone.name
        return switch rules.calendar.kind {
        case .gregorian: "Months are calendar months in \(zone)"
        case .appleFiscal: "Months are those of Apple's fiscal calendar, their days in \(zone)"
        case .isoWeek: "Weeks are those of ISO 8601, their days in \(zone)"
        }
    }

    private func notes(_ history: SubscriptionHistory) -> [String] {
        let weekly = Cell.decimal(millionths: rules.weeksPerMonthMillionths)
        let life = rules.calendar.kind == .appleFiscal ? "calendar month" : part.rawValue
        var notes = [
            "Active: a paid charge of the chain (original transaction id) covers the instant, from its purchase to its "
                + "expiry, or to the end of a later grace period. A refund or an upgrade ends the service of its own charge "
                + "and of no other. Trials are not paid; restores and family shares are left out. \(partText); nothing is "
                + "known after as_of, so the \(part.rawValue) that holds it is not complete.",
            "Churned: expired less resubscribed. Churn rate: churned / active at the start of the \(part.rawValue); it can "
                + "be negative.",
            "MRR: the price of the charge in force, of charges that overlap the one that began last, for one month: "
                + "1 day × 30, 3 days × 10, 1 week × \(Self.text(weekly)), 2 weeks × half of that, months ÷ their number. "
                + "Gross of tax and commission, with those that will not renew. ARR: 12 × MRR.",
            "Trial conversion: first trials begun in the \(part.rawValue) that a paid charge of the chain followed; complete "
                + "when every trial and a grace period of \(SubscriptionHistory.longestGraceDays) days after it are over.",
            "Refund rate: refunded / paid charges, by the \(part.rawValue) of the purchase.",
            "Retention: chains whose first paid service began in the cohort's \(part.rawValue); \(part.rawValue) 0 of life is "
                + "the \(life) from that day on, and a chain is retained in \(part.rawValue) n if paid service covers more "
                + "than an hour of it. Only chains whose n-th \(part.rawValue) has begun count, up to the "
                + "\(SubscriptionHistory.retentionLimit)th.",
        ]
        if let period = rules.period, !isWhole(period) {
            notes.append("A \(part.rawValue) that lies partly in the period is told whole.")
        }
        if history.periods.contains(where: { $0.isEstimated && $0.period != nil }) {
            notes.append(
                "Periods marked as estimated are told by the days from purchase to expiry, to the nearest that Apple sells."
            )
        }
        if history.withoutExpiry > 0 {
            notes.append("Charges without an expiry: \(history.withoutExpiry). They are active in no month.")
        }
        return notes
    }

    /// Whether a period begins and ends where a month or week does, as far as it begins and ends at all.
    private func isWhole(_ period: Period) -> Bool {
        let unit = rules.calendar.kind.period
        return [period.from, period.until].compactMap(\.self).allSatisfy { bound in
            rules.calendar.start(of: rules.calendar.code(of: bound, by: unit), by: unit) == bound
        }
    }

    private static func text(_ cell: Cell) -> String {
        guard case .decimal(let millionths) = cell else { return "" }
        let fraction = String(String(millionths % 1_000_000 + 1_000_000).dropFirst())
        let digits = fraction.reversed().drop { $0 == "0" }.reversed()
        return String(millionths / 1_000_000) + (digits.isEmpty ? "" : "." + String(digits))
    }

    private static func summary(of history: SubscriptionHistory, undated: Int) -> Section {
        Section(
            name: "subscriptions",
            title: "Subscriptions",
            columns: [
                Column("as_of", "As of"), Column("chains", "Chains"), Column("active", "Active and paid"),
                Column("in_grace", "Of these in grace"), Column("in_trial", "In a trial"),
                Column("without_expiry", "Charges without expiry"), Column("undated", "Charges without a date"),
            ],
            content: .record(
                [history.asOf.map(Cell.instant) ?? .absent]
                    + [
                        history.chains, history.active, history.inGrace, history.inTrial, history.withoutExpiry,
                        undated,
                    ].map { .count(Int64($0)) }
            )
        )
    }

    private func months(of history: SubscriptionHistory) -> Section {
        let months = history.flows.keys.sorted()
        let rows: [[Cell]] = months.map { month in
            let flow = history.flow(inMonth: month)
            let previous = flow.activeAtStart
            let churned = Int64(flow.expired - flow.resubscribed)
            return [
                .text(history.name(ofMonth: month)), .count(Int64(previous)), .count(Int64(flow.new)),
                .count(Int64(flow.resubscribed)), .count(Int64(flow.expired)), .count(churned),
                .ratio(churned, of: Int64(previous)), .count(Int64(flow.activeAtEnd)),
                Self.word(isComplete: history.lastMonth.map { month < $0 } ?? false),
            ]
        }
        return Section(
            name: "by_\(part.rawValue)",
            title: "By \(part.rawValue)",
            columns: [
                part.column, Column("active_at_start", "Active at start"),
                Column("new", "New"),
                Column("resubscribed", "Resubscribed"), Column("expired", "Expired"), Column("churned", "Churned"),
                Column("churn_rate", "Churn rate"), Column("active_at_end", "Active at end"),
                Column("complete", "Complete"),
            ],
            content: .table(rows)
        )
    }

    private static func word(isComplete: Bool) -> Cell { .text(isComplete ? "yes" : "no") }

    private func recurring(in history: SubscriptionHistory) throws(LedgerError) -> Section {
        let sorted = history.recurring.sorted { left, right in
            if left.key.month != right.key.month { return left.key.month < right.key.month }
            return Order.precedes(left.key.currency?.description, right.key.currency?.description)
        }
        var rows: [[Cell]] = []
        for (key, recurring) in sorted {
            let month = history.name(ofMonth: key.month)
            var amounts: [Cell] = [.absent, .absent]
            if let currency = key.currency {
                amounts = []
                for months: Int128 in [1, 12] {
                    let amount = try recurring.perMonth(
                        in: currency,
                        weeklyMillionths: rules.weeksPerMonthMillionths,
                        months: months,
                        group: "mrr \(month) \(currency)"
                    )
                    amounts.append(.money(amount))
                }
            }
            rows.append(
                [
                    .text(month), key.currency.map { .text($0.description) } ?? .absent,
                    .count(Int64(recurring.subscriptions)),
                ] + amounts + [.count(Int64(recurring.estimated)), .count(Int64(recurring.withoutPeriod))]
            )
        }
        return Section(
            name: "mrr",
            title: "Monthly recurring revenue at the end of each \(part.rawValue)",
            columns: [
                part.column, Column("currency", "Currency", isKey: true),
                Column("subscriptions", "Subscriptions"),
                Column("mrr", "MRR"), Column("arr", "ARR"), Column("estimated_periods", "Estimated periods"),
                Column("unknown_periods", "Unknown periods"),
            ],
            content: .table(rows)
        )
    }

    private func trials(of history: SubscriptionHistory) -> Section {
        Section(
            name: "trials",
            title: "Trials by the \(part.rawValue) in which they began",
            columns: [
                part.column, Column("trials", "Trials"), Column("converted", "Converted"),
                Column("rate", "Rate"), Column("complete", "Complete"),
            ],
            content: .table(
                history.trials.sorted { $0.key < $1.key }.map { month, cohort in
                    [
                        .text(history.name(ofMonth: month)), .count(Int64(cohort.trials)),
                        .count(Int64(cohort.converted)), .ratio(Int64(cohort.converted), of: Int64(cohort.trials)),
                        Self.word(isComplete: cohort.isComplete),
                    ]
                }
            )
        )
    }

    private func refunds(of history: SubscriptionHistory) -> Section {
        Section(
            name: "refund_rate",
            title: "Refunds of paid charges by the \(part.rawValue) of the purchase",
            columns: [
                part.column, Column("charges", "Charges"), Column("refunded", "Refunded"),
                Column("rate", "Rate"),
            ],
            content: .table(
                history.charges.sorted { $0.key < $1.key }.map { month, cohort in
                    [
                        .text(history.name(ofMonth: month)), .count(Int64(cohort.charges)),
                        .count(Int64(cohort.refunded)), .ratio(Int64(cohort.refunded), of: Int64(cohort.charges)),
                    ]
                }
            )
        )
    }

    private func retention(of history: SubscriptionHistory) -> Section {
        Section(
            name: "retention",
            title: "Retention by the \(part.rawValue) of the first paid charge",
            columns: [
                Column("cohort", "Cohort", isKey: true),
                Column("\(part.rawValue)_of_life", "\(part.title) of life", isKey: true),
                Column("chains", "Chains"),
                Column("retained", "Retained"), Column("rate", "Rate"),
            ],
            content: .table(
                history.retention.map { row in
                    [
                        .text(history.name(ofMonth: row.cohort)), .count(Int64(row.month)),
                        .count(Int64(row.chains)), .count(Int64(row.retained)),
                        .ratio(Int64(row.retained), of: Int64(row.chains)),
                    ]
                }
            )
        )
    }

    private static func periods(of history: SubscriptionHistory, _ ledger: borrowing SettledLedger) -> Section {
        var rows: [(product: String?, row: SubscriptionHistory.ProductPeriod)] = []
        for row in history.periods { rows.append((row.product.map { ledger.text(of: $0) }, row)) }
        rows.sort { left, right in
            if left.product != right.product { return Order.precedes(left.product, right.product) }
            let (mine, other) = (left.row, right.row)
            if mine.period != other.period { return Order.precedes(mine.period, other.period) }
            return !mine.isEstimated && other.isEstimated
        }
        return Section(
            name: "periods",
            title: "Periods of products",
            columns: [
                Column("product_id", "Product"), Column("period", "Period"), Column("period_from", "Known from"),
                Column("charges", "Charges"),
            ],
            content: .table(
                rows.map { product, row in
                    [
                        RevenueReport.text(product), RevenueReport.text(row.period),
                        .text(row.period == nil ? "unknown" : row.isEstimated ? "estimated" : "list"),
                        .count(Int64(row.charges)),
                    ]
                }
            )
        )
    }
}
