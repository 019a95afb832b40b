public import TillColumns

/// Rows of the four tables that one chunk of input gave, and the texts that they share.
///
/// A format appends document by document: ``mark()``, rows, ``endDocument(from:ordinal:line:)``. The rows of a broken
/// document are removed by ``rollBack(to:)``.
public struct RowBatch: ~Copyable, Sendable {
    /// One row per transaction in a document; cells with texts are codes of ``dictionary``.
    public var transactions = RecordBatch<TransactionColumn>()
    /// One row per accepted document other than an event.
    public var documents = RecordBatch<DocumentColumn>()
    /// One row per client event.
    public var events = RecordBatch<EventColumn>()
    /// One row per renewal state of a subscription.
    public var renewals = RecordBatch<RenewalColumn>()
    /// The texts of all four tables. It begins with the cases of ``Word``.
    public var dictionary = Word.dictionary()
    /// The requested cells. Formats may omit other cells, but reject the same documents.
    public var wanted = Wanted.everything
    /// The digests of transactions, and the number of skipped duplicates.
    public var duplicates = DuplicateLog()
    /// Values of the batch that are not in their usual form.
    public var reading = ReadingCounts()
    /// Transactions that were omitted because they are not trusted.
    private(set) public var refusedCount = 0
    /// Whether ``signer(ofDocument:)`` is kept. Only a few commands show it.
    public var keepsSigners = false
    private var signers: [String?] = []
    /// The key of the digests of records; `nil` if these are not needed.
    public var recordKey: RecordKey?
    private var records: [Record] = []

    /// The rows of a record, between two marks.
    private struct Record: Sendable {
        let digest: UInt64
        let start: Mark
        let end: Mark
    }
    /// The lines in which the accepted documents begin, by their ordinals; lines count from 0 at the beginning of the
    /// batch.
    private(set) public var lines = DocumentLines()
    /// The line of the source in which the batch begins, from 1; `nil` if its source has no lines.
    public var firstLine: Int?

    /// The cells of a batch that the caller reads.
    public struct Wanted: OptionSet, Sendable {
        public let rawValue: UInt8

        @inlinable
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The cells on which the numbers of nearly every report depend: ids, dates, kinds, money, failures and their
        /// dimensions. They are always read.
        public static let numbers: Wanted = []
        /// The groups of subscriptions.
        public static let groups = Wanted(rawValue: 1)
        /// The dimensions, the app and the sender of every event, not only of failures.
        public static let dimensions = Wanted(rawValue: 2)
        /// Cells on which no number depends, such as messages of errors.
        public static let descriptions = Wanted(rawValue: 4)
        /// The requests of responses, which distinguish a 21007 with a later success from a failure.
        public static let requests = Wanted(rawValue: 8)
        /// All cells.
        public static let everything: Wanted = [.groups, .dimensions, .descriptions, .requests]
    }

    /// The state of the tables at the beginning of a document.
    public struct Mark: Sendable {
        /// Rows of ``RowBatch/transactions`` before the document.
        public let transactions: Int
        /// Rows of ``RowBatch/documents`` before the document.
        public let documents: Int
        /// Rows of ``RowBatch/events`` before the document.
        public let events: Int
        /// Rows of ``RowBatch/renewals`` before the document.
        public let renewals: Int
        @usableFromInline let digests: Int
        @usableFromInline let skipped: Int
        @usableFromInline let reading: ReadingCounts

        @inlinable
        init(
            transactions: Int,
            documents: Int,
            events: Int,
            renewals: Int,
            digests: Int,
            skipped: Int,
            reading: ReadingCounts
        ) {
            self.transactions = transactions
            self.documents = documents
            self.events = events
            self.renewals = renewals
            self.digests = digests
            self.skipped = skipped
            self.reading = reading
        }
    }

    /// Makes a batch without rows, whose dictionary has only the words of ``Word``.
    public init() {}

    /// Removes all rows and texts and keeps the memory of the tables.
    public mutating func removeAll() {
        transactions.removeAll()
        documents.removeAll()
        events.removeAll()
        renewals.removeAll()
        duplicates.removeAll()
        reading = ReadingCounts()
        refusedCount = 0
        signers.removeAll()
        records.removeAll()
        lines.removeAll()
        firstLine = nil
        dictionary.truncate(to: Word.allCases.count)
    }

