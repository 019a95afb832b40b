import TillInput
import TillReportModel

/// The `signature` of a legacy receipt.
///
///     version 2 or 3 │ signature: 128 bytes in version 2, 256 in 3 │ length, 4 bytes big-endian │ certificate
enum SignatureBlob {
    static func describe(
        _ text: [UInt8],
        isText: Bool,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        var blob = text
        if isText {
            do {
                try Base64.decode(text.span.bytes, into: &blob)
            } catch {
                node.defect = InspectedDefect(
                    code: error.code.rawValue,
                    reason: error.reason,
                    offset: (node.offset ?? 0) + error.offset
                )
                return
            }
        }
        node.meaning = isText ? "base64 of a signature blob" : "a signature blob"
        node.decodedLength = blob.count
        guard let version = blob.first else { return }
        node.children.append(InspectedNode("version", offset: 0, length: 1, value: .number(String(version))))
        let widths: [UInt8: Int] = [2: 128, 3: 256]
        guard let width = widths[version] else {
            node.children.append(
                InspectedNode("rest", offset: 1, length: blob.count - 1, value: .octets(Array(blob.dropFirst())))
            )
            return
        }
        let signature = Array(blob.dropFirst().prefix(width))
        node.children.append(
            InspectedNode(
                "signature",
                offset: 1,
                length: signature.count,
                value: .octets(signature),
                meaning: "RSA, \(width * 8) bits, with SHA-1"
            )
        )
        describeCertificate(blob, at: 1 + width, into: &node, in: &context)
    }

    private static func describeCertificate(
        _ blob: [UInt8],
        at start: Int,
        into node: inout InspectedNode,
        in context: inout InspectionContext
    ) {
        guard start + 4 <= blob.count else {
            node.defect = InspectedDefect(
                code: "legacy.signature",
                reason: "the signature blob ends before its certificate",
                offset: blob.count
            )
            return
        }
        let count = blob[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        node.children.append(
            InspectedNode("certificate length", offset: start, length: 4, value: .number(String(count)))
        )
        let der = Array(blob[(start + 4)...].prefix(count))
        var certificate = InspectedNode("certificate", offset: start + 4, length: der.count)
        CertificateDescriber.describe(der, at: start + 4, into: &certificate, in: &context)
        node.children.append(certificate)
        if start + 4 + count > blob.count {
            node.defect = InspectedDefect(
                code: "legacy.signature",
                reason: "the certificate is said to have \(count) bytes, \(blob.count - start - 4) are left",
                offset: start
            )
        }
    }
}
