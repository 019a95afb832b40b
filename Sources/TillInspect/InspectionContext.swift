import TillCore
import TillReceipts
import TillReportModel

/// What describers share while one document is shown: how much may still be shown, and the reader for what is inside.
struct InspectionContext {
    let options: Inspector.Options
    private var reader: DocumentReader
    private var nodesLeft = InspectionLimits.nodeCount
    private var depth = 0
    private var documentDepth = 0

    init(options: Inspector.Options) {
        self.options = options
        reader = DocumentReader()
        reader.keepsTraces = true
    }

    /// Forgets what was spent on the last document.
    mutating func begin() {
        nodesLeft = InspectionLimits.nodeCount
        depth = 0
        documentDepth = 0
    }

    /// Takes one node out of what may be shown; `false` where nothing is left.
    mutating func spend() -> Bool {
        guard nodesLeft > 0 else { return false }
        nodesLeft -= 1
        return true
    }

    /// The node that stands for what the limit leaves out.
    static func leftOut(_ what: String, offset: Int?) -> InspectedNode {
        InspectedNode(
            "…",
            offset: offset,
            meaning: "\(what) not shown (limit: \(InspectionLimits.nodeCount) nodes)"
        )
    }

    /// Goes one level further down; `false` where that is too deep. Every `true` is followed by ``leave()``.
    mutating func enter() -> Bool {
        guard depth < InspectionLimits.depth else { return false }
        depth += 1
        return true
    }

    mutating func leave() { depth -= 1 }

    static func tooDeep(offset: Int?) -> InspectedNode {
        InspectedNode("…", offset: offset, meaning: "deeper levels not shown (limit: depth \(InspectionLimits.depth))")
    }

    /// What is in a layer, by the describer of its format.
    mutating func describe(_ layer: DocumentTrace.Layer) -> InspectedNode {
        let describer = DescriberRegistry.describer(for: layer.format)
        var node: InspectedNode
        switch layer.kind {
        case .object: node = describer.describe(json: layer.bytes, in: &self)
        case .jws: node = JWSDescriber.describe(jws: layer.bytes, in: &self)
        case .binary: node = describer.describe(binary: layer.bytes, in: &self)
        case .text: node = describer.describe(text: layer.bytes, in: &self)
        case .string, .pem, .base64, .cell: node = describeUnknown(layer)
        }
        if node.length == nil { node.length = layer.bytes.count }
        if node.offset == nil { node.offset = 0 }
        return node
    }

    /// What can be said of bytes in which nothing was recognised: how they begin.
    mutating func describeUnknown(_ layer: DocumentTrace.Layer) -> InspectedNode {
        var node = InspectedNode("bytes", offset: 0, length: layer.bytes.count)
        if String(validating: layer.bytes, as: UTF8.self) == nil {
            node.value = .octets(options.showsPrivate ? layer.bytes : Array(layer.bytes.prefix(16)))
        } else if !options.showsPrivate, Privacy.isOpaque(layer.bytes) || Privacy.isMentioned(in: layer.bytes) {
            // It may be anything, a receipt that lost its beginning for one.
            node.value = .masked(byteCount: layer.bytes.count)
        } else {
            node.name = "text"
            node.value = TextValue.value(layer.bytes, isMessage: true, in: self)
        }
        return node
    }

    /// Opens text that stands inside a document and is one itself; `nil` where it is none.
    ///
    /// The value of the node is what stands inside; the text itself is not repeated.
    mutating func open(_ text: [UInt8], into node: inout InspectedNode) -> Bool {
        guard documentDepth < InspectionLimits.documentDepth else {
            node.meaning =
                "a document, not opened (limit: \(InspectionLimits.documentDepth) documents inside one another)"
            return true
        }
        let trace = reader.trace(text: text)
        guard let inner = trace.layers.first(where: \.hasStructure) else { return false }
        documentDepth += 1
        defer { documentDepth -= 1 }
        let names = trace.layers.prefix { !$0.hasStructure }.map(LayerEvidence.name) + [LayerEvidence.name(inner)]
        let kind = trace.format.map { " (\($0))" } ?? ""
        node.meaning = names.joined(separator: " › ") + kind
        node.decodedLength = inner.bytes.count
        node.children.append(describe(inner))
        // Only a text that was recognised as a receipt has a defect if it is none.
        if let diagnostic = trace.diagnostic, diagnostic.code != DecodeError.Code.unrecognized.rawValue {
            node.defect = InspectedDefect(diagnostic, in: trace.layers.last, showsPrivate: options.showsPrivate)
        }
        return true
    }
}
