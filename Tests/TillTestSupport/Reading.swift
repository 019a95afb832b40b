public import TillColumns
public import TillCore
import TillInput
public import TillReceipts
import TillRows

/// What reading a stream came to, with cells as text, so that two readings can be compared and shown.
public struct Reading: Equatable {
    /// A row: the present cells by the name of their column, as `convert -t ndjson` would write them.
    public typealias Row = [String: String]

    public struct Reject: Equatable {
        public var document: Int
        /// Counts from 1.
        public var line: Int
        public var offset: Int
        public var length: Int
        public var kind: String?
        public var diagnostic: Diagnostic
        public var raw: [UInt8]

        public var code: String { diagnostic.code }
        public var path: String { diagnostic.path }
        public var innerOffset: Int { diagnostic.innerOffset }
    }

    public var accepted = 0
    public var consumed = 0
    public var lines = 0
    public var openBrackets = 0
    public var foreign = 0
    public var rejects: [Reject] = []
    public var transactions: [Row] = []
    public var documents: [Row] = []
    public var events: [Row] = []
    public var renewals: [Row] = []
    /// Optional values that were given and could not be read.
    public var unread = 0
    /// Ids that are not in the usual form.
    public var oddIDs = 0

    public var documentCount: Int { accepted + rejects.count }

    /// Reads all of `bytes`.
    ///
    /// With a `step`, that many bytes arrive at a time, and what was not consumed is put before the next ones, as any
    /// caller does that reads from a file.
    public init(
        _ bytes: [UInt8],
        step: Int? = nil,
        format: String? = nil,
        trust: TrustPolicy = .off,
        bundleIDs: [String] = []
    ) {
        var reader = DocumentReader(format: format, trust: trust, bundleIDs: bundleIDs)
        self.init(bytes, step: step, with: &reader)
    }

    /// Reads `text` as the only cell of delimited text.
    public init(csv text: String, trust: TrustPolicy = .off) {
        let bytes = Array("receipt\n\"\(text.replacing("\"", with: "\"\""))\"\n".utf8)
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        let header = CSVHeader.find(
            in: padded.span.bytes,
            limit: bytes.count,
            wanted: CSVHeader.usualColumns,
            isAnnounced: true,
            isFinal: true
        )
        var reader = DocumentReader(trust: trust)
        if case .header(let header) = header { reader.csvHeader = header }
        consumed = read(bytes[...], at: 0, isFinal: true, with: &reader)
    }

    public init(_ text: String, step: Int? = nil, format: String? = nil) {
        self.init(Array(text.utf8), step: step, format: format)
    }

    /// Reads all of `bytes`, `step` at a time, with a reader that may have read before, which costs less than a new
    /// one.
    public init(_ bytes: [UInt8], step: Int? = nil, with reader: inout DocumentReader) {
        var position = 0
        var end = 0
        repeat {
            end = min(bytes.count, end + (step ?? bytes.count))
            position += read(bytes[position..<end], at: position, isFinal: end == bytes.count, with: &reader)
        } while end < bytes.count
        consumed = position
    }

    /// Reads `bytes` in two chunks that meet at `cut`.
    public init(_ bytes: [UInt8], cutAt cut: Int) {
        var reader = DocumentReader()
        let position = read(bytes[..<cut], at: 0, isFinal: false, with: &reader)
        consumed = position + read(bytes[position...], at: position, isFinal: true, with: &reader)
    }

    private mutating func read(
        _ bytes: ArraySlice<UInt8>,
        at offset: Int,
        isFinal: Bool,
        with reader: inout DocumentReader
    ) -> Int {
        let padded = Array(bytes) + Array(repeating: 0, count: ByteBuffer.padding)
        var rows = RowBatch()
        let summary = reader.read(
            padded.span.bytes,
            limit: bytes.count,
            streamOffset: offset,
            isFinal: isFinal,
            into: &rows
        )
        let number = documentCount
        transactions += Self.rows(of: rows.transactions, in: rows.dictionary, from: number)
        documents += Self.rows(of: rows.documents, in: rows.dictionary, from: number)
        events += Self.rows(of: rows.events, in: rows.dictionary, from: number)
        renewals += Self.rows(of: rows.renewals, in: rows.dictionary, from: number)
        rejects += summary.rejects.map { reject in
            Reject(
                document: number + reject.ordinal,
                line: lines + reject.line + 1,
                offset: offset + reject.offset,
                length: reject.length,
                kind: reject.kind,
                diagnostic: reject.diagnostic,
                raw: reject.bytes(in: padded.span.bytes) ?? []
            )
        }
        accepted += summary.accepted
        unread += rows.reading.unread
        oddIDs += rows.reading.oddIDs
        lines += summary.lines
        openBrackets += summary.openBrackets
        foreign += summary.foreign
        return summary.consumed
    }

    /// The rows of a table with their cells as text; documents are counted from `firstDocument`.
    public static func rows<Column: TableColumn>(
        of batch: borrowing RecordBatch<Column>,
        in dictionary: TextDictionary,
        from firstDocument: Int
    ) -> [Row] {
        var rows: [Row] = []
        for index in 0..<batch.rowCount {
            var row: Row = [:]
            for column in Column.allCases {
                guard var word = batch[column, index] else { continue }
                if column.name == "document" { word += Int64(firstDocument) }
                row[column.name] = text(of: word, type: column.type, in: dictionary)
            }
            rows.append(row)
        }
        return rows
    }

    private static func text(of word: Int64, type: ColumnType, in dictionary: TextDictionary) -> String {
        switch type {
        case .text: dictionary.text(of: Int(word))
        case .identifier: Identifier(word: word).text(in: dictionary)
        case .int64, .int32: String(word)
        case .bool: word == 0 ? "false" : "true"
        case .instant: Timestamp(milliseconds: word).text(alwaysWithMilliseconds: true)
        }
    }
}
