import Crypto
import CryptoExtras
public import TillReceipts

/// Checks signatures offline: the digest, the key, and the path from the signer's certificate to a trust anchor.
///
///     document ─┬─ certificates ──→ SignerCache ─→ key, paths       once for each signer
///               └─ signed octets ─→ digest ─→ one verification      for each document
///
/// A finding holds the periods in which the paths are valid. The document's content says when it was signed, so the
/// verdict is given later, by ``SignatureFinding/verdict(signedAt:)``.
public final class TrustChecker: SignatureChecker {
    /// The anchors that the user named; `nil` for the pinned roots alone.
    private let named: TrustAnchors?
    let cache = SignerCache()
    private let device: DeviceIdentifier?

    /// Makes a checker.
    ///
    /// - Parameters:
    ///   - anchors: the allowed ends of a path; `nil` for the pinned roots, which are parsed at the first signature.
    ///   - device: the device whose hash app receipts must have; `nil` to skip this check.
    public init(anchors: TrustAnchors? = nil, device: DeviceIdentifier? = nil) {
        named = anchors
        self.device = device
    }

    var anchors: TrustAnchors { named ?? .apple }

    /// The number of documents whose signer was in the cache, and of those whose certificates had to be checked.
    public var cacheCounts: (hits: Int, misses: Int) { cache.counts }

    // MARK: App receipts

    public func finding(signedData content: RawSpan, rest: RawSpan) -> SignatureFinding {
        do throws(TrustCode) {
            let info = try SignedDataSigner(rest)
            let signer = try signer(of: info, rest)
            guard case .rsa(let key, let bits) = signer.key else { throw signer.defect ?? .key }
            guard TrustLimits.rsaBits.contains(bits) else { throw TrustCode.key }
            switch info.digest {
            case .sha1: try Self.verify(Insecure.SHA1.self, content, info, rest, key)
            case .sha256: try Self.verify(SHA256.self, content, info, rest, key)
            }
            return signer.finding(.receipt)
        } catch {
            return SignatureFinding(code: error)
        }
    }

    /// The certificate in the document that has the issuer and serial number of the signer info.
    ///
    /// - Parameter rest: the part of the SignedData after the content.
    func signer(of info: SignedDataSigner, _ rest: RawSpan) throws(TrustCode) -> Signer {
        // The octets up to the end of `sid` identify the signer: the certificates, the issuer and the serial number.
        guard info.identityEnd <= TrustLimits.certificateOctets else { throw TrustCode.limit }
        return cache.signer(.receipt, rest.extracting(0..<info.identityEnd)) {
            guard let certificates = info.certificates else { return Signer(defect: .signer) }
            return Self.signer(
                issuer: rest.extracting(info.issuer).withUnsafeBytes(Array.init),
                serial: rest.extracting(info.serial).withUnsafeBytes(Array.init),
                among: rest.extracting(certificates),
                anchors: anchors
            )
        }
    }

    private static func signer(
        issuer: [UInt8],
        serial: [UInt8],
        among octets: RawSpan,
        anchors: TrustAnchors
    ) -> Signer {
        var signer: TrustCertificate?
        var others: [TrustCertificate] = []
        var count = 0
        var hasUnreadable = false
        var cursor = BERCursor(octets)
        while !cursor.isAtEnd {
            guard let element = try? cursor.next() else { return Signer(defect: .structure) }
            count += 1
            guard count <= TrustLimits.certificates else { return Signer(defect: .limit) }
            let encoding = octets.extracting(element.start..<cursor.position).withUnsafeBytes(Array.init)
            guard element.tag == 0x30, let certificate = try? TrustCertificate(encoding) else {
                hasUnreadable = true
                continue
            }
            if signer == nil, certificate.issuer.elementsEqual(issuer), certificate.serial.elementsEqual(serial) {
                signer = certificate
            } else {
                others.append(certificate)
            }
        }
        guard let signer else { return Signer(defect: hasUnreadable ? .certificate : .signer) }
        return Signer(signer, path: CertificatePath.search(from: signer, through: others, to: anchors, kind: .receipt))
    }

    private static func verify<H: HashFunction>(
        _ function: H.Type,
        _ content: RawSpan,
        _ info: SignedDataSigner,
        _ rest: RawSpan,
        _ key: _RSA.Signing.PublicKey
    ) throws(TrustCode) {
        var digest = Self.digest(function, content)
        if let range = info.signedAttributes {
            let attributes = rest.extracting(range)
            try SignedAttributes.check(attributes, against: digest)
            digest = SignedAttributes.digest(of: attributes, function)
        }
        let octets = rest.extracting(info.signature).withUnsafeBytes(Array.init)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: octets)
        guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
            throw TrustCode.signature
        }
    }

    static func digest<H: HashFunction>(_ function: H.Type, _ octets: RawSpan) -> H.Digest {
        var hash = H()
        octets.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    // MARK: The device

    public var namesDevice: Bool { device != nil }

    public func isOfDevice(hash: RawSpan, opaque: RawSpan, bundleID: RawSpan) -> Bool {
        guard let device, bundleID.byteCount > 0 else { return false }
        var digest = Insecure.SHA1()
        digest.update(data: device.octets)
        opaque.withUnsafeBytes { digest.update(bufferPointer: $0) }
        bundleID.withUnsafeBytes { digest.update(bufferPointer: $0) }
        return hash.has(Array(digest.finalize()), at: 0..<hash.byteCount)
    }
}

/// The device part of the hash in app receipts (attribute 5): the identifier for vendor of an iOS device, or the MAC
/// address of a Mac's first network interface (Apple, "Validating Receipts on the Device").
public struct DeviceIdentifier: Hashable, Sendable {
    let octets: [UInt8]

    /// Reads an even number of hexadecimal digits, 12 to 128 of them, such as a UUID. Hyphens and colons are skipped.
    public init?(_ text: String) {
        let digits = text.filter { $0 != "-" && $0 != ":" }
        guard digits.utf8.count >= 12, digits.utf8.count.isMultiple(of: 2), digits.utf8.count <= 128 else { return nil }
        var octets: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard digit.isASCII, let value = digit.hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                octets.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.octets = octets
    }
}
