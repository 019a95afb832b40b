import TillCore

/// Decides which rejects of one frame are written with the document.
///
/// All documents in one text have the whole text as raw document. For a long text with n short defects, the output
/// would grow as n². The first few rejects always have the text; further ones have it while the total is small.
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
