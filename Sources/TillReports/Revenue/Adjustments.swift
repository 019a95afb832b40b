import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Refunds that fall into a later month than their purchase.
struct Adjustments {
    private struct Key: Hashable {
        /// The code of the month or week in which the refund is booked.
        var refund = GroupCode.unknown
        /// The code of the month or week of the purchase.
        var purchase = GroupCode.unknown
        var product: Int?
        var currency: CurrencyCode?
    }

    private struct Tally: Summed {
        var transactions: Int64 = 0
        var units: Int64 = 0
        var amount: Int128 = 0

        mutating func visitSums(_ coder: inout some SumCoder) throws {
            try coder.add(&transactions)
            try coder.add(&units)
            try coder.add(&amount)
        }
    }

    /// Refunds of one key, with the names that the report shows.
    private struct Row {
        let key: Key
        let refundMonth: String?
        let purchaseMonth: String?
        let product: String?
        let tally: Tally
    }

    private let rules: LedgerRules
    private var tallies: [Key: Tally] = [:]

    init(_ rules: LedgerRules) {
        self.rules = rules
    }

    /// Counts a late refund. The reversal of one counts as a negative refund.
    mutating func count(_ entry: LedgerRules.RefundEntry, of transaction: SettledTransaction) {
        let key = Key(
            refund: code(entry.date),
            purchase: code(transaction.purchaseDate),
            product: transaction.product,
            currency: transaction.price?.currency
        )
        tallies[key, default: Tally()].transactions += entry.sign
        tallies[key, default: Tally()].units += transaction.units * entry.sign
        tallies[key, default: Tally()].amount += (transaction.refundAmount?.millionths ?? 0) * Int128(entry.sign)
    }

    private func code(_ date: Timestamp?) -> Int64 {
        date.map { rules.calendar.code(of: $0, by: rules.calendar.kind.period) } ?? GroupCode.unknown
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        let unit = rules.calendar.kind.period
        try coder.table(&tallies, blank: Key()) { key, coder in
            try coder.timeCode(&key.refund, of: unit)
            try coder.timeCode(&key.purchase, of: unit)
            try coder.textCode(&key.product)
            try coder.currency(&key.currency)
        }
    }

    /// The section of adjustments. `time` gets the months in which they are booked.
    func section(_ ledger: borrowing SettledLedger, _ time: inout CoveredTime) -> Section {
        let unit = GroupKey(rules.calendar.kind.period)
        var rows: [Row] = []
        for (key, tally) in tallies {
            rows.append(
                Row(
                    key: key,
                    refundMonth: ledger.name(of: key.refund, by: unit),
                    purchaseMonth: ledger.name(of: key.purchase, by: unit),
                    product: key.product.map { ledger.text(of: $0) },
                    tally: tally
                )
            )
        }
        rows.sort { left, right in
            let (first, second) = (left.key, right.key)
            if first.refund != second.refund { return first.refund < second.refund }
            if first.purchase != second.purchase { return Self.rank(first.purchase) < Self.rank(second.purchase) }
            if left.product != right.product { return Order.precedes(left.product, right.product) }
            return Order.precedes(first.currency?.description, second.currency?.description)
        }
        for row in rows { time.include(row.refundMonth) }
        return Section(
            name: "adjustments",
            title: "Refunds of earlier \(unit.rawValue)s",
            columns: [
                ReportColumn(unit.heading) { .text($0.refundMonth) },
                ReportColumn("purchase_\(unit.rawValue)", "Purchased", texts: .dates) { .text($0.purchaseMonth) },
                ReportColumn(GroupKey.productID.heading) { .text($0.product) },
                ReportColumn(GroupKey.currency.heading) { .text($0.key.currency?.description) },
                ReportColumn("refunded_transactions", "Refunded") { .count($0.tally.transactions) }.additive,
                ReportColumn("units", "Units") { .count($0.tally.units) }.additive,
                ReportColumn("refunds", "Refunds") { .roundedMoney($0.tally.amount, $0.key.currency) }.additive,
            ],
            rows: rows,
            // Without a period there are many rows. To close a month, one asks for that month.
            role: rules.period == nil ? .detail : .figures
        )
        .called("Late refunds").totalled()
    }

    /// An unknown month comes last.
    private static func rank(_ month: Int64) -> Int64 { month == GroupCode.unknown ? .max : month }
}
