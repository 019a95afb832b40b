public import TillRows

/// The verdict on the origin of a document, or of one signed part of it.
public struct TrustVerdict: Hashable, Sendable {
    /// One of the words for trust.
    public var trust: Word
    /// Why the document is not trusted; `nil` if it is, and where nothing was checked.
    public var code: TrustCode?
    /// The name of the certificate that signed, where there is one that can be read.
    public var signer: String?

    /// Makes a verdict; `untrusted` and `unanchored` come with a `code`.
    public init(_ trust: Word, code: TrustCode? = nil, signer: String? = nil) {
        self.trust = trust
        self.code = code
        self.signer = signer
    }

    /// There is no signature.
    public static let unsigned = TrustVerdict(.unsigned)
    /// The document is signed, and verification is off.
    public static let unchecked = TrustVerdict(.unchecked)
}

/// The time in which a certificate, or all those of a path, are valid; both ends belong to it.
public struct ValidityPeriod: Hashable, Sendable {
    /// The first valid millisecond, since 1970.
    public var notBefore: Int64
    /// The last valid millisecond, since 1970.
    public var notAfter: Int64

    /// Makes a period; if `notBefore` is later than `notAfter`, no instant is in it.
    public init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

/// The result of checking a signature, without the time at which it was made.
///
/// The content says when it was signed, and is decoded after the signature has been checked.
public struct SignatureFinding: Sendable {
    /// The defect that does not depend on time.
    public var code: TrustCode?
    /// The validity periods of the paths to a root, one after the other; for a signer without a path, the period of its
    /// certificate.
    public var periods: [ValidityPeriod]
    /// Whether a root was reached; it counts only where ``code`` is `nil`.
    public var isAnchored: Bool
    /// The name of the certificate that signed; `nil` for a signature that does not verify.
    public var signer: String?

    /// Makes a finding; the defaults are for a check that ended with a defect.
    public init(code: TrustCode?, periods: [ValidityPeriod] = [], isAnchored: Bool = false, signer: String? = nil) {
        self.code = code
        self.periods = periods
        self.isAnchored = isAnchored
        self.signer = signer
    }

    /// The verdict for something signed at `instant`, in milliseconds since 1970.
    ///
    /// For content without a signing time, it is enough that the whole path was valid at one instant: a signer can
    /// write any time.
    public func verdict(signedAt instant: Int64?) -> TrustVerdict {
        if let code { return TrustVerdict(.untrusted, code: code, signer: signer) }
        if let instant, !periods.contains(where: { $0.notBefore <= instant && instant <= $0.notAfter }) {
            let isEarly = periods.allSatisfy { instant < $0.notBefore }
            return TrustVerdict(.untrusted, code: isEarly ? .notYetValid : .expired, signer: signer)
        }
        return isAnchored
            ? TrustVerdict(.trusted, signer: signer) : TrustVerdict(.unanchored, code: .unanchored, signer: signer)
    }
}
