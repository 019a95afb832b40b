import TillColumns
import TillCore
public import TillLedger
public import TillReportModel

/// The transactions and documents behind a figure of the revenue report.
///
/// Every transaction that is part of the figure is listed with what it adds, and every document that mentions it; the
/// totals are the sums of what is listed. With an id in the selection, what is booked nowhere is listed too.
public struct Explanation: Sendable {
    public static let name = "explanation"

    private let selection: Selection

    /// A transaction that is part of the figure, with all that is told of it: its part of the ledger is gone then.
    private struct Entry {
        var transaction: SettledTransaction
        var isSale: Bool
        /// The refund and its reversal, as far as they are chosen.
        var refunds: [LedgerRules.RefundEntry]
        /// Refunds less reversals.
        var refundCount: Int64 { refunds.reduce(0) { $0 + $1.sign } }
        var identifier: String?
        var original: String?
        var product: String?
        var priceSource: PriceSource
        var hasConflict: Bool
        /// In the order of the input.
        var mentions: [Mention] = []
    }

    private struct Totals {
        var transactions: Int64 = 0
        var units: Int64 = 0
        var gross: Int128 = 0
        var refunded: Int64 = 0
        var refunds: Int128 = 0
        var unpricedUnits: Int64 = 0
    }

    /// Makes the report that explains what `selection` selects.
    ///
    /// The ledger must have been made with ``LedgerNeeds/evidence``.
    public static func document(
        of selection: Selection,
        in ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument {
        let explanation = Explanation(selection: selection)
        let entries = try explanation.entries(ledger)
        return ReportDocument(
            name: name,
            title: "Explanation",
            sections: [
                input.section(of: ledger), ReportRegistry.settings(of: ledger), explanation.chosen(),
                table(of: entries), mentions(of: entries), totals(of: entries),
            ],
            notes: [
                "gross and refunds are what a transaction adds to the figure; a sale and its refund can be booked in "
                    + "different months. Documents are counted from 1 in each source."
            ],
            clock: ledger.rules.calendar.clock
        )
    }

    private init(selection: Selection) {
        self.selection = selection
    }

    private var namesTransactions: Bool {
        selection.values[.transactionID] != nil || selection.values[.originalTransactionID] != nil
    }

    /// What is chosen, sorted by id; of rows that share one, those come first that the input tells of first.
    private func entries(_ ledger: borrowing SettledLedger) throws -> [Entry] {
        var entries: [Entry] = []
        var census = TransactionCensus()
        try ledger.forEachPart { part in
            let first = entries.count
            census = try part.forEachTransaction(after: census) { transaction in
                if let entry = entry(transaction, part) { entries.append(entry) }
            }
            let places = Dictionary(
                entries[first...].enumerated().map { ($1.transaction.number, first + $0) },
                uniquingKeysWith: { first, _ in first }
            )
            for mention in part.mentions(of: Set(places.keys)) {
                if let place = places[mention.transaction] { entries[place].mentions.append(mention) }
            }
        }
        return entries.sorted { left, right in
            if left.identifier != right.identifier { return Self.precedes(left.identifier, right.identifier) }
            guard let mine = left.mentions.first else { return false }
            return right.mentions.first.map { mine.precedes($0) } ?? true
        }
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

    /// By length, then by text; rows without an id come last.
    private static func precedes(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left != nil }
        return Identifier.precedes(left, right)
    }

    private func chosen() -> Section {
        let keys = Selection.Key.all.filter { selection.values[$0] != nil }
        return Section(
            name: "selection",
            title: "Selection",
            columns: keys.map { Column($0.name, $0.name) },
            content: .record(keys.map { RevenueReport.text(selection.values[$0] ?? nil) })
        )
    }

    private static func table(of entries: [Entry]) -> Section {
        var rows: [[Cell]] = []
        for entry in entries {
            let transaction = entry.transaction
            func amount(if isBooked: Bool, times count: Int64 = 1) -> Cell {
                guard isBooked, let price = transaction.price else { return .absent }
                return .money(Money(millionths: price.millionths * Int128(count), currency: price.currency))
            }
            rows.append([
                RevenueReport.text(entry.identifier), RevenueReport.text(entry.original),
                .text(Self.word(transaction)), RevenueReport.text(entry.product),
                transaction.purchaseDate.map(Cell.instant) ?? .absent, .count(transaction.units),
                RevenueReport.text(transaction.price?.currency.description),
                .text(entry.priceSource.rawValue), amount(if: entry.isSale),
                transaction.refundDate.map(Cell.instant) ?? .absent,
                transaction.refundReversalDate.map(Cell.instant) ?? .absent,
                amount(if: !entry.refunds.isEmpty, times: entry.refundCount),
                .text(entry.hasConflict ? "yes" : "no"),
            ])
        }
        return Section(
            name: "transactions",
            title: "Transactions",
            columns: [
                Column("transaction_id", "Transaction"), Column("original_transaction_id", "Original"),
                Column("kind", "Kind"), Column("product_id", "Product"), Column("purchase_date", "Purchased"),
                Column("units", "Units"), Column("currency", "Currency"), Column("price_source", "Price from"),
                Column("gross", "Gross"), Column("refund_date", "Refunded"), Column("refund_reversed_at", "Reversed"),
                Column("refunds", "Refunds"), Column("conflict", "Conflict"),
            ],
            content: .table(rows)
        )
    }

    private static func word(_ transaction: SettledTransaction) -> String {
        if transaction.isFamilyShared { return "family_shared" }
        return switch transaction.kind {
        case .purchase: "purchase"
        case .renewal: "renewal"
        case .restore: "restore"
        }
    }

    private static func mentions(of entries: [Entry]) -> Section {
        var rows: [[Cell]] = []
        for entry in entries {
            for mention in entry.mentions {
                rows.append([
                    RevenueReport.text(entry.identifier), .text(mention.source), .count(mention.document),
                    .count(mention.row),
                ])
            }
        }
        return Section(
            name: "documents",
            title: "Documents that mention them",
            columns: [
                Column("transaction_id", "Transaction"), Column("source", "Source"), Column("document", "Document"),
                Column("row", "Row"),
            ],
            content: .table(rows)
        )
    }

    private static func totals(of entries: [Entry]) -> Section {
        var totals: [CurrencyCode?: Totals] = [:]
        for entry in entries where entry.isSale || !entry.refunds.isEmpty {
            let transaction = entry.transaction
            let amount = transaction.price?.millionths ?? 0
            var total = totals[transaction.price?.currency] ?? Totals()
            if entry.isSale {
                total.transactions += 1
                total.units += transaction.units
                total.gross += amount
                if transaction.price == nil { total.unpricedUnits += transaction.units }
            }
            total.refunded += entry.refundCount
            total.refunds += amount * Int128(entry.refundCount)
            totals[transaction.price?.currency] = total
        }
        let sorted = totals.sorted { Order.precedes($0.key?.description, $1.key?.description) }
        return Section(
            name: "totals",
            title: "Totals",
            columns: [
                Column("currency", "Currency"), Column("transactions", "Transactions"), Column("units", "Units"),
                Column("gross", "Gross"), Column("refunded_transactions", "Refunded"), Column("refunds", "Refunds"),
                Column("net", "Net"), Column("unpriced_units", "Unpriced units"),
            ],
            content: .table(
                sorted.map { currency, total in
                    func money(_ millionths: Int128) -> Cell {
                        currency.map { .money(Money(millionths: millionths, currency: $0)) } ?? .absent
                    }
                    return [
                        RevenueReport.text(currency?.description), .count(total.transactions), .count(total.units),
                        money(total.gross), .count(total.refunded), money(total.refunds),
                        money(total.gross - total.refunds), .count(total.unpricedUnits),
                    ]
                }
            )
        )
    }
}
