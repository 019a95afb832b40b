import TillCore
public import TillInput
public import TillLedger
public import TillRows

/// How input is read.
public struct ReadOptions: Sendable {
    /// A name of the format registry, or `nil` to detect formats by content.
    public var format: String?
    /// How delimited text is recognised and read.
    public var csv: CSVOptions
    /// How sources of rows are recognised and read.
    public var rows = StoredRowOptions()
    /// Whether only runs of base64 and of JWS are documents, with any text around them.
    public var findsRuns = false
    /// Chunks read at once.
    public var jobs: Int
    /// Bytes of a chunk before it is cut.
    public var chunkSize: Int
    /// The longest document, in bytes; a longer one is a reject.
    public var documentLimit: Int
    /// Which cells the consumer reads.
    public var wanted = RowBatch.Wanted.everything
    /// The data that the consumer needs beyond rows and rejects.
    public var needs: ConsumerNeeds = []
    /// How signatures are checked.
    public var signatures: SignatureOptions
    /// Which events the worker that reads a chunk sorts for the ledger; `nil` if no events are counted.
    public var events: EventSelection?
    /// The rows that are passed to the consumer; documents without such rows are still accepted.
    public var filter = RowFilter()
    /// The apps whose documents are kept; none keeps all.
    public var bundleIDs: [String]
    /// The part of the only source that is read; `nil` reads all of every source.
    public var range: ByteRange?
    /// How much a compressed source may inflate to.
    public var inflation: InflationLimit
    /// The number of rejects per chunk that are passed to the consumer; the others are counted by code.
    public var rejectLimit = Int.max

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
    var selectionOptions: [GivenOption] { filter.options + GivenOption.bundleIDs(bundleIDs) }

    /// The word for `--from` that sets ``findsRuns``.
    public static let textName = "text"
    /// Each holds a chunk in memory.
    public static let mostJobs = 256
    public static let usualChunkSize = 1 << 20
    public static let usualDocumentLimit = 64 << 20
}
