public import TillReceipts

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
}

/// The certificates of a document, from the signer to the root.
public struct ChainDescription: Sendable {
    /// The signer comes first. The root comes last if a path to it was found.
    public var certificates: [CertificateDescription]
    /// The defect of the chain; `nil` where it has none. When the document was signed does not matter here.
    public var finding: TrustCode?
}

extension TrustChecker {
    /// The chain of an app receipt.
    ///
    /// - Parameter rest: the part of the SignedData after the content.
    public func chain(signedData rest: RawSpan) -> ChainDescription {
        do throws(TrustFailure) {
            return Self.describe(try signer(of: try SignedDataSigner(rest), rest))
        } catch {
            return ChainDescription(certificates: [], finding: error.code)
        }
    }

    /// The chain of a whole app receipt, a ContentInfo (RFC 5652 §3).
    public func chain(contentInfo octets: RawSpan) -> ChainDescription {
        do {
            var outer = BERCursor(octets)
            var contentInfo = outer.contents(of: try outer.next(0x30))
            _ = try contentInfo.next(0x06)
            var explicit = contentInfo.contents(of: try contentInfo.next(0xA0))
            var signedData = explicit.contents(of: try explicit.next(0x30))
            for tag: UInt8 in [0x02, 0x31, 0x30] { _ = try signedData.next(tag) }
            return chain(signedData: octets.extracting(signedData.position..<signedData.end))
        } catch {
            return ChainDescription(certificates: [], finding: .structure)
        }
    }

    /// The chain of a legacy receipt.
    ///
    /// - Parameter blob: the decoded `signature` of the receipt.
    public func chain(legacy blob: RawSpan) -> ChainDescription {
        do throws(TrustFailure) {
            return Self.describe(try legacySigner(blob).signer)
        } catch {
            return ChainDescription(certificates: [], finding: error.code)
        }
    }

    /// The chain in the header of a JWS, which is JSON, no longer base64url.
    public func chain(jws header: RawSpan) -> ChainDescription {
        guard header.byteCount <= TrustLimits.certificateOctets else {
            return ChainDescription(certificates: [], finding: .limit)
        }
        return Self.describe(jwsSigner(header))
    }

    private static func describe(_ signer: Signer) -> ChainDescription {
        let path = signer.path
        let certificates = path.certificates.enumerated().map { index, certificate in
            let isRoot = path.code == nil && index == path.certificates.count - 1 && index > 0
            let role: CertificateDescription.Role = index == 0 ? .signer : isRoot ? .root : .intermediate
            return CertificateDescription(
                role: role,
                subject: TrustCertificate.text(ofName: certificate.subject),
                issuer: TrustCertificate.text(ofName: certificate.issuer),
                serial: certificate.serial.map { byte in
                    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
                .joined(),
                validity: certificate.validity,
                fingerprint: certificate.fingerprint,
                key: certificate.key?.description ?? "unknown",
                isMarked: certificate.has(
                    role == .signer ? TrustCertificate.receiptSigning : TrustCertificate.developerRelations
                )
            )
        }
        return ChainDescription(certificates: certificates, finding: path.code)
    }
}
