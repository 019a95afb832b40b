import TillCore
public import TillReceipts
public import TillReportModel
public import TillRows

/// Shows what is inside documents: how their format was detected, every element in them, the rows that they give.
///
///     trace of the reader ─┬ layers, and what showed each
///                          ├ the outermost layer with a structure ─ describer ─ tree
///     rows of the document ┴ tables
///
/// The tree is built for one document and thrown away. It never fails: what cannot be read is a node that says why,
/// and what is too much is left out with a node that says so (``InspectionLimits``).
public struct Inspector {
    /// How documents are shown.
    public struct Options: Sendable {
        /// Whether secrets and what tells of a device are shown.
        public var showsPrivate = false
        /// The format that `--from` asked for.
        public var forcedFormat: String?
        /// What is to be said of the signature and the chain of something signed; `nil` says nothing.
        public var trust: (@Sendable (SignedPart) -> [InspectedNode])?

        public init() {}
    }

    private var context: InspectionContext

    public init(options: Options = Options()) {
        context = InspectionContext(options: options)
    }

    /// Where a document stands.
    public struct Place: Sendable {
        public var source: String
        /// The compression that the source came in, if any.
        public var compression: String?
        /// From 1.
        public var number: Int
        /// From 1.
        public var line: Int
        /// In the decompressed stream.
        public var offset: Int

        public init(source: String, compression: String? = nil, number: Int, line: Int, offset: Int) {
            self.source = source
            self.compression = compression
            self.number = number
            self.line = line
            self.offset = offset
        }
    }

    /// Everything inside one document; its rows are those of `rows` that carry its ordinal.
    public mutating func inspect(
        _ trace: DocumentTrace,
        at place: Place,
        rows: borrowing RowBatch
    ) -> InspectedDocument {
        context.begin()
        var document = InspectedDocument(
            source: place.source,
            number: place.number,
            line: place.line,
            offset: place.offset,
            length: trace.raw.count,
            kind: trace.format
        )
        document.layers = LayerEvidence.layers(
            of: trace,
            compression: place.compression,
            forcedFormat: context.options.forcedFormat
        )
        if let outermost = trace.layers.first(where: \.hasStructure) {
            document.nodes = [context.describe(outermost)]
        } else if let last = trace.layers.last ?? trace.rawLayer {
            document.nodes = [context.describeUnknown(last)]
        }
        document.defect = trace.diagnostic.map { diagnostic in
            InspectedDefect(
                diagnostic,
                in: trace.layers.last ?? trace.rawLayer,
                showsPrivate: context.options.showsPrivate
            )
        }
        if trace.diagnostic == nil { document.rows = RowTables.rows(of: trace.ordinal, in: rows) }
        return document
    }
}

/// Something signed, for the judgement of its signature.
public enum SignedPart: Sendable {
    /// A PKCS#7 ContentInfo.
    case pkcs7([UInt8])
    /// A JWS in its compact form.
    case jws([UInt8])
    /// The signature blob of a legacy receipt and the text that it signs.
    case legacy(signature: [UInt8], purchaseInfo: [UInt8])
}

/// What is shown of one document at most; a hostile one must not become a tree that fills the memory.
public enum InspectionLimits {
    /// Nodes of the tree. The longest receipt known, of 187 purchases, has some 3,500.
    public static let nodeCount = 200_000
    /// Objects, lists or elements inside one another, in all documents together.
    public static let depth = 64
    /// Documents inside one another that are opened.
    public static let documentDepth = 5
}

extension DocumentTrace {
    /// The document as it came, where no layer of it was recognised.
    var rawLayer: Layer? { raw.isEmpty ? nil : Layer(kind: .text, bytes: raw) }
}

extension DocumentTrace.Layer {
    /// Whether there is a tree in it, and not only an encoding of something else.
    var hasStructure: Bool {
        switch kind {
        case .object, .jws, .binary: true
        case .text: format != nil
        case .string, .pem, .base64, .cell: false
        }
    }
}
