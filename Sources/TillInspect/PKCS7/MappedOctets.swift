import TillReceipts

/// The octets of a string, in one piece, and where each stands in the document: BER may cut a string into fragments
/// (X.690 §8.7.3), and an offset must still find its byte.
struct MappedOctets {
    private(set) var bytes: [UInt8] = []
    /// Where fragments begin, in ``bytes`` and in the document.
    private var pieces: [(start: Int, source: Int)] = []

    /// All of a document.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        pieces = [(0, 0)]
    }

    /// The octets of a primitive or constructed OCTET STRING of `parent`.
    init(_ element: BERElement, in cursor: borrowing BERCursor, of parent: MappedOctets) throws(DecodeError) {
        try append(element, in: cursor, of: parent)
    }

    private mutating func append(
        _ element: BERElement,
        in cursor: borrowing BERCursor,
        of parent: MappedOctets
    ) throws(DecodeError) {
        guard element.isConstructed else {
            pieces.append((bytes.count, parent.source(of: element.content.lowerBound)))
            return try cursor.appendOctets(of: element, to: &bytes)
        }
        guard element.tag == 0x24 else { throw DecodeError(.unexpectedTag, at: element.start) }
        var fragments = cursor.contents(of: element)
        while !fragments.isAtEnd {
            let fragment = try fragments.next()
            try append(fragment, in: fragments, of: parent)
        }
    }

    /// Where in the document the octet stands that is at `offset` here.
    func source(of offset: Int) -> Int {
        let piece = pieces.last { $0.start <= offset } ?? (0, 0)
        return piece.source + offset - piece.start
    }
}
