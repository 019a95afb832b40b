/// The bytes of a chunk, behind which lie ``JSONCursor/padding`` zeros.
struct ChunkBytes: ~Escapable {
    let bytes: RawSpan
    /// One past the last byte of the chunk.
    let limit: Int
    /// Whether the source ends with the chunk, so that a document that is cut short is broken and not merely
    /// unfinished.
    let isFinal: Bool
    /// Whether a line begins behind the chunk with a byte that continues no document (``Framer/lastCut(in:limit:)``).
    let isCut: Bool

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, limit: Int, isFinal: Bool, isCut: Bool = false) {
        self.bytes = bytes
        self.limit = limit
        self.isFinal = isFinal
        self.isCut = isCut
    }
}
