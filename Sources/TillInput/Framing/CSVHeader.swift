import TillCore

/// The header of delimited text: its separator, its columns, and the column that holds the documents.
///
/// It is read once, at the start of a source. The readers of all chunks of the source get it.
public struct CSVHeader: Hashable, Sendable {
    /// A comma, a semicolon, a tab or a vertical bar.
    public let separator: UInt8
    /// The names, without white space at either end.
    public let columns: [String]
    /// The index of the column that holds the documents.
    public let column: Int
    /// Bytes from the start of the source to the first row: byte order mark, header, line feed.
    public let byteCount: Int
    /// How a quote inside quotes is written, and the offset in the source of the row that shows it.
    private(set) var shownEscape: CSVEscape?
    private(set) var escapeOffset = 0

    /// Names of columns that hold receipts, in order of preference: of several, the first one here is used.
    public static let usualColumns = [
        "receipt", "receipt_data", "receipt-data", "latest_receipt", "transaction_receipt",
    ]
    /// Bytes of the longest header.
    static let limit = 64 << 10
    /// Bytes of the longest name of a column without `--from csv`.
    private static let nameLimit = 128

    /// The kind of text at the start of a source.
    public enum Answer: Sendable {
        case header(CSVHeader)
        /// There is no header with a wanted column. `columns` has the names in the first record; it is empty where that
        /// record cannot be a header.
        case none(columns: [String])
        /// Several columns hold documents, and nothing says which of them is meant.
        case ambiguous(columns: [String], fitting: [String])
        /// More bytes are needed.
        case undecided
    }

    /// Looks for a header that has one of the columns `wanted`, in letters of any case, or above the only column that
    /// holds documents.
    ///
    /// Without `--from csv`, the header must be one line of short names without `{`, `[`, `<` and control characters.
    /// So its first bytes tell it from other input.
    ///
    /// - Parameters:
    ///   - isAnnounced: whether `--from csv` was given.
    ///   - isFinal: whether the source ends with `bytes`.
    ///   - isPaused: whether the source has nothing more for now, so that no further rows are waited for.
    ///   - isDocument: whether a cell begins as a document does; `nil` where the name alone tells the column.
    public static func find(
        in bytes: RawSpan,
        limit: Int,
        wanted: [String],
        isAnnounced: Bool,
        isFinal: Bool,
        isPaused: Bool = false,
        isDocument: ((RawSpan) -> Bool)? = nil
    ) -> Answer {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = 0
        if bytes.matches(mark, at: 0) {
            start = 3
        } else if limit < 3, !isFinal, (0..<limit).allSatisfy({ bytes.byte($0) == mark[$0] }) {
            return .undecided
        }
        let end = min(limit, Self.limit)
        if !isAnnounced, !mayBeNames(in: bytes, from: start, to: end) { return .none(columns: []) }
        let separator = separator(in: bytes, from: start, to: end)
        var row = CSVRow()
        switch row.read(bytes, at: start, limit: end, separator: separator, isFinal: isFinal || end == Self.limit) {
        case .unfinished: return .undecided
        case .defect: return .none(columns: [])
        case .row(let end):
            let names = row.cells.map { cell in
                var text: [UInt8] = []
                cell.appendText(of: bytes, to: &text)
                return String(input: text).trimmed
            }
            let lowered = names.map { $0.lowercased() }
            guard let column = wanted.lazy.compactMap({ lowered.firstIndex(of: $0.lowercased()) }).first else {
                guard let isDocument else { return .none(columns: names) }
                // A first row with a document is no header.
                if isAnnounced, let column = names.firstIndex(where: { isDocument(Array($0.utf8).span.bytes) }) {
                    let columns = names.indices.map { "column \($0 + 1)" }
                    return .header(
                        CSVHeader(separator: separator, columns: columns, column: column, byteCount: start)
                    )
                }
                return sample(
                    of: bytes,
                    from: end,
                    limit: limit,
                    columns: names,
                    separator: separator,
                    isAnnounced: isAnnounced,
                    isFinal: isFinal,
                    isPaused: isPaused,
                    isDocument: isDocument
                )
            }
            return .header(CSVHeader(separator: separator, columns: names, column: column, byteCount: end))
        }
    }

    /// The header for later rows, after earlier rows have shown how quotes are escaped.
    public func with(_ escape: CSVEscape) -> CSVHeader {
        var header = self
        (header.shownEscape, header.escapeOffset) = (escape, -1)
        return header
    }

    /// How a quote inside quotes is written in rows from an offset in the source on; `nil` where no row before it has
    /// shown that.
    public func escape(from offset: Int) -> CSVEscape? { offset > escapeOffset ? shownEscape : nil }

    /// Looks for the first row that shows how quotes are written, among the bytes from the start of the source on.
    public mutating func findEscape(in bytes: RawSpan, limit: Int) {
        var row = CSVRow()
        escapeOffset = byteCount
        while escapeOffset < limit,
            let end = row.read(bytes, at: escapeOffset, limit: limit, separator: separator, isFinal: false).end
        {
            shownEscape = row.escape
            if shownEscape != nil { return }
            escapeOffset = end
        }
    }

    /// Whether the first line can be names of columns, as far as `bytes` have it.
    private static func mayBeNames(in bytes: RawSpan, from start: Int, to end: Int) -> Bool {
        var length = 0
        for index in start..<end {
            switch bytes.byte(index) {
            case 0x0A: return true
            case 0x2C, 0x3B, 0x09, 0x7C: length = 0
            case 0x00..<0x20 where bytes.byte(index) != 0x0D, 0x3C, 0x5B, 0x7B: return false
            default:
                length += 1
                if length > nameLimit { return false }
            }
        }
        return true
    }

    /// The first comma, semicolon, tab or vertical bar outside quotes in the first line; a comma where there is none.
    private static func separator(in bytes: RawSpan, from start: Int, to end: Int) -> UInt8 {
        var isQuoted = false
        for index in start..<end {
            switch bytes.byte(index) {
            case 0x22: isQuoted.toggle()
            case 0x2C where !isQuoted, 0x3B where !isQuoted, 0x09 where !isQuoted, 0x7C where !isQuoted:
                return bytes.byte(index)
            case 0x0A where !isQuoted: return 0x2C
            default: break
            }
        }
        return 0x2C
    }
}

extension String {
    /// The text without white space at either end.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
