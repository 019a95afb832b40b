import Crypto
import TillCore
import TillInput
import TillJSON
public import TillReceipts

/// JWS of the App Store: ES256 (RFC 7518 §3.4), with the certificates of the key in the header (`x5c`, RFC 7515
/// §4.1.6).
///
/// The rules are those of Apple's server libraries: the algorithm must be ES256, `x5c` must hold three certificates,
/// the third is ignored, and the path must end at a trust anchor. A signer that the user named as an anchor may come
/// alone.
extension TrustChecker {
    public func finding(jws header: RawSpan, signingInput: RawSpan, signature: RawSpan) -> SignatureFinding {
        do throws(TrustCode) {
            guard header.byteCount <= TrustLimits.certificateOctets else { throw TrustCode.limit }
            // All JWS of one signer have the same header.
            let signer = cache.signer(.jws, header) { jwsSigner(header) }
            guard let found = signer.key else { throw signer.defect ?? .key }
            // ES256 needs a P-256 key.
            guard case .p256(let key) = found else { throw TrustCode.algorithm }
            guard let octets = Self.octets(ofSignature: signature),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: octets),
                key.isValidSignature(signature, for: Self.digest(SHA256.self, signingInput))
            else { throw TrustCode.signature }
            return signer.finding(.jws)
        } catch {
            return SignatureFinding(code: error)
        }
    }

    /// The 64 octets of a signature in base64url (RFC 7515 §2). Only the canonical text is accepted: no padding, and
    /// zeros in the unused bits of the last digit. Anybody could write the others. (A second signature of the same
    /// bytes, with the other of two values of s, is valid as well.)
    ///
    /// The other segments need no such check, because the signature covers their text.
    private static func octets(ofSignature text: RawSpan) -> [UInt8]? {
        guard text.byteCount == 86 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(64)
        var (bits, count): (UInt32, Int) = (0, 0)
        for index in 0..<text.byteCount {
            let digit: UInt32
            switch text.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case let byte where (0x41...0x5A).contains(byte): digit = UInt32(byte) - 0x41
            case let byte where (0x61...0x7A).contains(byte): digit = UInt32(byte) - 0x61 + 26
            case let byte where (0x30...0x39).contains(byte): digit = UInt32(byte) - 0x30 + 52
            case 0x2D: digit = 62
            case 0x5F: digit = 63
            default: return nil
            }
            bits = bits << 6 | digit
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bits & (1 << UInt32(count) - 1) == 0 ? octets : nil
    }

    /// The signer that a header identifies.
    func jwsSigner(_ header: RawSpan) -> Signer {
        do throws(TrustCode) {
            let certificates = try JWSHeader(header).certificates
            let parsed = certificates.prefix(2).map { try? TrustCertificate($0) }
            guard let first = parsed.first, let leaf = first else { throw TrustCode.certificate }
            let isNamed = anchors.anchors.contains { $0.pinned == nil && $0.certificate.octets == leaf.octets }
            // Xcode signs with a single certificate; it is trusted if the user named it. Apple always sends three.
            guard certificates.count == 3 || isNamed else {
                let code: TrustCode = certificates.count == 1 ? .anchor : .chain
                return Signer(leaf, path: CertificatePath.Outcome(code: code, certificates: [leaf]))
            }
            let others = parsed.dropFirst().compactMap(\.self)
            return Signer(leaf, path: CertificatePath.search(from: leaf, through: others, to: anchors, kind: .jws))
        } catch {
            return Signer(defect: error)
        }
    }
}

/// The members of a JWS header that matter for the signature.
private struct JWSHeader {
    /// The elements of `x5c` in DER.
    var certificates: [[UInt8]] = []

    init(_ octets: RawSpan) throws(TrustCode) {
        do {
            try self.init(reading: octets)
        } catch {
            throw error as? TrustCode ?? .structure
        }
    }

    /// Refuses a second `alg` or `x5c`, and `crit`, whose extensions are not supported (RFC 7515 §4.1.11). Other
    /// members, such as `jku` and `jwk`, are ignored: nothing is fetched, and no key is taken from them.
    private init(reading octets: RawSpan) throws {
        var text = octets.withUnsafeBytes(Array.init)
        text += Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(text.span.bytes, limit: octets.byteCount)
        var (algorithms, lists) = (0, 0)
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let value = try cursor.token()
            switch cursor.text(of: key) {
            case "alg":
                algorithms += 1
                guard value.kind == .string, cursor.text(of: value) == "ES256" else { throw TrustCode.algorithm }
            case "x5c":
                lists += 1
                guard value.kind == .array else { throw TrustCode.structure }
                try readCertificates(&cursor)
            case "crit": throw TrustCode.structure
            default: if value.isContainer { try cursor.skipContainer() }
            }
        }
        guard algorithms == 1 else { throw algorithms == 0 ? TrustCode.algorithm : .structure }
        guard lists == 1, !certificates.isEmpty else { throw lists > 1 ? TrustCode.structure : .signer }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func readCertificates(_ cursor: inout JSONCursor) throws {
        try cursor.expect(0x5B)
        var isFirst = true
        while try cursor.nextElement(isFirst: &isFirst) {
            let token = try cursor.token()
            guard token.kind == .string else { throw TrustCode.structure }
            guard certificates.count < TrustLimits.certificates else { throw TrustCode.limit }
            let text = Array(cursor.text(of: token).utf8)
            var octets: [UInt8] = []
            try Base64.decode(text.span.bytes, into: &octets)
            certificates.append(octets)
        }
    }
}

extension JSONCursor {
    fileprivate func text(of token: JSONToken) -> String {
        var text: [UInt8] = []
        appendText(of: token, to: &text)
        return String(input: text)
    }
}
