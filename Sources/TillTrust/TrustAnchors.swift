import Crypto
import SwiftASN1
public import TillCore

/// The certificates that a path may end at: the pinned roots, and those that the user names.
public struct TrustAnchors: Sendable {
    /// A trust anchor (RFC 5280 §6.1.1): a name and a key, taken from a certificate.
    struct Anchor: Sendable {
        let certificate: TrustCertificate
        /// SHA-256 of the certificate, in upper-case hexadecimal.
        let fingerprint: String
        /// The pinned root that this is; `nil` for an anchor that the user named.
        let pinned: PinnedRoot?
    }

    let anchors: [Anchor]

    /// The number of anchors.
    public var count: Int { anchors.count }

    /// Only the pinned roots.
    public static let apple = TrustAnchors([])

    /// The pinned roots and `others`. A pinned root among `others` is dropped, so the rules for Apple's roots still
    /// apply to it.
    private init(_ others: [TrustCertificate]) {
        let pinned = PinnedRoot.allCases.compactMap(Self.pinned)
        var anchors = pinned
        for certificate in others {
            let fingerprint = certificate.fingerprint
            guard !anchors.contains(where: { $0.fingerprint == fingerprint }) else { continue }
            anchors.append(Anchor(certificate: certificate, fingerprint: fingerprint, pinned: nil))
        }
        self.anchors = anchors
    }

    private static func pinned(_ root: PinnedRoot) -> Anchor? {
        let text = root.base64.filter { !$0.isWhitespace }
        guard let octets = try? PEMDocument(pemString: Self.pem(text)).derBytes,
            let certificate = try? TrustCertificate(octets), certificate.fingerprint == root.fingerprint
        else { return nil }
        return Anchor(certificate: certificate, fingerprint: root.fingerprint, pinned: root)
    }

    private static func pem(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(64))
            rest = rest.dropFirst(64)
        }
        return "-----BEGIN CERTIFICATE-----\n" + lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----"
    }

    /// The pinned roots and the certificates of `files`. A file holds one or more certificates, in PEM or in DER.
    ///
    /// - Throws: ``Finding`` for a file that is neither, a certificate that cannot be read or whose key is not
    ///   supported, and more than ``TrustLimits/anchors`` certificates in all files.
    public init(files: [(name: String, octets: [UInt8])]) throws(Finding) {
        var certificates: [TrustCertificate] = []
        for file in files {
            for octets in try Self.encodings(in: file.octets, of: file.name) {
                guard let certificate = try? TrustCertificate(octets), certificate.key != nil else {
                    throw Self.failure(
                        file.name,
                        "certificate \(certificates.count + 1) cannot be read, or its key is not of "
                            + "RSA, P-256 or P-384"
                    )
                }
                certificates.append(certificate)
                guard certificates.count <= TrustLimits.anchors else {
                    throw Self.failure(file.name, "more than \(TrustLimits.anchors) anchors")
                }
            }
        }
        self.init(certificates)
    }

    private static func failure(_ file: String, _ reason: String) -> Finding {
        Finding("", path: file, reason)
    }

    /// The DER encodings in a file: those of its PEM blocks, or the elements of DER that follow one another.
    private static func encodings(in octets: [UInt8], of name: String) throws(Finding) -> [[UInt8]] {
        guard octets.first == 0x30 else { return try blocks(in: octets, of: name) }
        var found: [[UInt8]] = []
        var rest = octets[...]
        while rest.first == 0x30 {
            guard let end = end(of: rest) else { throw Self.failure(name, "a certificate is cut short") }
            found.append(Array(rest[..<end]))
            rest = rest[end...]
        }
        guard rest.allSatisfy({ $0 <= 0x20 }) else {
            throw Self.failure(name, "there is something else after the certificates")
        }
        return found
    }

    private static func blocks(in octets: [UInt8], of name: String) throws(Finding) -> [[UInt8]] {
        guard let text = String(validating: octets, as: UTF8.self),
            let documents = try? PEMDocument.parseMultiple(pemString: text)
        else { throw Self.failure(name, "this is neither PEM nor DER of a certificate") }
        let certificates = documents.filter { $0.discriminator == "CERTIFICATE" }
        guard !certificates.isEmpty else { throw Self.failure(name, "there is no certificate in it") }
        return certificates.map(\.derBytes)
    }

    /// One past the element that `octets` begin with; `nil` where it is cut short, or its length is indefinite or has
    /// more than three octets (X.690 §8.1.3).
    private static func end(of octets: ArraySlice<UInt8>) -> Int? {
        guard octets.count >= 2 else { return nil }
        let first = octets[octets.startIndex + 1]
        let width = first & 0x80 == 0 ? 0 : Int(first & 0x7F)
        guard width <= 3, octets.count >= 2 + width else { return nil }
        let start = octets.startIndex + 2
        let length =
            first & 0x80 == 0 ? Int(first) : octets[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
        return width + length <= octets.count - 2 && first != 0x80 ? start + width + length : nil
    }
}
