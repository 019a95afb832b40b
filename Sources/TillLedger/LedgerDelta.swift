import TillColumns
public import TillRows

/// The data of rows that a ledger keeps.
public struct LedgerSelection: Sendable {
    let environments: EnvironmentFilter
    let transactions: TransactionSelection
    /// `nil` if no events are counted.
    let events: EventSelection?
}

/// The rows of one batch on their way into a ledger, prepared by the worker that has read the batch.
public struct LedgerDelta: Sendable {
    var transactions: TransactionBatchDelta
    /// `nil` if no events are counted, or there are none.
    var events: EventBatchDelta?
    /// Documents by verdict.
    private(set) var trust = TrustTally()
    /// Rows of responses with a failure status.
    private(set) var withheld = 0
    /// The times of documents, where the ledger keeps them. Documents of environments that do not count are left
    /// out, because they do not show how recent the counted data are.
    private(set) var documents = DocumentTimes()

    /// Prepares the rows of a batch for a ledger.
    public init(of batch: borrowing RowBatch, _ selection: LedgerSelection) {
        let environments = selection.environments
        transactions = TransactionBatchDelta(of: batch, selection.transactions, environments, times: &documents)
        for row in 0..<batch.documents.rowCount {
            if let count = batch.documents[.withheld, row] { withheld += Int(count) }
            let verdict = batch.documents[.trust, row]
            trust.count(verdict)
            // A document without transactions also shows how recent the data are.
            if selection.transactions.needs.keepsDocumentTimes, verdict != Word.untrusted.cell,
                let observed = batch.documents[.observedAt, row],
                environments.counts(batch.documents[.environment, row])
            {
                documents.ofDocuments.append(observed)
            }
        }
        if batch.events.rowCount > 0 {
            events = selection.events.map { EventBatchDelta(of: batch, $0, environments) }
        }
    }
}
