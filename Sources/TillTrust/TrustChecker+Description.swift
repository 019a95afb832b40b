public import TillReceipts

extension TrustChecker {
    /// The chain of an app receipt.
    ///
    /// - Parameter rest: the part of the SignedData after the content.
    public func chain(signedData rest: RawSpan) -> ChainDescription {
        do throws(TrustCode) {
            return Self.describe(try signer(of: try SignedDataSigner(rest), rest))
        } catch {
            return ChainDescription(certificates: [], finding: error)
        }
    }

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

    public func chain(legacy blob: RawSpan) -> ChainDescription {
        do throws(TrustCode) {
            return Self.describe(try legacySigner(blob).signer)
        } catch {
            return ChainDescription(certificates: [], finding: error)
        }
    }

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
