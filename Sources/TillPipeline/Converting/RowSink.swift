import TillColumns
import TillRows

/// Writes rows, in the order of the calls.
protocol RowSink: AnyObject {
    func consume(_ rows: borrowing RowBatch) throws
    /// Writes the remaining rows and gives the output its name. Without this call, no output remains.
    func finish() throws
}

/// Gives rows to a sink and rejects to their file.
struct ConvertConsumer: AccountedConsumer {
    let sink: any RowSink
    let account: RunAccount
    /// Rows that were written, by table.
    private(set) var counts: [TableName: Int] = [:]

    init(sink: any RowSink, account: RunAccount) {
        (self.sink, self.account) = (sink, account)
    }

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        try sink.consume(rows)
        counts[.transactions, default: 0] += rows.transactions.rowCount
        counts[.documents, default: 0] += rows.documents.rowCount
        counts[.events, default: 0] += rows.events.rowCount
        counts[.renewals, default: 0] += rows.renewals.rowCount
        account.count(count, from: firstDocument, of: source)
    }
}
