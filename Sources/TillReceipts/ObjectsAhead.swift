import CKernels
import TillColumns
import TillJSON
import TillRows

/// An object without objects and arrays in it, as far as can be told without reading it.
struct FlatObject: Sendable {
    let start: Int
    let end: Int
    let digest: TextDigest
    let spansLines: Bool

    /// The object at `start`; `nil` where there is none, or one that is long or has an array in it.
    ///
    /// It is taken to end with its first closing brace. Where that is in a string, nothing that was read ends there, so that no digest is
    /// of such a text.
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

/// The flat objects that follow one another in a list, some of them ahead of who reads it.
///
/// What is known of their texts lies in a table larger than the caches; asked for ahead, it is near when it is looked up.
struct ObjectsAhead {
    private static let most = 16

    private var objects: [FlatObject] = []
    private var index = 0

    mutating func forget() {
        objects.removeAll(keepingCapacity: true)
        index = 0
    }

    /// The object that the cursor stands on.
    mutating func next(at cursor: borrowing JSONCursor, _ counted: CountedTexts.Lookup) -> FlatObject? {
        if index == objects.count { look(from: cursor, counted) }
        guard index < objects.count, objects[index].start == cursor.position else {
            forget()
            return nil
        }
        index += 1
        return objects[index - 1]
    }

    private mutating func look(from cursor: borrowing JSONCursor, _ counted: CountedTexts.Lookup) {
        forget()
        var position = cursor.position
        while objects.count < Self.most, let object = FlatObject(at: position, of: cursor, under: counted.digests) {
            counted.prefetch(object.digest)
            objects.append(object)
            position = object.end
            // A comma, and white space on either side of it; whether it is right, who reads the list finds out.
            while cursor.byte(position) == 0x2C || (0x09...0x20).contains(cursor.byte(position)) { position += 1 }
        }
    }
}
