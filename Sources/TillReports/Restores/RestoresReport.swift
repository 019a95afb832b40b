import TillCore
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

    enum Field: Int, CubeField {
        case restored
        /// Restores and purchases.
        case eligible

        var isAmount: Bool { false }
    }

    static let restored = Measure("restored", "Restored", .count, Field.restored)
    static let eligible = Measure("eligible", "Eligible", .count, Field.eligible)
    static let rate = Measure("rate", "Rate", .ratio(of: eligible.sum), Field.restored)

    /// A restore or a purchase.
    struct Values: FieldValues {
        let isRestore: Bool
        subscript(_ field: Int) -> Int128 { field == Field.eligible.rawValue || isRestore ? 1 : 0 }
        var missing: FieldSet { [] }
        var currency: CurrencyCode? { nil }
    }

    private let rules: LedgerRules
    private var counts: Cube
    private var subscriptionRestores: Int64 = 0
    /// The times of the first and the newest purchase or restore.
    private var counted = CoveredTime()

    // Restores carry no money, and a restore is no kind of sale.
    public static let groupKeys = GroupKey.allCases.filter { $0.isOfSales && $0 != .currency && $0 != .saleKind }

    public init(_ rules: LedgerRules) {
        self.rules = rules
        counts = Cube(Field.self, by: rules.keys ?? [.productID])
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
        let date = transaction.purchaseDate
        counts.add(Values(isRestore: isRestore), of: transaction, at: date, in: rules.calendar)
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try counts.visitSums(&coder)
        try coder.add(&subscriptionRestores)
        try counted.visitSums(&coder)
    }

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        let cube = counts.named(by: ledger)
        var time = CoveredTime()
        if let index = cube.keys.timeIndex {
            for group in cube.groups { time.include(cube.cell(of: group, at: index)) }
        }
        let total = cube.rollup(to: [])
        let facts =
            Self.measures.map { Fact($0.name, $0.title, $0.cell(of: total[0, 0])) } + [
                Fact("subscription_restores", "Subscription restores", .count(subscriptionRestores))
            ]
        var byKeys = CubeView(forPrograms: cube)
        byKeys.add(Self.measures)
        return Findings(
            summary(total[0, 0], facts, ledger.rules),
            sections: [
                Section(name: "restores", title: "Restores in receipts", facts: facts, role: .figures),
                byKeys.section("by_product", "By " + cube.keys.titleList, charts: Self.charts(of: cube)).called(
                    "By key"
                ),
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

    private func summary(_ total: CubeGroup, _ facts: [Fact], _ rules: LedgerRules) -> Summary {
        let (rate, restored) = (Self.rate.cell(of: total), Self.restored.cell(of: total))
        let statement =
            total[Field.eligible.rawValue] == 0
            ? Statement.nothing("No purchases and no restores of products other than subscriptions", rules)
            : Statement(
                "Restore rate \(rate): \(restored) of \(Self.eligible.cell(of: total)) purchases and restores, without subscriptions"
            )
        let subscriptions = Statement(
            "\(.count(subscriptionRestores)) \(subscriptionRestores == 1 ? "restore" : "restores") of subscriptions",
            weight: .detail
        )
        var summary = Summary(
            span: counted.span,
            facts: facts,
            statements: [statement] + (subscriptionRestores > 0 ? [subscriptions] : []),
            concerns: [.rejected, .untrusted, .undated, .oddIDs, .otherEnvironment, .withheld, .clockAhead]
        )
        summary.tellsDataEnd = true
        return summary
    }

    private static let measures = [restored, eligible, rate]

    private static let eventColumns: [ReportColumn<EventRestores>] = [
        ReportColumn("restored", "Restored") { .count($0.restored) },
        ReportColumn("purchased", "Purchased") { .count($0.purchased) },
        ReportColumn("rate", "Rate") { .ratio($0.restored, of: $0.restored + $0.purchased) },
        ReportColumn("restore_completed", "Restores completed") { .count($0.restoreCompleted) },
        ReportColumn("restore_failed", "Restores failed") { .count($0.restoreFailed) },
    ]
}
