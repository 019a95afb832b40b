import TillCore

/// Consecutive lines of base64 of one width. They are counted once, and not once for each receipt that may begin in one
/// of them.
struct WideLines {
    /// Digits of each line.
    private var width = 0
    /// Where each line ends, the line before the first one included.
    private var ends: [Int] = []
    /// Whether the line after the last one has another width.
    private var isOver = false
    private(set) var bytesSeen = 0

    enum Answer {
        /// The position at which the last of `count` lines ends.
        case line(Int)
        /// There are fewer lines of this width.
        case tooFew
        /// More bytes are needed.
        case unfinished
    }

    /// Where the last of `count` lines of `width` digits ends. The first of them follows the line that ends at
    /// `lineEnd`.
    mutating func end(
        in bytes: RawSpan,
        width: Int,
        count: Int,
        behind lineEnd: Int,
        limit: Int,
        isFinal: Bool
    ) -> Answer {
        let known = self.width == width ? place(of: lineEnd) : nil
        if known == nil { (self.width, ends, isOver) = (width, [lineEnd], false) }
        let first = known ?? 0
        while ends.count <= first + count {
            guard !isOver, let last = ends.last else { return .tooFew }
            let start = last + 1
            guard start < limit else { return isFinal ? .tooFew : .unfinished }
            guard let end = Framer.endOfLine(in: bytes, at: start, limit: limit, isFinal: isFinal) else {
                return .unfinished
            }
            // A digit takes at most three bytes, as `%2B`.
            if end - start <= 3 * width, bytes.base64Columns(in: start..<end) == width {
                ends.append(end)
            } else {
                isOver = true
            }
            bytesSeen += end - start
        }
        return .line(ends[first + count])
    }

    /// The index of the line that ends at `end`.
    private func place(of end: Int) -> Int? {
        let index = ends.partitioningIndex { $0 >= end }
        return index < ends.count && ends[index] == end ? index : nil
    }
}
