/// One record of delimited text (RFC 4180 §2), as ranges of its bytes.
///
///     record = cell *(separator cell) (LF / CRLF / end of input)
///     cell   = DQUOTE *(any but DQUOTE / 2DQUOTE) DQUOTE
///            / *(any but separator and LF)
///
/// In a cell that does not begin with a quote, a quote is text. So a cell may hold unquoted JSON.
public struct CSVRow: Sendable {
    /// One cell, as a range of the bytes that the record was read from.
    public struct Cell: Hashable, Sendable {
        /// The bytes between the quotes, or the whole cell where it has none.
        public var range: Range<Int>
        /// Whether it holds doubled quotes, each of which stands for one.
        public var hasDoubledQuotes: Bool

        /// Appends the text of the cell, with one quote for each doubled one.
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

    /// Whether a record was read, and where it ends.
    public enum Outcome: Hashable, Sendable {
        /// The record is complete. `end` is one past its line feed, or the end of the input.
        case row(end: Int)
        /// The quote at `at` is never closed, or it closes a cell but no separator follows. The record ends with the
        /// line on which the cell begins.
        case defect(end: Int, at: Int)
        /// The record is not complete, and more bytes may come.
        case unfinished

        /// Where the next record begins; `nil` for an unfinished record.
        public var end: Int? {
            switch self {
            case .row(let end), .defect(let end, _): end
            case .unfinished: nil
            }
        }
    }

    /// The cells of the last record, in their order; all of them only after ``Outcome/row(end:)``.
    public private(set) var cells: [Cell] = []

    /// Starts without cells; reading many records with one value reuses its memory.
    public init() {}

    /// Reads the record at `start`.
    ///
    /// A quote that is never closed would turn the rest of the input into one cell. At the end of the input it is a
    /// defect of its line only.
    public mutating func read(
        _ bytes: RawSpan,
        at start: Int,
        limit: Int,
        separator: UInt8,
        isFinal: Bool
    ) -> Outcome {
        cells.removeAll(keepingCapacity: true)
        var position = start
        // The line feed that ends the line of `position`. It is searched once for each line.
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
                // A quote that is the last byte may be the first half of a doubled one.
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

    /// The end of the line at `start`, without the CR before its line feed.
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
