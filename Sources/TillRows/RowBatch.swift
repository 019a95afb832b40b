public import TillColumns

/// Rows of the four tables that one stretch of input gave, and the texts that they share.
///
/// A format appends to it document by document: ``mark()``, rows, ``endDocument(from:ordinal:)``. What a document that
/// turns out to be broken has appended is taken back as a whole by ``rollBack(to:)``.
public struct RowBatch: ~Copyable, Sendable {
    public var transactions = RecordBatch<TransactionColumn>()
    public var documents = RecordBatch<DocumentColumn>()
    public var events = RecordBatch<EventColumn>()
    public var renewals = RecordBatch<RenewalColumn>()
    public var dictionary = Word.dictionary()
    /// Which cells are wanted; formats may leave out others, but reject what they would have rejected.
    public var wanted = Wanted.everything
    /// Whether ``signer(ofDocument:)`` is kept: it is no column of a table, and few ask.
    public var keepsSigners = false
    private var signers: [String?] = []

    /// Which cells of a batch somebody is going to read.
    public enum Wanted: Sendable {
        case everything
        /// What decides the numbers of a report: ids, dates, kinds, money, failures and what tells these apart.
        case numbers
    }

    /// Where the tables stood when a document began.
    public struct Mark: Sendable {
        public let transactions: Int
        public let documents: Int
        public let events: Int
        public let renewals: Int
    }

    public init() {}

    /// Forgets all rows and texts and keeps the memory of the tables.
    public mutating func removeAll() {
        transactions.removeAll()
        documents.removeAll()
        events.removeAll()
        renewals.removeAll()
        signers.removeAll()
        dictionary.truncate(to: Word.allCases.count)
    }

    /// The state to come back to if the document about to be read is broken.
    public func mark() -> Mark {
        Mark(
            transactions: transactions.rowCount,
            documents: documents.rowCount,
            events: events.rowCount,
            renewals: renewals.rowCount
        )
    }

    /// Takes back everything appended since `mark`.
    public mutating func rollBack(to mark: Mark) {
        transactions.rollBack(to: mark.transactions)
        documents.rollBack(to: mark.documents)
        events.rollBack(to: mark.events)
        renewals.rollBack(to: mark.renewals)
        signers.removeLast(max(0, signers.count - mark.documents))
    }

    /// Says who signed a finished row of ``documents``.
    public mutating func setSigner(_ signer: String?, row: Int) {
        guard keepsSigners, let signer else { return }
        if signers.count <= row { signers += Array(repeating: nil, count: row + 1 - signers.count) }
        signers[row] = signer
    }

    /// The name of the certificate that signed the document of a row of ``documents``.
    public func signer(ofDocument row: Int) -> String? {
        row < signers.count ? signers[row] : nil
    }

    /// Tells every row where it is from: the name of its source, and the number of its document in it, of which the
    /// batch's first has number `firstDocument` (from 1, as rejects count).
    ///
    /// Only who writes rows down needs that, so readers leave it to them.
    public mutating func setOrigin(source: String, firstDocument: Int) {
        let name = Int64(dictionary.code(for: source))
        let first = Int64(firstDocument)
        for row in 0..<transactions.rowCount {
            transactions.set(.source, name, row: row)
            transactions.set(.document, first + (transactions[.document, row] ?? 0), row: row)
        }
        for row in 0..<documents.rowCount {
            documents.set(.source, name, row: row)
            documents.set(.document, first + (documents[.document, row] ?? 0), row: row)
        }
        for row in 0..<events.rowCount {
            events.set(.source, name, row: row)
            events.set(.document, first + (events[.document, row] ?? 0), row: row)
        }
        for row in 0..<renewals.rowCount {
            renewals.set(.source, name, row: row)
            renewals.set(.document, first + (renewals[.document, row] ?? 0), row: row)
        }
    }

    /// Numbers the rows appended since `mark` as those of document `ordinal` of this batch (from 0).
    public mutating func endDocument(from mark: Mark, ordinal: Int) {
        let number = Int64(ordinal)
        for row in mark.transactions..<transactions.rowCount {
            transactions.set(.document, number, row: row)
            transactions.set(.row, Int64(row - mark.transactions + 1), row: row)
        }
        for row in mark.documents..<documents.rowCount { documents.set(.document, number, row: row) }
        for row in mark.events..<events.rowCount { events.set(.document, number, row: row) }
        for row in mark.renewals..<renewals.rowCount { renewals.set(.document, number, row: row) }
    }
}
