public import TillCore

/// A document that could not be read, with everything that is needed to repair it.
public struct Reject: Sendable {
    /// The number of the document in its source, from 1.
    public var document: Int
    public var position: SourcePosition
    public var diagnostic: Diagnostic
    /// The format it was taken for, if any.
    public var kind: String?
    /// The document as it came.
    public var raw: [UInt8]
}

/// Something about a source that its user should know and that is no reject.
public struct Warning: Sendable {
    public var source: String
    public var text: String
}
