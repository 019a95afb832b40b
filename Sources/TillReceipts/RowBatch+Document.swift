import TillColumns
import TillRows

/// The cells of a document that every format sets; absent if the document does not have the value.
struct DocumentFacts {
    var kind: Word
    var trust: TrustVerdict
    var environment: Int64?
    var bundleID: Int64?
    var appVersion: Int64?
    var receiptType: Int64?
    var observedAt: Int64?
}

extension RowBatch {
    /// Whether the document since `mark` has purchases of a response and no status: it may be a piece of a response.
    func mayBePiece(from mark: Mark) -> Bool {
        let row = mark.documents
        return row < documents.rowCount && documents[.kind, row] == Word.verify.cell
            && documents[.status, row] == nil && documents[.transactions, row] ?? 0 > 0
    }

    /// Appends the row of a document whose transactions began at `mark`; `adding` sets what only its format knows.
    mutating func appendDocument(
        _ facts: DocumentFacts,
        from mark: Mark,
        withheld: Int = 0,
        adding: (inout RecordBatch<DocumentColumn>) -> Void = { _ in }
    ) {
        documents.beginRow()
        documents.set(.kind, facts.kind.cell)
        documents.set(.trust, facts.trust.trust.cell)
        if let code = facts.trust.code {
            documents.set(.trustCode, Int64(dictionary.code(for: code.rawValue)))
        }
        documents.set(.environment, facts.environment)
        documents.set(.bundleID, facts.bundleID)
        documents.set(.appVersion, facts.appVersion)
        documents.set(.receiptType, facts.receiptType)
        documents.set(.observedAt, facts.observedAt)
        documents.set(.transactions, Int64(transactions.rowCount - mark.transactions + skippedCount(since: mark)))
        documents.set(.withheld, Int64(withheld))
        adding(&documents)
        documents.endRow()
        setSigner(facts.trust.signer, row: documents.rowCount - 1)
    }
}
