import TillLedger
import TillReceipts
import TillRows
import TillStorage

/// Gives rows to a ledger and rejects to their file.
struct LedgerConsumer: AccountedConsumer {
    /// The ledger of what has been read so far; a class, since a ledger cannot be copied.
    final class State {
        private var ledger: SpillingLedger?
        private let jobs: Int
        /// The next rows, as the ledger takes them.
        var delta: LedgerDelta?

        init(_ ledger: consuming SpillingLedger, jobs: Int) {
            self.ledger = consume ledger
            self.jobs = jobs
        }

        func begin(documents: [[UInt8]]) { ledger?.ledger.begin(documents: documents) }

        func update(with rows: borrowing RowBatch, source: String, firstDocument: Int) throws {
            ledger?.ledger.update(
                with: rows,
                source: source,
                firstDocument: firstDocument,
                prepared: delta.take(),
                jobs: jobs
            )
            try ledger?.spillIfNeeded()
        }

        /// Shows the ledger as it is.
        func show(_ progress: ReadProgress, on watch: ReportWatch) {
            if let copy = ledger?.ledger.copied() { watch.draw(progress, copy) }
        }

        func takeLedger() -> SpillingLedger {
            ledger.take() ?? SpillingLedger(Ledger())
        }
    }

    let state: State
    let account: RunAccount
    /// The report on the terminal while the input is still coming, with --watch.
    var watch: ReportWatch?

    /// - Parameter jobs: the number of threads of the run.
    init(ledger: consuming SpillingLedger, account: RunAccount, jobs: Int) {
        state = State(ledger, jobs: jobs)
        self.account = account
    }

    func consume(_ traces: TracedChunk, rows: borrowing RowBatch) {
        var documents = Array(repeating: [UInt8](), count: (traces.traces.map(\.ordinal).max() ?? -1) + 1)
        for trace in traces.traces { documents[trace.ordinal] = trace.raw }
        state.begin(documents: documents)
    }

    func consume(_ delta: LedgerDelta) { state.delta = delta }

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        try state.update(with: rows, source: source, firstDocument: firstDocument)
        account.count(count, from: firstDocument, of: source)
    }

    func report(_ progress: ReadProgress) {
        account.update(progress)
        if let watch, watch.isDue(progress) { state.show(progress, on: watch) }
    }
}
