public import TillColumns

/// Rows of the four tables that one stretch of input gave, and the texts that they share.
///
/// A format appends to it document by document: ``mark()``, rows, ``endDocument(from:ordinal:line:)``. What a document that
/// turns out to be broken has appended is taken back as a whole by ``rollBack(to:)``.
public struct RowBatch: ~Copyable, Sendable {
    public var transactions = RecordBatch<TransactionColumn>()
    public var documents = RecordBatch<DocumentColumn>()
    public var events = RecordBatch<EventColumn>()
    public var renewals = RecordBatch<RenewalColumn>()
    public var dictionary = Word.dictionary()
    /// Which cells are wanted; formats may leave out others, but reject what they would have rejected.
    public var wanted = Wanted.everything
    /// Texts whose rows are not wanted again; `nil` where every copy of a transaction is.
    public var counted: CountedTexts?
    /// Texts that rows of the batch were made of, for those who will have counted them.
    private(set) public var texts: [CountedText] = []
    /// Rows that were left out because their texts were ``counted``.
    private(set) public var repeatedCount = 0
    /// Transactions that were left out because they are not trusted.
    private(set) public var refusedCount = 0
    /// Whether ``signer(ofDocument:)`` is kept: it is no column of a table, and few ask.
    public var keepsSigners = false
    private var signers: [String?] = []
    /// Where the accepted documents begin, by their ordinals; lines count from 0 at the beginning of the batch.
    private(set) public var lines = DocumentLines()
    /// The line of the source in which the batch begins, from 1; `nil` where its source has no lines.
    public var firstLine: Int?

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
        @usableFromInline let texts: Int
        @usableFromInline let repeated: Int

        @inlinable
        init(transactions: Int, documents: Int, events: Int, renewals: Int, texts: Int, repeated: Int) {
            self.transactions = transactions
            self.documents = documents
            self.events = events
            self.renewals = renewals
            self.texts = texts
            self.repeated = repeated
        }
    }

    public init() {}

    /// Forgets all rows and texts and keeps the memory of the tables.
    public mutating func removeAll() {
        transactions.removeAll()
        documents.removeAll()
        events.removeAll()
        renewals.removeAll()
        texts.removeAll(keepingCapacity: true)
        repeatedCount = 0
        refusedCount = 0
        signers.removeAll()
        lines.removeAll()
        firstLine = nil
        dictionary.truncate(to: Word.allCases.count)
    }

    /// The state to come back to if the document about to be read is broken.
    // Inlined, since a batch that is lent to a function of another module is copied for it, word by word.
    @inlinable
    public func mark() -> Mark {
        Mark(
            transactions: transactions.rowCount,
            documents: documents.rowCount,
            events: events.rowCount,
            renewals: renewals.rowCount,
            texts: texts.count,
            repeated: repeatedCount
        )
    }

    /// Takes back everything appended since `mark`.
    public mutating func rollBack(to mark: Mark) {
        transactions.rollBack(to: mark.transactions)
        documents.rollBack(to: mark.documents)
        events.rollBack(to: mark.events)
        renewals.rollBack(to: mark.renewals)
        texts.removeLast(texts.count - mark.texts)
        repeatedCount = mark.repeated
        signers.removeLast(max(0, signers.count - mark.documents))
    }

    /// Says that a finished row was made of a text.
    public mutating func note(_ text: CountedText) { texts.append(text) }

    /// Counts rows that were left out because their texts were ``counted``.
    public mutating func leaveOut(_ count: Int) { repeatedCount += count }

    /// Rows that were left out since `mark`.
    public func leftOut(since mark: Mark) -> Int { repeatedCount - mark.repeated }

    /// Rows of all tables.
    public var rowCount: Int { transactions.rowCount + documents.rowCount + events.rowCount + renewals.rowCount }

    /// Takes out rows that come from a store and are not trusted; gives how many there were, of all tables.
    ///
    /// Events, and documents that hold no transactions and whose signature did not fail, stay: money does not depend on them.
    public mutating func removeUntrusted() -> Int {
        let before = rowCount
        let transactionsBefore = transactions.rowCount
        transactions.removeRows(from: 0) { rows, row in rows[.trust, row] != Word.trusted.cell }
        renewals.removeRows(from: 0) { rows, row in rows[.trust, row] != Word.trusted.cell }
        documents.removeRows(from: 0) { rows, row in
            let trust = rows[.trust, row]
            return trust == Word.untrusted.cell || trust != Word.trusted.cell && rows[.transactions, row] ?? 0 > 0
        }
        refusedCount += transactionsBefore - transactions.rowCount
        return before - rowCount
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
    ///
    /// - Parameter line: how many line feeds of the batch stand before the document.
    public mutating func endDocument(from mark: Mark, ordinal: Int, line: Int) {
        lines.note(ordinal, at: line)
        let number = Int64(ordinal)
        for row in mark.transactions..<transactions.rowCount {
            transactions.set(.document, number, row: row)
            transactions.set(.row, Int64(row - mark.transactions + 1), row: row)
        }
        for row in mark.documents..<documents.rowCount { documents.set(.document, number, row: row) }
        for row in mark.events..<events.rowCount { events.set(.document, number, row: row) }
        for row in mark.renewals..<renewals.rowCount { renewals.set(.document, number, row: row) }
    }

    /// Numbers the events appended since `mark` as those of documents from `ordinal` on, one of each, which follow one another
    /// line by line.
    ///
    /// - Parameter line: how many line feeds of the batch stand before the first of them.
    public mutating func endRun(from mark: Int, ordinal: Int, line: Int) {
        lines.note(ordinal, at: line)
        for row in mark..<events.rowCount { events.set(.document, Int64(ordinal + row - mark), row: row) }
    }
}
