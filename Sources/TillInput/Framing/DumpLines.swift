import TillCore

/// The lines after the first one of an error dump, and the braces in them. They show where any dump is balanced, and no
/// line is read again.
///
///     level   0 ┤ {a          braces that are open after a line, relative to the first line
///             1 ┤   {b }
///             1 ┤   }{c       lowest: 0, within the line
///             2 ┤
///
/// A dump that begins at level `b` is balanced by the first line that ends at the lowest level since, if that level is
/// `b` or lower. So a closing brace too many is ignored, as
/// ``Framer/endOfErrorDump(in:at:dump:lineEnd:limit:isFinal:lookahead:)`` ignores it.
struct DumpLines {
    private struct Line {
        /// The position of its line feed, or the end of the text.
        var end: Int
        /// Opening braces less closing braces, from the first line to the end of this one.
        var level: Int
        /// The lowest level in the line, its start included.
        var lowest: Int
        // Indices of lines. An index is `nil` where a line in between begins an entry of its own.
        /// The next line with a lower ``lowest``.
        var lower: Int?
        /// The line that balances a dump that begins at the level ``lowest``.
        var balancing: Int?
        /// The next line that begins an entry of its own, which may be this one.
        var entry: Int?
    }

    /// Bytes of lines that are read together: twice the longest dump.
    private static let byteCount = 2 * Framer.errorDumpLimit

    /// The first one stands for the line before the lines that were read.
    private var lines: [Line] = []
    /// The end of the bytes that were read.
    private var bound = 0
    private(set) var bytesSeen = 0

    enum Answer {
        /// The position at which the line ends that balances the dump.
        case balanced(Int)
        /// A line begins an entry of its own before the dump is balanced.
        case cut
        /// Neither happens before the end of the window.
        case open
    }

    /// How a dump goes on that has `depth` open braces after the line that ends at `lineEnd`.
    ///
    /// - Parameter window: the end of the longest dump; it may lie past the text.
    mutating func answer(
        in bytes: RawSpan,
        open depth: Int,
        behind lineEnd: Int,
        window: Int,
        limit: Int,
        isFinal: Bool
    ) -> Answer {
        var index = place(of: lineEnd)
        if index == nil || bound < min(window, limit) {
            look(at: bytes, behind: lineEnd, limit: limit, isFinal: isFinal)
            index = 0
        }
        guard let first = index, first + 1 < lines.count else { return .open }
        let base = lines[first].level - depth
        func isInWindow(_ line: Int) -> Bool { lines[line].end < window }
        if lines[first + 1].entry != first + 1 {
            var next: Int? = first + 1
            while let line = next, lines[line].lowest > base { next = lines[line].lower }
            if let line = next.flatMap({ lines[$0].balancing }), isInWindow(line) { return .balanced(lines[line].end) }
        }
        if let entry = lines[first + 1].entry, isInWindow(entry) { return .cut }
        return .open
    }

    /// The index of the line that ends at `end`.
    private func place(of end: Int) -> Int? {
        let index = lines.partitioningIndex { $0.end >= end }
        return index < lines.count && lines[index].end == end ? index : nil
    }

    private mutating func look(at bytes: RawSpan, behind lineEnd: Int, limit: Int, isFinal: Bool) {
        lines.removeAll(keepingCapacity: true)
        lines.append(Line(end: lineEnd, level: 0, lowest: 0))
        bound = min(limit, lineEnd + Self.byteCount)
        var (start, level) = (lineEnd + 1, 0)
        while start < limit {
            let end: Int
            if let lineFeed = bytes.firstIndex(of: 0x0A, from: start, to: bound) {
                end = lineFeed
            } else if isFinal, bound == limit {
                end = limit
            } else {
                break
            }
            var lowest = level
            for index in start..<end {
                switch bytes.byte(index) {
                case 0x7B: level += 1
                case 0x7D:
                    level -= 1
                    lowest = min(lowest, level)
                default: break
                }
            }
            let isEntry = Framer.beginsEntry(in: bytes, at: start, to: end)
            lines.append(Line(end: end, level: level, lowest: lowest, entry: isEntry ? lines.count : nil))
            start = end + 1
        }
        bytesSeen += max(0, start - lineEnd)
        link()
    }

    /// Sets the indices of all lines, from the last line to the first.
    private mutating func link() {
        // Lines whose `lowest` is not above that of any line between them and the current one. The nearest line comes
        // last.
        var lower: [Int] = []
        var entry: Int?
        for index in lines.indices.reversed() {
            if lines[index].entry == index {
                lower.removeAll(keepingCapacity: true)
                entry = index
                continue
            }
            lines[index].entry = entry
            let lowest = lines[index].lowest
            while let last = lower.last, lines[last].lowest > lowest { lower.removeLast() }
            let next = lower.last
            lines[index].lower = next.flatMap { lines[$0].lowest < lowest ? $0 : lines[$0].lower }
            lines[index].balancing = lines[index].level == lowest ? index : next.flatMap { lines[$0].balancing }
            lower.append(index)
        }
    }
}
