/// The column of documents told by the first rows, where its name does not tell it.
extension CSVHeader {
    /// Rows that are looked at.
    public static let sampleRowCount = 16
    /// Bytes of the source that are looked at; of a row that goes on behind them, the cells that begin before count.
    static let sampleReach = 256 << 10

    /// The column of documents under a header of these columns, by the rows from `start` on.
    ///
    /// A column holds documents where one of its cells does, and none of the sample holds anything else; blank cells do
    /// not count. Without `--from csv` each row must have as many cells as the header has, of which there are two or
    /// more unless the first row is in quotes.
    ///
    /// - Parameter isPaused: whether no more is there for now, so that the rows decide that are.
    static func sample(
        of bytes: RawSpan,
        from start: Int,
        limit: Int,
        columns: [String],
        separator: UInt8,
        isAnnounced: Bool,
        isFinal: Bool,
        isPaused: Bool,
        isDocument: (RawSpan) -> Bool
    ) -> Answer {
        let end = min(limit, sampleReach)
        // Lines under a single name are delimited text only where they are in quotes, as cells with commas are.
        let isQuoted = start < end && bytes.byte(start) == 0x22
        guard isAnnounced || columns.count > 1 || isQuoted || start >= end && !isFinal else {
            return .none(columns: columns)
        }
        var sample = ColumnSample(count: columns.count, separator: separator, isAnnounced: isAnnounced)
        var row = CSVRow()
        var (position, rowCount) = (start, 0)
        // Whether the sample is complete, or nothing more is waited for.
        var decides = isFinal || limit >= sampleReach
        while rowCount < sampleRowCount {
            while position < end, bytes.byte(position) == 0x0A || bytes.byte(position) == 0x0D { position += 1 }
            guard position < end else { break }
            switch row.read(bytes, at: position, limit: end, separator: separator, isFinal: isFinal && end == limit) {
            case .unfinished:
                guard decides else {
                    decides = isPaused && rowCount > 0
                    return decides ? sample.answer(columns, headerEnd: start) : .undecided
                }
                // What is here of the row, as if the source ended with it.
                let outcome = row.read(bytes, at: position, limit: end, separator: separator, isFinal: true)
                var cells = row.cells
                if case .defect(_, let quote) = outcome, quote == position || bytes.byte(quote - 1) == separator {
                    cells.append(CSVRow.Cell(range: quote + 1..<end, escape: nil))
                }
                sample.take(cells, of: bytes, isCut: true, isDocument)
                position = end
            case .defect(let next, _):
                guard isAnnounced else { return .none(columns: columns) }
                position = next
            case .row(let next):
                if row.cells.count == columns.count {
                    sample.take(row.cells, of: bytes, isDocument)
                } else if !isAnnounced {
                    return .none(columns: columns)
                }
                position = next
            }
            rowCount += 1
        }
        guard decides || rowCount == sampleRowCount || isPaused && rowCount > 0 else { return .undecided }
        return sample.answer(columns, headerEnd: start)
    }
}

/// Which columns hold documents, as far as the rows of a sample say.
private struct ColumnSample {
    private let separator: UInt8
    private let isAnnounced: Bool
    private var holdsDocument: [Bool]
    private var holdsOther: [Bool]

    init(count: Int, separator: UInt8, isAnnounced: Bool) {
        self.separator = separator
        self.isAnnounced = isAnnounced
        holdsDocument = Array(repeating: false, count: count)
        holdsOther = holdsDocument
    }

    /// - Parameter isCut: whether the last cell goes on behind the sample, so that it need not show yet that it is a
    ///   document.
    mutating func take(
        _ cells: [CSVRow.Cell],
        of bytes: RawSpan,
        isCut: Bool = false,
        _ isDocument: (RawSpan) -> Bool
    ) {
        let before = holdsOther
        defer { if isCut, let last = cells.indices.last, last < before.count { holdsOther[last] = before[last] } }
        for (column, cell) in cells.enumerated() {
            guard cell.escape != nil else {
                take(cell: cell.range, of: bytes, at: column, isDocument)
                continue
            }
            var text: [UInt8] = []
            cell.appendText(of: bytes, to: &text)
            note(isDocument(text.span.bytes), at: column)
        }
    }

    private mutating func take(cell: Range<Int>, of bytes: RawSpan, at column: Int, _ isDocument: (RawSpan) -> Bool) {
        guard let first = cell.first(where: { bytes.byte($0) > 0x20 }) else { return }
        // JSON between commas is cut by its own, unless it is in quotes.
        let isQuoted = cell.lowerBound > 0 && bytes.byte(cell.lowerBound - 1) == 0x22
        let isCutJSON = !isQuoted && separator == 0x2C && bytes.byte(first) == 0x7B
        if isCutJSON, !isAnnounced || bytes.byte(cell.upperBound - 1) != 0x7D { return note(false, at: column) }
        note(isDocument(bytes.extracting(cell)), at: column)
    }

    private mutating func note(_ isDocument: Bool, at column: Int) {
        guard column < holdsDocument.count else { return }
        if isDocument { holdsDocument[column] = true } else { holdsOther[column] = true }
    }

    func answer(_ columns: [String], headerEnd: Int) -> CSVHeader.Answer {
        let fitting = columns.indices.filter { holdsDocument[$0] && !holdsOther[$0] }
        guard let column = fitting.first else { return .none(columns: columns) }
        guard fitting.count == 1 else { return .ambiguous(columns: columns, fitting: fitting.map { columns[$0] }) }
        return .header(CSVHeader(separator: separator, columns: columns, column: column, byteCount: headerEnd))
    }
}
