public import TillColumns

/// The data by which the decoders of a batch skip duplicates, and the number of skipped rows.
///
/// A duplicate is a transaction whose exact text was read before in a document of the same app and environment. Its row
/// adds nothing to a ledger that joins copies, so only the number of duplicates is kept.
public struct DuplicateLog: Sendable {
    /// The digests of texts whose rows the ledger has; `nil` if every copy must be read.
    public var cache: SeenDigestCache?
    /// The digests of the texts of this batch's rows, for ``SeenDigestCache/add(_:)``.
    public private(set) var newDigests: [SeenDigest] = []
    /// Rows that were omitted because they are duplicates.
    public private(set) var skippedCount = 0

    /// Notes the digest of the text of a finished row.
    public mutating func append(_ digest: SeenDigest) { newDigests.append(digest) }

    /// Counts omitted rows.
    public mutating func countSkipped(_ count: Int) { skippedCount += count }

    mutating func rollBack(toDigests digestCount: Int, skipped: Int) {
        newDigests.removeLast(newDigests.count - digestCount)
        skippedCount = skipped
    }

    mutating func removeAll() {
        newDigests.removeAll(keepingCapacity: true)
        skippedCount = 0
    }
}

extension Word {
    /// Whether the word names an environment that numbers transactions anew in each run. Equal ids there do not mean
    /// the same purchase, so such rows are never joined.
    @inlinable
    public var isTestEnvironment: Bool { self == .xcode || self == .localTesting }
}

extension RecordBatch<TransactionColumn> {
    /// Whether a ledger joins every copy of the transaction of a row, so that a duplicate adds nothing.
    ///
    /// It does not join rows without an id or of a test environment. For a refund the time of each document counts too,
    /// so each copy matters.
    // Inlined, as ``RowBatch/mark()`` is.
    @inlinable
    public func ignoresDuplicates(row: Int) -> Bool {
        guard self[.cancellationDate, row] == nil, self[.transactionID, row] ?? 0 != 0 else { return false }
        guard let environment = self[.environment, row] else { return true }
        return Word(rawValue: Int(environment))?.isTestEnvironment != true
    }
}
