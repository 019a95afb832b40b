import TillCore
public import TillReceipts
public import TillReportModel
public import TillRows

/// Shows the content of documents: how their format was detected, every element in them, the rows that they give.
///
///     trace of the reader ─┬ layers, each with its evidence
///                          ├ the outermost layer with a structure ─ describer ─ tree
///     rows of the document ┴ tables
///
/// The tree is built for one document and then discarded. Building it never fails: an unreadable part is a node with a
/// defect, and one node replaces the nodes above a limit (``InspectionLimits``).
public struct Inspector {
    /// The options for showing documents.
    public struct Options: Sendable {
        /// Whether secrets and identifiers of devices are shown.
        public var showsPrivate = false
        /// The format that `--from` asked for.
        public var forcedFormat: String?
        /// Checks the signature of each signed part, which adds nodes about it and its chain; `nil` checks none.
        public var checker: (any SignatureChecker)?

        /// Starts with private data hidden, no format asked for and no checker.
        public init() {}
    }

    private let context: InspectionContext
    /// The wrapper that was shown last, with the number of the document that it was shown for.
    private var shown: (wrapper: Wrapper, number: Int)?

    /// The place of a text that contains several documents.
    private struct Wrapper: Equatable {
        var source: String
        var offset: Int
        var length: Int
    }

    /// Makes an inspector for all documents of a run; it must get them in their order.
    public init(options: Options = Options()) {
        context = InspectionContext(options: options)
    }

    /// The content of one document. Its rows are those of `rows` with its ordinal.
    public mutating func inspect(
        _ trace: DocumentTrace,
        at place: InspectedDocument.Place,
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
        let forced = context.options.forcedFormat
        document.layers = LayerEvidence.layers(of: trace, compression: place.compression, forcedFormat: forced)
        let innermost = trace.layers.last ?? trace.rawLayer
        document.nodes = nodes(of: trace, at: place)
        document.defect = trace.diagnostic.map {
            InspectedDefect($0, in: innermost, showsPrivate: context.options.showsPrivate)
        }
        if trace.diagnostic == nil { document.rows = RowTables.rows(of: trace.ordinal, in: rows) }
        return document
    }

    /// The tree of the outermost layer that has a structure.
    ///
    /// A text with several documents is shown whole for the first of them. The others show their own layer, since the
    /// output would otherwise grow with the square of their number.
    private mutating func nodes(of trace: DocumentTrace, at place: InspectedDocument.Place) -> [InspectedNode] {
        let structured = trace.layers.filter(\.hasStructure)
        guard let outermost = structured.first, let own = structured.last else {
            return (trace.layers.last ?? trace.rawLayer).map { [context.describeUnknown($0.bytes)] } ?? []
        }
        let wrapper = Wrapper(source: place.source, offset: place.offset, length: trace.raw.count)
        guard structured.count > 1 else {
            shown = nil
            return [context.describe(outermost)]
        }
        if let shown, shown.wrapper == wrapper {
            var node = context.describe(own)
            let note = "document \(shown.number) shows the text around this one"
            node.meaning = [node.meaning, note].compactMap(\.self).joined(separator: "; ")
            return [node]
        }
        shown = (wrapper, place.number)
        return [context.describe(outermost)]
    }
}

/// The limits of one document's tree. Without them, a hostile document could use all memory.
public enum InspectionLimits {
    /// Nodes of the tree. The longest receipt known, of 187 purchases, has some 3,500.
    public static let nodeCount = 200_000
    /// Objects, lists or elements inside one another, in all documents together.
    public static let depth = 64
    /// Opened documents inside one another.
    public static let documentDepth = 5
}

extension DocumentTrace {
    /// The whole document as a layer, for a document in which no layer was recognised.
    var rawLayer: Layer? { raw.isEmpty ? nil : Layer(kind: .text, bytes: raw) }
}

extension DocumentTrace.Layer {
    /// Whether the layer has a tree, and is not only an encoding of another layer.
    var hasStructure: Bool {
        switch kind {
        case .object, .jws, .binary: true
        case .text: format != nil
        case .string, .pem, .base64, .cell, .gzip, .dataURI, .form, .percent, .hexadecimal, .typed, .escapes, .zlib,
            .bytes, .literal:
            false
        }
    }
}
