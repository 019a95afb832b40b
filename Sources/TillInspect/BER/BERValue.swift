import TillCore
import TillReceipts
import TillReportModel

/// The values of elements, as they are shown.
enum BERValue {
    private static let typeNames: [UInt8: String] = [
        0x01: "BOOLEAN", 0x02: "INTEGER", 0x03: "BIT STRING", 0x04: "OCTET STRING", 0x24: "OCTET STRING",
        0x05: "NULL", 0x06: "OBJECT IDENTIFIER", 0x0C: "UTF8String", 0x13: "PrintableString",
        0x14: "TeletexString", 0x16: "IA5String", 0x17: "UTCTime", 0x18: "GeneralizedTime",
        0x30: "SEQUENCE", 0x31: "SET",
    ]

    static func typeName(_ tag: UInt8) -> String {
        typeNames[tag] ?? (tag & 0xC0 == 0x80 ? "[\(tag & 0x1F)]" : "tag 0x" + String(tag, radix: 16))
    }

    /// The value of a primitive element: a number, a text, an object identifier, or the bytes.
    static func value(of element: BERElement, in cursor: BERCursor) -> InspectedNode.Value {
        let octets = cursor.octets(element.content)
        switch element.tag {
        case 0x01 where octets.count == 1: return .flag(octets[0] != 0)
        case 0x02:
            do {
                return .number(String(try cursor.integer(element)))
            } catch {
                // A serial number is wider than 64 bits.
                return .octets(octets)
            }
        case 0x05: return .null
        case 0x06: return ObjectIdentifierNames.dotted(octets).map { .text($0) } ?? .octets(octets)
        case 0x0C, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1A:
            return String(validInput: octets).map { .text($0) } ?? .octets(octets)
        default: return .octets(octets)
        }
    }

    /// Sets the value of a node; the name of an object identifier is its meaning.
    static func show(_ element: BERElement, _ cursor: BERCursor, in node: inout InspectedNode) {
        node.value = value(of: element, in: cursor)
        if case .text(let identifier)? = node.value, element.tag == 0x06 {
            node.meaning = ObjectIdentifierNames.name(of: identifier)
        }
    }

    /// A Name (RFC 5280 §4.1.2.4) as text, last part first as RFC 4514 writes it: `CN=…, O=…`.
    static func distinguishedName(_ contents: BERCursor) -> String {
        var parts: [String] = []
        var sets = contents
        do throws(Finding) {
            while !sets.isAtEnd {
                var pairs = sets.contents(of: try sets.next(0x31))
                while !pairs.isAtEnd {
                    var pair = pairs.contents(of: try pairs.next(0x30))
                    let type = ObjectIdentifierNames.dotted(pair.octets(try pair.next(0x06).content)) ?? "?"
                    let text = String(input: pair.octets(try pair.next().content))
                    parts.append("\(ObjectIdentifierNames.name(of: type) ?? type)=\(text)")
                }
            }
        } catch {
            parts.append("(broken at \(error.offset))")
        }
        return parts.reversed().joined(separator: ", ")
    }

    /// UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5), as RFC 3339. A year of two digits is one of 1950 to 2049.
    static func time(_ element: BERElement, _ cursor: BERCursor) -> InspectedNode.Value {
        let octets = cursor.octets(element.content)
        var digits = octets
        guard [0x17, 0x18].contains(element.tag), digits.popLast() == 0x5A,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return .octets(octets) }
        if element.tag == 0x17 { digits = Array((digits.first ?? 0 >= 0x35 ? "19" : "20").utf8) + digits }
        guard digits.count == 14 else { return .octets(octets) }
        func part(_ start: Int, _ count: Int = 2) -> String {
            String(decoding: digits.dropFirst(start).prefix(count), as: UTF8.self)
        }
        return .text("\(part(0, 4))-\(part(4))-\(part(6))T\(part(8)):\(part(10)):\(part(12))Z")
    }

    /// Type and size of the key in a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    static func publicKey(_ contents: BERCursor) throws(Finding) -> String {
        var members = contents
        var algorithm = members.contents(of: try members.next(0x30))
        let type = name(ofIdentifier: algorithm.octets(try algorithm.next(0x06).content))
        if type == "RSA" {
            let bits = try members.next(0x03)
            // The first octet of a BIT STRING is the number of unused bits at its end.
            let key = Array(members.octets(bits.content).dropFirst())
            var sequence = BERCursor(key.span.bytes)
            var numbers = sequence.contents(of: try sequence.next(0x30))
            let modulus = numbers.octets(try numbers.next(0x02).content).drop { $0 == 0 }
            return "RSA, \(modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)) bits"
        }
        guard !algorithm.isAtEnd else { return type }
        let curve = try algorithm.next()
        return curve.tag == 0x06 ? "\(type), \(name(ofIdentifier: algorithm.octets(curve.content)))" : type
    }

    private static func name(ofIdentifier octets: [UInt8]) -> String {
        guard let dotted = ObjectIdentifierNames.dotted(octets) else { return "unknown" }
        return ObjectIdentifierNames.name(of: dotted) ?? dotted
    }

    /// The object identifier of an Extension (RFC 5280 §4.2), its name, and whether it is critical.
    static func certificateExtension(_ contents: BERCursor) throws(Finding) -> (name: String, meaning: String) {
        var members = contents
        let identifier = ObjectIdentifierNames.dotted(members.octets(try members.next(0x06).content)) ?? "unknown"
        let second = try members.next()
        let isCritical = second.tag == 0x01 && members.octets(second.content) != [0]
        let parts = [ObjectIdentifierNames.name(of: identifier), isCritical ? "critical" : nil]
        return (identifier, parts.compactMap(\.self).joined(separator: ", "))
    }
}

extension BERCursor {
    func octets(_ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBytes(Array.init)
    }
}
