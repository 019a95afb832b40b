import TillCore
import TillReceipts

/// The octets of a string in one piece, with the offset of each in the document.
///
/// BER may cut a string into fragments (X.690 §8.7.3), so that octets which follow one another here do not always do so
/// in the document.
struct MappedOctets {
    private(set) var bytes: [UInt8] = []
    /// The offsets at which fragments begin, in ``bytes`` and in the document.
    private var pieces: [(start: Int, source: Int)] = []

    /// Octets that stand at `base` in the document in one piece.
    init(_ bytes: [UInt8], at base: Int = 0) {
        self.bytes = bytes
        pieces = [(0, base)]
    }

    /// The octets of a primitive or constructed OCTET STRING of `parent`.
    init(_ element: BERElement, in cursor: borrowing BERCursor, of parent: MappedOctets) throws(Finding) {
        try append(element, in: cursor, of: parent)
    }

    private mutating func append(
        _ element: BERElement,
        in cursor: borrowing BERCursor,
        of parent: MappedOctets
    ) throws(Finding) {
        guard element.isConstructed else {
            appendPieces(of: parent, in: element.content)
            return try cursor.appendOctets(of: element, to: &bytes)
        }
        guard element.tag == 0x24 else { throw Finding(.unexpectedTag, at: element.start) }
        var fragments = cursor.contents(of: element)
        while !fragments.isAtEnd {
            let fragment = try fragments.next()
            try append(fragment, in: fragments, of: parent)
        }
    }

    /// Takes the offsets of a range of `parent`, which may lie in several fragments of `parent`.
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

    /// The last piece that begins at or before `offset`. A binary search, since a hostile string has very many pieces.
    private func piece(at offset: Int) -> Int {
        max(0, pieces.partitioningIndex { $0.start > offset } - 1)
    }

    /// The offset in the document of the octet at `offset` in ``bytes``.
    func source(of offset: Int) -> Int {
        guard !pieces.isEmpty else { return offset }
        let piece = pieces[piece(at: offset)]
        return piece.source + offset - piece.start
    }
}
