import TillInput
import TillReportModel

/// The `signature` of a legacy receipt.
///
///     version 2 or 3 │ signature: 128 bytes in version 2, 256 in 3 │ length, 4 bytes big-endian │ certificate
enum SignatureBlob {
    private static let widths: [UInt8: Int] = [2: 128, 3: 256]

    static func describe(
        _ text: [UInt8],
        isText: Bool,
        into node: inout InspectedNode,
        in context: InspectionContext
    ) {
        var blob = text
        if isText {
            do {
                try Base64.decode(text.span.bytes, into: &blob)
            } catch {
                node.defect = InspectedDefect(error, at: node.offset ?? 0)
                return
            }
        }
        node.meaning = isText ? "base64 of a signature blob" : "a signature blob"
        node.decodedLength = blob.count
        guard let version = blob.first else { return }
        func append(_ name: String, at start: Int, _ octets: some Collection<UInt8>, meaning: String? = nil) {
            let value = InspectedNode.Value.octets(Array(octets))
            node.children.append(
                InspectedNode(name, offset: start, length: octets.count, value: value, meaning: meaning)
            )
        }
        node.children.append(InspectedNode("version", offset: 0, length: 1, value: .number(String(version))))
        guard let width = widths[version] else { return append("rest", at: 1, blob.dropFirst()) }
        append("signature", at: 1, blob.dropFirst().prefix(width), meaning: "RSA, \(width * 8) bits, with SHA-1")
        describeCertificate(blob, at: 1 + width, into: &node, in: context)
    }

    private static func describeCertificate(
        _ blob: [UInt8],
        at start: Int,
        into node: inout InspectedNode,
        in context: InspectionContext
    ) {
        guard start + 4 <= blob.count else {
            let reason = "the signature blob ends before its certificate"
            node.defect = InspectedDefect(code: "legacy.signature", reason: reason, offset: blob.count)
            return
        }
        let count = blob[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        node.children.append(
            InspectedNode("certificate length", offset: start, length: 4, value: .number(String(count)))
        )
        let der = Array(blob[(start + 4)...].prefix(count))
        var certificate = InspectedNode("certificate", offset: start + 4, length: der.count)
        CertificateDescriber.describe(der, at: start + 4, into: &certificate, in: context)
        node.children.append(certificate)
        if der.count < count {
            let reason = "the certificate is said to have \(count) bytes, \(der.count) are left"
            node.defect = InspectedDefect(code: "legacy.signature", reason: reason, offset: start)
        }
    }
}
