import TillReceipts
import TillReportModel

/// Walks the members of SignedData (RFC 5652 §5.1) and builds a node of each.
struct SignedDataWalk {
    let document: MappedOctets
    /// Where the document really ends; what stands behind was made up.
    let end: Int

    init(document: MappedOctets, end: Int) {
        self.document = document
        self.end = end
    }

    /// Says what is wrong; a defect in what was made up is that the document ends too early.
    func fail(_ error: DecodeError, _ node: inout InspectedNode) {
        let isCut = error.offset >= end
        node.defect = InspectedDefect(isCut ? DecodeError(.truncated, at: end) : error)
    }

    @_lifetime(members: copy members)
    func describeSignedData(
        _ members: inout BERCursor,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            node.children.append(Self.scalar("version", try members.next(0x02), members))
            node.children.append(try algorithms(&members))
            node.children.append(try content(&members, in: &context))
            while !members.isAtEnd {
                let element = try members.next()
                guard element.start < end else { throw DecodeError(.truncated, at: end) }
                node.children.append(describe(element, &members, in: &context))
            }
        } catch {
            fail(error, &node)
        }
    }

    @_lifetime(members: copy members)
    private func describe(
        _ element: BERElement,
        _ members: inout BERCursor,
        in context: inout InspectionContext
    ) -> InspectedNode {
        var node = Self.node("", element, members)
        var inner = members.contents(of: element)
        switch element.tag {
        case 0xA0:
            node.name = "certificates"
            describeCertificates(&inner, into: &node, in: &context)
        case 0xA1:
            node.name = "crls"
            ElementDescriber.describeContents(of: &inner, into: &node, at: 0, in: &context)
        case 0x31:
            node.name = "signerInfos"
            describeSigners(&inner, into: &node, in: &context)
        default:
            node.name = ElementDescriber.typeName(element.tag)
            if element.isConstructed {
                ElementDescriber.describeContents(of: &inner, into: &node, at: 0, in: &context)
            } else {
                node.value = ElementDescriber.value(of: element, in: members)
            }
        }
        return node
    }

    @_lifetime(members: copy members)
    private func algorithms(_ members: inout BERCursor) throws(DecodeError) -> InspectedNode {
        let set = try members.next(0x31)
        var node = Self.node("digestAlgorithms", set, members)
        var inner = members.contents(of: set)
        while !inner.isAtEnd {
            let algorithm = try inner.next(0x30)
            node.children.append(try Self.algorithm("algorithm", algorithm, inner))
        }
        return node
    }

    /// encapContentInfo: the type and the payload, whose octets may be cut in fragments or wrapped once more (quirks 8
    /// and 11).
    @_lifetime(members: copy members)
    private func content(
        _ members: inout BERCursor,
        in context: inout InspectionContext
    ) throws(DecodeError) -> InspectedNode {
        let sequence = try members.next(0x30)
        var node = Self.node("encapContentInfo", sequence, members)
        var inner = members.contents(of: sequence)
        do throws(DecodeError) {
            node.children.append(Self.scalar("contentType", try inner.next(0x06), inner))
            let explicit = try inner.next(0xA0)
            var wrapping = inner.contents(of: explicit)
            let element = try wrapping.next()
            var payload = Self.node("payload", element, wrapping)
            payload.meaning = element.isConstructed ? "OCTET STRING in fragments" : "OCTET STRING"
            describePayload(element, wrapping, into: &payload, in: &context)
            node.children.append(payload)
        } catch {
            fail(error, &node)
        }
        return node
    }

    private func describePayload(
        _ element: BERElement,
        _ cursor: borrowing BERCursor,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        var walk = AttributeWalk(end: end)
        do throws(DecodeError) {
            var octets = try MappedOctets(element, in: cursor, of: document)
            for _ in 0..<2 where octets.bytes.first == 0x04 || octets.bytes.first == 0x24 {
                let outer = octets
                var again = BERCursor(outer.bytes.span.bytes)
                let nested = try again.next()
                octets = try MappedOctets(nested, in: again, of: outer)
                node.meaning = "OCTET STRING in an OCTET STRING"
            }
            var payload = BERCursor(octets.bytes.span.bytes)
            let set = try payload.next(0x31)
            var attributes = payload.contents(of: set)
            walk.describe(&attributes, of: octets, into: &node, in: &context)
        } catch {
            fail(error, &node)
        }
    }

    @_lifetime(certificates: copy certificates)
    private func describeCertificates(
        _ certificates: inout BERCursor,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            while !certificates.isAtEnd {
                guard context.spend() else { return }
                let element = try certificates.next()
                guard certificates.position <= end else { throw DecodeError(.truncated, at: end) }
                let der = certificates.octets(element.start..<certificates.position)
                var certificate = Self.node("certificate", element, certificates)
                CertificateDescriber.describe(der, at: element.start, into: &certificate, in: &context)
                node.children.append(certificate)
            }
        } catch {
            fail(error, &node)
        }
    }

    @_lifetime(signers: copy signers)
    private func describeSigners(
        _ signers: inout BERCursor,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            while !signers.isAtEnd {
                guard context.spend() else { return }
                let element = try signers.next(0x30)
                var signer = Self.node("signerInfo", element, signers)
                var members = signers.contents(of: element)
                describeSigner(&members, into: &signer, in: &context)
                node.children.append(signer)
            }
        } catch {
            fail(error, &node)
        }
    }

    /// SignerInfo (RFC 5652 §5.3).
    @_lifetime(members: copy members)
    private func describeSigner(
        _ members: inout BERCursor,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        do throws(DecodeError) {
            node.children.append(Self.scalar("version", try members.next(0x02), members))
            let identifier = try members.next()
            if identifier.tag == 0x30 {
                var inner = members.contents(of: identifier)
                let issuer = try inner.next(0x30)
                var name = Self.node("issuer", issuer, inner)
                name.value = .text(DistinguishedNameText.text(of: issuer, in: inner))
                node.children.append(name)
                let number = try inner.next(0x02)
                var serial = Self.node("serialNumber", number, inner)
                serial.value = .octets(inner.octets(number.content))
                node.children.append(serial)
            } else {
                node.children.append(Self.scalar("subjectKeyIdentifier", identifier, members))
            }
            let digest = try members.next(0x30)
            node.children.append(try Self.algorithm("digestAlgorithm", digest, members))
            var next = try members.next()
            if next.tag == 0xA0 {
                node.children.append(attributes("signedAttributes", next, members, in: &context))
                next = try members.next()
            } else {
                node.children.append(InspectedNode("signedAttributes", meaning: "none: the payload itself is signed"))
            }
            node.children.append(try Self.algorithm("signatureAlgorithm", next, members))
            let signature = try members.next(0x04)
            guard members.position <= end else { throw DecodeError(.truncated, at: end) }
            var octets = Self.node("signature", signature, members)
            octets.value = .octets(members.octets(signature.content))
            octets.meaning = "\(signature.content.count) bytes"
            node.children.append(octets)
            while !members.isAtEnd {
                let element = try members.next()
                node.children.append(attributes("unsignedAttributes", element, members, in: &context))
            }
        } catch {
            fail(error, &node)
        }
    }

    private func attributes(
        _ name: String,
        _ element: BERElement,
        _ cursor: borrowing BERCursor,
        in context: inout InspectionContext
    ) -> InspectedNode {
        var node = Self.node(name, element, cursor)
        var inner = cursor.contents(of: element)
        ElementDescriber.describeContents(of: &inner, into: &node, at: 0, in: &context)
        return node
    }

    // MARK: - Nodes of single elements

    static func node(_ name: String, _ element: BERElement, _ cursor: borrowing BERCursor) -> InspectedNode {
        InspectedNode(name, offset: element.start, length: cursor.position - element.start)
    }

    static func scalar(_ name: String, _ element: BERElement, _ cursor: borrowing BERCursor) -> InspectedNode {
        var node = node(name, element, cursor)
        node.value = ElementDescriber.value(of: element, in: cursor)
        if case .text(let identifier)? = node.value, element.tag == 0x06 {
            node.meaning = ObjectIdentifierNames.name(of: identifier)
        }
        return node
    }

    /// AlgorithmIdentifier: an object identifier, and parameters that receipts leave empty.
    static func algorithm(
        _ name: String,
        _ element: BERElement,
        _ cursor: borrowing BERCursor
    ) throws(DecodeError) -> InspectedNode {
        var node = node(name, element, cursor)
        guard element.tag == 0x30 else { throw DecodeError(.unexpectedTag, at: element.start) }
        var inner = cursor.contents(of: element)
        let identifier = scalar(name, try inner.next(0x06), inner)
        (node.value, node.meaning) = (identifier.value, identifier.meaning)
        return node
    }
}

/// A Name (RFC 5280 §4.1.2.4) as text, last part first as RFC 4514 writes it: `CN=…, O=…`.
enum DistinguishedNameText {
    static func text(of element: BERElement, in cursor: borrowing BERCursor) -> String {
        var parts: [String] = []
        var sets = cursor.contents(of: element)
        do throws(DecodeError) {
            while !sets.isAtEnd {
                var pairs = sets.contents(of: try sets.next(0x31))
                while !pairs.isAtEnd {
                    var pair = pairs.contents(of: try pairs.next(0x30))
                    let type = ObjectIdentifierNames.dotted(pair.octets(try pair.next(0x06).content)) ?? "?"
                    let text = String(decoding: pair.octets(try pair.next().content), as: UTF8.self)
                    parts.append("\(ObjectIdentifierNames.name(of: type) ?? type)=\(text)")
                }
            }
        } catch {
            parts.append("(broken at \(error.offset))")
        }
        return parts.reversed().joined(separator: ", ")
    }
}
