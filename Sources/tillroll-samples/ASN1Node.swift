/// A tree of ASN.1 elements to be written (X.690).
///
/// Lengths are definite and minimal, as DER wants them, except where a node asks for the indefinite form: Xcode
/// writes that, and readers have to cope.
indirect enum ASN1Node {
    /// Octets that are an element, or several, already.
    case encoded([UInt8])
    case primitive(tag: UInt8, [UInt8])
    case constructed(tag: UInt8, [ASN1Node], isIndefinite: Bool = false)

    var octets: [UInt8] {
        switch self {
        case .encoded(let octets): return octets
        case .primitive(let tag, let content):
            return [tag] + Self.length(content.count) + content
        case .constructed(let tag, let children, let isIndefinite):
            let content = children.flatMap(\.octets)
            guard isIndefinite else { return [tag] + Self.length(content.count) + content }
            return [tag, 0x80] + content + [0, 0]
        }
    }

    /// Length octets, definite form (X.690 §8.1.3).
    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let digits = bigEndian(count)
        return [0x80 | UInt8(digits.count)] + digits
    }

    /// The base-256 digits of a number that is not negative; one at least.
    private static func bigEndian(_ number: Int) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = number
        repeat {
            digits.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        return digits
    }
}

extension ASN1Node {
    static let null = ASN1Node.primitive(tag: 0x05, [])

    static func sequence(_ children: [ASN1Node], isIndefinite: Bool = false) -> ASN1Node {
        .constructed(tag: 0x30, children, isIndefinite: isIndefinite)
    }

    /// A SET OF in the order given: receipts do not sort theirs either.
    static func set(_ children: [ASN1Node]) -> ASN1Node {
        .constructed(tag: 0x31, children)
    }

    /// `[0] EXPLICIT`
    static func explicit(_ child: ASN1Node, isIndefinite: Bool = false) -> ASN1Node {
        .constructed(tag: 0xA0, [child], isIndefinite: isIndefinite)
    }

    /// An INTEGER that is not negative; a zero octet keeps the sign bit clear.
    static func integer(_ number: Int) -> ASN1Node {
        let digits = bigEndian(number)
        return .primitive(tag: 0x02, digits[0] & 0x80 == 0 ? digits : [0] + digits)
    }

    static func octetString(_ octets: [UInt8]) -> ASN1Node {
        .primitive(tag: 0x04, octets)
    }

    /// An OCTET STRING in the constructed form, cut into pieces of `size` (X.690 §8.7.3).
    static func octetString(_ octets: [UInt8], inPiecesOf size: Int) -> ASN1Node {
        let pieces = stride(from: 0, to: octets.count, by: size).map { start in
            ASN1Node.octetString(Array(octets[start..<min(start + size, octets.count)]))
        }
        return .constructed(tag: 0x24, pieces, isIndefinite: true)
    }

    static func utf8String(_ text: String) -> ASN1Node {
        .primitive(tag: 0x0C, Array(text.utf8))
    }

    static func ia5String(_ text: String) -> ASN1Node {
        .primitive(tag: 0x16, Array(text.utf8))
    }

    /// An OBJECT IDENTIFIER of two arcs or more (X.690 §8.19).
    static func objectIdentifier(_ arcs: [Int]) -> ASN1Node {
        let numbers = [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)
        let octets = numbers.flatMap { number in
            var digits = [UInt8(number & 0x7F)]
            var rest = number >> 7
            while rest > 0 {
                digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                rest >>= 7
            }
            return digits
        }
        return .primitive(tag: 0x06, octets)
    }
}
