public import CKernels

/// What stands for a text that is not kept: 128 bits by which it is known again.
///
/// Digests under one key compare; those under two have nothing to do with each other, so they are never stored. The key is drawn at
/// random, so that an attacker cannot choose texts with equal digests: for any two the probability is at most 2⁻⁶⁴ (`TextDigest.h`).
@frozen
public struct TextDigest: Hashable, Sendable {
    public let first: UInt64
    public let second: UInt64

    /// Bytes of the longest text that can be digested.
    public static let longest = Int(TILL_DIGEST_LONGEST)

    @inlinable
    public init(_ digest: till_digest) {
        (first, second) = (digest.first, digest.second)
    }

    /// The digest of a text of at most ``longest`` bytes.
    public init(of text: RawSpan, under key: UnsafePointer<till_digest_key>) {
        precondition(text.byteCount <= Self.longest)
        self = text.withUnsafeBytes { bytes in
            // An empty text need not have an address.
            withUnsafePointer(to: UInt8(0)) { nothing in
                TextDigest(till_text_digest(bytes.baseAddress ?? UnsafeRawPointer(nothing), bytes.count, key))
            }
        }
    }
}
