import TillColumns
import TillCore
public import TillLedger
import TillPricing
public import TillReportModel

/// The transactions and documents behind a row of deferred revenue.
///
/// It lists every transaction that has a balance, a booking or earnings in the selected month or week, each with its
/// own movement; the totals are sums over the list, rounded once as the row is.
public struct DeferredExplanation: Sendable {
    private let selection: Selection
    private let others: Selection
    private let calendar: DeferralCalendar
    private let rules: LedgerRules
    /// The selected unit; ``GroupCode/unknown`` for bookings without a date, `nil` if no unit has the name.
    private let unit: Int64?

    private struct Entry: ExplainedTransaction {
        let transaction: SettledTransaction
        let identifier: String?
        let product: String?
        let days: Int?
        let figures: DeferredFigures
        var mentions: [RowSource] = []

        var currency: CurrencyCode? { transaction.price?.currency }
    }

    /// Whether a selection names the month or week that an explanation needs.
    public static func namesTime(_ selection: Selection) -> Bool {
        [GroupKey.month, .week].contains { selection.values[.group($0)] != nil }
    }

    /// Makes the report that explains `selection`.
    ///
    /// The ledger must have been made with ``LedgerNeeds/provenance``.
    public static func document(
        of selection: Selection,
        in ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument {
        let explanation = DeferredExplanation(selection, ledger.rules)
        let explained = try ExplainedTransactions(ledger, explanation.entry)
        var document = ReportDocument(
            name: Explanation.name,
            title: "Explanation",
            sections: [
                input.section(of: ledger), Preamble.settings(of: ledger), selection.section,
                Section(name: "transactions", title: "Transactions", columns: columns, rows: explained.entries),
                explained.mentions, totals(of: explained.entries),
            ],
            notes: [
                "Each transaction has its own movement in the selected \(explanation.calendar.unit.rawValue). Documents are "
                    + "counted from 1 in each source."
            ],
            clock: ledger.rules.calendar.clock
        )
        document.productNames = ledger.rules.productNames.byProductID
        return document
    }

    private init(_ selection: Selection, _ rules: LedgerRules) {
        self.selection = selection
        self.rules = rules
        others = selection.withoutTime
        let week = selection.values[.group(.week)]
        calendar = DeferralCalendar(rules.calendar, by: week == nil ? .month : .week, period: rules.period)
        let name = week ?? selection.values[.group(.month)]
        unit =
            switch name {
            case .some(.some(let name)): calendar.code(named: name)
            case .some(.none): GroupCode.unknown
            case .none: nil
            }
    }

    private func entry(_ transaction: SettledTransaction, _ part: borrowing SettledLedger) -> Entry? {
        guard let currency = transaction.price?.currency,
            let sale = DeferredSale(transaction, rules: rules, quantum: currency.quantum),
            let figures = figures(of: sale), others.includes(transaction, at: transaction.purchaseDate, part)
        else { return nil }
        var product: String?
        if let code = transaction.product { product = part.text(of: code) }
        return Entry(
            transaction: transaction,
            identifier: part.identifier(of: transaction.number),
            product: product,
            days: sale.service?.dayCount,
            figures: figures
        )
    }

    /// The movement of a sale in the selected unit; `nil` if it has none.
    private func figures(of sale: DeferredSale) -> DeferredFigures? {
        guard let unit else { return nil }
        var sum: DeferredFigures?
        func add(_ movement: DeferralCalendar.Movement) {
            guard movement.unit == unit, !movement.isScheduled else { return }
            var figures = sum ?? DeferredFigures()
            figures += movement.figures
            sum = figures
        }
        if sale.service == nil {
            calendar.visitUndated(sale, add)
        } else if let span = calendar.span(of: sale), span.contains(unit) {
            calendar.visit(sale, in: unit...unit, add)
        }
        return sum
    }

    private static let columns: [ReportColumn<Entry>] =
        [
            ReportColumn("transaction_id", "Transaction") { .text($0.identifier) },
            ReportColumn("product_id", "Product") { .text($0.product) },
            ReportColumn("purchase_date", "Purchased") { .instant($0.transaction.purchaseDate) },
            ReportColumn("expires_date", "Expires") { .instant($0.transaction.expiresDate) },
            ReportColumn("days", "Days") { entry in entry.days.map { .count($0) } ?? .absent },
            ReportColumn("refund_date", "Refunded") { .instant($0.transaction.refundDate) },
            ReportColumn("refund_reversed_at", "Reversed") { .instant($0.transaction.refundReversalDate) },
            ReportColumn("currency", "Currency") { .text($0.currency?.description) },
            ReportColumn("price", "Price") { entry in entry.transaction.price.map { .money($0) } ?? .absent },
        ]
        + DeferredRow.Measure.allCases.map { measure in
            ReportColumn(measure.rawValue, measure.title) { .money(measure.value(of: $0.figures), $0.currency) }
        }

    private static func totals(of entries: [Entry]) -> Section {
        var totals: [CurrencyCode: DeferredFigures] = [:]
        for entry in entries {
            if let currency = entry.currency { totals[currency, default: DeferredFigures()] += entry.figures }
        }
        let columns = DeferredRow.Measure.allCases.map { measure in
            ReportColumn<(key: CurrencyCode, value: DeferredFigures)>(measure.rawValue, measure.title) {
                .money(measure.value(of: $0.value), $0.key)
            }
        }
        return Section(
            name: "totals",
            title: "Totals",
            columns: [ReportColumn("currency", "Currency") { .text($0.key.description) }] + columns,
            rows: totals.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.rounded(in: $0.key)) }
        )
    }
}
