import TillColumns
import TillJSON
import TillRows

/// Passes over those transactions of a document whose very text is counted already.
///
///     "in_app": [ {"quantity":"1",…}, {"quantity":"1",…}, {"quantity":"1",…} ]
///                  └ passed over ┘     └ passed over ┘     └ read: a row
///
/// A receipt tells all purchases of its account each time, so most of a dump has been told before. A copy that has is known by a digest of its
/// text, which takes a tenth of the time that reading it does. Whether it was counted with the same app and environment is known
/// only when the document is over; ``isConfirmed(in:)`` tells, and where it is not the document is read once more, whole.
struct CopyFilter {
    /// A text that was read.
    private struct Text {
        let digest: TextDigest
        let place: UInt16
        let identifier: Int64
        let row: Int
        /// The cells it told, bit by column.
        let cells: UInt64
    }

    /// Of ``RowBatch/counted``, which outlives the document.
    private(set) var counted: CountedTexts.Lookup?
    private var readsAll = false
    private var passed: [(digest: TextDigest, found: CountedTexts.Found)] = []
    private var read: [Text] = []
    private var ahead = ObjectsAhead()
    /// Which of ``read`` has a digest.
    private var numbers = DocumentMap(nothing: 0)
    /// Rows that copies of the document tell differently: what one of them says went under.
    private var disputed: Set<Int> = []

    /// Begins a document; without texts, every transaction is to be read.
    ///
    /// - Parameter readsAll: whether this document is to be read whole all the same, and its texts noted.
    mutating func beginDocument(_ counted: CountedTexts? = nil, readsAll: Bool = false) {
        self.counted = counted?.lookup
        self.readsAll = readsAll
        guard counted != nil else { return }
        passed.removeAll(keepingCapacity: true)
        read.removeAll(keepingCapacity: true)
        numbers.beginDocument()
        if !disputed.isEmpty { disputed.removeAll() }
    }

    /// Begins a list of transactions.
    mutating func beginList() { ahead.forget() }

    /// The text that the cursor stands on, if it may be that of a transaction.
    @inline(__always)
    mutating func text(at cursor: borrowing JSONCursor) -> FlatObject? {
        guard let counted else { return nil }
        return ahead.next(at: cursor, counted)
    }

    /// What is known of a text; it is passed over then.
    mutating func pass(_ digest: TextDigest) -> CountedTexts.Found? {
        guard !readsAll, let found = counted?.find(digest) else { return nil }
        passed.append((digest, found))
        return found
    }

    /// The transaction that the same text told of earlier in the document, and the cells that it told.
    ///
    /// `nil` where copies of the document differ in them: which of them its row has depends on the list that each stands in.
    func earlier(_ digest: TextDigest) -> (identifier: Int64, cells: UInt64)? {
        guard !read.isEmpty, let number = numbers[digest.first], read[number].digest == digest,
            !disputed.contains(read[number].row)
        else { return nil }
        return (read[number].identifier, read[number].cells)
    }

    /// Notes that a text was read, and told these cells of a row.
    mutating func note(
        _ digest: TextDigest,
        place: UInt16,
        of identifier: Int64,
        told cells: UInt64,
        in joined: DocumentIndex.Joined
    ) {
        if joined.isDisputed { disputed.insert(joined.row) }
        numbers.set(digest.first, read.count)
        read.append(Text(digest: digest, place: place, identifier: identifier, row: joined.row, cells: cells))
    }

    /// The digest of a text that is `range` of some bytes, and that is going to be looked up; `nil` where it is too long, or all are to
    /// be read.
    @inline(__always)
    func ask(for range: Range<Int>, of bytes: RawSpan) -> TextDigest? {
        guard let counted, range.count <= TextDigest.longest else { return nil }
        let digest = TextDigest(of: bytes.extracting(range), under: counted.digests)
        counted.prefetch(digest)
        return digest
    }

    /// Notes that a text was read and has a row of its own.
    mutating func note(_ digest: TextDigest, row: Int) {
        read.append(Text(digest: digest, place: 0, identifier: 0, row: row, cells: 0))
    }

    /// Texts that were passed over.
    var passedCount: Int { counted == nil ? 0 : passed.count }

    /// Whether all that was passed over was counted in `context`.
    func isConfirmed(in context: UInt64?) -> Bool {
        guard let counted, !passed.isEmpty else { return true }
        guard let context else { return false }
        return passed.allSatisfy { counted.confirms($0.found, $0.digest, in: context) }
    }

    /// Hands on the texts that were read, once the rows of the document are complete.
    ///
    /// Not those whose row depends on more than the text and the context: of a refund it also counts when it was seen, and rows without an id or of
    /// a test environment are never joined.
    func handOn(_ context: UInt64?, to rows: inout RowBatch) {
        guard let context else { return }
        for text in read where !disputed.contains(text.row) {
            let row = text.row
            guard rows.transactions[.cancellationDate, row] == nil, rows.transactions[.transactionID, row] ?? 0 != 0
            else {
                continue
            }
            switch rows.transactions[.environment, row] {
            case Word.xcode.cell, Word.localTesting.cell: continue
            default: rows.note(CountedText(text.digest, place: text.place, context: context))
            }
        }
    }

    /// What a row is made of beside its text; `nil` where that cannot be told in a word.
    func context(environment: Int64?, bundleID: Int64?, in texts: borrowing TextDictionary) -> UInt64? {
        guard let counted else { return nil }
        var context: UInt64 = 0
        for cell in [environment, bundleID] {
            // Each has its own place in the sum, so that two that are swapped do not come to the same.
            context = context << 32 | context >> 32
            guard let cell else { continue }
            let digest = texts.withBytes(of: Int(cell)) { text in
                text.byteCount <= TextDigest.longest ? TextDigest(of: text, under: counted.digests) : nil
            }
            guard let digest else { return nil }
            context ^= digest.second
        }
        return context
    }
}
