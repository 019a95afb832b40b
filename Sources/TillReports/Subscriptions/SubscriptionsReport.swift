import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Subscriptions: active, new and churned ones, trials, monthly recurring revenue, retention.
public struct SubscriptionsReport: Report {
    public static let name = "subscriptions"
    public static let title = "Subscriptions"
    public static let summary = "Active, new and churned subscriptions, trials, MRR and retention"
    public static let needs: LedgerNeeds = [.subscriptions, .dataEnd]

    /// The sales of the part that is being counted.
    private var sales = SubscriptionSales()
    private(set) var history: SubscriptionHistory
    /// Sales without a date.
    private var undated = 0
    /// The times of the first and the newest charge of the period.
    private var charged = CoveredTime()
    private let rules: LedgerRules
    /// The unit of time by which the figures are grouped: the month, or the week in a calendar without months.
    let unit: GroupKey

    public init(_ rules: LedgerRules) {
        // A month that is not over keeps its name and its end: what happens later is counted as not known.
        self.rules = rules.ofSelectedPeriod
        unit = GroupKey(rules.calendar.kind.period)
        history = SubscriptionHistory(asOf: nil, calendar: rules.calendar)
    }

    public mutating func update(with transaction: SettledTransaction) {
        sales.see(transaction)
        guard transaction.isRenewing, transaction.isSale, rules.includesPurchase(of: transaction) else { return }
        charged.include(transaction.purchaseDate)
    }

    public mutating func join(_ other: SubscriptionsReport) throws {
        try SumBuffer.join(other, into: &self)
        sales.join(other.sales)
    }

    public mutating func finishPart(_ part: borrowing SettledLedger) throws {
        try part.countSubscriptions(sales, in: &history) { product in
            product.flatMap { rules.billingPeriod(of: part.text(of: $0)) }.flatMap(RenewalPeriod.init)
        }
        undated += sales.undated
        sales = SubscriptionSales()
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try history.visitSums(&coder)
        try coder.add(&undated)
        try charged.visitSums(&coder)
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        var history = history
        try check(history)
        history.finish()
        if let period = rules.period { history.show(only: period) }
        let flows = history.flows.keys.sorted().map { month in
            let isComplete = history.lastMonth.map { month < $0 } ?? false
            let flow = MonthFlow(flow: history.flow(inMonth: month), isComplete: isComplete)
            return MonthRow(month: history.name(ofMonth: month), figures: flow)
        }
        let recurring = try recurring(in: history)
        let trials = rows(of: history.trials, history)
        let charges = rows(of: history.charges, history)
        var time = CoveredTime()
        for month in flows.map(\.month) + recurring.map(\.month) + trials.map(\.month) + charges.map(\.month) {
            time.include(month)
        }
        var summary = SubscriptionsSummary(of: history, flows, recurring, unit: unit, span: charged.span)
        summary.ahead = history.asOf.map { ledger.documentsAhead(of: $0) } ?? 0
        return Findings(
            summary.summary(),
            sections: [
                self.summary(of: history), section(of: flows), section(of: recurring), section(of: trials),
                section(of: charges), retention(of: history), Self.periods(of: history, ledger),
            ],
            notes: notes(history),
            time: time
        )
    }

    /// Throws if chains were counted as of an instant before the newest record, which another closed partial has.
    private func check(_ history: SubscriptionHistory) throws(Finding) {
        if history.needsFirst, let first = history.since, let newest = history.asOf {
            throw Finding(
                "subscriptions.as-of",
                "the first purchase of another partial is of \(first); write all partials with --as-of \(first)/\(newest)"
            )
        }
        guard let counted = history.countedAsOf, let newest = history.asOf, counted != newest else { return }
        throw Finding(
            "subscriptions.as-of",
            "subscriptions are counted as of \(counted), and the newest record of another partial is of \(newest); write "
                + "all partials with --as-of \(newest)"
        )
    }

