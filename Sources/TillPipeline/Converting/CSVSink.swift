import TillColumns
import TillRender
import TillRows

/// Writes the rows of one table as CSV (RFC 4180 with line feeds), under a header; an absent cell is empty.
///
/// Programs get unchanged texts. For people, texts are made safe as in reports.
final class CSVSink: RowSink {
    private let output: RowOutput
    private let table: TableName
    private let isSafe: Bool
    private var bytes: [UInt8] = []
    private var text = RowText()

    init(_ output: RowOutput, table: TableName, isSafe: Bool) {
        self.isSafe = isSafe
        self.output = output
        self.table = table
        bytes += (table.columnNames.joined(separator: ",") + "\n").utf8
    }

    func consume(_ rows: borrowing RowBatch) throws {
        switch table {
        case .transactions: try append(rows.transactions, rows.dictionary)
        case .documents: try append(rows.documents, rows.dictionary)
        case .events: try append(rows.events, rows.dictionary)
        case .renewals: try append(rows.renewals, rows.dictionary)
        }
        try output.flush(&bytes)
    }

    private func append<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        _ texts: borrowing TextDictionary
    ) throws {
        let columns = Array(Column.allCases)
        for row in 0..<batch.rowCount {
            for (number, column) in columns.enumerated() {
                if number > 0 { bytes.append(0x2C) }
                guard let word = batch[column, row] else { continue }
                switch column.type {
                case .text: append(text: Int(word), texts)
                case .identifier:
                    if let code = Identifier(word: word).code {
                        append(text: code, texts)
                    } else {
                        RowText.append(number: word, to: &bytes)
                    }
                case .int64, .int32: RowText.append(number: word, to: &bytes)
                case .bool: RowText.append(bool: word, to: &bytes)
                case .instant: text.append(instant: word, to: &bytes)
                }
            }
            bytes.append(0x0A)
            try output.flush(&bytes, above: RowOutput.blockSize)
        }
    }

    private func append(text code: Int, _ texts: borrowing TextDictionary) {
        texts.withBytes(of: code) { span in
            span.withUnsafeBytes { raw in
                if isSafe, !raw.isEmpty {
                    return CSVText.append(safe: String(decoding: raw, as: UTF8.self), to: &bytes)
                }
                // An empty text would be read as an absent cell.
                let needsQuotes = raw.isEmpty || raw.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
                guard needsQuotes else { return bytes.append(contentsOf: raw) }
                bytes.append(0x22)
                for byte in raw {
                    if byte == 0x22 { bytes.append(byte) }
                    bytes.append(byte)
                }
                bytes.append(0x22)
            }
        }
    }

    func finish() throws {
        try output.flush(&bytes)
        try output.finish()
    }
}
