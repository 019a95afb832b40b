/// A defect of one document and its position: a finding as data.
public struct Diagnostic: Hashable, Sendable {
    /// The effect of a defect on its document: its rows count, or nothing of it does.
    public enum Severity: Sendable {
        /// The document is well-formed but doubtful, or was repaired; its rows count.
        case warning
        /// The document could not be read; nothing of it counts.
        case error
    }

    /// Whether the rows of the document count in spite of the defect.
    public var severity: Severity
    /// A stable name of the form `area.defect`; renaming one is a breaking change.
    public var code: String
    /// One sentence for a person, without the position.
    public var reason: String
    /// The way to the defect inside the document, outermost first: `in_app[3] › purchase_date`; may be empty.
    public var path: String
    /// Bytes from the start of the decoded document to the defect.
    public var innerOffset: Int

    /// Makes an error without a path, unless the caller gives another severity or a path.
    public init(severity: Severity = .error, code: String, reason: String, path: String = "", innerOffset: Int) {
        self.severity = severity
        self.code = code
        self.reason = reason
        self.path = path
        self.innerOffset = innerOffset
    }
}
