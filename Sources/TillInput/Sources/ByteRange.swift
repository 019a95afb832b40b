/// A part of a plain file, in bytes. The documents that begin in it are read, to their ends.
///
///     {"status":0}⏎{"status":0}⏎{"status":0}⏎
///          ├──────────────┤                        the range
///                  └────── read ────────┘          from one place to the next
///
/// A place is where a line begins that can begin a document (``Framer/placeOfDocument(in:at:limit:isFinal:)``). A range
/// is read from the first place that is not before its begin to the first that is not before its end, so ranges that
/// abut share no document and leave none out, provided that every document ends before the place at which the next
/// range begins. Where one does not, as in text that wraps base64, the end that was read is behind that place, which
/// the two ranges tell together.
public struct ByteRange: Hashable, Sendable {
    /// From 0.
    public let begin: Int
    /// One past the last byte; `nil` for the end of the file.
    public let end: Int?

    /// A range as the command line has it: `0-67108864`, or `67108864-` to the end; `nil` where the text is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let begin = Self.number(parts[0]) else { return nil }
        self.begin = begin
        if parts[1].isEmpty {
            end = nil
        } else {
            guard let end = Self.number(parts[1]), end > begin else { return nil }
            self.end = end
        }
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// The byte from which reading begins: the one before the range, since it may end a line.
    public var firstByte: Int { max(0, begin - 1) }
}

extension Framer {
    /// The first place in `bytes`, from `start` on, where a line begins that can begin a document: behind a line feed,
    /// before a byte that does not merely continue a document.
    ///
    /// - Parameter isBehindLineFeed: whether a line feed is before `start`.
    /// - Returns: the end of the bytes where they are the last ones and there is no such place; `nil` where it is not
    ///   among the bytes yet.
    public static func placeOfDocument(
        in bytes: RawSpan,
        at start: Int,
        isBehindLineFeed: Bool = false,
        limit: Int,
        isFinal: Bool
    ) -> Int? {
        if isBehindLineFeed, start < limit, !isContinuation(bytes.byte(start)) { return start }
        guard let lineFeed = endOfOversized(in: bytes, at: start, limit: limit, isFinal: isFinal) else { return nil }
        return min(lineFeed + 1, limit)
    }
}
