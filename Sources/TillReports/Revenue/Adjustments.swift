import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Refunds of sales of earlier months: what a month that is closed owes to others, or a past month loses.
struct Adjustments {
    private struct Key: Hashable {
        let refund: Int64
        let purchase: Int64
        let product: Int?
        let currency: CurrencyCode?
    }

    private struct Tally {
        var transactions: Int64 = 0
        var units: Int64 = 0
        var amount: Int128 = 0
    }

    private let rules: LedgerRules
    private var tallies: [Key: Tally] = [:]

    init(_ rules: LedgerRules) {
        self.rules = rules
    }

    /// Counts a late refund, or the reversal of one, which is a negative refund.
    mutating func count(_ entry: LedgerRules.RefundEntry, of transaction: SettledTransaction) {
        let key = Key(
            refund: code(entry.date),
            purchase: code(transaction.purchaseDate),
            product: transaction.product,
            currency: transaction.price?.currency
        )
        tallies[key, default: Tally()].transactions += entry.sign
        tallies[key, default: Tally()].units += transaction.units * entry.sign
        tallies[key, default: Tally()].amount += (transaction.price?.millionths ?? 0) * Int128(entry.sign)
    }

    private func code(_ date: Timestamp?) -> Int64 {
        date.map { rules.calendar.code(of: $0, by: rules.calendar.kind.period) } ?? GroupCode.unknown
    }

    func section(_ ledger: borrowing SettledLedger) -> Section {
        let part = GroupKey(rules.calendar.kind.period)
        var rows: [(key: Key, order: (Int64, Int64), product: String?, tally: Tally)] = []
        for (key, tally) in tallies {
            let purchase = key.purchase == GroupCode.unknown ? .max : key.purchase
            rows.append((key, (key.refund, purchase), key.product.map { ledger.text(of: $0) }, tally))
        }
        rows.sort { left, right in
            if left.order != right.order { return left.order < right.order }
            if left.product != right.product { return Order.precedes(left.product, right.product) }
            return Order.precedes(left.key.currency?.description, right.key.currency?.description)
        }
        var cells = TableRows()
        for row in rows {
            cells.append(
                [
                    RevenueReport.text(ledger.name(of: row.key.refund, by: part)),
                    RevenueReport.text(ledger.name(of: row.key.purchase, by: part)),
                    RevenueReport.text(row.product),
                    RevenueReport.text(row.key.currency?.description),
                    .count(row.tally.transactions), .count(row.tally.units),
                    row.key.currency.map { .money(Money(millionths: row.tally.amount, currency: $0)) } ?? .absent,
                ]
            )
        }
        return Section(
            name: "adjustments",
            title: "Refunds of earlier \(part.rawValue)s",
            columns: [
                part.column, Column("purchase_\(part.rawValue)", "Purchased"), GroupKey.productID.column,
                GroupKey.currency.column, Column("refunded_transactions", "Refunded"), Column("units", "Units"),
                Column("refunds", "Refunds"),
            ],
            content: .table(cells),
            // Of all time there are many; whoever closes a month asks for one.
            isDetail: rules.period == nil
        )
    }
}
