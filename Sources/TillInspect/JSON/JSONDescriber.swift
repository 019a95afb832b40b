import TillCore
import TillInput
import TillJSON
import TillReceipts
import TillReportModel

/// Builds the tree of a JSON text: every member with its place, and with its meaning if the vocabulary has one.
///
/// The offset of a string is that of its text, without the quotes. A string that is itself a document is opened. The
/// tree ends where the text is broken, with a defect.
struct JSONDescriber {
    private let vocabulary: Vocabulary
    private let context: InspectionContext
    /// Whether the text is broken, so that nothing behind can be read.
    private var hasFailed = false

    static func describe(_ bytes: [UInt8], vocabulary: Vocabulary, in context: InspectionContext) -> InspectedNode {
        let padded = bytes + [UInt8](repeating: 0, count: JSONCursor.padding)
        var describer = JSONDescriber(vocabulary: vocabulary, context: context)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count)
        var node = describer.node(named: "JSON", in: "", &cursor)
        if node.offset == nil { node.offset = 0 }
        return node
    }

    private init(vocabulary: Vocabulary, context: InspectionContext) {
        self.vocabulary = vocabulary
        self.context = context
    }

    /// The first member of an object whose name is one of `names`.
    static func firstMember(of bytes: [UInt8], among names: [String]) -> String? {
        let padded = bytes + [UInt8](repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count)
        var isFirst = true
        do {
            try cursor.expect(0x7B)
            while try cursor.nextMember(isFirst: &isFirst) {
                let key = String(input: octets(of: try cursor.string(), in: cursor))
                if names.contains(key) { return key }
                try cursor.expect(0x3A)
                try cursor.skipValue()
            }
        } catch {
            // A broken text has no member that shows its format.
            return nil
        }
        return nil
    }

    @_lifetime(cursor: copy cursor)
    private mutating func node(named name: String, in parent: String, _ cursor: inout JSONCursor) -> InspectedNode {
        var node = InspectedNode(name)
        do throws(Finding) {
            let token = try cursor.token()
            (node.offset, node.length) = (token.start, token.count)
            if Privacy.isPrivate(name), !context.options.showsPrivate, token.kind != .null {
                if token.isContainer { try cursor.skipContainer() }
                let length = token.isContainer ? cursor.position - token.start : token.count
                node.length = length
                node.value = length == 0 ? .text("") : .masked(byteCount: length)
                return node
            }
            let octets = token.isContainer ? [] : Self.octets(of: token, in: cursor)
            switch token.kind {
            case .object, .array: try readContainer(token, into: &node, parent: parent, &cursor)
            case .string: describeString(octets, parent: parent, &node)
            case .number: node.value = .number(String(input: octets))
            case .true: node.value = .flag(true)
            case .false: node.value = .flag(false)
            case .null: node.value = .null
            }
            if let value = node.value, node.meaning == nil {
                node.meaning = vocabulary.meaning(of: value, named: name, in: parent)
            }
        } catch {
            fail(error, &node)
        }
        return node
    }

    private mutating func fail(_ error: Finding, _ node: inout InspectedNode) {
        hasFailed = true
        node.defect = InspectedDefect(error)
    }

    @_lifetime(cursor: copy cursor)
    private mutating func readContainer(
        _ token: JSONToken,
        into node: inout InspectedNode,
        parent: String,
        _ cursor: inout JSONCursor
    ) throws(Finding) {
        guard context.enter() else {
            node.children = [InspectionContext.tooDeep(offset: token.start)]
            return try cursor.skipContainer()
        }
        defer { context.leave() }
        let isObject = token.kind == .object
        // The elements of a list have the meaning of the list.
        let around = isObject && node.name.hasPrefix("[") ? parent : node.name
        cursor.position += 1
        var isFirst = true
        do throws(Finding) {
            while isObject ? try cursor.nextMember(isFirst: &isFirst) : try cursor.nextElement(isFirst: &isFirst) {
                var name = "[\(node.children.count)]"
                if isObject {
                    name = String(input: Self.octets(of: try cursor.string(), in: cursor))
                    try cursor.expect(0x3A)
                }
                guard context.spend() else {
                    node.children.append(InspectionContext.leftOut("more members", offset: cursor.position))
                    cursor.position = token.start
                    try cursor.skipContainer()
                    break
                }
                node.children.append(self.node(named: name, in: around, &cursor))
                if hasFailed { break }
            }
        } catch {
            fail(error, &node)
        }
        node.length = cursor.position - token.start
        nameFailure(&node)
    }

    private func describeString(_ octets: [UInt8], parent: String, _ node: inout InspectedNode) {
        // An element of a list is named by its number, and has the meaning of the list.
        let name = node.name.hasPrefix("[") ? parent : node.name
        var isMessage = false
        switch vocabulary.meaning(of: name, in: parent) {
        case .certificates: return CertificateDescriber.describe(base64: octets, into: &node, in: context)
        case .message: isMessage = true
        default: break
        }
        _ = context.describe(member: octets, isText: true, isMessage: isMessage, into: &node)
    }

    /// Adds the meaning of an error that an object names with `domain` and `code`.
    private func nameFailure(_ node: inout InspectedNode) {
        guard case .text(let domain)? = node.children.last(where: { $0.name == "domain" })?.value,
            let index = node.children.lastIndex(where: { $0.name == "code" }),
            let code = node.children[index].value?.integer,
            let entry = FailureCatalogue.entry(domain: domain, code: code)
        else { return }
        node.children[index].meaning = "\(entry.name): \(entry.meaning)"
    }

    private static func octets(of token: JSONToken, in cursor: borrowing JSONCursor) -> [UInt8] {
        var octets: [UInt8] = []
        cursor.appendText(of: token, to: &octets)
        return octets
    }
}
