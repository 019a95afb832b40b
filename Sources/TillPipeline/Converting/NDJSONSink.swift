import TillColumns
import TillJSON
import TillRows

/// Writes rows as one stream of JSON objects, a line each (`docs/tables.md`).
final class NDJSONSink: RowSink {
    private let output: RowOutput
    private let tables: [TableName]
    private var bytes: [UInt8] = []
    private var text = RowText()
    private let heads: [TableName: [UInt8]]
    /// `,"name":` of each column.
    private let keys: [TableName: [[UInt8]]]

    init(_ output: RowOutput, tables: [TableName]) {
        self.output = output
        self.tables = tables
        heads = Dictionary(uniqueKeysWithValues: tables.map { ($0, Array("{\"table\":\"\($0.rawValue)\"".utf8)) })
        keys = Dictionary(
            uniqueKeysWithValues: tables.map { table in
                (table, table.columnNames.map { Array(",\"\($0)\":".utf8) })
            }
        )
    }

    func consume(_ rows: borrowing RowBatch) throws {
        try RowOrder.forEach(rows, tables: tables) { table, row in
            switch table {
            case .transactions: append(rows.transactions, row, rows.dictionary, table)
            case .documents: append(rows.documents, row, rows.dictionary, table)
            case .events: append(rows.events, row, rows.dictionary, table)
            case .renewals: append(rows.renewals, row, rows.dictionary, table)
            }
            try output.flush(&bytes, above: RowOutput.blockSize)
        }
        try output.flush(&bytes)
    }

    private func append<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        _ row: Int,
        _ texts: borrowing TextDictionary,
        _ table: TableName
    ) {
        guard let head = heads[table], let keys = keys[table] else { return }
        bytes += head
        var present = batch.presence(row: row)
        while present != 0 {
            let number = present.trailingZeroBitCount
            present &= present &- 1
            guard let column = Column(rawValue: number), let word = batch[column, row] else { continue }
            bytes += keys[number]
            switch column.type {
            case .text: append(text: Int(word), texts)
            case .identifier:
                if let code = Identifier(word: word).code {
                    append(text: code, texts)
                } else {
                    bytes.append(0x22)
                    RowText.append(number: word, to: &bytes)
                    bytes.append(0x22)
                }
            case .int64, .int32: RowText.append(number: word, to: &bytes)
            case .bool: RowText.append(bool: word, to: &bytes)
            case .instant:
                bytes.append(0x22)
                text.append(instant: word, to: &bytes)
                bytes.append(0x22)
            }
        }
        bytes.append(0x7D)
        bytes.append(0x0A)
    }

    private func append(text code: Int, _ texts: borrowing TextDictionary) {
        texts.withBytes(of: code) { span in
            span.withUnsafeBytes { raw in
                let isPlain = raw.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
                guard isPlain else { return bytes.appendJSON(string: raw) }
                bytes.append(0x22)
                bytes.append(contentsOf: raw)
                bytes.append(0x22)
            }
        }
    }

    func finish() throws {
        try output.flush(&bytes)
        try output.finish()
    }
}
