import TillColumns
import TillCore
import TillInput
import TillReceipts
import TillRows
import TillTestSupport

/// What a reader made of a stream that came in pieces, with cells as text, so that two readings can be compared.
struct LinesReading: Equatable {
    struct Reject: Equatable {
        var document: Int
        var line: Int
        var offset: Int
        var length: Int
        var code: String
        var raw: [UInt8]
    }

    var accepted = 0
    var lines = 0
    var consumed = 0
    var openBrackets = 0
    /// Present cells by column, of events and of transactions.
    var events: [[String: String]] = []
    var transactions: [[String: String]] = []
    var rejects: [Reject] = []

    var documents: Int { accepted + rejects.count }
    var codes: [String] { rejects.map(\.code) }

    /// Reads `bytes`, `step` of them at a time; what was not consumed is put before the next ones.
    init(_ bytes: [UInt8], step: Int? = nil, header: CSVHeader? = nil, format: String? = nil) {
        var reader = DocumentReader(format: format)
        reader.csvHeader = header
        var end = header.map { min($0.byteCount, bytes.count) } ?? 0
        repeat {
            end = min(bytes.count, end + (step ?? bytes.count))
            read(bytes[consumed..<end], isFinal: end == bytes.count, with: &reader)
        } while end < bytes.count
    }

    init(_ text: String, step: Int? = nil, format: String? = nil) {
        self.init(Array(text.utf8), step: step, format: format)
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, isFinal: Bool, with reader: inout DocumentReader) {
        let padded = Array(bytes) + Array(repeating: 0, count: ByteBuffer.padding)
        var rows = RowBatch()
        let summary = reader.read(
            padded.span.bytes,
            limit: bytes.count,
            streamOffset: consumed,
            isFinal: isFinal,
            into: &rows
        )
        for row in 0..<rows.events.rowCount {
            events.append(Self.cells(of: rows.events, row, rows.dictionary, after: documents))
        }
        for row in 0..<rows.transactions.rowCount {
            transactions.append(Self.cells(of: rows.transactions, row, rows.dictionary, after: documents))
        }
        let (firstDocument, firstLine) = (documents, lines)
        rejects += summary.rejects.map { reject in
            Reject(
                document: firstDocument + reject.ordinal,
                line: firstLine + reject.line + 1,
                offset: consumed + reject.offset,
                length: reject.length,
                code: reject.diagnostic.code,
                raw: reject.bytes(in: padded.span.bytes) ?? []
            )
        }
        accepted += summary.accepted
        lines += summary.lines
        openBrackets += summary.openBrackets
        consumed += summary.consumed
    }

    private static func cells<Column: TableColumn>(
        of batch: borrowing RecordBatch<Column>,
        _ row: Int,
        _ dictionary: TextDictionary,
        after documents: Int
    ) -> [String: String] {
        var cells: [String: String] = [:]
        for column in Column.allCases {
            guard let word = batch[column, row] else { continue }
            cells[column.name] =
                switch column.type {
                case .text: dictionary.text(of: Int(word))
                case .identifier: Identifier(word: word).text(in: dictionary)
                case .instant: Timestamp(milliseconds: word).description
                case .int32, .int64, .bool: String(column.name == "document" ? word + Int64(documents) : word)
                }
        }
        return cells
    }
}

/// Numbers by which a seed means the same run everywhere.
struct SeededNumbers: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// `bytes` with up to four changes, at places and to bytes on which some reader branches.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        let telling = Array("{}\"=;,\t\r\n EDC-0159[]<?\u{80}".utf8)
        var result = bytes
        for _ in 0...below(4) where !result.isEmpty {
            let index = below(result.count)
            switch below(5) {
            case 0: result[index] = telling[below(telling.count)]
            case 1: result.insert(telling[below(telling.count)], at: index)
            case 2: result.removeSubrange(index..<min(result.count, index + 1 + below(40)))
            case 3: result.insert(contentsOf: result[index..<min(result.count, index + 30)], at: index)
            default: result[index] ^= 1 << UInt8(below(8))
            }
        }
        return result
    }
}