    /// The figures of each month, in order.
    private func rows<Figures>(of figures: [Int: Figures], _ history: SubscriptionHistory) -> [MonthRow<Figures>] {
        figures.sorted { $0.key < $1.key }.map {
            MonthRow(month: history.name(ofMonth: $0.key), figures: $0.value)
        }
    }

    /// The definition of a month or week: `Months are calendar months in UTC`.
    private var unitText: String {
        let zone = rules.calendar.zone.name
        return switch rules.calendar.kind {
        case .gregorian: "Months are calendar months in \(zone)"
        case .appleFiscal: "Months are those of Apple's fiscal calendar, their days in \(zone)"
        case .isoWeek: "Weeks are those of ISO 8601, their days in \(zone)"
        }
    }

    private func notes(_ history: SubscriptionHistory) -> [String] {
        let weekly = Cell.decimal(millionths: rules.weeksPerMonthMillionths)
        let life = rules.calendar.kind == .appleFiscal ? "calendar month" : unit.rawValue
        var notes: [String] = [
            "Active: a paid charge of the chain (original transaction id) covers the instant, from its purchase to its "
                + "expiry, or to the end of a later grace period. A refund or an upgrade ends the service of its own charge "
                + "and of no other. Trials are not paid; restores and family shares are left out. \(unitText). Data "
                + "after as_of is not known, so the \(unit.rawValue) of as_of is not complete.",
            "Started before: the original purchase of the chain is before the first purchase of the input, so it is neither "
                + "new nor in a cohort. Unobserved: service ended after the newest document of its chain, so that a "
                + "renewal would not be known; it is not churned.",
            "Churned: expired less resubscribed. Churn rate: churned / active at the start of the \(unit.rawValue); it can "
                + "be negative.",
            "MRR: the price of the charge in force (of overlapping charges, the one that began last), for one month: "
                + "1 day × 30, 3 days × 10, 1 week × \(Self.text(weekly)), 2 weeks × half of that, months ÷ their number. "
                + "Tax and commission are included, and so are subscriptions that will not renew. ARR: 12 × MRR.",
            "Trial conversion: the share of first trials begun in the \(unit.rawValue) that were followed by a paid "
                + "charge of the chain. It is complete when every trial, and a grace period of "
                + "\(SubscriptionHistory.longestGraceDays) days after it, is over.",
            "Refund rate: refunded / paid charges, by the \(unit.rawValue) of the purchase.",
            "Retention: chains whose first paid service began in the cohort's \(unit.rawValue); \(unit.rawValue) 0 of life is "
                + "the \(life) from that day on, and a chain is retained in \(unit.rawValue) n if paid service covers more "
                + "than an hour of it. Only chains whose n-th \(unit.rawValue) has begun count, up to the "
                + "\(SubscriptionHistory.retentionLimit)th.",
        ]
        if let period = rules.period, !isWhole(period) {
            notes.append("A \(unit.rawValue) that lies partly in the period is covered as a whole.")
        }
        if history.periods.contains(where: { $0.isEstimated && $0.period != nil }) {
            notes.append(
                "An estimated period is the period sold by Apple that is nearest to the days between purchase and "
                    + "expiry."
            )
        }
        if history.withoutExpiry > 0 {
            notes.append("Charges without an expiry: \(history.withoutExpiry). They are active in no month.")
        }
        return notes
    }

    /// Whether each bound that a period has is also the bound of a month or week.
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

    private func summary(of history: SubscriptionHistory) -> Section {
        let undated = undated
        return Section(
            name: "subscriptions",
            title: "Subscriptions",
            columns: [
                ReportColumn("as_of", "As of") { .instant($0.asOf) },
                ReportColumn("chains", "Chains") { .count($0.chains) },
                ReportColumn("active", "Active and paid") { .count($0.active) },
                ReportColumn("in_grace", "Of these in grace") { .count($0.inGrace) },
                ReportColumn("in_trial", "In a trial") { .count($0.inTrial) },
                ReportColumn("without_expiry", "Charges without expiry") { .count($0.withoutExpiry) },
                ReportColumn("undated", "Charges without a date") { _ in .count(undated) },
            ],
            record: history
        )
    }

