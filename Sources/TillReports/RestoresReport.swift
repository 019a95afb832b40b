public import TillLedger
import TillReportModel

/// Restores as a share of restores and purchases, in all and for each product.
///
/// Subscriptions restore as well, but their renewals would drown the share, so they are counted apart.
public struct RestoresReport: Report {
    public static let name = "restores"
    public static let title = "Restores"
    public static let summary = "How often products are restored, from receipts and from client events"

    private struct Tally: Sendable {
        var restored: Int64 = 0
        var eligible: Int64 = 0
    }

    private let rules: LedgerRules
    private var tallies: GroupTable<Tally>
    private var subscriptionRestores: Int64 = 0

    // Restores carry no money, and a restore is no kind of sale.
    public static let groupKeys = GroupKey.allCases.filter { $0 != .currency && $0 != .saleKind }

    public init(_ rules: LedgerRules) {
        self.rules = rules
        tallies = GroupTable(by: rules.keys ?? [.productID], in: rules.calendar, empty: Tally())
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard !transaction.isFamilyShared, rules.includesPurchase(of: transaction) else { return }
        let isRestore = transaction.kind == .restore
        if transaction.isSubscription {
            if isRestore { subscriptionRestores += 1 }
            return
        }
        guard !transaction.isConsumable else { return }
        let group = tallies.group(of: transaction, at: transaction.purchaseDate)
        tallies[group].eligible += 1
        if isRestore { tallies[group].restored += 1 }
    }

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        let groups = tallies.sorted(ledger)
        let total = tallies.values.reduce(into: Tally()) { total, tally in
            total.restored += tally.restored
            total.eligible += tally.eligible
        }
        let events = ledger.eventRestores
        var byProduct = Section(
            name: "by_product",
            title: "By " + RevenueReport.list(tallies.keys.map { $0.title.lowercased() }),
            columns: tallies.keys.map(\.column) + Self.tallyColumns,
            content: .table(groups.map { $0.cells(by: tallies.keys) + Self.cells(tallies[$0.number]) })
        )
        byProduct.drawing = { [byProduct] in Self.charts(of: byProduct) }
        return Findings(
            sections: [
                Section(
                    name: "restores",
                    title: "Restores in receipts",
                    columns: Self.tallyColumns + [Column("subscription_restores", "Subscription restores")],
                    content: .record(Self.cells(total) + [.count(subscriptionRestores)])
                ),
                byProduct,
                Section(
                    name: "events",
                    title: "Restores in client events",
                    columns: [
                        Column("restored", "Restored"), Column("purchased", "Purchased"), Column("rate", "Rate"),
                        Column("restore_completed", "Restores completed"), Column("restore_failed", "Restores failed"),
                    ],
                    content: .record([
                        .count(Int64(events.restored)), .count(Int64(events.purchased)),
                        .ratio(Int64(events.restored), of: Int64(events.restored + events.purchased)),
                        .count(Int64(events.restoreCompleted)), .count(Int64(events.restoreFailed)),
                    ])
                ),
            ],
            notes: [
                "The rate is restores / (restores + purchases) of products that are no subscriptions; "
                    + "consumables are left out where a price list or a catalogue says which they are."
            ]
        )
    }

    private static let tallyColumns = [
        Column("restored", "Restored"), Column("eligible", "Eligible"), Column("rate", "Rate"),
    ]

    private static func cells(_ tally: Tally) -> [Cell] {
        [.count(tally.restored), .count(tally.eligible), .ratio(tally.restored, of: tally.eligible)]
    }
}
