public import TillLedger
public import TillReceipts
public import TillRows

/// Takes rows, rejects and warnings, in the order of the input.
public protocol DocumentConsumer {
    /// Rows of the next chunk; their documents are numbered from `firstDocument` within the source.
    /// - Parameter count: documents of the chunk, rejects among them.
    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws

    /// Takes the traces of the next chunk, right before its rows; called only with ``ConsumerNeeds/traces``.
    mutating func consume(_ traces: TracedChunk, rows: borrowing RowBatch) throws

    /// The rows of the next chunk as a ledger takes them, right before the rows; only with ``ReadOptions/selection``.
    mutating func consume(_ delta: LedgerDelta)

    /// A document that could not be read.
    mutating func consume(_ reject: Reject) throws

    /// The number of further rejects of a chunk, by code, directly after the rejects that were passed; only with
    /// ``ReadOptions/rejectLimit``.
    mutating func consume(_ rejects: [RejectList.CodeCount], source: String) throws

    /// A warning about a whole source.
    mutating func consume(_ warning: Warning) throws

    /// A source has ended.
    ///
    /// - Parameters:
    ///   - number: which of the sources it is, from 0.
    ///   - settled: its documents up to the last one that was accepted. The rejects after it may be one document that was cut.
    mutating func endSource(_ number: Int, settled: Int) throws

    /// Called after each chunk.
    mutating func report(_ progress: ReadProgress)
}

/// The data that a consumer needs beyond rows and rejects. Each need costs time or memory.
public struct ConsumerNeeds: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Rows carry their source and the number of their document in it.
    public static let origins = ConsumerNeeds(rawValue: 1)
    /// Rows carry the name of the certificate that signed each document (``RowBatch/signer(ofDocument:)``).
    public static let signers = ConsumerNeeds(rawValue: 2)
    /// The consumer gets a ``TracedChunk`` before the rows of each chunk.
    public static let traces = ConsumerNeeds(rawValue: 4)
    /// The consumer joins duplicates of a transaction. So a duplicate with the text, the app and the environment of an
    /// earlier one is only counted (``SeenDigestCache``).
    public static let duplicateCounts = ConsumerNeeds(rawValue: 8)
    /// Documents that come through a pipe are passed on at least every 200 ms, and the progress is reported then. The
    /// rows are the same.
    public static let pauses = ConsumerNeeds(rawValue: 16)
    /// The progress tells the time of the newest row.
    public static let newest = ConsumerNeeds(rawValue: 32)
}

extension DocumentConsumer {
    public mutating func consume(_ traces: TracedChunk, rows: borrowing RowBatch) throws {}
    public mutating func consume(_ delta: LedgerDelta) {}
    public mutating func endSource(_ number: Int, settled: Int) throws {}
    public mutating func consume(_ rejects: [RejectList.CodeCount], source: String) throws {}
}

/// The traces of the documents of one chunk, and the position of the chunk in its source.
public struct TracedChunk: Sendable {
    /// A trace of each document of the chunk, rejected ones among them.
    public var traces: [DocumentTrace]
    /// The name of the source, as in the positions of rejects.
    public var source: String
    /// The compression of the source, if any.
    public var compression: String?
    /// The number of the first document in the source, from 1.
    public var firstDocument: Int
    /// The line that the chunk begins in, from 1.
    public var firstLine: Int
    /// The offset in the decompressed source at which the chunk begins.
    public var offset: Int
}
