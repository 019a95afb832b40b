import TillCore
import TillInput
import TillJSON
import TillReceipts
import TillReportModel

/// Builds the tree of a JSON text: every member with its place, and its value in words where it has a meaning.
///
/// The offset of a string is that of its text, without the quotes. A string that is itself a document is opened. Where
/// the text is broken the tree ends, with what is wrong at the place where it ends.
struct JSONDescriber {
    private let vocabulary: Vocabulary
    /// Whether the text turned out to be broken, so that nothing behind can be read.
    private var hasFailed = false

    static func describe(
        _ bytes: [UInt8],
        vocabulary: Vocabulary,
        in context: inout InspectionContext
    ) -> InspectedNode {
        let padded = bytes + [UInt8](repeating: 0, count: JSONCursor.padding)
        var describer = JSONDescriber(vocabulary: vocabulary)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count)
        var node = describer.node(named: "JSON", in: "", &cursor, &context)
        if node.offset == nil { node.offset = 0 }
        return node
    }

    private init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
    }

    /// The first member of an object whose name is one of `names`.
    static func firstMember(of bytes: [UInt8], among names: [String]) -> String? {
        let padded = bytes + [UInt8](repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, limit: bytes.count)
        var isFirst = true
        do {
            try cursor.expect(0x7B)
            while try cursor.nextMember(isFirst: &isFirst) {
                let key = Self.text(of: try cursor.string(), in: cursor)
                if names.contains(key) { return key }
                try cursor.expect(0x3A)
                try cursor.skipValue()
            }
        } catch {
            // A text that is broken has no member that showed its format.
            return nil
        }
        return nil
    }

    @_lifetime(cursor: copy cursor)
    private mutating func node(
        named name: String,
        in parent: String,
        _ cursor: inout JSONCursor,
        _ context: inout InspectionContext
    ) -> InspectedNode {
        var node = InspectedNode(name)
        do throws(JSONError) {
            let token = try cursor.token()
            (node.offset, node.length) = (token.start, token.count)
            if Privacy.isPrivate(name), !context.options.showsPrivate, token.kind != .null {
                if token.isContainer { try cursor.skipContainer() }
                node.length = token.isContainer ? cursor.position - token.start : token.count
                node.value = node.length == 0 ? .text("") : .masked(byteCount: node.length ?? 0)
                return node
            }
            switch token.kind {
            case .object, .array: try readContainer(token, into: &node, parent: parent, &cursor, &context)
            case .string: describeString(token, in: cursor, parent: parent, &node, &context)
            case .number: node.value = .number(Self.text(of: token, in: cursor))
            case .true: node.value = .flag(true)
            case .false: node.value = .flag(false)
            case .null: node.value = .null
            }
            if token.kind != .string { addMeaning(to: &node, in: parent) }
        } catch {
            fail(error, &node)
        }
        return node
    }

    private mutating func fail(_ error: JSONError, _ node: inout InspectedNode) {
        hasFailed = true
        node.defect = InspectedDefect(code: error.code.rawValue, reason: error.reason, offset: error.offset)
    }

    @_lifetime(cursor: copy cursor)
    private mutating func readContainer(
        _ token: JSONToken,
        into node: inout InspectedNode,
        parent: String,
        _ cursor: inout JSONCursor,
        _ context: inout InspectionContext
    ) throws(JSONError) {
        guard context.enter() else {
            node.children = [InspectionContext.tooDeep(offset: token.start)]
            return try cursor.skipContainer()
        }
        defer { context.leave() }
        let isObject = token.kind == .object
        cursor.position += 1
        var isFirst = true
        do throws(JSONError) {
            while isObject ? try cursor.nextMember(isFirst: &isFirst) : try cursor.nextElement(isFirst: &isFirst) {
                var name = "[\(node.children.count)]"
                if isObject {
                    name = Self.text(of: try cursor.string(), in: cursor)
                    try cursor.expect(0x3A)
                }
                guard context.spend() else {
                    node.children.append(InspectionContext.leftOut("more members", offset: cursor.position))
                    cursor.position = token.start
                    try cursor.skipContainer()
                    break
                }
                // The elements of a list mean what the list does.
                let around = isObject ? node.name.hasPrefix("[") ? parent : node.name : node.name
                node.children.append(self.node(named: name, in: around, &cursor, &context))
                if hasFailed { break }
            }
        } catch {
            fail(error, &node)
        }
        node.length = cursor.position - token.start
        nameFailure(&node)
    }

    private mutating func describeString(
        _ token: JSONToken,
        in cursor: borrowing JSONCursor,
        parent: String,
        _ node: inout InspectedNode,
        _ context: inout InspectionContext
    ) {
        var octets: [UInt8] = []
        cursor.appendText(of: token, to: &octets)
        // An element of a list is named by its number, and means what the list does.
        let name = node.name.hasPrefix("[") ? parent : node.name
        if case .certificates? = vocabulary.meaning(of: name, in: parent) {
            return CertificateDescriber.describe(base64: octets, into: &node, in: &context)
        }
        if octets.span.bytes.beginsLikeDocument {
            if context.open(octets, into: &node) { return }
            node.meaning = "begins like a document and is none"
            if !context.options.showsPrivate {
                node.value = .masked(byteCount: octets.count)
                return
            }
        }
        node.value = TextValue.value(octets, isMessage: isMessage(name, in: parent), in: context)
        addMeaning(to: &node, in: parent)
    }

    private func isMessage(_ name: String, in parent: String) -> Bool {
        if case .message? = vocabulary.meaning(of: name, in: parent) { return true }
        return false
    }

    private func addMeaning(to node: inout InspectedNode, in parent: String) {
        guard let value = node.value, node.meaning == nil else { return }
        node.meaning = ValueMeaning.text(of: value, named: node.name, in: parent, vocabulary)
    }

    /// Says what the error is that an object names with `domain` and `code`.
    private func nameFailure(_ node: inout InspectedNode) {
        guard case .text(let domain)? = node.children.last(where: { $0.name == "domain" })?.value,
            let index = node.children.lastIndex(where: { $0.name == "code" })
        else { return }
        guard let code = node.children[index].value?.integer,
            let entry = FailureCatalogue.entry(domain: domain, code: code)
        else { return }
        node.children[index].meaning = "\(entry.name): \(entry.meaning)"
    }

    private static func text(of token: JSONToken, in cursor: borrowing JSONCursor) -> String {
        var octets: [UInt8] = []
        cursor.appendText(of: token, to: &octets)
        return String(decoding: octets, as: UTF8.self)
    }
}
