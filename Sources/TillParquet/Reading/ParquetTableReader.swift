public import TillColumns

/// Reads the rows of a file into batches of one of our tables, column by name.
///
/// Columns may stand in any order; those that the table does not have are passed over, those that the file does not
/// have are absent from every row.
public final class ParquetTableReader<Column: TableColumn> {
    private let file: ParquetFile
    private let filter: ParquetFilter
    private let groups: Range<Int>
    /// The file's column for each of ours.
    private let leaves: [ParquetFile.Leaf?]
    private var nextGroup: Int
    private var decoders: [(column: Int, decoder: ColumnDecoder)] = []
    /// What is wanted of the row group at hand, and the row that its decoders have come to.
    private var wanted: [Range<Int>] = []
    private var row = 0
    private var batchSerial = 0

    /// - Parameter groups: the row groups to read; all of them if `nil`.
    public init(_ file: ParquetFile, groups: Range<Int>? = nil, filter: ParquetFilter = ParquetFilter()) throws {
        self.file = file
        self.filter = filter
        self.groups = groups ?? 0..<file.rowGroupCount
        nextGroup = self.groups.lowerBound
        leaves = try Column.allCases.map { column throws(ParquetError) in
            let found = file.leaves.filter { $0.path[0] == column.name }
            guard let first = found.first else { return nil }
            guard found.count == 1, first.isFlat else {
                let reason = found.count > 1 ? "two columns have this name" : "the column is nested or repeated"
                throw ParquetError(.columnType, at: file.footerStart, path: column.name, reason)
            }
            return first
        }
    }

    /// Appends up to `limit` rows to `batch` and their texts to `texts`; 0 at the end.
    public func read(
        into batch: inout RecordBatch<Column>,
        texts: inout TextDictionary,
        limit: Int
    ) throws -> Int {
        batchSerial += 1
        var total = 0
        while total < limit {
            guard let range = try nextRange() else { break }
            try skip(to: range.lowerBound, &texts)
            let count = min(range.count, limit - total, ColumnDecoder.stepRows)
            var failure: (any Error)?
            batch.appendRows(count) { words, stride, presence, first in
                do {
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
            row += count
            wanted[0] = range.lowerBound + count..<range.upperBound
            total += count
        }
        return total
    }

    /// What is to be read next, beginning with further row groups until one has something.
    private func nextRange() throws -> Range<Int>? {
        while true {
            while let first = wanted.first {
                if !first.isEmpty { return first }
                wanted.removeFirst()
            }
            guard nextGroup < groups.upperBound else { return nil }
            let group = file.metadata.rowGroups[nextGroup]
            wanted = file.wantedRows(ofGroup: nextGroup, filter: filter)
            nextGroup += 1
            row = 0
            decoders = []
            guard !wanted.isEmpty else { continue }
            for (number, (column, leaf)) in zip(Column.allCases, leaves).enumerated() {
                guard let leaf else { continue }
                let chunk = group.chunks[leaf.index]
                decoders.append((number, try ColumnDecoder(leaf, chunk: chunk, of: file, as: column.type)))
            }
        }
    }

    private func skip(to target: Int, _ texts: inout TextDictionary) throws {
        guard target > row else { return }
        for (_, decoder) in decoders { try decoder.skip(target - row, texts: &texts) }
        row = target
    }
}
