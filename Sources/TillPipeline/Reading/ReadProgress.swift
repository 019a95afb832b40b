/// How far a run has come, for the progress line and the report.
public struct ReadProgress: Sendable {
    public internal(set) var accepted = 0
    public internal(set) var rejected = 0
    /// Accepted documents that were omitted because they are of other apps.
    public internal(set) var foreign = 0
    /// Rows that ``ReadOptions/filter`` left out, of all tables.
    public internal(set) var filteredRows = 0
    /// Bytes of documents and their separators, decompressed.
    public internal(set) var bytes = 0
    /// Bytes of the sources as they are stored.
    public internal(set) var storedBytes = 0
    /// Whether some of the input was stored rows, whose documents need not be in the input.
    public internal(set) var hasStoredRows = false
    /// Rows of such sources that were taken, of all tables.
    public internal(set) var storedRows = 0
    /// Transactions and renewals that were taken, of documents and of stored rows.
    public internal(set) var signableRows = 0
    /// Rows of such sources that were left out since they are not trusted.
    public internal(set) var refusedRows = 0

    public var documents: Int { accepted + rejected }
    /// Whether the input holds neither documents nor files of rows.
    var isOfNothing: Bool { documents == 0 && !hasStoredRows }
}
