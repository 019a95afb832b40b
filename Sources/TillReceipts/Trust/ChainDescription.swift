/// One certificate of a chain, as text for a person.
public struct CertificateDescription: Hashable, Sendable {
    /// The place of the certificate in the chain.
    public enum Role: String, Sendable {
        /// The certificate that signed the document.
        case signer
        /// A certificate between them, or the end of a path that leads to no root.
        case intermediate
        /// The trust anchor: a pinned root, or one that the user named.
        case root
    }

    /// The first certificate is the signer; the last is the root only if a path to it was found.
    public var role: Role
    /// In the notation of RFC 4514.
    public var subject: String
    /// In the notation of RFC 4514.
    public var issuer: String
    /// The contents octets of the serial number, in upper-case hexadecimal.
    public var serial: String
    /// The validity of this certificate alone; both ends belong to it.
    public var validity: ValidityPeriod
    /// SHA-256 of the certificate, in upper-case hexadecimal.
    public var fingerprint: String
    /// Kind and size of the key, such as `RSA 2048`; `unknown` for an unsupported key.
    public var key: String
    /// Whether it has Apple's marker extension: for receipt signing in a signer, for developer relations in all others.
    public var isMarked: Bool

    /// Makes the description of one certificate.
    public init(
        role: Role,
        subject: String,
        issuer: String,
        serial: String,
        validity: ValidityPeriod,
        fingerprint: String,
        key: String,
        isMarked: Bool
    ) {
        self.role = role
        self.subject = subject
        self.issuer = issuer
        self.serial = serial
        self.validity = validity
        self.fingerprint = fingerprint
        self.key = key
        self.isMarked = isMarked
    }
}

/// The certificates of a document, from the signer to the root.
public struct ChainDescription: Sendable {
    /// The signer comes first. The root comes last if a path to it was found.
    public var certificates: [CertificateDescription]
    /// The defect of the chain; `nil` where it has none. When the document was signed does not matter here.
    public var finding: TrustCode?

    /// Makes the description of a chain; `finding` is `nil` where it has no defect.
    public init(certificates: [CertificateDescription], finding: TrustCode?) {
        self.certificates = certificates
        self.finding = finding
    }
}
