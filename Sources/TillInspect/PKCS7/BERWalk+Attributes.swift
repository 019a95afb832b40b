import TillCore
import TillReceipts
import TillReportModel

/// The attributes of a receipt and of its purchases. `ReceiptAttribute` is the table of their names, encodings and
/// privacy.
///
///     SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
extension BERWalk {
    /// The meanings of numbers in some attributes, by the type of the attribute.
    private static let meanings: [Int64: @Sendable (Int64) -> String?] = [
        9: fourCharacters,
        13: osVersion,
        1707: { CodeNames.productType[$0] },
        1713: { $0 == 0 ? "no" : "yes" },
        1719: { $0 == 0 ? "no" : "yes" },
    ]

    private static func fourCharacters(_ number: Int64) -> String? {
        let octets = (0..<4).map { UInt8(truncatingIfNeeded: number >> Int64(24 - 8 * $0)) }
        guard number >> 32 == 0, octets.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        return "\"" + String(input: octets) + "\""
    }

    private static func osVersion(_ number: Int64) -> String? {
        guard (10_000..<1_000_000).contains(number) else { return nil }
        return "OS \(number / 10_000).\(number / 100 % 100).\(number % 100), by its looks"
    }

    /// Shows the attributes in an OCTET STRING, which may be cut in fragments or wrapped once more (quirks 8 and 11).
    func describePayload(_ element: BERElement, _ cursor: BERCursor, into node: inout InspectedNode) {
        node.meaning = element.isConstructed ? "OCTET STRING in fragments" : "OCTET STRING"
        do throws(Finding) {
            var payload = try MappedOctets(element, in: cursor, of: octets)
            for _ in 0..<2 where payload.bytes.first == 0x04 || payload.bytes.first == 0x24 {
                let outer = payload
                var again = BERCursor(outer.bytes.span.bytes)
                let nested = try again.next()
                payload = try MappedOctets(nested, in: again, of: outer)
                node.meaning = "OCTET STRING in an OCTET STRING"
            }
            try describeAttributes(in: payload, into: &node)
        } catch {
            fail(error, &node)
        }
    }

    /// Shows a SET OF attributes.
    private func describeAttributes(in octets: MappedOctets, into node: inout InspectedNode) throws(Finding) {
        var cursor = BERCursor(octets.bytes.span.bytes)
        let set = try cursor.next(0x31)
        var walk = BERWalk(octets, end: end, in: context)
        do throws(Finding) {
            try walk.walk(SignedDataFields.attributes, cursor.contents(of: set), into: &node)
        } catch {
            walk.fail(error, &node)
        }
    }

    /// Shows one attribute. A malformed one has a defect, and the next one is read.
    mutating func describeAttribute(_ sequence: BERElement, _ contents: BERCursor, into node: inout InspectedNode) {
        do throws(Finding) {
            var members = contents
            guard !members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
            let number = try members.integer(try members.next(0x02))
            node.number = number
            let known = ReceiptAttribute.known(number)
            node.name = known?.name ?? "unknown"
            let version = try members.integer(try members.next(0x02))
            let value = try members.next()
            guard value.tag & ~0x20 == 0x04, members.isAtEnd else { throw Finding(.attribute, at: sequence.start) }
            guard octets.source(of: value.content.upperBound) <= end || known?.encoding == .purchase else {
                throw Finding(.berTruncated, at: value.start)
            }
            let inner = try MappedOctets(value, in: members, of: octets)
            if known?.encoding == .purchase {
                node.name += "[\(purchases)]"
                purchases += 1
            }
            describe(inner, as: known, into: &node)
            // Only the opaque value has another version than 1.
            if version != 1, number != 4 {
                node.meaning = [node.meaning, "attribute version \(version)"].compactMap(\.self).joined(separator: ", ")
            }
        } catch {
            // If the receipt is cut inside the attribute, the cut is the reason for any error.
            let isCut = octets.source(of: sequence.content.upperBound) > end
            fail(isCut ? Finding(.berTruncated, at: sequence.content.upperBound) : error, &node)
        }
    }

    /// Shows the value of an attribute. If it is not encoded as the table says, the bytes and the defect are shown.
    private func describe(_ octets: MappedOctets, as known: ReceiptAttribute?, into node: inout InspectedNode) {
        if known?.isPrivate == true, !context.options.showsPrivate {
            node.value = .masked(byteCount: octets.bytes.count)
            return
        }
        let isEmpty = octets.bytes.isEmpty
        var cursor = BERCursor(octets.bytes.span.bytes)
        do throws(Finding) {
            switch known?.encoding {
            case nil:
                node.value = .octets(octets.bytes)
                node.meaning = Self.guess(octets.bytes)
            case .octets: node.value = .octets(octets.bytes)
            case .purchase:
                guard context.enter() else {
                    return node.children.append(InspectionContext.tooDeep(offset: node.offset))
                }
                defer { context.leave() }
                try describeAttributes(in: octets, into: &node)
            case .integer where isEmpty, .text where isEmpty, .date where isEmpty: node.meaning = "empty"
            case .integer:
                let number = try cursor.integer(try cursor.next(0x02))
                node.value = .number(String(number))
                node.meaning = known.flatMap { Self.meanings[$0.type]?(number) }
            case .text, .date:
                let element = try cursor.next()
                guard case .text(let text) = BERValue.value(of: element, in: cursor) else {
                    throw Finding(.unexpectedTag, at: element.start)
                }
                node.value = .text(text)
                node.meaning = text.isEmpty ? "empty: absent" : known?.encoding == .date ? Self.date(text) : nil
            }
        } catch {
            node.value = .octets(octets.bytes)
            BERWalk(octets, end: end, in: context).fail(error, &node)
        }
    }

    /// The date in RFC 3339, unless the text is so already.
    private static func date(_ text: String) -> String? {
        guard let date = Timestamp.parse(Array(text.utf8).span.bytes)?.description else { return "not a date" }
        return date == text ? nil : date
    }

    /// The value of an unknown attribute, if its bytes are one element of a plain type.
    private static func guess(_ bytes: [UInt8]) -> String? {
        var cursor = BERCursor(bytes.span.bytes)
        do throws(Finding) {
            let element = try cursor.next()
            guard cursor.isAtEnd, element.tag & 0xE0 == 0 else { return nil }
            switch BERValue.value(of: element, in: cursor) {
            case .text(let text): return "\(BERValue.typeName(element.tag)) \"\(text)\""
            case .number(let digits): return "INTEGER \(digits)"
            default: return nil
            }
        } catch {
            // An unknown attribute may contain bytes that are not an element.
            return nil
        }
    }
}
