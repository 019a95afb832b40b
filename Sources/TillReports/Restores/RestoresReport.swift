public import TillLedger
import TillReportModel

/// Restores as a share of restores and purchases, in total and for each product.
///
/// Subscriptions are counted apart, because their many renewals would hide the share.
public struct RestoresReport: Report {
    public static let name = "restores"
    public static let title = "Restores"
    public static let summary = "How often products are restored, from receipts and from client events"
    public static let needs: LedgerNeeds = [.events, .dataEnd]

    struct Tally: Sendable {
        var restored: Int64 = 0
        /// Restores and purchases.
        var eligible: Int64 = 0
    }

    /// The tally of a product, or of other keys.
    struct Row: Sendable {
        let group: Group
        let tally: Tally

        /// For a chart: `pro · 2026-03`.
        var name: String { group.names.map { $0 ?? "unknown" }.joined(separator: " · ") }
    }

    private let rules: LedgerRules
    private var tallies: GroupTable<Tally>
    private var subscriptionRestores: Int64 = 0
    /// The times of the first and the newest purchase or restore.
    private var counted = CoveredTime()

    // Restores carry no money, and a restore is no kind of sale.
    public static let groupKeys = GroupKey.allCases.filter { $0.isOfSales && $0 != .currency && $0 != .saleKind }

    public init(_ rules: LedgerRules) {
        self.rules = rules
        tallies = GroupTable(by: rules.keys ?? [.productID], empty: Tally())
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard !transaction.isFamilyShared, rules.includesPurchase(of: transaction) else { return }
        let isRestore = transaction.kind == .restore
        counted.include(transaction.purchaseDate)
        if transaction.isSubscription {
            if isRestore { subscriptionRestores += 1 }
            return
        }
        guard !transaction.isConsumable else { return }
        let group = tallies.group(of: transaction, at: transaction.purchaseDate, in: rules.calendar)
        tallies[group].eligible += 1
        if isRestore { tallies[group].restored += 1 }
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        _ = try tallies.visitSums(&coder) { tally, coder in
            try coder.add(&tally.restored)
            try coder.add(&tally.eligible)
        }
        try coder.add(&subscriptionRestores)
        try counted.visitSums(&coder)
    }

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        let keys = tallies.keys
        let rows = tallies.sorted(ledger).map { Row(group: $0, tally: tallies[$0.number]) }
        let total = tallies.values.reduce(into: Tally()) { total, tally in
            total.restored += tally.restored
            total.eligible += tally.eligible
        }
        var time = CoveredTime()
        if let index = keys.timeIndex {
            for row in rows { time.include(row.group.cell(at: index, by: keys[index])) }
        }
        let subscriptions = ReportColumn<Tally>("subscription_restores", "Subscription restores") {
            [subscriptionRestores] _ in .count(subscriptionRestores)
        }
        return Findings(
            summary(total, ledger.rules),
            sections: [
                Section(
                    name: "restores",
                    title: "Restores in receipts",
                    columns: Self.tallyColumns + [subscriptions],
                    record: total
                ),
                Section(
                    name: "by_product",
                    title: "By " + keys.titleList,
                    columns: GroupKey.columns(keys) { $0.group } + Self.tallyColumns.map { $0.of(\.tally) },
                    rows: rows,
                    charts: Self.charts(of: rows, by: keys)
                )
                .called("By key"),
                Section(
                    name: "events",
                    title: "Restores in client events",
                    columns: Self.eventColumns,
                    record: ledger.eventRestores
                ),
            ],
            notes: [
                "The rate is restores / (restores + purchases) of products that are no subscriptions; "
                    + "consumables are left out where a price list or a catalogue says which they are."
            ],
            time: time
        )
    }

    private func summary(_ total: Tally, _ rules: LedgerRules) -> Summary {
        let (rate, restored) = (Cell.ratio(total.restored, of: total.eligible), Cell.count(total.restored))
        let statement =
            total.eligible == 0
            ? Statement.nothing("No purchases and no restores of products other than subscriptions", rules)
            : Statement(
                "Restore rate \(rate): \(restored) of \(.count(total.eligible)) purchases and restores, without subscriptions"
            )
        let subscriptions = Statement(
            "\(.count(subscriptionRestores)) \(subscriptionRestores == 1 ? "restore" : "restores") of subscriptions",
            weight: .detail
        )
        var summary = Summary(
            span: counted.span,
            facts: (Self.tallyColumns.map { Fact($0.heading.name, $0.heading.title, $0.cell(total)) }) + [
                Fact("subscription_restores", "Subscription restores", .count(subscriptionRestores))
            ],
            statements: [statement] + (subscriptionRestores > 0 ? [subscriptions] : []),
            concerns: [.rejected, .untrusted, .undated, .oddIDs, .otherEnvironment, .withheld, .clockAhead]
        )
        summary.tellsDataEnd = true
        return summary
    }

    private static let tallyColumns: [ReportColumn<Tally>] = [
        ReportColumn("restored", "Restored") { .count($0.restored) },
        ReportColumn("eligible", "Eligible") { .count($0.eligible) },
        ReportColumn("rate", "Rate") { .ratio($0.restored, of: $0.eligible) },
    ]

    private static let eventColumns: [ReportColumn<EventRestores>] = [
        ReportColumn("restored", "Restored") { .count($0.restored) },
        ReportColumn("purchased", "Purchased") { .count($0.purchased) },
        ReportColumn("rate", "Rate") { .ratio($0.restored, of: $0.restored + $0.purchased) },
        ReportColumn("restore_completed", "Restores completed") { .count($0.restoreCompleted) },
        ReportColumn("restore_failed", "Restores failed") { .count($0.restoreFailed) },
    ]
}
