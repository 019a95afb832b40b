import Crypto
import CryptoExtras
public import TillReceipts

/// Checks signatures offline: their digests, their keys, and where their certificates lead.
///
///     document ─┬─ who signed ──→ ``SignerCache`` ─→ key, paths       once for each signer
///               └─ what is signed ─→ digest ─→ one verification       for each document
///
/// Of the paths, the time in which they are valid is kept. The content of a document says when it was signed, so the
/// verdict is ``SignatureFinding/verdict(signedAt:)``.
public final class TrustChecker: SignatureChecker {
    private let named: TrustAnchors?
    let cache = SignerCache()
    private let device: DeviceIdentifier?

    /// Makes a checker that trusts `anchors`, and compares the hash of app receipts with `device` where one is named.
    ///
    /// Without `anchors` only the pinned roots are trusted; they are read when the first signature is met, so that a run
    /// without any does not pay for them.
    public init(anchors: TrustAnchors? = nil, device: DeviceIdentifier? = nil) {
        named = anchors
        self.device = device
    }

    var anchors: TrustAnchors { named ?? .apple }

    /// How often the signer of a document was known already, and how often its certificates had to be judged.
    public var cacheCounts: (hits: Int, misses: Int) { cache.counts }

    // MARK: App receipts

    public func finding(signedData content: RawSpan, rest: RawSpan) -> SignatureFinding {
        do throws(TrustFailure) {
            let info = try SignedDataSigner(rest)
            let signer = try signer(of: info, rest)
            guard case .rsa(let key, let bits) = signer.key else { throw TrustFailure(signer.defect ?? .key) }
            guard TrustLimits.rsaBits.contains(bits) else { throw TrustFailure(.key) }
            switch info.digest {
            case .sha1: try Self.verify(Insecure.SHA1.self, content, info, rest, key)
            case .sha256: try Self.verify(SHA256.self, content, info, rest, key)
            }
            return signer.finding(.receipt)
        } catch {
            return SignatureFinding(code: error.code)
        }
    }

    /// The signer that a signer info names, by issuer and serial number, among the certificates of the document.
    func signer(of info: SignedDataSigner, _ rest: RawSpan) throws(TrustFailure) -> Signer {
        // All that says who signed is in one piece: the certificates, and the signer info up to its name.
        guard info.identityEnd <= TrustLimits.certificateOctets else { throw TrustFailure(.limit) }
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
    ) throws(TrustFailure) {
        var digest = Self.digest(function, content)
        if let range = info.signedAttributes {
            let attributes = rest.extracting(range)
            try SignedAttributes.check(attributes, against: digest)
            digest = SignedAttributes.digest(of: attributes, function)
        }
        let octets = rest.extracting(info.signature).withUnsafeBytes(Array.init)
        let signature = _RSA.Signing.RSASignature(rawRepresentation: octets)
        guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
            throw TrustFailure(.signature)
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

/// What Apple's hash in app receipts is made with: the identifier for vendor of an iOS device, or the address of a Mac's
/// first network interface.
public struct DeviceIdentifier: Hashable, Sendable {
    let octets: [UInt8]

    /// Reads a UUID or any other even number of hexadecimal digits; hyphens and colons between them are skipped.
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
