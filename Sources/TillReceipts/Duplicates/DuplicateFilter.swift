import TillColumns
import TillJSON
import TillRows

/// Decides which transactions of a document are skipped because their very text was read before.
///
///     "in_app": [ {"quantity":"1",…}, {"quantity":"1",…}, {"quantity":"1",…} ]
///                  └── skipped ──┘     └── skipped ──┘     └ read: a row
///
/// A receipt lists all purchases of its account each time, so most transactions of a dump are duplicates. A duplicate
/// is known by the digest of its text, which costs a tenth of reading it. Whether its row came from the same app and
/// environment is known only at the end of the document: ``isConfirmed(in:)``. If not, the format reads the document
/// once more and skips nothing.
///
///     beginDocument › skip or note, for each transaction › context › isConfirmed › commit
struct DuplicateFilter {
    /// A text that was read.
    private struct ReadText {
        let digest: TextDigest
        let place: UInt16
        let identifier: Int64
        let row: Int
        /// The cells that the text gave, bit by column.
        let cells: UInt64
    }

    private var cache: SeenDigestCache.Lookup?
    private var readsAll = false
    private var skipped: [(digest: TextDigest, found: SeenDigestCache.Found)] = []
    private var read: [ReadText] = []
    /// By digest: the index in ``read``.
    private var indices = DocumentMap(nothing: 0)
    /// Rows of transactions with different values in several lists of the document, so that the row has lost one of the
    /// values.
    private var disputed: Set<Int> = []
    private var lookahead = ObjectLookahead()

    /// Whether duplicates are looked for.
    var isOn: Bool { cache != nil }

    /// Begins a document; without a cache, every transaction is read.
    ///
    /// - Parameter readsAll: whether nothing is skipped in this document. Its texts are noted all the same.
    mutating func beginDocument(_ cache: SeenDigestCache? = nil, readsAll: Bool = false) {
        self.cache = cache?.lookup
        self.readsAll = readsAll
        guard cache != nil else { return }
        skipped.removeAll(keepingCapacity: true)
        read.removeAll(keepingCapacity: true)
        indices.beginDocument()
        if !disputed.isEmpty { disputed.removeAll() }
    }

    // MARK: Transactions in JSON

    /// Begins a list of transactions.
    mutating func beginList() { lookahead.removeAll() }

    /// The text at the cursor, if it may be a transaction.
    @inline(__always)
    mutating func candidate(at cursor: borrowing JSONCursor) -> ObjectText? {
        guard let cache else { return nil }
        return lookahead.next(at: cursor, cache)
    }

    /// Whether a transaction is skipped, because its text was read in an earlier document, or earlier in this one.
    ///
    /// - Parameter isLatest: whether it is in a `latest_*` list, whose values take precedence.
    mutating func skip(
        _ text: ObjectText,
        isLatest: Bool,
        in json: JSONBytes,
        _ index: inout DocumentIndex
    ) -> Bool {
        if let earlier = earlier(text.digest) {
            // The row has all of its values; only their rank may rise.
            if isLatest { index.markLatest(earlier.cells, of: earlier.identifier) }
            return true
        }
        guard let found = find(text.digest) else { return false }
        index.skip(IdentifierPlace(found.place).identifier(in: text, of: json))
        return true
    }

    /// Notes the text of a transaction that was read, if it ends where the transaction does and has a number for its
    /// id. The id 0 names nothing, so the same text once more is another row.
    mutating func note(
        _ text: ObjectText,
        _ transaction: ReceiptInfoReader.ReadTransaction,
        in cursor: borrowing JSONCursor
    ) {
        guard text.end == cursor.position, let token = transaction.identifier, !token.hasEscapes,
            let place = IdentifierPlace(token, in: text),
            let identifier = cursor.values.decimal(token.start, token.end), identifier == transaction.cell,
            identifier != 0
        else { return }
        let joined = transaction.joined
        if joined.isDisputed { disputed.insert(joined.row) }
        indices.set(text.digest.first, read.count)
        read.append(
            ReadText(
                digest: text.digest,
                place: place.rawValue,
                identifier: identifier,
                row: joined.row,
                cells: transaction.cells
            )
        )
    }

    /// The transaction that the same text gave earlier in the document.
    ///
    /// `nil` if its copies differ: which value the row has depends on the list of each copy.
    private func earlier(_ digest: TextDigest) -> ReadText? {
        guard !read.isEmpty, let index = indices[digest.first], read[index].digest == digest,
            !disputed.contains(read[index].row)
        else { return nil }
        return read[index]
    }

    // MARK: Purchases in ASN.1

    /// The digest of a range, whose slot is prefetched for ``skip(_:)``; `nil` if the range is too long, or duplicates
    /// are not looked for.
    @inline(__always)
    func digest(of range: Range<Int>, in bytes: RawSpan) -> TextDigest? {
        guard let cache, range.count <= TextDigest.longest else { return nil }
        let digest = TextDigest(of: bytes.extracting(range), under: cache.digests)
        cache.prefetch(digest)
        return digest
    }

    /// Whether a purchase is skipped, because its octets were read in an earlier document.
    mutating func skip(_ digest: TextDigest) -> Bool { find(digest) != nil }

    /// Notes the octets of a purchase that was read into a row.
    mutating func note(_ digest: TextDigest, row: Int) {
        read.append(ReadText(digest: digest, place: 0, identifier: 0, row: row, cells: 0))
    }

    /// The slot of a text, which is then skipped.
    private mutating func find(_ digest: TextDigest) -> SeenDigestCache.Found? {
        guard !readsAll, let found = cache?.find(digest) else { return nil }
        skipped.append((digest, found))
        return found
    }

    // MARK: The end of the document

    /// Texts that were skipped because an earlier document had them.
    var skippedCount: Int { cache == nil ? 0 : skipped.count }

    /// A digest of the values that a row takes from the document; `nil` if one of them is too long.
    func context(environment: Int64?, bundleID: Int64?, in texts: borrowing TextDictionary) -> UInt64? {
        guard let cache else { return nil }
        var context: UInt64 = 0
        for cell in [environment, bundleID] {
            // Each value has its own place in the sum, so swapped values give another one.
            context = context << 32 | context >> 32
            guard let cell else { continue }
            let digest = texts.withBytes(of: Int(cell)) { text in
                text.byteCount <= TextDigest.longest ? TextDigest(of: text, under: cache.digests) : nil
            }
            guard let digest else { return nil }
            context ^= digest.second
        }
        return context
    }

    /// Whether all skipped texts were read in `context` before.
    func isConfirmed(in context: UInt64?) -> Bool {
        guard let cache, !skipped.isEmpty else { return true }
        guard let context else { return false }
        return skipped.allSatisfy { cache.confirms($0.found, $0.digest, in: context) }
    }

    /// Logs the digests of the texts that were read, once the rows of the document are complete.
    func commit(_ context: UInt64?, to rows: inout RowBatch) {
        guard let context else { return }
        for text in read where !disputed.contains(text.row) && rows.transactions.ignoresDuplicates(row: text.row) {
            rows.duplicates.append(SeenDigest(text.digest, place: text.place, context: context))
        }
    }
}
