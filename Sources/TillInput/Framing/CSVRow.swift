/// One record of delimited text (RFC 4180), as ranges of the bytes that hold it.
///
///     record = cell *(separator cell) (LF / CRLF / end of input)
///     cell   = DQUOTE *(any but DQUOTE / 2DQUOTE) DQUOTE
///            / *(any but separator and LF)
///
/// A quote inside a cell that does not begin with one is text, as in unquoted JSON between tabs.
public struct CSVRow: Sendable {
    public struct Cell: Hashable, Sendable {
        /// What stands between the quotes, or all of the cell where it has none.
        public var range: Range<Int>
        /// Whether quotes in it are doubled.
        public var hasDoubledQuotes: Bool

        /// Appends the text of the cell.
        public func appendText(of bytes: RawSpan, to text: inout [UInt8]) {
            guard hasDoubledQuotes else {
                return bytes.extracting(range).withUnsafeBytes { text.append(contentsOf: $0) }
            }
            var index = range.lowerBound
            while index < range.upperBound {
                let quote = bytes.firstIndex(of: 0x22, from: index, to: range.upperBound) ?? range.upperBound
                let end = min(quote + 1, range.upperBound)
                bytes.extracting(index..<end).withUnsafeBytes { text.append(contentsOf: $0) }
                index = quote + 2
            }
        }
    }

    public enum Outcome: Hashable, Sendable {
        /// The record is complete; behind its line feed is `end`.
        case row(end: Int)
        /// Quotes are not closed, or closed inside a cell; the record is taken to end with the line on which they open.
        case defect(end: Int, at: Int)
        /// The end is not among the bytes yet.
        case unfinished

        /// Where the next record begins; `nil` where that is not known yet.
        public var end: Int? {
            switch self {
            case .row(let end), .defect(let end, _): end
            case .unfinished: nil
            }
        }
    }

    public private(set) var cells: [Cell] = []

    public init() {}

    /// Reads the record at `start`.
    ///
    /// A quote that is closed nowhere would make all that follows one cell; at the end of the input it is a defect of its
    /// line.
    public mutating func read(
        _ bytes: RawSpan,
        at start: Int,
        limit: Int,
        separator: UInt8,
        isFinal: Bool
    ) -> Outcome {
        cells.removeAll(keepingCapacity: true)
        var position = start
        // The end of the line that `position` is on, looked for once.
        var lineEnd = bytes.firstIndex(of: 0x0A, from: start, to: limit)
        func defect(at offset: Int) -> Outcome {
            let line = bytes.firstIndex(of: 0x0A, from: position, to: limit)
            return .defect(end: line.map { $0 + 1 } ?? limit, at: offset)
        }
        while true {
            let end: Int
            if position < limit, bytes.byte(position) == 0x22 {
                guard let quote = closingQuote(bytes, after: position, limit: limit) else {
                    return isFinal ? defect(at: position) : .unfinished
                }
                // Whether a quote at the very end closes the cell depends on what follows.
                guard quote.index + 1 < limit || isFinal else { return .unfinished }
                cells.append(Cell(range: position + 1..<quote.index, hasDoubledQuotes: quote.isDoubled))
                if let known = lineEnd, known < quote.index {
                    lineEnd = bytes.firstIndex(of: 0x0A, from: quote.index, to: limit)
                }
                guard lineEnd != nil || isFinal else { return .unfinished }
                end = quote.index + 1
                let stop = contentEnd(bytes, from: end, lineEnd: lineEnd ?? limit)
                guard end == stop || bytes.byte(end) == separator else { return defect(at: quote.index) }
            } else {
                guard lineEnd != nil || isFinal else { return .unfinished }
                let stop = contentEnd(bytes, from: position, lineEnd: lineEnd ?? limit)
                end = bytes.firstIndex(of: separator, from: position, to: stop) ?? stop
                cells.append(Cell(range: position..<end, hasDoubledQuotes: false))
            }
            guard end < limit, bytes.byte(end) == separator else {
                return .row(end: lineEnd.map { $0 + 1 } ?? limit)
            }
            position = end + 1
        }
    }

    /// The end of what a line holds, without the CR before its line feed.
    private func contentEnd(_ bytes: RawSpan, from start: Int, lineEnd: Int) -> Int {
        lineEnd > start && bytes.byte(lineEnd - 1) == 0x0D ? lineEnd - 1 : lineEnd
    }

    private func closingQuote(_ bytes: RawSpan, after start: Int, limit: Int) -> (index: Int, isDoubled: Bool)? {
        var index = start + 1
        var isDoubled = false
        while let quote = bytes.firstIndex(of: 0x22, from: index, to: limit) {
            guard quote + 1 < limit, bytes.byte(quote + 1) == 0x22 else { return (quote, isDoubled) }
            isDoubled = true
            index = quote + 2
        }
        return nil
    }
}
