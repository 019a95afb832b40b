import TillCore

/// Says of which rejects the document is written where one frame holds many.
///
/// Documents that stand behind one another in a text have all of the text as theirs. A long text of short defects would be
/// written as often as it has defects, the square of its length. The first few have it whatever its length, and so has every one
/// as long as that comes to little.
struct RepeatedRejects {
    /// Rejects of one frame that are written with it, however long it is.
    static let most = 16
    /// Bytes up to which all of them are.
    static let mostBytes = 1 << 20

    private var source = ""
    private var offset = -1
    private var count = 0
    private var byteCount = 0

    mutating func keepsRaw(of reject: Reject) -> Bool {
        if reject.position.offset != offset || reject.position.source != source {
            (source, offset) = (reject.position.source, reject.position.offset)
            (count, byteCount) = (0, 0)
        }
        count += 1
        byteCount += reject.raw?.count ?? 0
        return count <= Self.most || byteCount <= Self.mostBytes
    }
}
