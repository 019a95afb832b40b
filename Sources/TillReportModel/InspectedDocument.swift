/// Everything inside one document, as far as it could be read: what `inspect` says, apart from how it looks.
public struct InspectedDocument: Sendable {
    /// One wrapping that was taken off, or the document inside all of them, and how it was told.
    public struct Layer: Hashable, Sendable {
        /// `gzip`, `base64`, `JSON object`.
        public var name: String
        /// What showed it, in words.
        public var evidence: String
        /// Bytes that it consists of; `nil` where that is not known.
        public var byteCount: Int?

        public init(name: String, evidence: String, byteCount: Int?) {
            self.name = name
            self.evidence = evidence
            self.byteCount = byteCount
        }
    }

    /// One of the rows that the document gives; cells that it lacks are left out.
    public struct Row: Sendable {
        public var table: String
        public var cells: [(column: String, value: InspectedNode.Value)]

        public init(table: String, cells: [(column: String, value: InspectedNode.Value)]) {
            self.table = table
            self.cells = cells
        }
    }

    public var source: String
    /// The number of the document in its source, from 1.
    public var number: Int
    /// The line that it begins in, from 1.
    public var line: Int
    /// Where it begins in the decompressed stream.
    public var offset: Int
    public var length: Int
    /// The format that it is of; `nil` where none was told.
    public var kind: String?
    public var layers: [Layer] = []
    /// What is inside the outermost layer that has a structure.
    public var nodes: [InspectedNode] = []
    public var rows: [Row] = []
    /// Why it could not be read; `nil` where it could.
    public var defect: InspectedDefect?

    public init(source: String, number: Int, line: Int, offset: Int, length: Int, kind: String?) {
        self.source = source
        self.number = number
        self.line = line
        self.offset = offset
        self.length = length
        self.kind = kind
    }
}

/// One element, attribute or member, with what is inside it.
public struct InspectedNode: Sendable {
    public enum Value: Hashable, Sendable {
        case text(String)
        /// A number as it is spelled, a JSON number.
        case number(String)
        case flag(Bool)
        case null
        case octets([UInt8])
        /// A secret or what tells of a device, of which only the length is shown.
        case masked(byteCount: Int)
    }

    public var name: String
    /// The number of a receipt attribute.
    public var number: Int64?
    /// Where it begins, in bytes of what ``decodedLength`` of a node above counts, else of the document.
    public var offset: Int?
    /// Bytes that it takes there.
    public var length: Int?
    public var value: Value?
    /// The value in words: a date, the name of a code, a unit.
    public var meaning: String?
    /// Bytes that were decoded from the value, in which the offsets of the children count; `nil` where they count as
    /// that of the node does.
    public var decodedLength: Int?
    /// What is wrong here.
    public var defect: InspectedDefect?
    public var children: [InspectedNode] = []

    public init(
        _ name: String,
        number: Int64? = nil,
        offset: Int? = nil,
        length: Int? = nil,
        value: Value? = nil,
        meaning: String? = nil,
        children: [InspectedNode] = []
    ) {
        self.name = name
        self.number = number
        self.offset = offset
        self.length = length
        self.value = value
        self.meaning = meaning
        self.children = children
    }
}

/// What keeps something from being read, and where.
public struct InspectedDefect: Hashable, Sendable {
    /// A stable name: `ber.truncated`.
    public var code: String
    public var reason: String
    /// The way to it, outermost first; may be empty.
    public var path: String
    /// Bytes from the start of the innermost layer that was reached.
    public var offset: Int
    /// A few bytes there, as text or in hexadecimal, and how much of them comes before the defect.
    public var excerpt: Excerpt?

    public struct Excerpt: Hashable, Sendable {
        public var text: String
        /// Characters of the text before the mark.
        public var lead: Int
        /// Characters that are marked.
        public var width: Int

        public init(text: String, lead: Int, width: Int) {
            self.text = text
            self.lead = lead
            self.width = width
        }
    }

    public init(code: String, reason: String, path: String = "", offset: Int, excerpt: Excerpt? = nil) {
        self.code = code
        self.reason = reason
        self.path = path
        self.offset = offset
        self.excerpt = excerpt
    }
}