    /// The state for ``rollBack(to:)`` if the next document is broken.
    // Inlined: a batch that is borrowed by a function of another module is copied for the call, word by word.
    @inlinable
    public func mark() -> Mark {
        Mark(
            transactions: transactions.rowCount,
            documents: documents.rowCount,
            events: events.rowCount,
            renewals: renewals.rowCount,
            digests: duplicates.newDigests.count,
            skipped: duplicates.skippedCount,
            reading: reading
        )
    }

    /// Removes everything appended since `mark`.
    public mutating func rollBack(to mark: Mark) {
        transactions.rollBack(to: mark.transactions)
        documents.rollBack(to: mark.documents)
        events.rollBack(to: mark.events)
        renewals.rollBack(to: mark.renewals)
        duplicates.rollBack(toDigests: mark.digests, skipped: mark.skipped)
        reading = mark.reading
        signers.removeLast(max(0, signers.count - mark.documents))
    }

    /// Keeps the digest of a record, whose rows are those since `mark`; for a reader with a ``recordKey``.
    public mutating func endRecord(_ bytes: RawSpan, from mark: Mark) {
        guard let recordKey else { return }
        records.append(Record(digest: recordKey.digest(of: bytes), start: mark, end: self.mark()))
    }

    /// Removes the rows of records whose digest `isRepeated`, which is asked in their order. Returns the number of such
    /// records. No rows may have been removed before.
    public mutating func removeRecords(where isRepeated: (UInt64) -> Bool) -> Int {
        let repeated = records.filter { isRepeated($0.digest) }
        records.removeAll()
        guard !repeated.isEmpty else { return 0 }
        Self.remove(repeated.map { $0.start.transactions..<$0.end.transactions }, from: &transactions)
        Self.remove(repeated.map { $0.start.documents..<$0.end.documents }, from: &documents)
        Self.remove(repeated.map { $0.start.events..<$0.end.events }, from: &events)
        Self.remove(repeated.map { $0.start.renewals..<$0.end.renewals }, from: &renewals)
        for record in repeated { reading.remove(record.end.reading, since: record.start.reading) }
        return repeated.count
    }

    /// - Parameter ranges: in ascending order.
    private static func remove<Column: TableColumn>(_ ranges: [Range<Int>], from table: inout RecordBatch<Column>) {
        var next = 0
        table.removeRows(from: 0) { _, row in
            while next < ranges.count, ranges[next].upperBound <= row { next += 1 }
            return next < ranges.count && ranges[next].contains(row)
        }
    }

    /// Duplicates that were skipped since `mark`.
    public func skippedCount(since mark: Mark) -> Int { duplicates.skippedCount - mark.skipped }

    /// Rows of all tables.
    public var rowCount: Int { transactions.rowCount + documents.rowCount + events.rowCount + renewals.rowCount }

    /// Transactions and renewals, which `--trust require` reads only from trusted documents.
    public var signableRowCount: Int { transactions.rowCount + renewals.rowCount }

    /// Removes untrusted rows of stored rows (Parquet). Returns their number in all tables.
    ///
    /// Events stay, and documents without transactions whose signature did not fail: money does not depend on them.
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

    /// Sets the name of the certificate that signed the document of a finished row of ``documents``.
    public mutating func setSigner(_ signer: String?, row: Int) {
        guard keepsSigners, let signer else { return }
        if signers.count <= row { signers += Array(repeating: nil, count: row + 1 - signers.count) }
        signers[row] = signer
    }

    /// The name of the certificate that signed the document of a row of ``documents``.
    public func signer(ofDocument row: Int) -> String? {
        row < signers.count ? signers[row] : nil
    }

    /// Sets the origin of every row: the name of its source, and the number of its document in it. The first document
    /// of the batch has number `firstDocument`, from 1 as in rejects.
    ///
    /// Only commands that write rows need it, so readers do not do it.
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

    /// Numbers the events appended since `mark` as those of documents from `ordinal` on, one of each, which follow one
    /// another line by line.
    ///
    /// - Parameter line: how many line feeds of the batch stand before the first of them.
    public mutating func endRun(from mark: Int, ordinal: Int, line: Int) {
        lines.note(ordinal, at: line)
        for row in mark..<events.rowCount { events.set(.document, Int64(ordinal + row - mark), row: row) }
    }
}
