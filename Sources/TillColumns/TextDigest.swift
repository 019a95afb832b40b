public import CKernels

/// A 128-bit digest that identifies a text that is not kept.
///
/// Only digests under the same key can be compared. The key is drawn at random, so digests are never stored, and an
/// attacker cannot choose texts with equal digests: for any two the probability is at most 2⁻⁶⁴ (`TextDigest.h`).
@frozen
public struct TextDigest: Hashable, Sendable {
    /// The first 64 bits, by which a table finds the slot of the digest.
    public let first: UInt64
    /// The other 64 bits; they confirm that a digest found by ``first`` is this one.
    public let second: UInt64

    /// Bytes of the longest text that can be digested.
    public static let longest = Int(TILL_DIGEST_LONGEST)

    /// Takes over a digest of the C kernel.
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
