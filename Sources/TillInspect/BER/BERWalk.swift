import TillCore
import TillReceipts
import TillReportModel

/// Walks the elements of a BER encoding (X.690) along a table of fields and adds a node for each.
struct BERWalk {
    let octets: MappedOctets
    /// The offset at which the document really ends. Added zeros follow it.
    let end: Int
    let context: InspectionContext
    /// The number of the next purchase.
    var purchases = 0

    init(_ octets: MappedOctets, end: Int = .max, in context: InspectionContext) {
        self.octets = octets
        self.end = end
        self.context = context
    }

    /// Shows all elements of `bytes` by their types.
    static func describe(_ bytes: [UInt8], in context: InspectionContext) -> InspectedNode {
        var node = InspectedNode("BER", offset: 0, length: bytes.count)
        BERWalk(MappedOctets(bytes), in: context).describeElements(BERCursor(bytes.span.bytes), into: &node)
        return node
    }

    /// Adds a node to `parent` for each element of `contents` that the table names.
    mutating func walk(
        _ fields: [BERField],
        _ contents: BERCursor,
        into parent: inout InspectedNode
    ) throws(Finding) {
        var cursor = contents
        for field in fields {
            switch field.occurrence {
            case .once:
                let element = try cursor.next()
                try describe(element, cursor, as: field, into: &parent)
            case .optional(let absent):
                var ahead = cursor
                let element = try ahead.next()
                if field.takes(element.tag) {
                    cursor = ahead
                    try describe(element, cursor, as: field, into: &parent)
                } else if let absent {
                    parent.children.append(InspectedNode(field.name, meaning: absent))
                }
            case .repeated(let leftOut):
                while !cursor.isAtEnd {
                    let start = octets.source(of: cursor.position)
                    guard start < end else { throw Finding(.berTruncated, at: cursor.position) }
                    guard context.spend() else {
                        if let leftOut { parent.children.append(InspectionContext.leftOut(leftOut, offset: start)) }
                        return
                    }
                    let element = try cursor.next()
                    try describe(element, cursor, as: field, into: &parent)
                }
            }
        }
    }

    /// Sets the defect of a node. An error in added bytes means that the document ends too early.
    func fail(_ error: Finding, _ node: inout InspectedNode) {
        let offset = octets.source(of: error.offset)
        node.defect = InspectedDefect(offset >= end ? Finding(.berTruncated, at: end) : error.at(offset))
    }

    /// Adds the node of an element, which `cursor` has just read.
    private mutating func describe(
        _ element: BERElement,
        _ cursor: BERCursor,
        as field: BERField,
        into parent: inout InspectedNode
    ) throws(Finding) {
        guard field.takes(element.tag) else { throw Finding(.unexpectedTag, at: element.start) }
        let contents = cursor.contents(of: element)
        let length = cursor.position - element.start
        var node = InspectedNode(field.name, offset: octets.source(of: element.start), length: length)
        switch field.shape {
        case .hidden: return
        case .inline(let fields): return try walk(fields, contents, into: &parent)
        case .choice(let fields):
            guard let field = fields.first(where: { $0.takes(element.tag) }) else {
                throw Finding(.unexpectedTag, at: element.start)
            }
            return try describe(element, cursor, as: field, into: &parent)
        case .fields(let fields): try walk(fields, contents, into: &node)
        case .part(let fields):
            do throws(Finding) {
                try walk(fields, contents, into: &node)
            } catch {
                fail(error, &node)
            }
        case .elements: describeElements(contents, into: &node)
        case .element:
            node.name = BERValue.typeName(element.tag)
            if element.isConstructed {
                describeElements(contents, into: &node)
            } else {
                BERValue.show(element, cursor, in: &node)
            }
        case .value: BERValue.show(element, cursor, in: &node)
        case .plainValue: node.value = BERValue.value(of: element, in: cursor)
        case .octets: node.value = .octets(cursor.octets(element.content))
        case .signature:
            try requireWhole(cursor)
            node.value = .octets(cursor.octets(element.content))
            node.meaning = "\(element.content.count) bytes"
        case .algorithm:
            var members = contents
            let identifier = try members.next(0x06)
            BERValue.show(identifier, members, in: &node)
        case .distinguishedName: node.value = .text(BERValue.distinguishedName(contents))
        case .time: node.value = BERValue.time(element, cursor)
        case .publicKey: node.value = .text(try BERValue.publicKey(contents))
        case .certificateExtension: (node.name, node.meaning) = try BERValue.certificateExtension(contents)
        case .certificate:
            try requireWhole(cursor)
            let der = cursor.octets(element.start..<cursor.position)
            CertificateDescriber.describe(der, at: octets.source(of: element.start), into: &node, in: context)
        case .payload: describePayload(element, cursor, into: &node)
        case .attribute: describeAttribute(element, contents, into: &node)
        }
        parent.children.append(node)
    }

    private func requireWhole(_ cursor: BERCursor) throws(Finding) {
        guard octets.source(of: cursor.position) <= end else { throw Finding(.berTruncated, at: cursor.position) }
    }

    /// Elements are walked to their declared end, also if the document ends before.
    private func describeElements(_ contents: BERCursor, into node: inout InspectedNode) {
        guard context.enter() else { return node.children.append(InspectionContext.tooDeep(offset: node.offset)) }
        defer { context.leave() }
        var walk = BERWalk(octets, in: context)
        do throws(Finding) {
            try walk.walk(BERField.elements, contents, into: &node)
        } catch {
            walk.fail(error, &node)
        }
    }
}
