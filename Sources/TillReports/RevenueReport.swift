import TillCore
public import TillLedger
import TillReportModel

/// Sales and refunds by month, product and currency.
///
/// A sale is dated by its purchase; a refund by itself or by the purchase, as the rules say. A sale without a known
/// price counts in units and in `unpriced_units`, and has no currency and no amount.
public struct RevenueReport: Report {
    public static let name = "revenue"
    public static let title = "Revenue"
    public static let summary = "Sales, refunds and net by month, product and currency"

    struct Key: Hashable {
        var month: CalendarMonth?
        var product: Int?
        var currency: CurrencyCode?
    }

    struct Measures {
        var transactions: Int64 = 0
        var units: Int64 = 0
        var gross: Int128 = 0
        var refundedTransactions: Int64 = 0
        var refunds: Int128 = 0
        var unpricedUnits: Int64 = 0

        static func += (left: inout Measures, right: Measures) {
            left.transactions += right.transactions
            left.units += right.units
            left.gross += right.gross
            left.refundedTransactions += right.refundedTransactions
            left.refunds += right.refunds
            left.unpricedUnits += right.unpricedUnits
        }
    }

    private var groups: [Key: Measures] = [:]
    private let refundDating: LedgerRules.RefundDating

    public init(_ rules: LedgerRules) {
        refundDating = rules.refundDating
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard transaction.isSale else { return }
        let month = transaction.purchaseDate.map(CalendarMonth.init)
        let key = Key(month: month, product: transaction.product, currency: transaction.price?.currency)
        let amount = transaction.price?.millionths ?? 0
        let unpriced = transaction.price == nil ? transaction.units : 0
        groups[key, default: Measures()] += Measures(
            transactions: 1,
            units: transaction.units,
            gross: amount,
            unpricedUnits: unpriced
        )
        guard let refundDate = transaction.refundDate else { return }
        var refundKey = key
        if refundDating == .refund { refundKey.month = CalendarMonth(refundDate) }
        groups[refundKey, default: Measures()] += Measures(refundedTransactions: 1, refunds: amount)
    }

    public func finish(_ ledger: borrowing SettledLedger) -> Findings {
        // Products are put in order once, so that sorting the rows compares numbers.
        let products = Set(groups.keys.map(\.product)).map { ($0, $0.map { ledger.text(of: $0) }) }
            .sorted { Self.precedes($0.1, $1.1) }
        let rank = Dictionary(uniqueKeysWithValues: products.enumerated().map { ($1.0, $0) })
        let rows = groups.sorted { left, right in
            if left.key.month != right.key.month { return Self.precedes(left.key.month, right.key.month) }
            if left.key.product != right.key.product {
                return rank[left.key.product, default: 0] < rank[right.key.product, default: 0]
            }
            return Self.precedes(left.key.currency, right.key.currency)
        }
        var totals: [CurrencyCode?: Measures] = [:]
        for row in rows { totals[row.key.currency, default: Measures()] += row.value }
        let sortedTotals = totals.sorted { Self.precedes($0.key, $1.key) }
        var revenue = Section(
            name: "revenue",
            title: "By month, product and currency",
            columns: [
                Column("month", "Month", isKey: true), Column("product_id", "Product", isKey: true),
                Column("currency", "Currency", isKey: true),
            ] + Self.measureColumns,
            content: .table(
                rows.map { row in
                    [
                        Self.text(row.key.month?.description),
                        Self.text(products[rank[row.key.product, default: 0]].1),
                        Self.text(row.key.currency?.description),
                    ] + Self.cells(row.value, row.key.currency)
                }
            )
        )
        let total = Section(
            name: "totals",
            title: "Totals",
            columns: [Column("currency", "Currency", isKey: true)] + Self.measureColumns,
            content: .table(
                sortedTotals.map { [Self.text($0.key?.description)] + Self.cells($0.value, $0.key) }
            )
        )
        revenue.charts = Self.charts(of: revenue)
        return Findings(sections: [revenue, total], notes: notes(unpriced: totals[nil]?.unpricedUnits ?? 0))
    }

    private func notes(unpriced: Int64) -> [String] {
        let dating =
            switch refundDating {
            case .refund: "Refunds are booked in the month in which they were made; closed months stay closed."
            case .purchase: "Refunds are booked in the month of their purchase; past months can change."
            }
        guard unpriced > 0 else { return [dating] }
        return [
            dating,
            "Units without a known price: \(unpriced). They are in no amount; a price list (--prices) gives them one.",
        ]
    }

    /// An order in which what is not known comes last.
    static func precedes<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool {
        guard let left else { return false }
        return right.map { left < $0 } ?? true
    }

    /// Bytewise, as programs sort text.
    static func precedes(_ left: String?, _ right: String?) -> Bool {
        guard let left else { return false }
        return right.map { left.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
    }

    static func text(_ text: String?) -> Cell { text.map(Cell.text) ?? .absent }

    private static let measureColumns = [
        Column("transactions", "Transactions"), Column("units", "Units"), Column("gross", "Gross"),
        Column("refunded_transactions", "Refunded"), Column("refunds", "Refunds"), Column("net", "Net"),
        Column("unpriced_units", "Unpriced units"),
    ]

    private static func cells(_ measures: Measures, _ currency: CurrencyCode?) -> [Cell] {
        func money(_ millionths: Int128) -> Cell {
            currency.map { .money(Money(millionths: millionths, currency: $0)) } ?? .absent
        }
        return [
            .count(measures.transactions), .count(measures.units), money(measures.gross),
            .count(measures.refundedTransactions), money(measures.refunds), money(measures.gross - measures.refunds),
            .count(measures.unpricedUnits),
        ]
    }
}
