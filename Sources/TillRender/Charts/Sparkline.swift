import TillReportModel

/// A series in one line of block characters, the highest for its largest value.
enum Sparkline {
    /// One character per value. Where there are more values than `width`, one character for the largest of several
    /// values.
    ///
    /// An absent value is a blank, zero is the lowest mark, and a negative value is an arrow.
    static func text(_ values: [Double?], width: Int) -> String {
        let shown = columns(of: values.count, width: width).map { range in values[range].compactMap(\.self).max() }
        let top = shown.compactMap(\.self).max() ?? 0
        return String(
            shown.map { value -> Character in
                guard let value else { return " " }
                if value < 0 { return "↓" }
                guard value > 0, top > 0 else { return "▁" }
                // The lowest of the eight marks is for zero only.
                return "▂▃▄▅▆▇█"[Int((value / top * 6).rounded())]
            }
        )
    }

    /// The values of each character.
    static func columns(of count: Int, width: Int) -> [Range<Int>] {
        guard count > 0, width > 0 else { return [] }
        let columns = min(count, width)
        return (0..<columns).map { $0 * count / columns..<($0 + 1) * count / columns }
    }
}

extension String {
    fileprivate subscript(offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
