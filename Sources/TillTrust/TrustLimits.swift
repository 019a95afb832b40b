/// What a signature may ask for before it is refused as `trust.limit` or `trust.key`.
///
/// They bound the time and memory that a hostile document can cost: at most ``pathSteps`` verifications and as many
/// parsed certificates as ``certificates``, once for each set of certificates that is not in the cache.
public enum TrustLimits {
    /// Certificates in one document. The App Store sends three.
    public static let certificates = 16
    /// Octets of all certificates, or of the header of a JWS. The App Store's take about four thousand.
    public static let certificateOctets = 64 << 10
    /// Certificates from the signer to the root, both counted.
    public static let pathLength = 6
    /// Signatures of certificates that are verified to find paths.
    public static let pathSteps = 64
    /// Paths kept of one signer.
    public static let paths = 8
    /// Bits of an RSA key; Apple's largest is that of a root, 4096.
    public static let rsaBits = 2048...8192
    /// Legacy receipts of version 2 have a key of 1024 bits, which is weak and was Apple's choice.
    public static let legacyRSABits = 1024...8192
    /// Octets of a public exponent; nearly all keys have 65537, which takes three.
    public static let exponentOctets = 4
    /// Sets of certificates whose outcome is kept.
    public static let cachedSigners = 64
    /// Octets of a file of anchors, and certificates in it.
    public static let anchorFileOctets = 1 << 20
    public static let anchors = 256
}
