import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Sales and refunds by month, product and currency, or by any other keys.
///
/// A sale is booked at the date of its purchase, and a refund at its own date or that of its purchase, as the rules say. A
/// sale without a known price counts in units and in `unpriced_units`, and has no currency and no amount. The currency is
/// always a key, because amounts of two currencies cannot be added. Amounts are exact until a row is written; each is rounded then,
/// once, and totals add up the rows.
public struct RevenueReport: Report {
    public static let name = "revenue"
    public static let title = "Revenue"
    public static let summary = "Sales, refunds and net by month, product and currency"
    public static let groupKeys = GroupKey.allCases

    private let rules: LedgerRules
    private var figures: GroupTable<RevenueFigures>
    /// The figures of the whole input, where the report compares months with earlier ones.
    private var history: GroupTable<RevenueFigures>?
    private var converted: ConvertedRevenue?
    private var proceeds: ProceedsEstimate?
    private var adjustments: Adjustments
    /// Sales that have no date, and so lie in no period.
    private var undated = 0

    public init(_ rules: LedgerRules) {
        self.rules = rules
        let keys = Self.keys(rules)
        figures = GroupTable(by: keys, in: rules.calendar, empty: RevenueFigures())
        if rules.comparison?.months != nil { history = figures }
        converted = rules.conversion.map { ConvertedRevenue($0, rules) }
        if rules.estimatesProceeds { proceeds = ProceedsEstimate(rules) }
        adjustments = Adjustments(rules)
    }

    /// The keys of the rows: those of the rules and the currency, or the usual ones.
    public static func keys(_ rules: LedgerRules) -> [GroupKey] {
        guard let keys = rules.keys, !keys.isEmpty else {
            return [GroupKey(rules.calendar.kind.period), .productID, .currency]
        }
        return keys.contains(.currency) ? keys : keys + [.currency]
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard transaction.isSale else { return }
        let amount = transaction.price?.millionths ?? 0
        let sale = RevenueFigures(
            transactions: 1,
            units: transaction.units,
            gross: amount,
            unpricedUnits: transaction.price == nil ? transaction.units : 0
        )
        if rules.includesPurchase(of: transaction) { book(sale, of: transaction, at: transaction.purchaseDate) }
        if rules.period != nil, transaction.purchaseDate == nil { undated += 1 }
        if let group = history?.group(of: transaction, at: transaction.purchaseDate) { history?[group] += sale }
        if transaction.refundDate != nil { bookRefund(of: transaction) }
    }

    private mutating func bookRefund(of transaction: SettledTransaction) {
        let amount = transaction.refundAmount?.millionths ?? 0
        for entry in rules.refundEntries(of: transaction) {
            let refund = RevenueFigures(
                refundedTransactions: entry.sign,
                refundedUnits: transaction.units * entry.sign,
                refunds: amount * Int128(entry.sign)
            )
            if rules.includes(entry) { book(refund, of: transaction, at: entry.date) }
            if let group = history?.group(of: transaction, at: entry.date) { history?[group] += refund }
        }
        for entry in rules.lateRefundEntries(of: transaction) { adjustments.count(entry, of: transaction) }
    }

    private mutating func book(_ booked: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) {
        let group = figures.group(of: transaction, at: date)
        figures[group] += booked
        guard booked.gross != 0 || booked.refunds != 0 else { return }
        converted?.book(booked, of: transaction, at: date, in: group)
        proceeds?.book(booked.net, fees: transaction.fees, in: group)
    }

    /// The rows with estimated tax and commission, in their own currencies.
    func estimatedRows(_ ledger: borrowing SettledLedger) throws(LedgerError) -> [RevenueRow] {
        var rows = Array(plainRows(ledger))
        try proceeds?.settle(&rows, rules.rounding)
        return rows
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        var plain = plainRows(ledger)
        plain.roundsAmounts = true
        // Without conversion and proceeds, rows are made when they are read: there may be a million of them.
        guard converted != nil || proceeds != nil else { return findings(of: plain, nil, ledger) }
        var rows = Array(plain)
        let conversion = try converted?.settle(&rows)
        try proceeds?.settle(&rows, rules.rounding)
        return findings(of: rows, conversion, ledger)
    }

    /// The rows in the order of their keys, without conversion and proceeds.
    func plainRows(_ ledger: borrowing SettledLedger) -> PlainRevenueRows {
        PlainRevenueRows(
            groups: figures.sorted(ledger),
            figures: figures.values,
            currencyIndex: figures.keys.firstIndex(of: .currency) ?? 0
        )
    }

    private func findings(
        of rows: some Collection<RevenueRow> & Sendable,
        _ conversion: ConvertedRevenue.Outcome?,
        _ ledger: borrowing SettledLedger
    ) -> Findings {
        let keys = figures.keys
        let totals = RevenueRow.totals(of: rows)
        let base = rules.conversion?.base
        let columns = RevenueRow.columns(base: base, isEstimated: proceeds != nil)
        var time = CoveredTime()
        if let index = keys.timeIndex {
            for row in rows { time.include(row.group.cell(at: index, by: keys[index])) }
        }
        let adjustments = adjustments.section(ledger, &time)
        let comparison = rules.comparison.map {
            RevenueComparison($0, keys: keys, rows: rows, totals: totals, history: history, ledger, &time)
        }
        let sections = [
            Section(
                name: "revenue",
                title: "By " + keys.titleList,
                columns: GroupKey.columns(keys) { $0.group } + columns,
                rows: rows,
                charts: RevenueCharts(keys: keys, base: base).charts(of: rows)
            ),
            Section(
                name: "totals",
                title: "Totals",
                columns: GroupKey.columns([.currency]) { $0.group } + columns,
                rows: totals
            ),
        ]
        let unpriced = totals.reduce(0) { $0 + $1.figures.unpricedUnits }
        return Findings(
            sections: sections + (conversion?.sections ?? []) + [adjustments] + (comparison?.sections ?? []),
            notes: notes(unpriced: unpriced) + (conversion?.notes ?? []) + (proceeds?.notes ?? [])
                + (comparison?.notes ?? []),
            time: time
        )
    }

    private func notes(unpriced: Int64) -> [String] {
        let part = rules.calendar.kind.period.rawValue
        let dating =
            switch rules.refundDating {
            case .refund: "Refunds are booked in the \(part) in which they were made; closed \(part)s stay closed."
            case .purchase: "Refunds are booked in the \(part) of their purchase; past \(part)s can change."
            }
        var notes = [dating]
        if undated > 0 {
            notes.append("Sales without a date: \(undated). They are in no period and not in this report.")
        }
        if unpriced > 0 {
            notes.append(
                "Units without a known price: \(unpriced). They are in no amount; a price list (--prices) gives them one."
            )
        }
        return notes
    }
}
