/// One record of delimited text (RFC 4180 §2), as ranges of its bytes.
///
///     record = cell *(separator cell) (LF / CRLF / end of input)
///     cell   = DQUOTE *(any but DQUOTE / 2DQUOTE) DQUOTE
///            / *(any but separator and LF)
///
/// In a cell that does not begin with a quote, a quote is text. So a cell may hold unquoted JSON.
///
/// Spark, Athena and MySQL write `\"` instead of two quotes. The first cell that shows one of the two ways decides for
/// all rows that follow (``escape``).
public struct CSVRow: Sendable {
    /// One cell, as a range of the bytes that the record was read from.
    public struct Cell: Hashable, Sendable {
        /// The bytes between the quotes, or the whole cell where it has none.
        public var range: Range<Int>
        /// How the quotes in it are escaped; `nil` where the range is its text.
        public var escape: CSVEscape?

        /// Appends the text of the cell, with one quote for each escaped one.
        public func appendText(of bytes: RawSpan, to text: inout [UInt8]) {
            guard let escape else { return text.append(range, of: bytes) }
            let isBackslash = escape == .backslash
            var halvesAll = true
            if isBackslash {
                // MySQL escapes each backslash. Spark escapes only those before a quote, so that others may be single.
                forEachRun(of: 0x5C, in: bytes) { run in
                    if !run.count.isMultiple(of: 2), !isQuote(run.upperBound, in: bytes) { halvesAll = false }
                }
            }
            var index = range.lowerBound
            forEachRun(of: isBackslash ? 0x5C : 0x22, in: bytes) { run in
                let isHalved = halvesAll || isQuote(run.upperBound, in: bytes)
                text.append(index..<(isHalved ? run.lowerBound + run.count / 2 : run.upperBound), of: bytes)
                index = run.upperBound
            }
            text.append(index..<range.upperBound, of: bytes)
        }

        private func isQuote(_ index: Int, in bytes: RawSpan) -> Bool {
            index < range.upperBound && bytes.byte(index) == 0x22
        }

        /// Calls `body` with each range of the cell in which a byte is alone or repeated.
        private func forEachRun(of byte: UInt8, in bytes: RawSpan, _ body: (Range<Int>) -> Void) {
            var index = range.lowerBound
            while let start = bytes.firstIndex(of: byte, from: index, to: range.upperBound) {
                index = start + 1
                while index < range.upperBound, bytes.byte(index) == byte { index += 1 }
                body(start..<index)
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
    /// How quotes inside quotes are escaped; `nil` until a record shows it.
    public private(set) var escape: CSVEscape?

    /// Starts without cells; reading many records with one value reuses its memory.
    public init(escape: CSVEscape? = nil) {
        self.escape = escape
    }

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
        // It holds for later records only if this one is complete.
        var escape = escape
        // The line feed that ends the line of `position`. It is searched once for each line.
        var lineEnd = bytes.firstIndex(of: 0x0A, from: start, to: limit)
        func defect(at offset: Int) -> Outcome {
            let line = bytes.firstIndex(of: 0x0A, from: position, to: limit)
            return .defect(end: line.map { $0 + 1 } ?? limit, at: offset)
        }
        while true {
            let end: Int
            if position < limit, bytes.byte(position) == 0x22 {
                let quote = closingQuote(bytes, after: position, limit: limit, separator: separator, &escape)
                guard let quote else { return isFinal ? defect(at: position) : .unfinished }
                // A quote that is the last byte may be the first half of a doubled one.
                guard quote + 1 < limit || isFinal else { return .unfinished }
                cells.append(cell(position + 1..<quote, of: bytes, escape))
                if let known = lineEnd, known < quote {
                    lineEnd = bytes.firstIndex(of: 0x0A, from: quote, to: limit)
                }
                guard lineEnd != nil || isFinal else { return .unfinished }
                end = quote + 1
                let stop = contentEnd(bytes, from: end, lineEnd: lineEnd ?? limit)
                guard end == stop || bytes.byte(end) == separator else { return defect(at: quote) }
            } else {
                guard lineEnd != nil || isFinal else { return .unfinished }
                let stop = contentEnd(bytes, from: position, lineEnd: lineEnd ?? limit)
                end = bytes.firstIndex(of: separator, from: position, to: stop) ?? stop
                cells.append(Cell(range: position..<end, escape: nil))
            }
            guard end < limit, bytes.byte(end) == separator else {
                self.escape = escape
                return .row(end: lineEnd.map { $0 + 1 } ?? limit)
            }
            position = end + 1
        }
    }

    /// The end of the line at `start`, without the CR before its line feed.
    private func contentEnd(_ bytes: RawSpan, from start: Int, lineEnd: Int) -> Int {
        lineEnd > start && bytes.byte(lineEnd - 1) == 0x0D ? lineEnd - 1 : lineEnd
    }

    /// A cell in quotes; most of them have no escapes, and their text need not be copied.
    private func cell(_ range: Range<Int>, of bytes: RawSpan, _ escape: CSVEscape?) -> Cell {
        let byte: UInt8 = escape == .backslash ? 0x5C : 0x22
        let isEscaped = bytes.firstIndex(of: byte, from: range.lowerBound, to: range.upperBound) != nil
        return Cell(range: range, escape: isEscaped ? escape ?? .doubled : nil)
    }

    /// The closing quote of the cell that opens at `start`. Sets `escape` if the cell is the first to show it.
    ///
    ///     ""…      two quotes: doubled
    ///     \"a…     a quote after a backslash that neither ends the cell nor begins two quotes: backslash
    private func closingQuote(
        _ bytes: RawSpan,
        after start: Int,
        limit: Int,
        separator: UInt8,
        _ escape: inout CSVEscape?
    ) -> Int? {
        var index = start + 1
        while let quote = bytes.firstIndex(of: 0x22, from: index, to: limit) {
            var first = quote
            while first > index, bytes.byte(first - 1) == 0x5C { first -= 1 }
            let hasBackslash = !(quote - first).isMultiple(of: 2)
            let next = quote + 1 < limit ? bytes.byte(quote + 1) : 0x0A
            if escape == nil {
                if hasBackslash {
                    if ![0x22, separator, 0x0D, 0x0A].contains(next) { escape = .backslash }
                } else if next == 0x22 {
                    escape = .doubled
                }
            }
            if escape == .backslash {
                guard hasBackslash else { return quote }
                index = quote + 1
            } else {
                guard next == 0x22 else { return quote }
                index = quote + 2
            }
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ range: Range<Int>, of bytes: RawSpan) {
        bytes.extracting(range).withUnsafeBytes { append(contentsOf: $0) }
    }
}

/// How delimited text writes a quote inside quotes.
public enum CSVEscape: Sendable {
    /// As two quotes (RFC 4180).
    case doubled
    /// After a backslash, as Spark, Athena and MySQL write it.
    case backslash
}
