import TillCore

/// Finds out which documents are pieces of a larger one that could not be read.
///
///     10:00:01 GET /health                         a line amid a response, which is no JSON any more
///     "in_app":[
///     {"transaction_id":"1", …},                   a piece: behind the list, a bracket closes that no document opened
///     {"transaction_id":"2", …}]}}                 a piece
///
/// A document of an array is followed by others and by the end of the array, and a document by itself by anything but a
/// closing bracket.
///
/// Documents are asked for in their order. The elements behind one of them are the next documents, so the bytes behind
/// an element are read once, and not once for each document before it.
struct PieceEnds {
    /// The latest thing that was read behind an element.
    private enum State: Hashable {
        case element, comma
        /// Open brackets of the next element, and whether a quote is open.
        case inElement(depth: Int, isQuoted: Bool)
        /// A `]`, which may end an array of documents, and a comma behind it.
        case endOfArray, commaBehindArray
        /// Brackets behind one that no document opened; the piece ends at the position.
        case closing(Int)
        case none
        case piece(Int)
    }

    /// Bytes of a member's name that are looked at.
    private static let longestName = 64

    /// One past each element that was read, ascending.
    private var ends: [Int] = []
    private var state = State.none
    private var index = 0
    private(set) var bytesSeen = 0

    /// Whether the document that ends at `end` is a piece.
    ///
    /// - Parameters:
    ///   - window: one past the last byte of a piece; it may lie past the limit.
    ///   - isFinal: whether the text ends at the limit.
    ///   - isCut: whether a line begins at the limit with a byte that continues no document (``Framer/lastCut(in:limit:)``).
    mutating func piece(
        in bytes: RawSpan,
        behind end: Int,
        window: Int,
        limit: Int,
        isFinal: Bool,
        isCut: Bool
    ) -> Framer.Piece {
        let place = ends.partitioningIndex { $0 >= end }
        if place == ends.count || ends[place] != end {
            ends.removeAll(keepingCapacity: true)
            ends.append(end)
            (state, index) = (.element, end)
        }
        let bound = min(window, limit)
        let before = index
        while index < bound, advance(in: bytes, limit: limit, isFinal: isFinal) {}
        bytesSeen += index - before
        switch state {
        case .none: return .none
        case .piece(let end): return end <= window ? .upTo(end) : .none
        case .closing(let end) where isFinal || isCut || window <= limit: return end <= window ? .upTo(end) : .none
        case .element where isCut, .endOfArray where isCut: return .none
        case .element, .comma, .inElement, .endOfArray, .commaBehindArray, .closing:
            return isFinal || window <= limit ? .none : .undecided
        }
    }

    /// Reads on; `false` where the answer is known, or depends on bytes that are not there yet.
    private mutating func advance(in bytes: RawSpan, limit: Int, isFinal: Bool) -> Bool {
        let byte = bytes.byte(index)
        switch state {
        case .none, .piece: return false
        case .inElement(let depth, let isQuoted):
            let before = index
            readElement(in: bytes, limit: limit, depth: depth, isQuoted: isQuoted)
            return index > before
        case _ where byte.isSpace: break
        case .closing(let end): state = byte == 0x7D || byte == 0x5D ? .closing(index + 1) : .piece(end)
        case .element, .endOfArray:
            switch byte {
            case 0x7D: state = .closing(index + 1)
            // The list of a property list, as `NSLog` indents it.
            case 0x29 where bytes.byte(index - 1) != 0x0A: state = .closing(index + 1)
            case 0x5D: state = .endOfArray
            case 0x2C: state = state == .element ? .comma : .commaBehindArray
            default: state = .none
            }
        case .comma, .commaBehindArray:
            switch byte {
            case 0x7B where state == .comma: state = .inElement(depth: 1, isQuoted: false)
            case 0x22:
                guard let end = endOfName(in: bytes, limit: limit, isFinal: isFinal) else { return false }
                state = end > index ? .piece(end) : .none
            default: state = .none
            }
        }
        index += 1
        return true
    }

    /// Reads an element up to the bracket that closes it, or to the limit.
    private mutating func readElement(in bytes: RawSpan, limit: Int, depth: Int, isQuoted: Bool) {
        var (depth, isQuoted) = (depth, isQuoted)
        while index < limit {
            if isQuoted {
                index += bytes.plainRun(at: index, to: limit)
                if index == limit { break }
            }
            switch bytes.byte(index) {
            case 0x5C where isQuoted:
                guard index + 1 < limit else {
                    state = .inElement(depth: depth, isQuoted: isQuoted)
                    return
                }
                index += 1
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted, 0x5B where !isQuoted: depth += 1
            case 0x7D where !isQuoted, 0x5D where !isQuoted: depth -= 1
            default: break
            }
            index += 1
            if depth == 0 {
                ends.append(index)
                state = .element
                return
            }
        }
        state = .inElement(depth: depth, isQuoted: isQuoted)
    }

    /// One past the colon behind the name in quotes that begins here; the position itself if it is the name of no
    /// member, `nil` if the limit comes first.
    private func endOfName(in bytes: RawSpan, limit: Int, isFinal: Bool) -> Int? {
        let reach = min(limit, index + Self.longestName)
        let quote = bytes.firstIndex(of: 0x22, from: index + 1, to: max(index + 1, reach))
        if let quote, let next = (quote + 1..<max(quote + 1, reach)).first(where: { bytes.byte($0) > 0x20 }) {
            return bytes.byte(next) == 0x3A ? next + 1 : index
        }
        return isFinal || index + Self.longestName <= limit ? index : nil
    }
}

extension Framer {
    /// Bytes from the beginning of a document on in which a bracket is searched that makes it a piece of a larger one.
    private static let pieceReach = 256 << 10

    /// Whether a document is a piece of a larger one that could not be read.
    public enum Piece: Hashable, Sendable {
        /// It is none.
        case none
        /// Not known without the next bytes.
        case undecided
        /// It is one, as is everything up to this position.
        case upTo(Int)
    }

    /// Whether a document is followed by a bracket that no document opened, or by a member of a larger one.
    ///
    /// - Parameters:
    ///   - longest: bytes of the longest document.
    ///   - isFinal: whether the text ends at the limit.
    ///   - isCut: whether a line begins at the limit with a byte that continues no document (``lastCut(in:limit:)``).
    public static func piece(
        in bytes: RawSpan,
        _ document: Range<Int>,
        longest: Int,
        limit: Int,
        isFinal: Bool,
        isCut: Bool,
        lookahead: inout TextLookahead
    ) -> Piece {
        // Behind nearly all documents, another one begins.
        let next = (document.upperBound..<limit).first { !bytes.byte($0).isSpace }
        if let next, ![0x29, 0x2C, 0x5D, 0x7D].contains(bytes.byte(next)) { return .none }
        let window = document.lowerBound + min(pieceReach, longest)
        return lookahead.pieces.piece(
            in: bytes,
            behind: document.upperBound,
            window: window,
            limit: limit,
            isFinal: isFinal,
            isCut: isCut
        )
    }

    /// The same of a document in a text that is there as a whole.
    public static func isPiece(_ document: Range<Int>, ofAll text: RawSpan) -> Bool {
        let count = text.byteCount
        var lookahead = TextLookahead()
        let piece = piece(
            in: text,
            document,
            longest: count,
            limit: count,
            isFinal: true,
            isCut: false,
            lookahead: &lookahead
        )
        return piece != .none
    }
}
