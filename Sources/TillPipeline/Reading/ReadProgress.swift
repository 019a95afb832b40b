/// The counts of a run so far, for the progress line and the report.
public struct ReadProgress: Sendable {
    /// Documents that were read, ``foreign`` ones and those for which stored rows stand among them.
    public internal(set) var accepted = 0
    /// Documents that could not be read, those above the size limit among them.
    public internal(set) var rejected = 0
    /// Accepted documents that were omitted because they are of other apps.
    public internal(set) var foreign = 0
    /// Rows that ``ReadOptions/filter`` left out, of all tables.
    public internal(set) var filteredRows = 0
    /// Records whose bytes came before; only with ``ReadOptions/isDistinct``.
    public internal(set) var repeatedRecords = 0
    /// Bytes of documents and their separators, decompressed.
    public internal(set) var bytes = 0
    /// Bytes of the sources as they are stored.
    public internal(set) var storedBytes = 0
    /// Whether some of the input was stored rows, whose documents need not be in the input.
    public internal(set) var hasStoredRows = false
    /// Stored rows that were passed to the consumer, of all tables.
    public internal(set) var storedRows = 0
    /// Transactions and renewals that were taken, of documents and of stored rows.
    public internal(set) var signableRows = 0
    /// Stored rows that were left out because they are not trusted.
    public internal(set) var refusedRows = 0

    /// Files of folders that were not read, because they are of a kind that holds no documents; complete at the end.
    public internal(set) var foreignFiles = ListedNames()

    /// The time of the newest row, in milliseconds since 1970; only with ``ConsumerNeeds/newest``.
    public internal(set) var newest: Int64?

    mutating func note(newest time: Int64?) {
        if let time { newest = max(newest ?? time, time) }
    }

    /// Accepted and rejected documents.
    public var documents: Int { accepted + rejected }
    /// Whether the input holds neither documents nor files of rows.
    var isOfNothing: Bool { documents == 0 && !hasStoredRows }
}
