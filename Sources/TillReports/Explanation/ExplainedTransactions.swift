import TillColumns
import TillCore
import TillLedger
import TillReportModel

/// A transaction of an explanation. It holds all texts that are shown, because its part of the ledger is no longer in
/// memory when the sections are made.
protocol ExplainedTransaction: Sendable {
    var transaction: SettledTransaction { get }
    var identifier: String? { get }
    /// The documents that mention it, in the order of the input.
    var mentions: [RowSource] { get set }
}

/// The transactions of an explanation with the documents that mention them.
///
/// They are sorted by id, those with the same id by their first mention in the input, and those without an id come
/// last.
struct ExplainedTransactions<Entry: ExplainedTransaction> {
    let entries: [Entry]

    /// - Parameter entry: makes the entry of a transaction that is explained.
    init(
        _ ledger: borrowing SettledLedger,
        _ entry: (SettledTransaction, borrowing SettledLedger) -> Entry?
    ) throws {
        var entries: [Entry] = []
        var counts = CoverageCounts()
        try ledger.forEachPartition { part in
            let first = entries.count
            counts = try part.forEachTransaction(after: counts) { transaction in
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
        self.entries = entries.sorted(by: Self.precedes)
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        if left.identifier != right.identifier {
            guard let mine = left.identifier, let other = right.identifier else { return left.identifier != nil }
            return Identifier.precedes(mine, other)
        }
        guard let mine = left.mentions.first else { return false }
        return right.mentions.first.map { mine.precedes($0) } ?? true
    }

    var mentions: Section {
        Section(
            name: "documents",
            title: "Documents that mention them",
            columns: [
                ReportColumn("transaction_id", "Transaction") { .text($0.identifier) },
                ReportColumn("source", "Source") { .text($0.mention.source) },
                ReportColumn("document", "Document") { .code($0.mention.document) },
                ReportColumn("row", "Row") { .code($0.mention.row) },
            ],
            rows: entries.lazy.flatMap { entry in
                entry.mentions.lazy.map { (identifier: entry.identifier, mention: $0) }
            }
        )
        .called("Documents")
    }
}

extension Selection {
    /// The selection as a section of an explanation.
    var section: Section {
        let keys = Key.all.filter { values[$0] != nil }
        return Section(
            name: "selection",
            title: "Selection",
            columns: keys.map { key in ReportColumn(key.name, key.name) { .text($0.values[key] ?? nil) } },
            record: self
        )
    }
}
