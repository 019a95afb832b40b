import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillReportModel
import TillRows

/// The nodes of `inspect` for a signature: the verdict, and the chain from the signer to the root.
struct TrustNodes: Sendable {
    let checker: any SignatureChecker

    /// The verdict on an app receipt or JWS as it stands by itself; `octets` are those of the whole.
    func nodes(ofDocument octets: [UInt8], chain: ChainDescription) -> [InspectedNode] {
        var reader = DocumentReader(trust: .check(checker))
        var rows = RowBatch()
        let padded = octets + Array(repeating: 0, count: ByteBuffer.padding)
        _ = reader.read(padded.span.bytes, limit: octets.count, streamOffset: 0, isFinal: true, into: &rows)
        guard rows.documents.rowCount > 0, let cell = rows.documents[.trust, 0] else {
            return [node(trust: chain.finding == nil ? "unchecked" : "untrusted", code: chain.finding, chain)]
        }
        let code = rows.documents[.trustCode, 0].flatMap { TrustCode(rawValue: rows.dictionary.text(of: Int($0))) }
        return [node(trust: rows.dictionary.text(of: Int(cell)), code: code, chain)]
    }

    func nodes(ofSignedData octets: [UInt8]) -> [InspectedNode] {
        nodes(ofDocument: octets, chain: checker.chain(contentInfo: octets.span.bytes))
    }

    func nodes(ofJWS octets: [UInt8]) -> [InspectedNode] {
        var header: [UInt8] = []
        let segment = octets.prefix { $0 != UInt8(ascii: ".") }
        guard (try? Base64.decode(Array(segment).span.bytes, into: &header)) != nil else { return [] }
        return nodes(ofDocument: octets, chain: checker.chain(jws: header.span.bytes))
    }

    func nodes(ofLegacy blob: [UInt8], purchaseInfo: [UInt8]) -> [InspectedNode] {
        let finding = checker.finding(legacy: blob.span.bytes, purchaseInfo: purchaseInfo.span.bytes)
        let verdict = finding.verdict(signedAt: nil)
        return [node(trust: verdict.trust.text, code: verdict.code, checker.chain(legacy: blob.span.bytes))]
    }

    private func node(trust: String, code: TrustCode?, _ chain: ChainDescription) -> InspectedNode {
        let meaning = code.map { "\($0.rawValue): \($0.reason)" }
        return InspectedNode(
            "trust",
            value: .text(trust),
            meaning: meaning,
            children: chain.certificates.map(Self.node)
        )
    }

    private static func node(_ certificate: CertificateDescription) -> InspectedNode {
        func instant(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).description }
        let validity = certificate.validity
        return InspectedNode(
            certificate.role.rawValue,
            value: .text(certificate.subject),
            meaning: certificate.isMarked ? "has Apple's mark" : nil,
            children: [
                InspectedNode("issuer", value: .text(certificate.issuer)),
                InspectedNode("serial", value: .text(certificate.serial)),
                InspectedNode(
                    "valid",
                    value: .text(instant(validity.notBefore) + " – " + instant(validity.notAfter / 1000 * 1000))
                ),
                InspectedNode("key", value: .text(certificate.key)),
                InspectedNode("sha256", value: .text(certificate.fingerprint)),
            ]
        )
    }
}
