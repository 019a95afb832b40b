import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Sales and refunds by month, product and currency, or by any other keys.
///
/// A sale is dated by its purchase; a refund by itself or by the purchase, as the rules say. A sale without a known
/// price counts in units and in `unpriced_units`, and has no currency and no amount. The currency is always a key:
/// amounts of two currencies never add up.
public struct RevenueReport: Report {
    public static let name = "revenue"
    public static let title = "Revenue"
    public static let summary = "Sales, refunds and net by month, product and currency"
    public static let groupKeys = GroupKey.allCases

    private let rules: LedgerRules
    private var figures: GroupTable<RevenueFigures>
    /// The same of all time, where months are set against earlier ones.
    private var history: GroupTable<RevenueFigures>?
    private var converted: ConvertedRevenue?
    private var proceeds: ProceedsEstimate?
    private var adjustments: Adjustments
    /// Sales and refunds that have no date, and so are in no period.
    private var undated = 0

    public init(_ rules: LedgerRules) {
        self.rules = rules
        let keys = Self.keys(rules)
        figures = GroupTable(by: keys, in: rules.calendar, empty: RevenueFigures())
        if rules.comparison?.months != nil { history = figures }
        converted = rules.conversion.map { ConvertedRevenue($0, rules) }
        if rules.estimatesProceeds { proceeds = ProceedsEstimate() }
        adjustments = Adjustments(rules)
    }

    /// The keys asked for, with the currency where it is missing.
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
        if transaction.refundDate != nil { bookRefund(of: transaction, amount) }
    }

    private mutating func bookRefund(of transaction: SettledTransaction, _ amount: Int128) {
        for entry in rules.refundEntries(of: transaction) {
            let refund = RevenueFigures(refundedTransactions: entry.sign, refunds: amount * Int128(entry.sign))
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

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let currencyKey = figures.keys.firstIndex(of: .currency) ?? 0
        let plain = figures.sorted(ledger).lazy.map { [figures] group in
            RevenueRow(group: group, currency: group.code(at: currencyKey), figures: figures[group.number])
        }
        // Rows to which nothing is added are made when they are told: there may be a million of them.
        guard converted != nil || proceeds != nil else { return findings(of: plain, nil, ledger) }
        var rows = Array(plain)
        let conversion = try converted?.settle(&rows)
        try proceeds?.settle(&rows, rules.rounding)
        return findings(of: rows, conversion, ledger)
    }

    private func findings(
        of rows: some Collection<RevenueRow>,
        _ conversion: ConvertedRevenue.Outcome?,
        _ ledger: borrowing SettledLedger
    ) -> Findings {
        let keys = figures.keys
        let totals = RevenueRow.totals(of: rows)
        let layout = RevenueRow.Layout(conversion: rules.conversion, isEstimated: proceeds != nil)
        let columns = RevenueRow.columns(layout)

        var sections = [
            Section(
                name: "revenue",
                title: "By " + Self.list(keys.map { $0.title.lowercased() }),
                columns: keys.map(\.column) + columns,
                content: .table(rows.lazy.map { $0.group.cells(by: keys) + $0.cells(layout) })
            ),
            Section(
                name: "totals",
                title: "Totals",
                columns: [GroupKey.currency.column] + columns,
                content: .table(totals.map { $0.group.cells(by: [.currency]) + $0.cells(layout) })
            ),
        ]
        sections[0].drawing = { [section = sections[0]] in Self.charts(of: section) }
        sections += conversion?.sections ?? []
        sections.append(adjustments.section(ledger))
        let comparison = rules.comparison.map {
            RevenueComparison($0, keys: keys, rows: rows, totals: totals, history: history, ledger)
        }
        sections += comparison?.sections ?? []
        let unpriced = totals.reduce(0) { $0 + $1.figures.unpricedUnits }
        return Findings(
            sections: sections,
            notes: notes(unpriced: unpriced) + (conversion?.notes ?? []) + (proceeds?.notes ?? [])
                + (comparison?.notes ?? [])
        )
    }

    /// `month, product and currency`
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
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

    static func text(_ text: String?) -> Cell { text.map(Cell.text) ?? .absent }
}
