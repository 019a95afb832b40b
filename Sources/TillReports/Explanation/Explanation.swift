import TillCore
public import TillLedger
import TillPricing
public import TillReportModel

/// The transactions and documents behind a figure of the revenue report.
///
/// It lists every transaction that is part of the figure with the amounts that it adds, and every document that
/// mentions the transaction. The totals are sums over the list. A selection by id also lists transactions that are
/// booked nowhere.
public struct Explanation: Sendable {
    /// The name of every explanation in JSON, whatever report it explains. No report has this name.
    public static let name = "explanation"

    private let selection: Selection

    /// A transaction that is part of the figure.
    private struct Entry: ExplainedTransaction {
        var transaction: SettledTransaction
        var isSale: Bool
        /// The refund and its reversal, as far as they are selected.
        var refunds: [LedgerRules.RefundEntry]
        /// Refunds less reversals.
        var refundCount: Int64 { refunds.reduce(0) { $0 + $1.sign } }

        /// Refunds less reversals, in millionths.
        var refundAmount: Int128 { (transaction.refundAmount?.millionths ?? 0) * Int128(refundCount) }

        var identifier: String?
        var original: String?
        var product: String?
        var priceSource: PriceSource
        var hasConflict: Bool
        var mentions: [RowSource] = []
    }

    /// Makes the report that explains `selection`.
    ///
    /// The ledger must have been made with ``LedgerNeeds/provenance``.
    public static func document(
        of selection: Selection,
        in ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument {
        let explanation = Explanation(selection: selection)
        let explained = try ExplainedTransactions(ledger, explanation.entry)
        var document = ReportDocument(
            name: name,
            title: "Explanation",
            sections: [
                input.section(of: ledger), Preamble.settings(of: ledger), selection.section,
                Section(
                    name: "transactions",
                    title: "Transactions",
                    columns: transactionColumns + (ledger.rules.knowsCommission ? [commissionColumn] : []),
                    rows: explained.entries
                ),
                explained.mentions, totals(of: explained.entries, ledger.rules),
            ],
            notes: [
                "gross and refunds are what a transaction adds to the figure; a sale and its refund can be booked in "
                    + "different months. Documents are counted from 1 in each source."
            ],
            clock: ledger.rules.calendar.clock
        )
        document.productNames = ledger.rules.productNames.byProductID
        return document
    }

    private init(selection: Selection) {
        self.selection = selection
    }

    private var namesTransactions: Bool {
        selection.values[.transactionID] != nil || selection.values[.originalTransactionID] != nil
    }

    private func entry(_ transaction: SettledTransaction, _ part: borrowing SettledLedger) -> Entry? {
        let rules = part.rules
        let isSold =
            rules.includesPurchase(of: transaction)
            && selection.includes(transaction, at: transaction.purchaseDate, part)
        let refunds = rules.refundEntries(of: transaction).filter { entry in
            rules.includes(entry) && selection.includes(transaction, at: entry.date, part)
        }
        guard isSold || !refunds.isEmpty, transaction.isSale || namesTransactions else { return nil }
        let number = transaction.number
        var product: String?
        if let code = transaction.product { product = part.text(of: code) }
        return Entry(
            transaction: transaction,
            isSale: isSold && transaction.isSale,
            refunds: transaction.isSale ? refunds : [],
            identifier: part.identifier(of: number),
            original: part.originalIdentifier(of: number),
            product: product,
            priceSource: part.priceSource(of: transaction),
            hasConflict: part.hasConflict(number)
        )
    }

    private static let transactionColumns: [ReportColumn<Entry>] = [
        ReportColumn("transaction_id", "Transaction") { .text($0.identifier) },
        ReportColumn("original_transaction_id", "Original") { .text($0.original) },
        ReportColumn("kind", "Kind") { .text(word($0.transaction)) },
        ReportColumn("product_id", "Product", isMain: true) { .text($0.product) },
        ReportColumn("purchase_date", "Purchased", isMain: true) { .instant($0.transaction.purchaseDate) },
        ReportColumn("units", "Units") { .count($0.transaction.units) },
        ReportColumn("currency", "Currency", isMain: true) { .text($0.transaction.price?.currency.description) },
        ReportColumn("price_source", "Price from") { .text($0.priceSource.rawValue) },
        ReportColumn("gross", "Sales before refunds", isMain: true) {
            $0.isSale ? $0.transaction.price.map { .money($0) } ?? .absent : .absent
        },
        ReportColumn("refund_date", "Refunded") { .instant($0.transaction.refundDate) },
        ReportColumn("refund_share", "Share") { entry in
            entry.transaction.refundPercentage.map { .ratio($0, of: Money.wholeShare) } ?? .absent
        },
        ReportColumn("refund_reversed_at", "Reversed") { .instant($0.transaction.refundReversalDate) },
        ReportColumn("refunds", "Refunds", isMain: true) { entry in
            entry.refunds.isEmpty ? .absent : .money(entry.refundAmount, entry.transaction.price?.currency)
        },
        ReportColumn("conflict", "Conflict") { .text($0.hasConflict ? "yes" : "no") },
    ]

    private static let commissionColumn = ReportColumn<Entry>("estimated_commission_rate", "Commission (est.)") {
        entry in
        entry.transaction.fees.commission.map { .decimal(millionths: $0) } ?? .absent
    }

    private static func word(_ transaction: SettledTransaction) -> String {
        if transaction.isFamilyShared { return "family_shared" }
        if transaction.isSale, transaction.saleKind == .trial { return "trial" }
        return switch transaction.kind {
        case .purchase: "purchase"
        case .renewal: "renewal"
        case .restore: "restore"
        }
    }

    private static func totals(of entries: [Entry], _ rules: LedgerRules) -> Section {
        var totals = Cube(RevenueField.self, by: [.currency])
        for entry in entries {
            let sale = entry.transaction
            let bookings =
                (entry.isSale ? [RevenueValues(saleOf: sale, rules)] : [])
                + entry.refunds.map { RevenueValues(refundOf: sale, $0, rules) }
            for booking in bookings {
                let code = booking.currency.map { Int64($0.packed) } ?? GroupCode.unknown
                let group = totals.group(code: { _ in code }, name: { _ in booking.currency?.description })
                totals.add(booking, to: group)
            }
        }
        let cube = totals.sorted(by: .key(.currency)).rounded
        return RevenueMeasure.programView(of: cube, rules).section("totals", "Totals")
    }
}
