import TillColumns
import TillCore
import TillReportModel
import TillRows

/// The rows that a document gives. Absent cells are left out.
enum RowTables {
    static func rows(of ordinal: Int, in batch: borrowing RowBatch) -> [InspectedDocument.Row] {
        rows(batch.transactions, .document, ordinal, batch.dictionary)
            + rows(batch.documents, .document, ordinal, batch.dictionary)
            + rows(batch.events, .document, ordinal, batch.dictionary)
            + rows(batch.renewals, .document, ordinal, batch.dictionary)
    }

    private static func rows<Column: TableColumn>(
        _ table: borrowing RecordBatch<Column>,
        _ numbering: Column,
        _ ordinal: Int,
        _ dictionary: borrowing TextDictionary
    ) -> [InspectedDocument.Row] {
        var rows: [InspectedDocument.Row] = []
        for row in 0..<table.rowCount where table[numbering, row] == Int64(ordinal) {
            var cells: [(column: String, value: InspectedNode.Value)] = []
            // The number of the document is in its heading already.
            for column in Column.allCases where column.rawValue != numbering.rawValue {
                guard let word = table[column, row] else { continue }
                cells.append((column.name, value(word, of: column.type, dictionary)))
            }
            rows.append(InspectedDocument.Row(table: Column.tableName, cells: cells))
        }
        return rows
    }

    private static func value(
        _ word: Int64,
        of type: ColumnType,
        _ dictionary: borrowing TextDictionary
    ) -> InspectedNode.Value {
        switch type {
        case .text: .text(dictionary.text(of: Int(word)))
        case .identifier: .text(Identifier(word: word).text(in: dictionary))
        case .int64, .int32: .number(String(word))
        case .bool: .flag(word != 0)
        case .instant: .text(Timestamp(milliseconds: word).text(alwaysWithMilliseconds: true))
        }
    }
}
