import Crypto
import CryptoExtras
import SwiftASN1
import TillReceipts

/// A public key that verifies signatures: RSA (PKCS#1 v1.5), or ECDSA on P-256 or P-384.
enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey, bits: Int)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7); `nil` for a key of another kind or outside ``TrustLimits``.
    /// The limits are checked before the cryptographic library sees the key.
    init?(subjectPublicKeyInfo node: ASN1Node) {
        guard let info = try? Info(node) else { return nil }
        let octets = Array(info.key)
        switch info.algorithm {
        case .rsaEncryption:
            guard let bits = try? Self.rsaBits(octets), TrustLimits.readableRSABits.contains(bits),
                let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: octets)
            else { return nil }
            self = .rsa(key, bits: bits)
        case .ecPublicKey where info.curve == .NamedCurves.secp256r1:
            guard let key = try? P256.Signing.PublicKey(x963Representation: octets) else { return nil }
            self = .p256(key)
        case .ecPublicKey where info.curve == .NamedCurves.secp384r1:
            guard let key = try? P384.Signing.PublicKey(x963Representation: octets) else { return nil }
            self = .p384(key)
        default: return nil
        }
    }

    private struct Info {
        var algorithm: ASN1ObjectIdentifier
        var curve: ASN1ObjectIdentifier?
        var key: ArraySlice<UInt8>

        init(_ node: ASN1Node) throws {
            self = try DER.sequence(node, identifier: .sequence) { members in
                guard let algorithmNode = members.next() else { throw TrustCode.certificate }
                let (algorithm, curve) = try DER.sequence(algorithmNode, identifier: .sequence) { members in
                    let algorithm = try ASN1ObjectIdentifier(derEncoded: &members)
                    let parameters = members.next()
                    let curve =
                        parameters?.identifier == .objectIdentifier
                        ? try parameters.map { try ASN1ObjectIdentifier(derEncoded: $0) } : nil
                    return (algorithm, curve)
                }
                return Info(algorithm: algorithm, curve: curve, key: try ASN1BitString(derEncoded: &members).bytes)
            }
        }

        private init(algorithm: ASN1ObjectIdentifier, curve: ASN1ObjectIdentifier?, key: ArraySlice<UInt8>) {
            (self.algorithm, self.curve, self.key) = (algorithm, curve, key)
        }
    }

    /// Bits of the modulus of an `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }` (RFC 8017
    /// §A.1.1).
    ///
    /// - Throws: for an exponent that is even, 1, or longer than ``TrustLimits/exponentOctets``.
    private static func rsaBits(_ octets: [UInt8]) throws -> Int {
        try DER.sequence(try DER.parse(octets), identifier: .sequence) { members in
            let modulus = try ArraySlice<UInt8>(derEncoded: &members).drop { $0 == 0 }
            let exponent = try ArraySlice<UInt8>(derEncoded: &members).drop { $0 == 0 }
            guard let first = modulus.first, let last = exponent.last, exponent.count <= TrustLimits.exponentOctets,
                last & 1 == 1, exponent.count > 1 || last > 1
            else { throw TrustCode.certificate }
            return modulus.count * 8 - first.leadingZeroBitCount
        }
    }

    /// Kind and size, such as `RSA 2048`.
    var description: String {
        switch self {
        case .rsa(_, let bits): "RSA \(bits)"
        case .p256: "EC P-256"
        case .p384: "EC P-384"
        }
    }

    /// Whether `signature` is valid for `digest`. An RSA signature is an octet string (RFC 8017 §8.2), an ECDSA
    /// signature is in DER (RFC 3279 §2.2.3).
    func isValid<D: Digest>(_ signature: some RandomAccessCollection<UInt8>, over digest: D) -> Bool {
        let octets = Array(signature)
        switch self {
        case .rsa(let key, _):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: octets)
            return key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: octets) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: octets) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }
}
