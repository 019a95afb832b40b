import TillReceipts
import TillReportModel

/// Walks TBSCertificate (RFC 5280 §4.1.1) and builds a node of each field.
///
///     version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, extensions
struct CertificateFields {
    /// Where the certificate begins, in what its offsets count in.
    let base: Int

    init(base: Int) {
        self.base = base
    }

    func describe(
        _ der: [UInt8],
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) throws(DecodeError) {
        var outer = BERCursor(der.span.bytes)
        var certificate = outer.contents(of: try outer.next(0x30))
        var fields = certificate.contents(of: try certificate.next(0x30))
        var element = try fields.next()
        if element.tag == 0xA0 { element = try fields.next() }
        guard element.tag == 0x02 else { throw DecodeError(.unexpectedTag, at: element.start) }
        var serial = field("serial number", element, fields)
        serial.value = .octets(fields.octets(element.content))
        let algorithm = try fields.next(0x30)
        var signature = try SignedDataWalk.algorithm("signature algorithm", algorithm, fields)
        signature.offset = base + algorithm.start
        let issuer = try name("issuer", &fields)
        let validity = try fields.next(0x30)
        var times = fields.contents(of: validity)
        let (from, until) = (try time("valid from", &times), try time("valid until", &times))
        let subject = try name("subject", &fields)
        node.children += [subject, issuer, serial, from, until, try key(&fields), signature]
        while !fields.isAtEnd {
            let element = try fields.next()
            guard element.tag == 0xA3 else { continue }
            node.children.append(try extensions(element, fields, in: &context))
        }
    }

    private func field(_ name: String, _ element: BERElement, _ cursor: borrowing BERCursor) -> InspectedNode {
        var node = SignedDataWalk.node(name, element, cursor)
        node.offset = base + element.start
        return node
    }

    @_lifetime(fields: copy fields)
    private func name(_ name: String, _ fields: inout BERCursor) throws(DecodeError) -> InspectedNode {
        let element = try fields.next(0x30)
        var node = field(name, element, fields)
        node.value = .text(DistinguishedNameText.text(of: element, in: fields))
        return node
    }

    /// UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5), as RFC 3339; two digits of a year are 1950 to 2049.
    @_lifetime(times: copy times)
    private func time(_ name: String, _ times: inout BERCursor) throws(DecodeError) -> InspectedNode {
        let element = try times.next()
        var node = field(name, element, times)
        var digits = times.octets(element.content)
        guard [0x17, 0x18].contains(element.tag), digits.popLast() == 0x5A,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            node.value = .octets(times.octets(element.content))
            return node
        }
        if element.tag == 0x17 { digits = Array((digits.first ?? 0 >= 0x35 ? "19" : "20").utf8) + digits }
        guard digits.count == 14 else {
            node.value = .octets(times.octets(element.content))
            return node
        }
        let text = String(decoding: digits, as: UTF8.self)
        let parts = [0, 4, 6, 8, 10, 12].map { start in
            String(text.dropFirst(start).prefix(start == 0 ? 4 : 2))
        }
        node.value = .text("\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z")
        return node
    }

    /// Type and size of the key in SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    @_lifetime(fields: copy fields)
    private func key(_ fields: inout BERCursor) throws(DecodeError) -> InspectedNode {
        let element = try fields.next(0x30)
        var node = field("key", element, fields)
        var members = fields.contents(of: element)
        var algorithm = members.contents(of: try members.next(0x30))
        let type = Self.identifier(algorithm.octets(try algorithm.next(0x06).content))
        node.value = .text(type)
        if type == "RSA" {
            let bits = try members.next(0x03)
            // One octet tells how many bits at the end are unused.
            let key = Array(members.octets(bits.content).dropFirst())
            var sequence = BERCursor(key.span.bytes)
            var numbers = sequence.contents(of: try sequence.next(0x30))
            let modulus = numbers.octets(try numbers.next(0x02).content).drop { $0 == 0 }
            node.value = .text("RSA, \(modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)) bits")
        } else if !algorithm.isAtEnd {
            let curve = try algorithm.next()
            if curve.tag == 0x06 { node.value = .text("\(type), \(Self.identifier(algorithm.octets(curve.content)))") }
        }
        return node
    }

    private static func identifier(_ octets: [UInt8]) -> String {
        guard let dotted = ObjectIdentifierNames.dotted(octets) else { return "unknown" }
        return ObjectIdentifierNames.name(of: dotted) ?? dotted
    }

    private func extensions(
        _ element: BERElement,
        _ cursor: borrowing BERCursor,
        in context: inout InspectionContext
    ) throws(DecodeError) -> InspectedNode {
        var node = field("extensions", element, cursor)
        var wrapping = cursor.contents(of: element)
        var list = wrapping.contents(of: try wrapping.next(0x30))
        while !list.isAtEnd, context.spend() {
            let entry = try list.next(0x30)
            var child = field("", entry, list)
            var members = list.contents(of: entry)
            let identifier = ObjectIdentifierNames.dotted(members.octets(try members.next(0x06).content)) ?? "unknown"
            child.name = identifier
            let second = try members.next()
            let isCritical = second.tag == 0x01 && members.octets(second.content) != [0]
            let parts = [ObjectIdentifierNames.name(of: identifier), isCritical ? "critical" : nil]
            child.meaning = parts.compactMap(\.self).joined(separator: ", ")
            node.children.append(child)
        }
        return node
    }
}