    private func monthColumn<Figures>() -> ReportColumn<MonthRow<Figures>> {
        ReportColumn(unit.heading) { .text($0.month) }
    }

    private static func word(isComplete: Bool) -> Cell { .text(isComplete ? "yes" : "no") }

    private func section(of flows: [MonthRow<MonthFlow>]) -> Section {
        Section(
            name: "by_\(unit.rawValue)",
            title: "By \(unit.rawValue)",
            columns: [
                monthColumn(),
                ReportColumn("active_at_start", "Active at start") { .count($0.figures.flow.activeAtStart) },
                ReportColumn("new", "New") { .count($0.figures.flow.new) },
                ReportColumn("started_before", "Started before") { .count($0.figures.flow.startedBefore) },
                ReportColumn("resubscribed", "Resubscribed") { .count($0.figures.flow.resubscribed) },
                ReportColumn("expired", "Expired") { .count($0.figures.flow.expired) },
                ReportColumn("churned", "Churned") { .count($0.figures.churned) },
                ReportColumn("unobserved", "Unobserved") { .count($0.figures.flow.unobserved) },
                ReportColumn("churn_rate", "Churn rate") { $0.figures.churnRate },
                ReportColumn("active_at_end", "Active at end") { .count($0.figures.flow.activeAtEnd) },
                ReportColumn("complete", "Complete") { Self.word(isComplete: $0.figures.isComplete) },
            ],
            rows: flows,
            charts: charts(of: flows)
        )
    }

    private func recurring(in history: SubscriptionHistory) throws(Finding) -> [MonthRow<RecurringRevenue>] {
        let sorted = history.recurring.sorted { left, right in
            if left.key.month != right.key.month { return left.key.month < right.key.month }
            return Order.precedes(left.key.currency?.description, right.key.currency?.description)
        }
        var rows: [MonthRow<RecurringRevenue>] = []
        for (key, counts) in sorted {
            let month = history.name(ofMonth: key.month)
            let revenue = RecurringRevenue(
                currency: key.currency,
                perMonth: try amount(of: counts, in: key.currency, months: 1, month),
                perYear: try amount(of: counts, in: key.currency, months: 12, month),
                counts: counts
            )
            rows.append(MonthRow(month: month, figures: revenue))
        }
        return rows
    }

    /// Recurring revenue of some months; absent without a currency.
    private func amount(
        of recurring: SubscriptionHistory.Recurring,
        in currency: CurrencyCode?,
        months: Int128,
        _ month: String
    ) throws(Finding) -> Cell {
        guard let currency else { return .absent }
        return .money(
            try recurring.perMonth(
                in: currency,
                weeklyMillionths: rules.weeksPerMonthMillionths,
                months: months,
                group: "mrr \(month) \(currency)"
            )
        )
    }

    private func section(of recurring: [MonthRow<RecurringRevenue>]) -> Section {
        Section(
            name: "mrr",
            title: "Monthly recurring revenue at the end of each \(unit.rawValue)",
            columns: [
                monthColumn(),
                ReportColumn("currency", "Currency", isKey: true) { .text($0.figures.currency?.description) },
                ReportColumn("subscriptions", "Subscriptions") { .count($0.figures.counts.subscriptions) },
                Self.recurringRevenue,
                ReportColumn("arr", "ARR") { $0.figures.perYear },
                ReportColumn("estimated_periods", "Estimated periods") { .count($0.figures.counts.estimated) },
                ReportColumn("unknown_periods", "Unknown periods") { .count($0.figures.counts.withoutPeriod) },
            ],
            rows: recurring,
            charts: charts(of: recurring)
        )
        .called("MRR")
    }

