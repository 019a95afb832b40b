public import TillLedger
import TillReportModel

/// Restores as a share of restores and purchases, in all and for each product.
///
/// Subscriptions restore as well, but their renewals would drown the share, so they are counted apart.
public struct RestoresReport: Report {
    public static let name = "restores"
    public static let title = "Restores"
    public static let summary = "How often products are restored, from receipts and from client events"

    private struct Tally {
        var restored: Int64 = 0
        var eligible: Int64 = 0
    }

    private var products: [Int?: Tally] = [:]
    private var subscriptionRestores: Int64 = 0

    public init(_ rules: LedgerRules) {}

    public mutating func update(with transaction: SettledTransaction) {
        guard !transaction.isFamilyShared else { return }
        let isRestore = transaction.kind == .restore
        if transaction.isSubscription {
            if isRestore { subscriptionRestores += 1 }
            return
        }
        guard !transaction.isConsumable else { return }
        products[transaction.product, default: Tally()].eligible += 1
        if isRestore { products[transaction.product, default: Tally()].restored += 1 }
    }

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        var rows: [(product: String?, tally: Tally)] = []
        for (product, tally) in products { rows.append((product.map { ledger.text(of: $0) }, tally)) }
        rows.sort { RevenueReport.precedes($0.product, $1.product) }
        let total = rows.reduce(into: Tally()) { total, row in
            total.restored += row.tally.restored
            total.eligible += row.tally.eligible
        }
        let events = ledger.eventRestores
        var byProduct = Section(
            name: "by_product",
            title: "By product",
            columns: [Column("product_id", "Product", isKey: true)] + Self.tallyColumns,
            content: .table(rows.map { [RevenueReport.text($0.product)] + Self.cells($0.tally) })
        )
        byProduct.charts = Self.charts(of: byProduct)
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
                    + "consumables are left out where a price list says which they are."
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
