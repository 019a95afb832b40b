import SwiftASN1

/// Algorithms of keys and signatures in receipts and certificates (RFC 8017 appendix C, RFC 5480 §2.1.1, RFC 5758
/// §3.2).
extension ASN1ObjectIdentifier {
    static let rsaEncryption: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
    static let sha1WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 5]
    static let sha256WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 11]
    static let sha384WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 12]
    static let sha512WithRSA: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 13]
    static let ecPublicKey: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 2, 1]
    static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 2]
    static let ecdsaWithSHA384: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 4, 3, 3]
}
