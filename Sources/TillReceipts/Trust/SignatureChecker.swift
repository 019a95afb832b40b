/// Checks signatures with keys and roots; the formats give the signed bytes and the time of signing.
///
/// One checker serves all workers of a run. It keeps what it found about certificates, so that each further document of
/// the same signer costs its digest and one verification. All bytes given to it may be hostile; none make it throw.
public protocol SignatureChecker: AnyObject, Sendable {
    /// Checks CMS signed data (RFC 5652 §5.4).
    ///
    /// - Parameters:
    ///   - content: the octets of the content, without identifier and length.
    ///   - rest: the bytes after the encapContentInfo in the SignedData: certificates and signer infos.
    func finding(signedData content: RawSpan, rest: RawSpan) -> SignatureFinding

    /// Checks the signature blob of a legacy receipt over its decoded `purchase-info`.
    func finding(legacy blob: RawSpan, purchaseInfo: RawSpan) -> SignatureFinding

    /// Checks a JWS (RFC 7515 §5.2).
    ///
    /// - Parameters:
    ///   - header: the decoded header.
    ///   - signingInput: the first two segments as they came, with the period between them.
    ///   - signature: the third segment, unchanged.
    func finding(jws header: RawSpan, signingInput: RawSpan, signature: RawSpan) -> SignatureFinding

    /// Whether a device was named, so that formats keep what ``isOfDevice(hash:opaque:bundleID:)`` needs.
    var namesDevice: Bool { get }

    /// Whether `hash` is SHA-1 over the device's identifier, the opaque value and the octets of the bundle id (Apple,
    /// "Validating Receipts on the Device": attributes 5, 4 and 2).
    func isOfDevice(hash: RawSpan, opaque: RawSpan, bundleID: RawSpan) -> Bool

    /// The chain of a whole app receipt, a ContentInfo (RFC 5652 §3).
    func chain(contentInfo octets: RawSpan) -> ChainDescription

    /// The chain of a legacy receipt, from its decoded `signature`.
    func chain(legacy blob: RawSpan) -> ChainDescription

    /// The chain in the header of a JWS, which is JSON, no longer base64url.
    func chain(jws header: RawSpan) -> ChainDescription
}

/// How signatures are checked.
public enum TrustPolicy: Sendable {
    /// Nothing is checked; signed documents are `unchecked`.
    case off
    /// Signed documents are checked, and flagged if the check fails.
    case check(any SignatureChecker)
    /// A signature that fails, and every document of transactions or renewals that is not trusted, is a reject.
    case require(any SignatureChecker)

    var checker: (any SignatureChecker)? {
        switch self {
        case .off: nil
        case .check(let checker), .require(let checker): checker
        }
    }

    var isRequired: Bool {
        if case .require = self { true } else { false }
    }
}
