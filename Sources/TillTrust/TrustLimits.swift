/// Limits on the time and memory that a hostile document can cost.
///
/// A document past a limit is refused as `trust.limit`, one with a key past a limit as `trust.key`. A document whose
/// signer is not in the cache costs at most ``certificates`` parsed certificates and ``pathSteps`` verifications of
/// certificates.
public enum TrustLimits {
    /// Certificates in one document. The App Store sends three.
    public static let certificates = 16
    /// Octets that identify a signer: the certificates of a receipt up to the end of `sid`, or the header of a JWS. The
    /// App Store sends about 4000.
    public static let certificateOctets = 64 << 10
    /// Certificates in a path, from the signer to the root inclusive.
    public static let pathLength = 6
    /// Signatures of certificates that one search verifies.
    public static let pathSteps = 64
    /// Paths that are kept for one signer; further ones are ignored.
    public static let paths = 8
    /// Bits of an RSA key. Apple's largest key has 4096, that of Apple Root CA - G2.
    public static let rsaBits = 2048...8192
    /// RSA keys outside this range are not read. Signers need ``rsaBits``; legacy receipts need 1024 (weak, version 2)
    /// or 2048.
    public static let readableRSABits = 1024...8192
    /// Octets of an RSA public exponent. Nearly all keys have 65537, which takes three.
    public static let exponentOctets = 4
    /// Signers in the cache.
    public static let cachedSigners = 64
    /// Certificates in all files of anchors.
    public static let anchors = 256
}
