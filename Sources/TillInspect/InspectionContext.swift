import TillCore
import TillReceipts
import TillReportModel

/// The data that all describers share for one document: the options, the limits, and a reader for documents inside it.
///
/// It is a class because all nodes of a document count against the same limits.
final class InspectionContext {
    let options: Inspector.Options
    /// Makes the nodes about signatures; `nil` if none are checked.
    var trust: TrustNodes? { options.checker.map(TrustNodes.init) }
    private var reader: DocumentReader
    private var nodesLeft = InspectionLimits.nodeCount
    private var depth = 0
    private var documentDepth = 0

    init(options: Inspector.Options) {
        self.options = options
        reader = DocumentReader()
        reader.keepsTraces = true
    }

    /// Resets the limits for the next document.
    func begin() {
        nodesLeft = InspectionLimits.nodeCount
        depth = 0
        documentDepth = 0
    }

    /// Counts one node; `false` if the limit is reached and the node must not be shown.
    func spend() -> Bool {
        guard nodesLeft > 0 else { return false }
        nodesLeft -= 1
        return true
    }

    /// The node that replaces the nodes above the limit.
    static func leftOut(_ what: String, offset: Int?) -> InspectedNode {
        InspectedNode("…", offset: offset, meaning: "\(what) not shown (limit: \(InspectionLimits.nodeCount) nodes)")
    }

    /// Enters the next level; `false` if that is too deep. The caller must call ``leave()`` after every `true`.
    func enter() -> Bool {
        guard depth < InspectionLimits.depth else { return false }
        depth += 1
        return true
    }

    func leave() { depth -= 1 }

    static func tooDeep(offset: Int?) -> InspectedNode {
        InspectedNode("…", offset: offset, meaning: "deeper levels not shown (limit: depth \(InspectionLimits.depth))")
    }

    /// The tree of a layer, built by the describer of its format.
    func describe(_ layer: DocumentTrace.Layer) -> InspectedNode {
        let describer = Describer.describer(for: layer.format)
        var node =
            switch layer.kind {
            case .object: JSONDescriber.describe(layer.bytes, vocabulary: describer.vocabulary, in: self)
            case .jws: JWSDescriber.describe(layer.bytes, in: self)
            case .binary: describer.binary(layer.bytes, self)
            case .text: describer.text(layer.bytes, self)
            case .string, .pem, .base64, .cell, .gzip, .dataURI, .form, .percent, .hexadecimal, .typed, .escapes, .zlib,
                .bytes, .literal:
                describeUnknown(layer.bytes)
            }
        if node.length == nil { node.length = layer.bytes.count }
        if node.offset == nil { node.offset = 0 }
        return node
    }

    /// The node of bytes in which nothing was recognised: the text, or the first of the bytes.
    func describeUnknown(_ bytes: [UInt8]) -> InspectedNode {
        var node = InspectedNode("bytes", offset: 0, length: bytes.count)
        if !options.showsPrivate, Privacy.isOpaque(bytes) || Privacy.isMentioned(in: bytes) {
            // It may be a receipt that lost its beginning.
            node.value = .masked(byteCount: bytes.count)
        } else if String(validating: bytes, as: UTF8.self) == nil {
            node.value = .octets(options.showsPrivate ? bytes : Array(bytes.prefix(16)))
        } else {
            node.name = "text"
            node.value = text(bytes, isMessage: true)
        }
        return node
    }

    /// Shows a string or data of a member. If it is a document, the document is shown in its place.
    ///
    /// Bytes that begin like a document but are not one may be a broken receipt, and are masked. Returns whether the
    /// value of the node is the string or data itself.
    func describe(member octets: [UInt8], isText: Bool, isMessage: Bool, into node: inout InspectedNode) -> Bool {
        if octets.span.bytes.beginsLikeDocument {
            if open(octets, into: &node) { return false }
            node.meaning = "begins like a document and is none"
            if !options.showsPrivate {
                node.value = .masked(byteCount: octets.count)
                return false
            }
        }
        if isText {
            node.value = text(octets, isMessage: isMessage)
        } else {
            let isHidden = !options.showsPrivate && Privacy.isMentioned(in: octets)
            node.value = isHidden ? .masked(byteCount: octets.count) : .octets(octets)
        }
        return true
    }

    /// A text as it may be shown: masked where it may hold a secret, and in the message of an error without identifiers
    /// of a device.
    func text(_ octets: [UInt8], isMessage: Bool) -> InspectedNode.Value {
        guard !options.showsPrivate else { return .text(String(input: octets)) }
        if isMessage {
            return .text(String(input: MessageRedaction.redacted(octets.span.bytes)))
        }
        let mayHide = Privacy.isOpaque(octets, limit: Privacy.blobLimit) || Privacy.isMentioned(in: octets)
        return mayHide ? .masked(byteCount: octets.count) : .text(String(input: octets))
    }

    /// Shows the document in a text as the child of a node; `false` if the text is not a document.
    func open(_ text: [UInt8], into node: inout InspectedNode) -> Bool {
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
        // An unrecognized text is not a receipt, so this is not a defect.
        if let diagnostic = trace.diagnostic, diagnostic.code != Defect.unrecognized.code {
            node.defect = InspectedDefect(diagnostic, in: trace.layers.last, showsPrivate: options.showsPrivate)
        }
        return true
    }
}
