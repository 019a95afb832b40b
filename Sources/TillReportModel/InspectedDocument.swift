/// The structure of one document, as far as it could be read. `inspect` shows it.
public struct InspectedDocument: Sendable {
    /// A wrapper of the document, or the document inside all wrappers, and how it was recognized.
    public struct Layer: Hashable, Sendable {
        /// `gzip`, `base64`, `JSON object`.
        public var name: String
        /// The evidence for the layer, in words.
        public var evidence: String
        /// The size of the layer in bytes; `nil` where it is not known.
        public var byteCount: Int?

        /// Needs no `byteCount` for the compression of a source and for the detected format.
        public init(name: String, evidence: String, byteCount: Int?) {
            self.name = name
            self.evidence = evidence
            self.byteCount = byteCount
        }
    }

    /// A row that the document gives. Absent cells are omitted.
    public struct Row: Sendable {
        /// The name of the table: `transactions`.
        public var table: String
        /// The values in the order of the columns of the table.
        public var cells: [(column: String, value: InspectedNode.Value)]

        /// Takes only cells with a value. In ``InspectedDocument/rows``, the rows of a table must follow one another.
        public init(table: String, cells: [(column: String, value: InspectedNode.Value)]) {
            self.table = table
            self.cells = cells
        }
    }

    /// The place of a document in the input.
    public struct Place: Sendable {
        /// The name of the source as the user gave it; `-` for standard input.
        public var source: String
        /// The compression that the source came in, if any.
        public var compression: String?
        /// From 1.
        public var number: Int
        /// From 1.
        public var line: Int
        /// Bytes before the document in the decompressed stream.
        public var offset: Int

        /// Makes a place; `number` and `line` count from 1, `offset` from 0.
        public init(source: String, compression: String? = nil, number: Int, line: Int, offset: Int) {
            self.source = source
            self.compression = compression
            self.number = number
            self.line = line
            self.offset = offset
        }
    }

    /// The path of the file, or `-` for standard input.
    public var source: String
    /// The number of the document in its source, from 1.
    public var number: Int
    /// The line in which the document begins, from 1.
    public var line: Int
    /// The offset at which the document begins in the decompressed stream.
    public var offset: Int
    /// The number of bytes that the document has in that stream.
    public var length: Int
    /// The detected format; `nil` where none was detected.
    public var kind: String?
    /// The wrappers, the outermost first, and then the document inside them.
    public var layers: [Layer] = []
    /// The content of the outermost layer that has a structure.
    public var nodes: [InspectedNode] = []
    /// The rows that the document gives, in all tables.
    public var rows: [Row] = []
    /// The defect of an unreadable document; `nil` if it could be read.
    public var defect: InspectedDefect?

    /// Starts without layers, nodes, rows and a defect, which the caller sets.
    public init(source: String, number: Int, line: Int, offset: Int, length: Int, kind: String?) {
        self.source = source
        self.number = number
        self.line = line
        self.offset = offset
        self.length = length
        self.kind = kind
    }
}

/// An element, attribute or member, with its children.
public struct InspectedNode: Sendable {
    /// The value of a node.
    public enum Value: Hashable, Sendable {
        case text(String)
        /// A number in the spelling of the document, valid as a JSON number.
        case number(String)
        case flag(Bool)
        case null
        case octets([UInt8])
        /// A secret or an identifier of a device. No format shows it; the tree for people shows its length.
        case masked(byteCount: Int)
    }

    /// The name of the element, attribute or member; `…` for nodes that are not shown, because they are above a limit.
    public var name: String
    /// The number of a receipt attribute.
    public var number: Int64?
    /// The offset in the decoded bytes of the nearest ancestor that has a ``decodedLength``, else in the document.
    public var offset: Int?
    /// The number of bytes there.
    public var length: Int?
    /// The value of a leaf; `nil` for a node that has only children, and for one that could not be read.
    public var value: Value?
    /// The value in words: a date, the name of a code, a unit.
    public var meaning: String?
    /// The number of bytes decoded from the value. The offsets of the children count in them; `nil` if they count in
    /// the same bytes as the offset of this node.
    public var decodedLength: Int?
    /// The error at this node.
    public var defect: InspectedDefect?
    /// The nodes inside it, in the order in which formats show them; none for a leaf.
    public var children: [InspectedNode] = []

    /// Starts without a defect and without a ``decodedLength``, so that the offsets of its children count in the same
    /// bytes as its own.
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

/// The reason and the place of a read error.
public struct InspectedDefect: Hashable, Sendable {
    /// A stable name: `ber.truncated`.
    public var code: String
    /// The error in words. Formats write the code and the offset beside it.
    public var reason: String
    /// The names of the enclosing nodes, outermost first; may be empty.
    public var path: String
    /// The offset in the innermost layer that was reached.
    public var offset: Int
    /// A few bytes around the error, as text or in hexadecimal.
    public var excerpt: Excerpt?

    /// A part of the document with the error marked.
    public struct Excerpt: Hashable, Sendable {
        /// One line: characters, with `·` for those outside printable ASCII, or octets in hexadecimal.
        public var text: String
        /// Characters of the text before the mark.
        public var lead: Int
        /// Characters that are marked.
        public var width: Int

        /// Takes `lead` and `width` in characters, each of which has one column.
        public init(text: String, lead: Int, width: Int) {
            self.text = text
            self.lead = lead
            self.width = width
        }
    }

    /// Takes `path` and `excerpt` for the defect of a document. The text format does not show them for a node.
    public init(code: String, reason: String, path: String = "", offset: Int, excerpt: Excerpt? = nil) {
        self.code = code
        self.reason = reason
        self.path = path
        self.offset = offset
        self.excerpt = excerpt
    }
}
