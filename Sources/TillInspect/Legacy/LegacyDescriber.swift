import TillInput
import TillReceipts
import TillReportModel

/// Transaction receipts of iOS 3 to 6: the property list, the one inside it, and what is in the signature.
enum LegacyDescriber: Describer {
    static let format = LegacyFormat.name

    static func describe(text bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        let name = bytes.first == 0x3C ? "XML property list" : "ASCII property list"
        do throws(PropertyListError) {
            let list =
                try bytes.first == 0x3C
                ? XMLPropertyList.parse(bytes.span.bytes) : PropertyListParser.parse(bytes.span.bytes)
            let describer = PropertyListDescriber(source: bytes)
            var node = describer.describe(list, named: name, in: "", &context)
            node.length = bytes.count
            return node
        } catch {
            var node = InspectedNode(name, offset: 0, length: bytes.count)
            // What stands before the defect is shown all the same.
            if bytes.first != 0x3C, let beginning = PropertyListParser.parseBeginning(bytes.span.bytes) {
                node = PropertyListDescriber(source: bytes).describe(beginning, named: name, in: "", &context)
                node.length = bytes.count
            }
            node.defect = InspectedDefect(
                code: error.code.rawValue,
                reason: error.reason,
                offset: error.offset
            )
            return node
        }
    }
}

/// Builds the tree of a property list of either notation.
private struct PropertyListDescriber {
    /// The text of the list, in which lengths are looked up.
    let source: [UInt8]
    private let vocabulary = VerifyDescriber.vocabulary

    init(source: [UInt8]) {
        self.source = source
    }

    func describe(
        _ value: PropertyListValue,
        named name: String,
        in parent: String,
        _ context: inout InspectionContext
    ) -> InspectedNode {
        var node = InspectedNode(name, offset: value.offset)
        guard !(Privacy.isPrivate(name) && !context.options.showsPrivate) else {
            node.length = length(at: value.offset)
            node.value = .masked(byteCount: node.length ?? 0)
            return node
        }
        switch value.content {
        case .dictionary(let entries):
            guard context.enter() else { return InspectionContext.tooDeep(offset: value.offset) }
            defer { context.leave() }
            for entry in entries {
                guard context.spend() else {
                    node.children.append(InspectionContext.leftOut("more entries", offset: entry.value.offset))
                    break
                }
                var child = describe(entry.value, named: entry.key, in: name, &context)
                if Self.spelling(entry.key) == "signature" {
                    addTrust(signature: entry.value, of: entries, to: &child, in: context)
                }
                node.children.append(child)
            }
        case .array(let elements):
            guard context.enter() else { return InspectionContext.tooDeep(offset: value.offset) }
            defer { context.leave() }
            for (index, element) in elements.enumerated() {
                guard context.spend() else {
                    node.children.append(InspectionContext.leftOut("more elements", offset: element.offset))
                    break
                }
                node.children.append(describe(element, named: "[\(index)]", in: name, &context))
            }
        case .string(let text):
            node.length = length(at: value.offset)
            describe(Array(text.utf8), isText: true, in: parent, into: &node, &context)
        case .data(let octets): describe(octets, isText: false, in: parent, into: &node, &context)
        }
        return node
    }

    private func describe(
        _ octets: [UInt8],
        isText: Bool,
        in parent: String,
        into node: inout InspectedNode,
        _ context: inout InspectionContext
    ) {
        switch Self.spelling(node.name) {
        case "purchase-info" where context.open(octets, into: &node): return
        case "signature" where !octets.isEmpty:
            return SignatureBlob.describe(octets, isText: isText, into: &node, in: &context)
        default: break
        }
        if octets.span.bytes.beginsLikeDocument {
            if context.open(octets, into: &node) { return }
            node.meaning = "begins like a document and is none"
            if !context.options.showsPrivate {
                node.value = .masked(byteCount: octets.count)
                return
            }
        }
        node.value = isText ? TextValue.value(octets, isMessage: false, in: context) : .octets(octets)
        guard let value = node.value else { return }
        let name = node.name.replacing("-", with: "_")
        node.meaning = ValueMeaning.text(of: value, named: name, in: parent, vocabulary)
    }

    private func addTrust(
        signature: PropertyListValue,
        of entries: [PropertyListValue.Entry],
        to node: inout InspectedNode,
        in context: InspectionContext
    ) {
        guard let trust = context.options.trust,
            let info = entries.last(where: { Self.spelling($0.key) == "purchase-info" })?.value,
            let blob = signature.octets, let signed = info.octets
        else { return }
        node.children += trust(.legacy(signature: blob, purchaseInfo: signed))
    }

    private static func spelling(_ key: String) -> String { key.replacing("_", with: "-") }

    /// Bytes of the text that begins at `offset`: to its quote, its tag, or the end of a bare word.
    private func length(at offset: Int) -> Int? {
        guard offset <= source.count else { return nil }
        let isXML = source.first == 0x3C
        let isQuoted = offset > 0 && source[offset - 1] == 0x22
        var index = offset
        while index < source.count {
            let byte = source[index]
            if isXML ? byte == 0x3C : isQuoted ? byte == 0x22 : byte <= 0x20 || [0x3B, 0x2C, 0x29, 0x7D].contains(byte)
            {
                break
            }
            index += isQuoted && byte == 0x5C ? 2 : 1
        }
        return min(index, source.count) - offset
    }
}

extension PropertyListValue {
    /// The bytes of a string that is base64, or of data.
    fileprivate var octets: [UInt8]? {
        switch content {
        case .dictionary, .array: return nil
        case .data(let octets): return octets
        case .string(let text):
            var octets: [UInt8] = []
            do {
                try Base64.decode(Array(text.utf8).span.bytes, into: &octets)
            } catch {
                return nil
            }
            return octets
        }
    }
}
