import TillCore
import TillReceipts
import TillReportModel

/// Walks the attributes of a receipt or of a purchase and builds a node of each, known or not.
///
///     SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
///
/// A node stands where the SEQUENCE does. An attribute that is malformed is shown as such, and the next one is read.
struct AttributeWalk {
    /// Where the document really ends.
    let end: Int
    private var purchases = 0

    init(end: Int) {
        self.end = end
    }

    @_lifetime(attributes: copy attributes)
    mutating func describe(
        _ attributes: inout BERCursor,
        of octets: MappedOctets,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            while !attributes.isAtEnd {
                let start = octets.source(of: attributes.position)
                guard start < end else { throw DecodeError(.truncated, at: attributes.position) }
                guard context.spend() else {
                    return node.children.append(InspectionContext.leftOut("more attributes", offset: start))
                }
                let sequence = try attributes.next(0x30)
                var attribute = InspectedNode("attribute", offset: start, length: attributes.position - sequence.start)
                describe(sequence, attributes, of: octets, into: &attribute, in: &context)
                node.children.append(attribute)
            }
        } catch {
            fail(error, of: octets, &node)
        }
    }

    private func fail(_ error: DecodeError, of octets: MappedOctets, _ node: inout InspectedNode) {
        let offset = octets.source(of: error.offset)
        node.defect = InspectedDefect(
            offset >= end ? DecodeError(.truncated, at: end) : DecodeError(error.code, at: offset)
        )
    }

    private mutating func describe(
        _ sequence: BERElement,
        _ cursor: borrowing BERCursor,
        of octets: MappedOctets,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            var members = cursor.contents(of: sequence)
            guard !members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
            let type = try members.next(0x02)
            let number = try members.integer(type)
            node.number = number
            let known = ReceiptAttribute.known(number)
            node.name = known?.name ?? "unknown"
            let version = try members.integer(try members.next(0x02))
            let value = try members.next()
            guard value.tag & ~0x20 == 0x04, members.isAtEnd else { throw DecodeError(.attribute, at: sequence.start) }
            guard octets.source(of: value.content.upperBound) <= end || known?.encoding == .purchase else {
                throw DecodeError(.truncated, at: value.start)
            }
            let inner = try MappedOctets(value, in: members, of: octets)
            if known?.encoding == .purchase {
                node.name += "[\(purchases)]"
                purchases += 1
            }
            try describe(inner, as: known, into: &node, in: &context)
            // All but the opaque value are of version 1.
            if version != 1, number != 4 {
                node.meaning = [node.meaning, "attribute version \(version)"].compactMap(\.self).joined(separator: ", ")
            }
        } catch {
            // What is malformed because the receipt was cut inside it is cut.
            let isCut = octets.source(of: sequence.content.upperBound) > end
            fail(isCut ? DecodeError(.truncated, at: sequence.content.upperBound) : error, of: octets, &node)
        }
    }

    /// Reads the value of an attribute; where it is not what it should be, the octets are shown and the defect said.
    private func describe(
        _ octets: MappedOctets,
        as known: ReceiptAttribute?,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) throws(DecodeError) {
        if known?.isPrivate == true, !context.options.showsPrivate {
            node.value = .masked(byteCount: octets.bytes.count)
            return
        }
        var cursor = BERCursor(octets.bytes.span.bytes)
        do throws(DecodeError) {
            switch known?.encoding {
            case .octets: node.value = .octets(octets.bytes)
            case .purchase:
                let set = try cursor.next(0x31)
                var attributes = cursor.contents(of: set)
                guard context.enter() else {
                    return node.children.append(InspectionContext.tooDeep(offset: node.offset))
                }
                defer { context.leave() }
                var walk = AttributeWalk(end: end)
                walk.describe(&attributes, of: octets, into: &node, in: &context)
            case .integer: try describeInteger(&cursor, of: octets, known, into: &node)
            case .text, .date: try describeText(&cursor, of: octets, known, into: &node)
            case nil: describeUnknown(octets, into: &node)
            }
        } catch {
            node.value = .octets(octets.bytes)
            fail(error, of: octets, &node)
        }
    }

    @_lifetime(cursor: copy cursor)
    private func describeInteger(
        _ cursor: inout BERCursor,
        of octets: MappedOctets,
        _ known: ReceiptAttribute?,
        into node: inout InspectedNode
    ) throws(DecodeError) {
        guard !octets.bytes.isEmpty else {
            node.meaning = "empty"
            return
        }
        let number = try cursor.integer(try cursor.next(0x02))
        node.value = .number(String(number))
        node.meaning = known.flatMap { Self.meaning(of: number, in: $0) }
    }

    @_lifetime(cursor: copy cursor)
    private func describeText(
        _ cursor: inout BERCursor,
        of octets: MappedOctets,
        _ known: ReceiptAttribute?,
        into node: inout InspectedNode
    ) throws(DecodeError) {
        guard !octets.bytes.isEmpty else {
            node.meaning = "empty"
            return
        }
        let element = try cursor.next()
        guard case .text(let text) = ElementDescriber.value(of: element, in: cursor) else {
            throw DecodeError(.unexpectedTag, at: element.start)
        }
        node.value = .text(text)
        if text.isEmpty {
            node.meaning = "empty: absent"
        } else if known?.encoding == .date {
            let date = Timestamp.parse(Array(text.utf8).span.bytes)?.description
            node.meaning = date == nil ? "not a date" : date == text ? nil : date
        }
    }

    /// Shows octets that nothing is known of, and what they would be if they are one element of a plain type.
    private func describeUnknown(_ octets: MappedOctets, into node: inout InspectedNode) {
        node.value = .octets(octets.bytes)
        var cursor = BERCursor(octets.bytes.span.bytes)
        do throws(DecodeError) {
            let element = try cursor.next()
            guard cursor.isAtEnd, element.tag & 0xE0 == 0 else { return }
            switch ElementDescriber.value(of: element, in: cursor) {
            case .text(let text): node.meaning = "\(ElementDescriber.typeName(element.tag)) \"\(text)\""
            case .number(let digits): node.meaning = "INTEGER \(digits)"
            default: break
            }
        } catch {
            // Bytes that are no element are what an unknown attribute may hold as well; they are shown.
            node.meaning = nil
        }
    }

    /// What a number stands for where Apple packs something into it.
    private static func meaning(of number: Int64, in attribute: ReceiptAttribute) -> String? {
        switch attribute.type {
        case 9:
            let octets = (0..<4).map { UInt8(truncatingIfNeeded: number >> Int64(24 - 8 * $0)) }
            guard number >> 32 == 0, octets.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
            return "\"" + String(decoding: octets, as: UTF8.self) + "\""
        case 13 where (10_000..<1_000_000).contains(number):
            return "OS \(number / 10_000).\(number / 100 % 100).\(number % 100), by its looks"
        case 1707: return CodeNames.productType[number]
        case 1713, 1719: return number == 0 ? "no" : "yes"
        default: return nil
        }
    }
}
