import TillCore
import TillLedger
import TillReportModel

/// Figures of a month, or of a week in a calendar without months.
struct MonthRow<Figures: Sendable>: Sendable {
    /// `2026-03`
    let month: String
    let figures: Figures
}

/// The subscriptions that began and ended in a month.
struct MonthFlow: Sendable {
    let flow: SubscriptionHistory.Flow
    /// Whether the input covers the month to its end.
    let isComplete: Bool

    var churned: Int { flow.expired - flow.resubscribed }
    var churnRate: Cell { .ratio(churned, of: flow.activeAtStart) }
}

/// Monthly recurring revenue in one currency.
struct RecurringRevenue: Sendable {
    /// `nil` for subscriptions without a known price.
    let currency: CurrencyCode?
    /// Absent without a currency.
    let perMonth: Cell
    let perYear: Cell
    let counts: SubscriptionHistory.Recurring
}

/// The chains of a cohort that were retained in their n-th month.
struct RetentionRow: Sendable {
    /// The month in which the chains began: `2026-03`.
    let cohort: String
    let counts: SubscriptionHistory.Retention

    var rate: Cell { .ratio(counts.retained, of: counts.chains) }
}
