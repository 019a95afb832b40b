import TillLedger
import TillRender
import TillRows

/// Gives rows to a ledger and rejects to their file.
struct LedgerConsumer: DocumentConsumer {
    /// What it has come to so far; a class, since a ledger cannot be copied.
    final class State {
        private var ledger: Ledger?
        private var rejectFile: OutputFile?
        var summary = RejectSummary()
        /// Documents of each source; of one that is read twice, both times.
        private(set) var documents: [String: Int] = [:]
        private var documentsBefore: [String: Int] = [:]
        let progress: ProgressLine
        let rejects: ReportRun.RejectOptions

        init(ledger: consuming Ledger, rejects: ReportRun.RejectOptions, progress: ProgressLine) throws(RunError) {
            self.ledger = consume ledger
            self.rejects = rejects
            self.progress = progress
            if let path = rejects.path { rejectFile = try OutputFile(path, isPrivate: true) }
        }

        func update(with rows: borrowing RowBatch, source: String, firstDocument: Int) {
            ledger?.update(with: rows, source: source, firstDocument: firstDocument)
        }

        func count(_ count: Int, from firstDocument: Int, of source: String) {
            if firstDocument == 1 { documentsBefore[source] = documents[source] }
            documents[source] = (documentsBefore[source] ?? 0) + firstDocument - 1 + count
        }

        func write(_ reject: Reject) throws(RunError) {
            summary.count(reject)
            guard rejectFile != nil else { return }
            try RejectLine.write(reject, withRaw: rejects.keepsRaw) { piece throws(RunError) in
                try rejectFile?.write(piece)
            }
        }

        func takeLedger() -> Ledger {
            ledger.take() ?? Ledger()
        }

        func finishRejects() throws(RunError) {
            if let file = rejectFile.take() { try file.finish() }
        }
    }

    let state: State

    init(ledger: consuming Ledger, rejects: ReportRun.RejectOptions, progress: ProgressLine) throws(RunError) {
        state = try State(ledger: ledger, rejects: rejects, progress: progress)
    }

    func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) {
        state.update(with: rows, source: source, firstDocument: firstDocument)
        state.count(count, from: firstDocument, of: source)
    }

    func consume(_ reject: Reject) throws {
        try state.write(reject)
    }

    func consume(_ warning: Warning) {
        if !state.rejects.isQuiet { Output.writeError("\(warning.source): \(warning.text)".madeVisible) }
    }

    func report(_ progress: ReadProgress) {
        state.progress.update(progress)
    }
}
