import TillColumns
import TillInput
import TillReceipts
import TillRows
import TillSubmit

/// Sends the receipts among documents, and writes their outcomes in input order.
struct SubmitConsumer: DocumentConsumer {
    /// Thrown when the reader of the output has gone.
    struct OutputClosed: Error {}

    let sender: OrderedSender
    private let account: RunAccount
    /// The entries of the current chunk so far.
    private var entries: [OrderedSender.Entry] = []

    init(_ sender: OrderedSender, account: RunAccount) {
        (self.sender, self.account) = (sender, account)
    }

    mutating func consume(_ chunk: TracedChunk, rows: borrowing RowBatch) throws {
        try sender.check()
        entries += Submission.all(of: chunk, rows).map { .receipt($0) }
    }

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        account.count(count, from: firstDocument, of: source)
    }

    mutating func consume(_ reject: Reject) throws { entries.append(.reject(reject)) }
    mutating func consume(_ warning: Warning) { account.warn(warning) }

    mutating func report(_ progress: ReadProgress) {
        sendEntries()
        account.update(progress)
    }

    /// Sends what is left, and waits for all answers.
    mutating func finish() throws {
        sendEntries()
        try sender.finish()
    }

    /// Rejects come after the receipts of their chunk, and are written between them.
    private mutating func sendEntries() {
        sender.enter(entries.sorted { $0.number < $1.number })
        entries.removeAll(keepingCapacity: true)
    }
}

/// Takes the receipts of documents out of the answers that are held.
struct HeldConsumer: AccountedConsumer {
    private(set) var held: HeldAnswers
    let account: RunAccount

    init(_ held: HeldAnswers, account: RunAccount) { (self.held, self.account) = (held, account) }

    mutating func consume(_ chunk: TracedChunk, rows: borrowing RowBatch) throws {
        for submission in Submission.all(of: chunk, rows) { _ = held.take(submission.receipt) }
    }

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {}
}
