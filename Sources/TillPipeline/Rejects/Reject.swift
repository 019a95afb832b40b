public import TillCore
import TillReceipts

/// A document that could not be read, with everything that is needed to repair it.
public struct Reject: Sendable {
    /// The number of the document in its source, from 1.
    public var document: Int
    /// The position of the document in its decompressed source.
    public var position: SourcePosition
    /// The defect, and its position in the decoded document.
    public var diagnostic: Diagnostic
    /// The format it was taken for, if any.
    public var kind: String?
    /// The document with its secrets masked, else unchanged; `nil` if it was read from a line of `--rejects` without the document.
    public var raw: [UInt8]?
    /// The position of the line if the document was read from a line of `--rejects`; the other positions are from the
    /// run that wrote the line.
    public var readAt: ReadPlace?

    /// The number of a document in a source.
    public struct ReadPlace: Sendable {
        /// The name of the file of rejects, or `-`.
        public var source: String
        /// The number of the document in ``source``, from 1.
        public var document: Int
    }

    /// The source that was read.
    var source: String { readAt?.source ?? position.source }
    /// The number of the document in the source that was read.
    var number: Int { readAt?.document ?? document }
}

/// A warning about a source that is not a reject.
public struct Warning: Sendable {
    /// The name of the source, or `-`.
    public var source: String
    /// One clause for a person, without the name of the source.
    public var text: String
}
