import Crypto
import FoundationEssentials
import SwiftASN1
import TillCore
import TillInput
import TillReceipts
import TillReportModel
import X509

/// Shows what a certificate says (RFC 5280), as swift-certificates reads it.
///
/// One that it refuses is shown with the reason and by its elements: a certificate is no reason to fail.
enum CertificateDescriber {
    /// Adds what is in a certificate to the node that stands for it.
    static func describe(_ der: [UInt8], into node: inout InspectedNode, in context: inout InspectionContext) {
        do {
            let certificate = try Certificate(derEncoded: der)
            node.value = .text(certificate.subject.description)
            node.children += members(of: certificate)
        } catch {
            node.defect = InspectedDefect(
                code: "certificate.refused",
                reason: "the certificate cannot be read: \(error)",
                offset: node.offset ?? 0
            )
            var cursor = BERCursor(der.span.bytes)
            ElementDescriber.describeContents(
                of: &cursor,
                into: &node,
                at: node.decodedLength == nil ? node.offset ?? 0 : 0,
                in: &context
            )
        }
        node.children.append(InspectedNode("SHA-256", value: .octets(Array(SHA256.hash(data: der)))))
        node.children.append(InspectedNode("SHA-1", value: .octets(Array(Insecure.SHA1.hash(data: der)))))
    }

    /// A certificate as `x5c` has it: standard base64 of its DER (RFC 7515 §4.1.6).
    static func describe(base64: [UInt8], into node: inout InspectedNode, in context: inout InspectionContext) {
        var der: [UInt8] = []
        do {
            try Base64.decode(base64.span.bytes, into: &der)
        } catch {
            node.defect = InspectedDefect(code: error.code.rawValue, reason: error.reason, offset: error.offset)
            return
        }
        node.decodedLength = der.count
        describe(der, into: &node, in: &context)
    }

    private static func members(of certificate: Certificate) -> [InspectedNode] {
        let key = certificate.publicKey.subjectPublicKeyInfoBytes
        var nodes = [
            InspectedNode("issuer", value: .text(certificate.issuer.description)),
            InspectedNode("serial", value: .octets(Array(certificate.serialNumber.bytes))),
            InspectedNode("valid from", value: .text(instant(certificate.notValidBefore))),
            InspectedNode("valid until", value: .text(instant(certificate.notValidAfter))),
            InspectedNode("key", value: .text(keyName(Array(key)))),
            InspectedNode("signature algorithm", value: .text(certificate.signatureAlgorithm.description)),
        ]
        let extensions = certificate.extensions.map { element in
            let identifier = element.oid.description
            let meaning = [ObjectIdentifierNames.name(of: identifier), element.critical ? "critical" : nil]
            return InspectedNode(
                identifier,
                meaning: meaning.compactMap(\.self).joined(separator: ", ")
            )
        }
        if !extensions.isEmpty { nodes.append(InspectedNode("extensions", children: extensions)) }
        return nodes
    }

    private static func instant(_ date: Date) -> String {
        let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded())
        return milliseconds.map { Timestamp(milliseconds: $0).description } ?? "\(date)"
    }

    /// Type and size of the key in a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    private static func keyName(_ spki: [UInt8]) -> String {
        do throws(DecodeError) {
            var outer = BERCursor(spki.span.bytes)
            var members = outer.contents(of: try outer.next(0x30))
            var algorithm = members.contents(of: try members.next(0x30))
            let type = ObjectIdentifierNames.dotted(algorithm.octets(try algorithm.next(0x06).content)) ?? "?"
            let name = ObjectIdentifierNames.name(of: type) ?? type
            if name == "RSA" {
                let bits = try members.next(0x03)
                // One octet tells how many bits at the end are unused.
                let key = Array(members.octets(bits.content).dropFirst())
                var sequence = BERCursor(key.span.bytes)
                var numbers = sequence.contents(of: try sequence.next(0x30))
                let modulus = numbers.octets(try numbers.next(0x02).content).drop { $0 == 0 }
                let unused = modulus.first.map(\.leadingZeroBitCount) ?? 0
                return "RSA, \(modulus.count * 8 - unused) bits"
            }
            guard !algorithm.isAtEnd else { return name }
            let curve = ObjectIdentifierNames.dotted(algorithm.octets(try algorithm.next(0x06).content)) ?? "?"
            return "\(name), \(ObjectIdentifierNames.name(of: curve) ?? curve)"
        } catch {
            return "unknown"
        }
    }
}
