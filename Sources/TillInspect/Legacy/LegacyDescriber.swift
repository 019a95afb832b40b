import TillCore
import TillInput
import TillReceipts
import TillReportModel

/// Transaction receipts of iOS 3 to 6: the property list, the one inside it, and the fields of the signature.
enum LegacyDescriber {
    static func describe(_ bytes: [UInt8], in context: InspectionContext) -> InspectedNode {
        let isXML = bytes.first == 0x3C
        let name = isXML ? "XML property list" : "ASCII property list"
        let describer = PropertyListDescriber(source: bytes, context: context)
        var node = InspectedNode(name, offset: 0)
        do throws(Finding) {
            let list =
                try isXML ? XMLPropertyList.parse(bytes.span.bytes) : PropertyListParser.parse(bytes.span.bytes)
            node = describer.describe(list, named: name, in: "")
        } catch {
            if !isXML, let beginning = PropertyListParser.parseBeginning(bytes.span.bytes) {
                node = describer.describe(beginning, named: name, in: "")
            }
            node.defect = InspectedDefect(error)
        }
        node.length = bytes.count
        return node
    }
}

/// Builds the tree of a property list of either notation.
private struct PropertyListDescriber {
    /// The text of the list, for the lengths of the values.
    let source: [UInt8]
    let context: InspectionContext

    func describe(_ value: PropertyListValue, named name: String, in parent: String) -> InspectedNode {
        var node = InspectedNode(name, offset: value.offset)
        guard context.options.showsPrivate || !Privacy.isPrivate(name) else {
            let length = length(at: value.offset)
            node.length = length
            node.value = .masked(byteCount: length ?? 0)
            return node
        }
        switch value.content {
        case .dictionary(let entries):
            return describe(entries.map { ($0.key, $0.value) }, leftOut: "more entries", in: node)
        case .array(let elements):
            let members = elements.enumerated().map { ("[\($0)]", $1) }
            return describe(members, leftOut: "more elements", in: node)
        case .string(let text):
            node.length = length(at: value.offset)
            describe(Array(text.utf8), isText: true, in: parent, into: &node)
        case .data(let octets): describe(octets, isText: false, in: parent, into: &node)
        }
        return node
    }

    /// The node of a dictionary or an array, with a child for each of its values.
    private func describe(
        _ members: [(name: String, value: PropertyListValue)],
        leftOut: String,
        in parent: InspectedNode
    ) -> InspectedNode {
        guard context.enter() else { return InspectionContext.tooDeep(offset: parent.offset) }
        defer { context.leave() }
        var node = parent
        for member in members {
            guard context.spend() else {
                node.children.append(InspectionContext.leftOut(leftOut, offset: member.value.offset))
                break
            }
            var child = describe(member.value, named: member.name, in: node.name)
            if Self.spelling(member.name) == "signature", let trust = context.trust,
                let blob = member.value.octets,
                let info = members.last(where: { Self.spelling($0.name) == "purchase-info" })?.value.octets
            {
                child.children += trust.nodes(ofLegacy: blob, purchaseInfo: info)
            }
            node.children.append(child)
        }
        return node
    }

    private func describe(_ octets: [UInt8], isText: Bool, in parent: String, into node: inout InspectedNode) {
        switch Self.spelling(node.name) {
        case "purchase-info" where context.open(octets, into: &node): return
        case "signature" where !octets.isEmpty:
            return SignatureBlob.describe(octets, isText: isText, into: &node, in: context)
        default: break
        }
        guard context.describe(member: octets, isText: isText, isMessage: false, into: &node) else { return }
        let name = node.name.replacing("-", with: "_")
        node.meaning = node.value.flatMap { Vocabulary.verifyReceipt.meaning(of: $0, named: name, in: parent) }
    }

    private static func spelling(_ key: String) -> String { key.replacing("_", with: "-") }

    /// The length of the text that begins at `offset` and ends at its quote, its tag, or the end of a bare word.
    private func length(at offset: Int) -> Int? {
        guard offset <= source.count else { return nil }
        let isXML = source.first == 0x3C
        let isQuoted = offset > 0 && source[offset - 1] == 0x22
        func isEnd(_ byte: UInt8) -> Bool {
            if isXML { return byte == 0x3C }
            return isQuoted ? byte == 0x22 : byte <= 0x20 || [0x3B, 0x2C, 0x29, 0x7D].contains(byte)
        }
        var index = offset
        while index < source.count, !isEnd(source[index]) {
            index += isQuoted && source[index] == 0x5C ? 2 : 1
        }
        return min(index, source.count) - offset
    }
}

extension PropertyListValue {
    /// The bytes of data, or of a string that is base64.
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
