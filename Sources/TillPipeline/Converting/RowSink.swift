import TillRows

/// Writes rows down, in the order in which they come.
protocol RowSink: AnyObject {
    func consume(_ rows: borrowing RowBatch) throws
    /// Writes what is left and gives the output its name. Without it nothing is left behind.
    func finish() throws
}

/// Gives rows to a sink and rejects to their file.
struct ConvertConsumer: AccountedConsumer {
    let sink: any RowSink
    let account: RunAccount

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        try sink.consume(rows)
        account.count(count, from: firstDocument, of: source)
    }
}
