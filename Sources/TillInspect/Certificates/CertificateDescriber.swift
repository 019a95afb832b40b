import Crypto
import SwiftASN1
import TillCore
import TillInput
import TillReceipts
import TillReportModel
import X509

/// Shows the fields of a certificate (RFC 5280 §4.1) and its fingerprints.
///
/// swift-certificates decides whether it is a valid certificate. It refuses the RSA keys of 1,024 bits of old legacy
/// receipts. A refused certificate has a defect with the reason, and its fields are shown all the same.
enum CertificateDescriber {
    /// Adds the content of a certificate to its node. Offsets count from `base`.
    static func describe(_ der: [UInt8], at base: Int, into node: inout InspectedNode, in context: InspectionContext) {
        guard !der.isEmpty else {
            node.meaning = "empty"
            return
        }
        do {
            _ = try Certificate(derEncoded: der)
        } catch {
            let reason = (error as? ASN1Error).map { "\($0.code)" } ?? "\(error)"
            node.defect = InspectedDefect(
                code: "certificate.refused",
                reason: "swift-certificates refuses it: \(reason)",
                offset: base
            )
        }
        var fields = InspectedNode("")
        var walk = BERWalk(MappedOctets(der, at: base), in: context)
        do throws(Finding) {
            try walk.walk(CertificateFields.certificate, BERCursor(der.span.bytes), into: &fields)
        } catch {
            // The library's reason is the better one.
            if node.defect == nil { walk.fail(error, &node) }
        }
        // The fields up to the key are shown together or not at all.
        if fields.children.contains(where: { $0.name == "key" }) {
            node.children += CertificateFields.shown.flatMap { name in fields.children.filter { $0.name == name } }
        }
        node.children.append(InspectedNode("SHA-256 fingerprint", value: .octets(Array(SHA256.hash(data: der)))))
        node.children.append(InspectedNode("SHA-1 fingerprint", value: .octets(Array(Insecure.SHA1.hash(data: der)))))
    }

    /// Shows a certificate of `x5c`: standard base64 of its DER (RFC 7515 §4.1.6).
    static func describe(base64: [UInt8], into node: inout InspectedNode, in context: InspectionContext) {
        var der: [UInt8] = []
        do {
            try Base64.decode(base64.span.bytes, into: &der)
        } catch {
            node.defect = InspectedDefect(error)
            return
        }
        node.decodedLength = der.count
        describe(der, at: 0, into: &node, in: context)
    }
}
