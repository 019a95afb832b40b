import Crypto
import SwiftASN1
import TillInput
import TillReceipts
import TillReportModel
import X509

/// Shows what a certificate says (RFC 5280 §4.1), with the place of each field.
///
/// Whether it is a certificate is swift-certificates' judgement. One that it refuses, as it does the RSA keys of 1,024
/// bits of old legacy receipts, is shown with its reason and as far as its fields go: it is no reason to fail.
enum CertificateDescriber {
    /// Adds what is in a certificate to the node that stands for it; offsets count from `base`.
    static func describe(
        _ der: [UInt8],
        at base: Int,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
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
        do throws(DecodeError) {
            try CertificateFields(base: base).describe(der, into: &node, in: &context)
        } catch {
            // Where the library refuses it, that is the better reason.
            node.defect = node.defect ?? InspectedDefect(DecodeError(error.code, at: base + error.offset))
        }
        node.children.append(InspectedNode("SHA-256 fingerprint", value: .octets(Array(SHA256.hash(data: der)))))
        node.children.append(InspectedNode("SHA-1 fingerprint", value: .octets(Array(Insecure.SHA1.hash(data: der)))))
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
        describe(der, at: 0, into: &node, in: &context)
    }
}
