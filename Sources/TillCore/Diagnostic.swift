/// A defect by which a document could not be read, and its position: a finding as data. Nothing of the document counts.
public struct Diagnostic: Hashable, Sendable {
    /// A stable name of the form `area.defect`; renaming one is a breaking change.
    public var code: String
    /// One sentence for a person, without the position.
    public var reason: String
    /// The way to the defect inside the document, outermost first: `in_app[3] › purchase_date`; may be empty.
    public var path: String
    /// Bytes from the start of the decoded document to the defect.
    public var innerOffset: Int

    /// Makes a diagnostic of the document as a whole, unless the caller gives a path.
    public init(code: String, reason: String, path: String = "", innerOffset: Int) {
        self.code = code
        self.reason = reason
        self.path = path
        self.innerOffset = innerOffset
    }

    /// Makes the diagnostic of an error that ended the reading of a document.
    public init(_ error: Finding) {
        self.init(code: error.code, reason: error.reason, path: error.path, innerOffset: error.offset)
    }
}