    static let recurringRevenue = ReportColumn<MonthRow<RecurringRevenue>>("mrr", "MRR") { $0.figures.perMonth }

    private func section(of trials: [MonthRow<SubscriptionHistory.TrialCohort>]) -> Section {
        let rate = ReportColumn<MonthRow<SubscriptionHistory.TrialCohort>>("rate", "Rate") {
            .ratio($0.figures.converted, of: $0.figures.trials)
        }
        return Section(
            name: "trials",
            title: "Trials by \(unit.rawValue) of their start",
            columns: [
                monthColumn(),
                ReportColumn("trials", "Trials") { .count($0.figures.trials) },
                ReportColumn("converted", "Converted") { .count($0.figures.converted) },
                rate,
                ReportColumn("complete", "Complete") { Self.word(isComplete: $0.figures.isComplete) },
            ],
            rows: trials,
            charts: [lines("Trial conversion", "Converted trials", of: trials, rate)].compactMap(\.self)
        )
        .called("Trials")
    }

    private func section(of charges: [MonthRow<SubscriptionHistory.ChargeCohort>]) -> Section {
        Section(
            name: "refund_rate",
            title: "Refund rate by purchase \(unit.rawValue)",
            columns: [
                monthColumn(),
                ReportColumn("charges", "Charges") { .count($0.figures.charges) },
                ReportColumn("refunded", "Refunded") { .count($0.figures.refunded) },
                ReportColumn("rate", "Rate") { .ratio($0.figures.refunded, of: $0.figures.charges) },
            ],
            rows: charges
        )
        .called("Refund rate")
    }

    /// Rows of retention that people are shown: those of ten months.
    private static let mostShownRetention = 55

    private func retention(of history: SubscriptionHistory) -> Section {
        let rows = history.retention.map {
            RetentionRow(cohort: history.name(ofMonth: $0.cohort), counts: $0)
        }
        return Section(
            name: "retention",
            title: "Retention by \(unit.rawValue) of the first paid charge",
            columns: [
                ReportColumn("cohort", "Cohort", isKey: true, texts: .dates) { .text($0.cohort) },
                ReportColumn("\(unit.rawValue)_of_life", "\(unit.title) of life", isKey: true) {
                    .count($0.counts.month)
                },
                ReportColumn("chains", "Chains") { .count($0.counts.chains) },
                ReportColumn("retained", "Retained") { .count($0.counts.retained) },
                ReportColumn("rate", "Rate") { $0.rate },
            ],
            rows: rows,
            // People read the rates of many cohorts in the chart.
            role: rows.count > Self.mostShownRetention ? .detail : .figures,
            charts: charts(of: rows)
        )
        .called("Retention")
    }

    private static func periods(of history: SubscriptionHistory, _ ledger: borrowing SettledLedger) -> Section {
        var rows: [(product: String?, counts: SubscriptionHistory.ProductPeriod)] = []
        for counts in history.periods { rows.append((counts.product.map { ledger.text(of: $0) }, counts)) }
        rows.sort { left, right in
            if left.product != right.product { return Order.precedes(left.product, right.product) }
            let (first, second) = (left.counts, right.counts)
            if first.period != second.period { return Order.precedes(first.period, second.period) }
            return !first.isEstimated && second.isEstimated
        }
        return Section(
            name: "periods",
            title: "Periods of products",
            columns: [
                ReportColumn("product_id", "Product") { .text($0.product) },
                ReportColumn("period", "Period") { row in
                    row.counts.period.map { .word($0, BillingPeriod(iso: $0)?.words ?? $0) } ?? .absent
                },
                ReportColumn("period_from", "Known from") {
                    let code = $0.counts.period == nil ? "unknown" : $0.counts.isEstimated ? "estimated" : "list"
                    return .word(code, code == "list" ? "price list or catalogue" : code)
                },
                ReportColumn("charges", "Charges") { .count($0.counts.charges) },
            ],
            rows: rows
        )
        .called("Periods")
    }
}
