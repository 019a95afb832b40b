import CKernels
public import TillColumns

/// The key under which the records of one run are digested to 64 bits, so that a record that comes again is known.
///
/// It is drawn at random: no input can be made whose records have equal digests on purpose. By chance, that happens once
/// in some 10¹⁹ pairs.
public final class RecordKey: @unchecked Sendable {
    private let key: UnsafeMutablePointer<till_digest_key>

    /// Draws a key; `nil` if the system has no random bytes.
    public init?() {
        var drawn = till_digest_key()
        guard till_draw_digest_key(&drawn) == 0 else { return nil }
        key = .allocate(capacity: 1)
        key.initialize(to: drawn)
    }

    deinit { key.deallocate() }

    /// The digest of a record of any length. Of a long one, its parts are digested first.
    public func digest(of record: RawSpan) -> UInt64 {
        if record.byteCount <= TextDigest.longest { return TextDigest(of: record, under: key).first }
        var parts: [UInt64] = []
        var start = 0
        while start < record.byteCount {
            let end = min(start + TextDigest.longest, record.byteCount)
            let part = TextDigest(of: record.extracting(start..<end), under: key)
            parts += [part.first, part.second]
            start = end
        }
        return digest(of: parts.span.bytes)
    }
}
