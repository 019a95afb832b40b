import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// A measure of a product in a month, ours and Apple's.
struct SubscriptionRow: Sendable {
    struct Counts: Sendable {
        let units: Int64
        /// `nil` if Apple does not tell a part of it.
        let appleUnits: Int64?

        var difference: Int64? { appleUnits.map { units - $0 } }
    }

    let kind: AppleSubscriptionReport.Kind
    let month: SubscriptionMonth
    /// `nil` for all products that cannot be distinguished.
    let product: String?
    let measure: AppleSubscriptionReport.Measure
    /// From the first to the last day that is compared; of active subscriptions the day at whose end they are counted.
    let days: ClosedRange<Int>
    let counts: Counts
    let cause: SubscriptionCause

    static let columns: [ReportColumn<SubscriptionRow>] =
        keys + figures + [
            ReportColumn("cause", "Cause") { .text($0.cause.rawValue) }
        ]

    /// The columns in formats for people, which show rows with differences.
    static let shortColumns: [ReportColumn<SubscriptionRow>] =
        keys + figures + [
            ReportColumn("cause", "Cause", isMain: true) { .text($0.cause.title) }
        ]

    private static let keys: [ReportColumn<SubscriptionRow>] = [
        ReportColumn("kind", "Report", isKey: true) { .word($0.kind.rawValue, $0.kind.title) },
        ReportColumn(GroupKey.month.heading) { .text($0.month.name) },
        ReportColumn("product_id", "Product", isKey: true) { .text($0.product) },
        ReportColumn("measure", "Measure", isKey: true) { .text($0.measure.rawValue) },
    ]

    private static let figures: [ReportColumn<SubscriptionRow>] = [
        ReportColumn("since", "Since") { .text(DayName.text($0.days.lowerBound)) },
        ReportColumn("until", "Until") { .text(DayName.text($0.days.upperBound)) },
        ReportColumn("units", "Ours", isMain: true) { .count($0.counts.units) },
        ReportColumn("apple_units", "Apple's", isMain: true) { row in
            row.counts.appleUnits.map { .count($0) } ?? .absent
        },
        ReportColumn("units_difference", "Difference", isMain: true) { row in
            row.counts.difference.map { .count($0) } ?? .absent
        },
    ]

    /// By report, month, product and measure, unknown products last.
    static func precedes(_ left: SubscriptionRow, _ right: SubscriptionRow) -> Bool {
        func keys(_ row: SubscriptionRow) -> [String?] { [row.kind.rawValue, row.month.name, row.product] }
        for (mine, other) in zip(keys(left), keys(right)) where mine != other { return Order.precedes(mine, other) }
        func place(_ row: SubscriptionRow) -> Int { row.kind.measures.firstIndex(of: row.measure) ?? 0 }
        return place(left) < place(right)
    }
}

/// Why a count of subscriptions differs; of several causes that fit, the first.
enum SubscriptionCause: String, CaseIterable, Sendable {
    case equal
    case untold
    case cutoff
    case missingHere = "missing_here"
    case missingAtApple = "missing_at_apple"

    /// A heading for people.
    var title: String {
        switch self {
        case .equal: "equal"
        case .untold: "not reported by Apple"
        case .cutoff: "cut-off"
        case .missingHere: "missing here"
        case .missingAtApple: "missing at Apple"
        }
    }

    /// - Parameter neighbours: the same measure of the same product in the months before and after; none where
    ///   differences of months do not undo one another.
    init(_ row: SubscriptionRow.Counts, neighbours: [SubscriptionRow.Counts]) {
        guard let difference = row.difference else {
            self = .untold
            return
        }
        if difference == 0 {
            self = .equal
        } else if neighbours.contains(where: { $0.difference == -difference }) {
            self = .cutoff
        } else {
            self = difference < 0 ? .missingHere : .missingAtApple
        }
    }
}

extension SubscriptionReconciliation {
    /// The rows; for people first those that do not agree.
    func sections(_ tolerance: ReconciliationTolerance, isForPeople: Bool) -> [Section] {
        let all = Section(
            name: "subscriptions",
            title: "Subscriptions by month, product and measure",
            columns: SubscriptionRow.columns,
            rows: rows,
            role: isForPeople ? .detail : .figures
        )
        .called("Subscriptions")
        guard isForPeople else { return [all] }
        let differences = Section(
            name: "subscription_differences",
            title: "Subscriptions that differ",
            columns: SubscriptionRow.shortColumns,
            rows: rows.filter { $0.cause != .equal }
        )
        .called("Subs. differ")
        return [differences, all]
    }
}

extension AppleFigures {
    /// Apple's figures about subscriptions alone; no section if there are none.
    var subscriptionSection: [Section] {
        guard !subscriptions.isEmpty else { return [] }
        let days = subscriptions.days()
        let rows = subscriptions.sums(over: days).compactMap { key, count -> AppleSubscriptionRow? in
            let days = days[key.kind]?[key.month] ?? []
            guard let first = days.first, let last = days.last, days.contains(where: subscriptions.isShown) else {
                return nil
            }
            let product = subscriptions.products[key.product]
            return AppleSubscriptionRow(
                key: key,
                productID: productIDs.productID(of: product),
                product: product,
                days: first...last,
                units: count.units
            )
        }
        return [
            Section(
                name: "subscriptions",
                title: "Subscriptions by month, product and measure",
                columns: AppleSubscriptionRow.columns,
                rows: rows.sorted(by: AppleSubscriptionRow.precedes)
            )
            .called("Subscriptions")
        ]
    }
}

/// A measure of a subscription in a month, as Apple reports it.
private struct AppleSubscriptionRow: Sendable {
    let key: AppleSubscriptionFigures.MonthKey
    let productID: String?
    let product: AppleSubscriptionReport.Product
    let days: ClosedRange<Int>
    /// `nil` if Apple does not tell a part of it.
    let units: Int64?

    static let columns: [ReportColumn<AppleSubscriptionRow>] = [
        ReportColumn("kind", "Report", isKey: true) { .word($0.key.kind.rawValue, $0.key.kind.title) },
        ReportColumn(GroupKey.month.heading) { .text($0.key.month.name) },
        ReportColumn("apple_id", "Apple ID", isKey: true) { .text($0.product.appleID) },
        ReportColumn("name", "Subscription", isKey: true) { .text($0.product.name) },
        ReportColumn("product_id", "Product") { .text($0.productID) },
        ReportColumn("measure", "Measure", isKey: true) { .text($0.key.measure.rawValue) },
        ReportColumn("since", "Since") { .text(DayName.text($0.days.lowerBound)) },
        ReportColumn("until", "Until") { .text(DayName.text($0.days.upperBound)) },
        ReportColumn("units", "Units") { row in row.units.map { .count($0) } ?? .absent },
    ]

    static func precedes(_ left: AppleSubscriptionRow, _ right: AppleSubscriptionRow) -> Bool {
        func keys(_ row: AppleSubscriptionRow) -> [String?] {
            [row.key.kind.rawValue, row.key.month.name, row.product.appleID, row.product.name]
        }
        for (mine, other) in zip(keys(left), keys(right)) where mine != other { return Order.precedes(mine, other) }
        func place(_ row: AppleSubscriptionRow) -> Int { row.key.kind.measures.firstIndex(of: row.key.measure) ?? 0 }
        return place(left) < place(right)
    }
}
