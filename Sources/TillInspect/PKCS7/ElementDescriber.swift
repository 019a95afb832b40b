import TillReceipts
import TillReportModel

/// Shows BER by its elements (X.690), where nothing more is known of them.
enum ElementDescriber {
    /// The first element of `bytes`, with all inside it.
    static func describe(_ bytes: [UInt8], in context: inout InspectionContext) -> InspectedNode {
        var node = InspectedNode("BER", offset: 0, length: bytes.count)
        var cursor = BERCursor(bytes.span.bytes)
        describeContents(of: &cursor, into: &node, at: 0, in: &context)
        return node
    }

    /// Adds the elements that the cursor walks; offsets count from `base`.
    @_lifetime(cursor: copy cursor)
    static func describeContents(
        of cursor: inout BERCursor,
        into node: inout InspectedNode,
        at base: Int,
        in context: inout InspectionContext
    ) {
        guard context.enter() else { return node.children.append(InspectionContext.tooDeep(offset: node.offset)) }
        defer { context.leave() }
        do throws(DecodeError) {
            while !cursor.isAtEnd {
                guard context.spend() else {
                    return node.children.append(
                        InspectionContext.leftOut("more elements", offset: base + cursor.position)
                    )
                }
                let element = try cursor.next()
                node.children.append(describe(element, in: cursor, at: base, &context))
            }
        } catch {
            var defect = InspectedDefect(error)
            defect.offset += base
            node.defect = defect
        }
    }

    private static func describe(
        _ element: BERElement,
        in cursor: borrowing BERCursor,
        at base: Int,
        _ context: inout InspectionContext
    ) -> InspectedNode {
        var node = InspectedNode(
            typeName(element.tag),
            offset: base + element.start,
            length: cursor.position - element.start
        )
        guard !element.isConstructed else {
            var inner = cursor.contents(of: element)
            describeContents(of: &inner, into: &node, at: base, in: &context)
            return node
        }
        node.value = value(of: element, in: cursor)
        if element.tag == 0x06, case .text(let identifier)? = node.value {
            node.meaning = ObjectIdentifierNames.name(of: identifier)
        }
        return node
    }

    /// The value of a primitive element: a number, a text, an object identifier, or the octets.
    static func value(of element: BERElement, in cursor: borrowing BERCursor) -> InspectedNode.Value {
        let octets = cursor.octets(element.content)
        switch element.tag {
        case 0x01 where octets.count == 1: return .flag(octets[0] != 0)
        case 0x02:
            do {
                return .number(String(try cursor.integer(element)))
            } catch {
                // A serial number is wider than any integer of ours.
                return .octets(octets)
            }
        case 0x05: return .null
        case 0x06: return ObjectIdentifierNames.dotted(octets).map { .text($0) } ?? .octets(octets)
        case 0x0C, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1A:
            return String(validating: octets, as: UTF8.self).map { .text($0) } ?? .octets(octets)
        default: return .octets(octets)
        }
    }

    static func typeName(_ tag: UInt8) -> String {
        switch tag {
        case 0x01: "BOOLEAN"
        case 0x02: "INTEGER"
        case 0x03: "BIT STRING"
        case 0x04, 0x24: "OCTET STRING"
        case 0x05: "NULL"
        case 0x06: "OBJECT IDENTIFIER"
        case 0x0C: "UTF8String"
        case 0x13: "PrintableString"
        case 0x14: "TeletexString"
        case 0x16: "IA5String"
        case 0x17: "UTCTime"
        case 0x18: "GeneralizedTime"
        case 0x30: "SEQUENCE"
        case 0x31: "SET"
        default: tag & 0xC0 == 0x80 ? "[\(tag & 0x1F)]" : "tag 0x" + String(tag, radix: 16)
        }
    }
}

extension BERCursor {
    func octets(_ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBytes(Array.init)
    }
}
