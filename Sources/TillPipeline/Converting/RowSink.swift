import TillColumns
import TillRows

/// Writes rows, in the order of the calls.
protocol RowSink: AnyObject {
    func consume(_ rows: borrowing RowBatch) throws
    /// The same for the rows from some row on, in each table.
    func consume(_ rows: borrowing RowBatch, from first: FirstRows) throws
    /// The rows that follow are from the next source.
    func endSource() throws
    /// Writes the remaining rows and gives the output its name. Without this call, no output remains.
    func finish() throws
}

extension RowSink {
    func consume(_ rows: borrowing RowBatch, from first: FirstRows) throws { try consume(rows) }
    func endSource() throws {}
}

/// The first row of each table of a batch that is written.
struct FirstRows {
    private(set) var transactions = 0
    private(set) var documents = 0
    private(set) var events = 0
    private(set) var renewals = 0

    init() {}

    /// Leaves out the rows of the first `known` documents of the source.
    init(_ rows: borrowing RowBatch, after known: Int) {
        transactions = Self.first(rows.transactions, .document, known)
        documents = Self.first(rows.documents, .document, known)
        events = Self.first(rows.events, .document, known)
        renewals = Self.first(rows.renewals, .document, known)
    }

    private static func first<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        _ document: Column,
        _ known: Int
    ) -> Int {
        var row = 0
        while row < batch.rowCount, batch[document, row] ?? 0 <= known { row += 1 }
        return row
    }
}

/// Gives rows to a sink and rejects to their file.
struct ConvertConsumer: AccountedConsumer {
    let sink: any RowSink
    let account: RunAccount
    /// Rows that were written, by table.
    private(set) var counts: [TableName: Int] = [:]
    /// How many documents at the beginning of each source are not written, because the folder has them.
    let known: [Int]
    /// Settled documents of each source that has ended.
    private(set) var settled: [Int] = []

    init(sink: any RowSink, account: RunAccount, known: [Int] = []) {
        (self.sink, self.account, self.known) = (sink, account, known)
    }

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        let known = settled.count < self.known.count ? self.known[settled.count] : 0
        let first = firstDocument <= known ? FirstRows(rows, after: known) : FirstRows()
        try sink.consume(rows, from: first)
        counts[.transactions, default: 0] += rows.transactions.rowCount - first.transactions
        counts[.documents, default: 0] += rows.documents.rowCount - first.documents
        counts[.events, default: 0] += rows.events.rowCount - first.events
        counts[.renewals, default: 0] += rows.renewals.rowCount - first.renewals
        account.count(count, from: firstDocument, of: source)
    }

    mutating func endSource(_ number: Int, settled documents: Int) throws {
        settled.append(documents)
        try sink.endSource()
    }
}
