import CKernels
public import TillColumns

/// The key under which the records of one run are digested to 64 bits, so that a record that comes again is known.
///
/// It is drawn at random: no input can be made whose records have equal digests on purpose. By chance, that happens once
/// in some 10¹⁹ pairs.
public final class RecordKey: Sendable {
    private let key: DigestKey

    /// Draws a key; `nil` if the system has no random bytes.
    public init?() {
        guard let key = DigestKey() else { return nil }
        self.key = key
    }

    /// The digest of a record of any length. Of a long one, its parts are digested first.
    public func digest(of record: RawSpan) -> UInt64 {
        if record.byteCount <= TextDigest.longest { return TextDigest(of: record, under: key.pointer).first }
        var parts: [UInt64] = []
        var start = 0
        while start < record.byteCount {
            let end = min(start + TextDigest.longest, record.byteCount)
            let part = TextDigest(of: record.extracting(start..<end), under: key.pointer)
            parts += [part.first, part.second]
            start = end
        }
        return digest(of: parts.span.bytes)
    }
}

/// The random key of ``TextDigest``, at a place that does not move.
final class DigestKey: @unchecked Sendable {
    private let drawn: UnsafeMutablePointer<till_digest_key>
    var pointer: UnsafePointer<till_digest_key> { UnsafePointer(drawn) }

    /// Draws a key; `nil` if the system has no random bytes.
    init?() {
        var key = till_digest_key()
        guard till_draw_digest_key(&key) == 0 else { return nil }
        drawn = .allocate(capacity: 1)
        drawn.initialize(to: key)
    }

    deinit { drawn.deallocate() }
}
