import TillCore

/// The lines behind an error dump and the braces in them: they show where the dump is balanced without reading the lines again.
///
///     level   0 ┤ {a          what is open behind each line, counted from the first
///             1 ┤   {b }
///             1 ┤   }{c       lowest: 0, within the line
///             2 ┤
///
/// A dump that begins with level `b` is balanced by the first line that ends at the lowest level since, if that is `b` or
/// lower: a brace too many counts as none (``Framer/endOfErrorDump(in:at:dump:lineEnd:limit:isFinal:lookahead:)``).
struct DumpLines {
    private struct Line {
        /// Where its line feed stands, or the text ends.
        var end: Int
        /// Braces that are open behind it, less those that were closed without being open.
        var level: Int
        /// The least of that in it, and before it.
        var lowest: Int
        /// The next line that goes lower; that which balances a dump of the level of ``lowest``; the next line that
        /// begins an entry of its own. Each is none where a line before it begins an entry.
        var lower: Int?
        var balancing: Int?
        var entry: Int?
    }

    /// Bytes of lines that are looked at together: twice as many as one dump may have.
    private static let byteCount = 2 * Framer.errorDumpLimit

    /// Behind a first one, which only begins them.
    private var lines: [Line] = []
    /// Up to where lines were looked at.
    private var bound = 0
    private(set) var bytesSeen = 0

    enum Answer {
        /// The line that balances the dump ends there.
        case balanced(Int)
        /// A line before that begins an entry of its own.
        case cut
        /// Neither is among the lines before the window's end.
        case open
    }

    /// What becomes of a dump that has so many braces open behind the line that ends at `lineEnd`.
    ///
    /// - Parameter window: up to where the dump may go on, be there text or not.
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

    /// The number of the line that ends at `end`.
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

    /// Finds for each line those behind it that matter, from the last to the first.
    private mutating func link() {
        // Lines that go lower than, or as low as, all between them and the one at hand; the next one last.
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
