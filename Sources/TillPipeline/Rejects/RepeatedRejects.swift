import TillCore

/// Says of which rejects the document is written where one frame holds many.
///
/// Documents that stand behind one another in a text have all of the text as theirs. A long text of short defects would be
/// written as often as it has defects, the square of its length.
struct RepeatedRejects {
    /// Rejects of one frame that are written with it.
    private static let most = 16

    private var source = ""
    private var offset = -1
    private var count = 0

    mutating func keepsRaw(of reject: Reject) -> Bool {
        if reject.position.offset != offset || reject.position.source != source {
            (source, offset, count) = (reject.position.source, reject.position.offset, 0)
        }
        count += 1
        return count <= Self.most
    }
}
