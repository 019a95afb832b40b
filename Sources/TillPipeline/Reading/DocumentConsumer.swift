public import TillReceipts
public import TillRows

/// Takes in what was read, in the order of the input.
public protocol DocumentConsumer {
    /// Rows of the next stretch; their documents are numbered from `firstDocument` within the source.
    /// - Parameter count: documents of the stretch, rejects among them.
    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws

    /// How the documents of the next stretch were read, right before its rows; only where ``ReadOptions/keepsTraces``.
    mutating func consume(_ traces: TracedStretch, rows: borrowing RowBatch) throws

    /// A document that could not be read.
    mutating func consume(_ reject: Reject) throws

    /// How many more documents of a stretch could not be read, by code, right behind those that were told; only where
    /// ``ReadOptions/rejectLimit`` asks for that.
    mutating func consume(_ rejects: [RejectList.CodeCount], source: String) throws

    /// Something doubtful about a whole source.
    mutating func consume(_ warning: Warning) throws

    /// Called after each stretch.
    mutating func report(_ progress: ReadProgress)
}

extension DocumentConsumer {
    public mutating func consume(_ traces: TracedStretch, rows: borrowing RowBatch) throws {}
    public mutating func consume(_ rejects: [RejectList.CodeCount], source: String) throws {}
}

/// How the documents of one stretch were read, and where the stretch stands in its source.
public struct TracedStretch: Sendable {
    public var traces: [DocumentTrace]
    public var source: String
    /// The compression of the source, if any.
    public var compression: String?
    /// The number of the first document in the source, from 1.
    public var firstDocument: Int
    /// The line that the stretch begins in, from 1.
    public var firstLine: Int
    /// Where it begins in the decompressed stream.
    public var offset: Int
}
