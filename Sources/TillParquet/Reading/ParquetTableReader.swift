public import TillColumns
public import TillCore

/// Reads the rows of a file into batches of one of our tables, column by name.
///
/// Columns may be in any order. Columns that the table does not have are skipped; columns that the file does not have
/// are absent from every row.
public final class ParquetTableReader<Column: TableColumn> {
    private let file: ParquetFile
    private let dropsEmptyTexts: Bool
    /// The file's column for each of ours.
    private let leaves: [ParquetFile.Leaf?]
    private var nextGroup = 0
    private var decoders: [(column: Int, decoder: ColumnDecoder)] = []
    /// Rows of the current row group that have not been read yet.
    private var rowsLeft = 0
    private var batchSerial = 0

    /// Matches the columns by name. Throws `parquet.column-type` if two columns have the same name, or a column is
    /// nested or repeated.
    ///
    /// - Parameter dropsEmptyTexts: whether an empty text is read as absent: some programs write it in place of null.
    public init(_ file: ParquetFile, dropsEmptyTexts: Bool = false) throws(Finding) {
        self.file = file
        self.dropsEmptyTexts = dropsEmptyTexts
        leaves = try Column.allCases.map { column throws(Finding) in
            let found = file.leaves.filter { $0.path[0] == column.name }
            guard let first = found.first else { return nil }
            guard found.count == 1, first.isFlat else {
                let reason = found.count > 1 ? "two columns have this name" : "the column is nested or repeated"
                throw Finding("parquet.column-type", at: file.footerStart, path: column.name, reason)
            }
            return first
        }
    }

    /// Appends up to `limit` rows to `batch` and their texts to `texts`. Returns the number of rows; 0 at the end.
    public func read(
        into batch: inout RecordBatch<Column>,
        texts: inout TextDictionary,
        limit: Int
    ) throws(Finding) -> Int {
        batchSerial += 1
        var total = 0
        while total < limit {
            guard try hasRows() else { break }
            let count = min(rowsLeft, limit - total, ColumnDecoder.stepRows)
            var failure: Finding?
            batch.appendRows(count) { words, stride, presence, first in
                do throws(Finding) {
                    for (column, decoder) in decoders {
                        try decoder.read(
                            count,
                            words: words + column * stride + first,
                            presence: presence + first,
                            column: column,
                            texts: &texts,
                            batch: batchSerial
                        )
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            rowsLeft -= count
            total += count
        }
        return total
    }

    /// Whether there are rows left; begins further row groups until one has some.
    private func hasRows() throws(Finding) -> Bool {
        while rowsLeft == 0 {
            guard nextGroup < file.rowGroupCount else { return false }
            let group = file.metadata.rowGroups[nextGroup]
            nextGroup += 1
            rowsLeft = group.rowCount
            decoders = []
            guard rowsLeft > 0 else { continue }
            for (number, (column, leaf)) in zip(Column.allCases, leaves).enumerated() {
                // pyarrow and Polars write a column without any value with the logical type NULL.
                guard let leaf, !leaf.element.isOfNulls else { continue }
                let chunk = group.chunks[leaf.index]
                let decoder = try ColumnDecoder(
                    leaf,
                    chunk: chunk,
                    of: file,
                    as: column.type,
                    dropsEmptyTexts: dropsEmptyTexts
                )
                decoders.append((number, decoder))
            }
        }
        return true
    }
}
