import TillCore

/// Lines of base64 that follow one another and are as wide as each other, counted once for all receipts that may begin in them.
struct WideLines {
    /// Digits of each.
    private var width = 0
    /// Where they end.
    private var ends: [Int] = []
    /// Whether the line behind the last is another.
    private var isOver = false
    private(set) var bytesSeen = 0

    enum Answer {
        /// The last of the lines asked for ends there.
        case line(Int)
        /// There are not so many.
        case tooFew
        /// More may come.
        case unfinished
    }

    /// Where the last of `count` lines of that width ends, the first of which is behind one of them that ends at `lineEnd`.
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
            // A digit takes three bytes at most.
            if end - start <= 3 * width, bytes.base64Columns(in: start..<end) == width {
                ends.append(end)
            } else {
                isOver = true
            }
            bytesSeen += end - start
        }
        return .line(ends[first + count])
    }

    /// The number of the line that ends at `end`.
    private func place(of end: Int) -> Int? {
        let index = ends.partitioningIndex { $0 >= end }
        return index < ends.count && ends[index] == end ? index : nil
    }
}
