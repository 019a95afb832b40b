import Crypto
import CryptoExtras
public import TillReceipts

/// Legacy receipts. Their `signature`, decoded from base64, is:
///
///     version  signature            length of certificate  certificate
///     02       128 octets           4 octets, big-endian   …
///     03       256 octets
///
/// The signature covers the version octet followed by the decoded `purchase-info`. Both versions use RSA with SHA-1.
extension TrustChecker {
    public func finding(legacy blob: RawSpan, purchaseInfo: RawSpan) -> SignatureFinding {
        do throws(TrustCode) {
            let (signature, signer) = try legacySigner(blob)
            guard case .rsa(let key, let bits) = signer.key else { throw signer.defect ?? .key }
            guard bits == signature.count * 8 else { throw TrustCode.key }
            var hash = Insecure.SHA1()
            blob.extracting(0..<1).withUnsafeBytes { hash.update(bufferPointer: $0) }
            purchaseInfo.withUnsafeBytes { hash.update(bufferPointer: $0) }
            let octets = blob.extracting(signature).withUnsafeBytes(Array.init)
            let isValid = key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: octets),
                for: hash.finalize(),
                padding: .insecurePKCS1v1_5
            )
            guard isValid else { throw TrustCode.signature }
            return signer.finding(.legacy)
        } catch {
            return SignatureFinding(code: error)
        }
    }

    /// The range of the signature in `blob`, and its signer.
    ///
    /// - Throws: `structure` for wrong lengths, `algorithm` for another version, `limit` for too long a certificate.
    func legacySigner(_ blob: RawSpan) throws(TrustCode) -> (signature: Range<Int>, signer: Signer) {
        guard blob.byteCount > 0 else { throw TrustCode.structure }
        let width: Int
        switch blob.unsafeLoad(as: UInt8.self) {
        case 2: width = 128
        case 3: width = 256
        default: throw TrustCode.algorithm
        }
        let start = 1 + width + 4
        guard blob.byteCount > start else { throw TrustCode.structure }
        let count = UInt32(bigEndian: blob.unsafeLoadUnaligned(fromByteOffset: 1 + width, as: UInt32.self))
        guard Int(count) == blob.byteCount - start else { throw TrustCode.structure }
        guard count <= TrustLimits.certificateOctets else { throw TrustCode.limit }
        let signer = cache.signer(.legacy, blob.extracting(start..<blob.byteCount)) {
            let octets = blob.extracting(start..<blob.byteCount).withUnsafeBytes(Array.init)
            guard let certificate = try? TrustCertificate(octets) else { return Signer(defect: .certificate) }
            return Signer(
                certificate,
                path: CertificatePath.search(from: certificate, through: [], to: anchors, kind: .legacy)
            )
        }
        return (1..<1 + width, signer)
    }
}
