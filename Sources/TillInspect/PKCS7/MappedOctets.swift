import TillCore
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
            appendPieces(of: parent, in: element.content)
            return try cursor.appendOctets(of: element, to: &bytes)
        }
        guard element.tag == 0x24 else { throw DecodeError(.unexpectedTag, at: element.start) }
        var fragments = cursor.contents(of: element)
        while !fragments.isAtEnd {
            let fragment = try fragments.next()
            try append(fragment, in: fragments, of: parent)
        }
    }

    /// Takes over where the octets of a range of `parent` stand; they may lie in several fragments of its own.
    private mutating func appendPieces(of parent: MappedOctets, in range: Range<Int>) {
        var index = parent.piece(at: range.lowerBound)
        var lower = range.lowerBound
        while lower < range.upperBound || lower == range.lowerBound {
            pieces.append((bytes.count + lower - range.lowerBound, parent.source(of: lower)))
            index += 1
            guard index < parent.pieces.count, parent.pieces[index].start < range.upperBound else { return }
            lower = parent.pieces[index].start
        }
    }

    /// The last piece that begins at or before `offset`, found by halving: a hostile string has very many.
    private func piece(at offset: Int) -> Int {
        max(0, pieces.partitioningIndex { $0.start > offset } - 1)
    }

    /// Where in the document the octet stands that is at `offset` here.
    func source(of offset: Int) -> Int {
        guard !pieces.isEmpty else { return offset }
        let piece = pieces[piece(at: offset)]
        return piece.source + offset - piece.start
    }
}
