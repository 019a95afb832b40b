import Crypto
import TillReceipts

/// The signed attributes of a signer info (RFC 5652 §5.4, §11.1, §11.2).
///
/// If a signer info has signed attributes, the signature covers the attributes, and one attribute is the digest of the
/// content. Their digest is taken over a SET OF: the tag `31` replaces the tag `[0]` that they have in the signer info.
enum SignedAttributes {
    // 1.2.840.113549.1.9.3, content-type, and .4, message-digest
    private static let contentType: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
    private static let messageDigest: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04]
    // 1.2.840.113549.1.7.1, data
    private static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]

    /// Checks that `octets`, the contents octets of the attributes, have one content-type with the one value id-data,
    /// and one message-digest with the one value `digest`. Other attributes are ignored.
    ///
    /// - Throws: `digest` where the digests differ, `structure` for every other defect.
    static func check<D: Digest>(_ octets: RawSpan, against digest: D) throws(TrustCode) {
        var types = 0
        var digests = 0
        do {
            var attributes = BERCursor(octets)
            while !attributes.isAtEnd {
                var attribute = attributes.contents(of: try attributes.next(0x30))
                let identifier = try attribute.next(0x06)
                var values = attribute.contents(of: try attribute.next(0x31))
                guard attribute.isAtEnd else { throw TrustCode.structure }
                if octets.has(contentType, at: identifier.content) {
                    types += 1
                    let value = try values.next(0x06)
                    guard values.isAtEnd, octets.has(data, at: value.content) else { throw TrustCode.structure }
                } else if octets.has(messageDigest, at: identifier.content) {
                    digests += 1
                    let value = try values.next(0x04)
                    guard values.isAtEnd else { throw TrustCode.structure }
                    guard octets.has(Array(digest), at: value.content) else { throw TrustCode.digest }
                }
            }
        } catch {
            throw error as? TrustCode ?? .structure
        }
        guard types == 1, digests == 1 else { throw TrustCode.structure }
    }

    /// The digest that is signed: over the tag of a SET OF, the length in DER (X.690 §10.1), and `octets` as they are.
    static func digest<H: HashFunction>(of octets: RawSpan, _ function: H.Type) -> H.Digest {
        var hash = H()
        hash.update(data: header(octets.byteCount))
        octets.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    private static func header(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [0x31, UInt8(count)] }
        let digits = withUnsafeBytes(of: UInt32(truncatingIfNeeded: count).bigEndian, Array.init).drop { $0 == 0 }
        return [0x31, 0x80 | UInt8(digits.count)] + digits
    }
}
