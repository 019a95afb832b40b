import CKernels
import TillColumns
import TillJSON
import TillRows

/// The text of an object without objects and arrays in it, as far as that shows without reading it.
struct ObjectText: Sendable {
    let start: Int
    let end: Int
    let digest: TextDigest
    let spansLines: Bool

    /// The object at `start`; `nil` if there is none, or one that is long or has an array in it.
    ///
    /// Its end is assumed at its first closing brace. If that brace is inside a string, the text is not a complete
    /// transaction, so its digest equals no digest of a transaction.
    @inline(__always)
    init?(at start: Int, of cursor: borrowing JSONCursor, under key: UnsafePointer<till_digest_key>) {
        guard start < cursor.limit, cursor.byte(start) == 0x7B else { return nil }
        var found = till_digest()
        var lines: Int32 = 0
        let limit = cursor.limit
        let count = cursor.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { till_object_digest($0 + start, limit - start, key, &found, &lines) } ?? 0
        }
        guard count > 0 else { return nil }
        self.start = start
        end = start + count
        digest = TextDigest(found)
        spansLines = lines != 0
    }
}

/// The objects that follow one another in a list, some of them ahead of the decoder.
///
/// The cache of digests is larger than those of the processor. Slots that are prefetched a few objects ahead are loaded
/// when the decoder asks for them.
struct ObjectLookahead {
    private static let depth = 16

    private var objects: [ObjectText] = []
    private var index = 0

    mutating func removeAll() {
        objects.removeAll(keepingCapacity: true)
        index = 0
    }

    /// The object that the cursor stands on.
    mutating func next(at cursor: borrowing JSONCursor, _ cache: SeenDigestCache.Lookup) -> ObjectText? {
        if index == objects.count { fill(from: cursor, cache) }
        guard index < objects.count, objects[index].start == cursor.position else {
            removeAll()
            return nil
        }
        index += 1
        return objects[index - 1]
    }

    private mutating func fill(from cursor: borrowing JSONCursor, _ cache: SeenDigestCache.Lookup) {
        removeAll()
        var position = cursor.position
        while objects.count < Self.depth, let object = ObjectText(at: position, of: cursor, under: cache.digests) {
            cache.prefetch(object.digest)
            objects.append(object)
            position = object.end
            // A comma, and white space on either side of it; the decoder of the list finds out whether they are right.
            while cursor.byte(position) == 0x2C || (0x09...0x20).contains(cursor.byte(position)) { position += 1 }
        }
    }
}
