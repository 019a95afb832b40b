import TillReportModel

/// A series in one line of block characters, the highest for its largest value.
enum Sparkline {
    /// A character per value; where there are more values than `width`, the largest of each few.
    ///
    /// What is not known is a blank, zero the lowest mark, what is negative an arrow.
    static func text(_ values: [Double?], width: Int) -> String {
        let shown = columns(of: values.count, width: width).map { range in values[range].compactMap(\.self).max() }
        let top = shown.compactMap(\.self).max() ?? 0
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                if value < 0 { return "↓" }
                guard value > 0, top > 0 else { return "▁" }
                // Eighths, the lowest of which is zero's alone.
                return "▂▃▄▅▆▇█"[min(6, Int(value / top * 7))]
            }
        )
    }

    /// Which values each character stands for.
    static func columns(of count: Int, width: Int) -> [Range<Int>] {
        guard count > 0, width > 0 else { return [] }
        let columns = min(count, width)
        return (0..<columns).map { $0 * count / columns..<($0 + 1) * count / columns }
    }
}

extension String {
    fileprivate subscript(offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
