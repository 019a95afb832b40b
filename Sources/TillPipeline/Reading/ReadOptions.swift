import TillCore
public import TillInput
public import TillLedger
public import TillRows

/// The options for reading input: formats, limits, the rows that are kept, and the check of signatures.
public struct ReadOptions: Sendable {
    /// A name of the format registry, or `nil` to detect formats by content.
    public var format: String?
    /// The options for delimited text.
    public var csv: CSVOptions
    /// The options for sources of rows.
    public var rows = StoredRowOptions()
    /// Whether only runs of base64 and of JWS are documents, with any text around them.
    public var findsRuns = false
    /// Chunks read at once.
    public var jobs: Int
    /// Bytes of a chunk before it is cut.
    public var chunkSize: Int
    /// The longest document, in bytes; a longer one is a reject.
    public var documentLimit: Int
    /// The cells that the consumer reads; others may be left out.
    public var wanted = RowBatch.Wanted.everything
    /// The data that the consumer needs beyond rows and rejects.
    public var needs: ConsumerNeeds = []
    /// The options for checking signatures.
    public var signatures: SignatureOptions
    /// The data of rows that the worker of a chunk prepares for a ledger; `nil` without a ledger.
    public var selection: LedgerSelection?
    /// The rows that are passed to the consumer; documents without such rows are still accepted.
    public var filter = RowFilter()
    /// The apps whose documents are kept; none keeps all.
    public var bundleIDs: [String]
    /// Whether a record whose bytes came before is only counted.
    public var isDistinct = false
    /// The part of the only source that is read; `nil` reads all of every source.
    public var range: ByteRange?
    /// The limit on the size to which a compressed source may inflate.
    public var inflation: InflationLimit
    /// The number of rejects per chunk that are passed to the consumer; the others are counted by code. Of each source,
    /// as many have their document.
    public var rejectLimit = Int.max

    /// Makes options; a number below 1 becomes 1, and `jobs` above ``mostJobs`` become that number.
    ///
    /// By default there is one job, formats are detected, and no signature is checked.
    public init(
        format: String? = nil,
        csv: CSVOptions = CSVOptions(),
        jobs: Int = 1,
        chunkSize: Int = ReadOptions.usualChunkSize,
        documentLimit: Int = ReadOptions.usualDocumentLimit,
        inflation: InflationLimit = InflationLimit(),
        signatures: SignatureOptions = SignatureOptions(),
        bundleIDs: [String] = []
    ) {
        self.signatures = signatures
        self.bundleIDs = bundleIDs
        self.format = format
        self.csv = csv
        self.jobs = min(max(1, jobs), Self.mostJobs)
        self.chunkSize = max(1, chunkSize)
        self.documentLimit = max(1, documentLimit)
        self.inflation = inflation
    }

    /// The options that select rows, in the words of a manifest.
    var selectionOptions: [GivenOption] {
        filter.options + GivenOption.bundleIDs(bundleIDs) + (isDistinct ? [GivenOption("distinct", "true")] : [])
    }

    /// The word for `--from` that sets ``findsRuns``.
    public static let textName = "text"
    /// The largest number of ``jobs``; each of them holds a chunk in memory.
    public static let mostJobs = 256
    /// The default of ``chunkSize``: 1 MiB.
    public static let usualChunkSize = 1 << 20
    /// The default of ``documentLimit``: 64 MiB.
    public static let usualDocumentLimit = 64 << 20
}
