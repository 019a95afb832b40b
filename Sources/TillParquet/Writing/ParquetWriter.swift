public import TillColumns
import TillCore

/// Writes the rows of one table as a Parquet file, front to back, without ever seeking.
///
///     PAR1 │ row group: column chunk, column chunk, … │ … │ column indexes │ offset indexes │ footer │ length │ PAR1
///
/// Rows are collected in blocks of one page per column; the threads of the queue encode full blocks. A row group is
/// written when it is complete, so memory holds the compressed pages of one row group. The bytes depend on the rows and
/// the options, not on the number of jobs or the batches.
public final class ParquetWriter {
    private let columns: [ParquetColumn]
    private let options: ParquetOptions
    private let queue: EncodingQueue
    private let write: ([UInt8]) throws -> Void
    private var file: ParquetFileBuilder

    private var block: RowBlock
    private var spare: [RowBlock] = []
    private var group: RowGroupBuilder
    private var translations: [TextTranslation]
    private var batchSerial = 0
    private var blockSerial = 0

    private enum Step {
        case block(BlockJob)
        case endOfGroup(RowGroupBuilder)
    }

    /// Blocks and row groups that are not written yet, in the order of the rows.
    private var pending: [Step] = []

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - keyValues: metadata for the footer.
    ///   - write: takes the bytes of the file, piece by piece, in their order.
    public init(
        columns: [ParquetColumn],
        keyValues: [(key: String, value: String)],
        createdBy: String,
        queue: EncodingQueue,
        write: @escaping ([UInt8]) throws -> Void
    ) throws {
        precondition(columns.count <= 64)
        self.columns = columns
        self.queue = queue
        self.write = write
        options = queue.options
        file = ParquetFileBuilder(columns: columns, keyValues: keyValues, createdBy: createdBy, codec: options.codec)
        block = RowBlock(columnCount: columns.count, pageRows: options.pageRows)
        group = RowGroupBuilder(serial: 0, columns: columns)
        translations = columns.map { _ in TextTranslation() }
        try write(ParquetFileBuilder.magic)
    }

    /// Rows of the row group that is being filled.
    public var openRows: Int { group.rowCount }

    /// Appends all rows of a batch, whose columns are those of the file; `texts` is the batch's dictionary.
    public func append<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        texts: borrowing TextDictionary
    ) throws {
        precondition(Column.allCases.count == columns.count)
        let rows = 0..<batch.rowCount
        try batch.withStorage { words, stride, presence in
            try append(BatchCells(words: words, stride: stride, presence: presence), texts: texts, rows: rows)
        }
    }

    /// Appends some rows of a batch, in the order of `rows`.
    public func append<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        texts: borrowing TextDictionary,
        rows: [Int]
    ) throws {
        precondition(Column.allCases.count == columns.count)
        try batch.withStorage { words, stride, presence in
            try append(BatchCells(words: words, stride: stride, presence: presence), texts: texts, rows: rows[...])
        }
    }

    /// The cells of a batch of any table (``RecordBatch/withStorage(_:)``).
    ///
    /// A function that is generic over the table's columns, which are another module's, is never specialised, and
    /// neither are the functions that it calls: each row would go through witness tables.
    private struct BatchCells {
        let words: UnsafePointer<Int64>
        let stride: Int
        let presence: UnsafePointer<UInt64>
    }

    private func append<Rows: RandomAccessCollection<Int>>(
        _ cells: BatchCells,
        texts: borrowing TextDictionary,
        rows: Rows
    ) throws where Rows.SubSequence == Rows {
        guard !rows.isEmpty else { return }
        batchSerial += 1
        // The size of a page is checked at the same rows whatever the batches; with long texts, at each row.
        let longest = (0..<texts.count).reduce(0) { max($0, texts.byteCount(of: $1)) }
        var rest = rows
        while !rest.isEmpty {
            let toStep = longest > Self.longText ? 1 : Self.stepRows - block.rowCount % Self.stepRows
            let count = min(toStep, options.pageRows - block.rowCount, options.rowGroupRows - group.rowCount)
            try appendSlice(cells, texts, rest.prefix(count))
            rest = rest.dropFirst(count)
            try endWhatIsFull()
        }
    }

    private static let stepRows = 256
    private static let longText = 64 << 10
    /// Bytes of text that end a page at once.
    private static let pageLimit = stepRows * longText

    private func appendSlice<Rows: RandomAccessCollection<Int>>(
        _ cells: BatchCells,
        _ texts: borrowing TextDictionary,
        _ rows: Rows
    ) throws(Finding) {
        var (any, all): (UInt64, UInt64) = (0, ~0)
        for row in rows {
            any |= cells.presence[row]
            all &= cells.presence[row]
        }
        while any != 0 {
            let number = any.trailingZeroBitCount
            any &= any &- 1
            let column = block.columns[number]
            let start = column.valueCount
            let words = cells.words + number * cells.stride
            if all >> UInt64(number) & 1 == 1 {
                column.append(all: words, rows, at: block.rowCount)
            } else {
                let bit = UInt64(number)
                column.append(some: words, rows, at: block.rowCount, present: cells.presence, column: bit)
            }
            let textBytes = column.textByteCount
            try translate(column, number, from: start, texts)
            group.cellByteCount += 8 * (column.valueCount - start) + column.textByteCount - textBytes
        }
        block.rowCount += rows.count
        group.rowCount += rows.count
    }

    private func translate(
        _ block: ColumnBlock,
        _ number: Int,
        from start: Int,
        _ texts: borrowing TextDictionary
    ) throws(Finding) {
        switch columns[number].type {
        case .int64, .int32, .bool, .instant: break
        case .identifier: try TextTranslation.identifiers(block, from: start, of: texts)
        case .text:
            let chunk = group.chunks[number]
            let batch = batchSerial
            if chunk.usesDictionary {
                // Negative numbers are row groups, others blocks.
                let target = -1 - group.serial
                try translations[number]
                    .toCodes(block, from: start, of: texts, batch: batch, in: chunk, target: target)
            } else {
                let target = blockSerial
                try translations[number].toPlaces(block, from: start, of: texts, batch: batch, target: target)
            }
        }
    }

    private func endWhatIsFull() throws {
        let isAtStep = block.rowCount.isMultiple(of: Self.stepRows)
        let groupIsFull =
            group.rowCount >= options.rowGroupRows || isAtStep && group.byteCount >= options.rowGroupBytes
        let limit = isAtStep ? options.pageBytes : Self.pageLimit
        guard
            groupIsFull || block.rowCount >= options.pageRows
                || block.columns.contains(where: { $0.textByteCount >= limit })
        else { return }
        try endBlock()
        if groupIsFull { try endRowGroup() }
    }

    private func endBlock() throws {
        guard block.rowCount > 0 else { return }
        for (chunk, column) in zip(group.chunks, block.columns) { chunk.endPage(column) }
        block.group = group
        blockSerial += 1
        pending.append(.block(queue.submit(block, columns: columns)))
        block = spare.popLast() ?? RowBlock(columnCount: columns.count, pageRows: options.pageRows)
        try drain(waiting: false)
    }

    /// Ends the current row group, if it has rows, and writes complete row groups.
    public func endRowGroup() throws {
        try endBlock()
        guard group.rowCount > 0 else { return }
        pending.append(.endOfGroup(group))
        group = RowGroupBuilder(serial: group.serial + 1, columns: columns)
        try drain(waiting: false)
    }

    /// Takes finished pages, in order, and writes complete row groups.
    private func drain(waiting: Bool) throws {
        var taken = 0
        defer { pending.removeFirst(taken) }
        for step in pending {
            switch step {
            case .block(let job):
                if waiting { queue.finish(job) }
                guard job.isDone else { return }
                if let group = job.block.group {
                    for (chunk, page) in zip(group.chunks, job.pages) { chunk.pages.append(page) }
                }
                job.block.removeAll()
                spare.append(job.block)
            case .endOfGroup(let group):
                try queue.withEncoder { encoder in Result { try file.write(group, encoder: &encoder, to: write) } }
                    .get()
            }
            taken += 1
        }
    }

    /// Ends the row group and waits until all rows are written, so that the writer can stay idle.
    public func flush() throws {
        try endRowGroup()
        try drain(waiting: true)
        spare.removeAll()
        block = RowBlock(columnCount: columns.count, pageRows: options.pageRows)
    }

    /// Writes the rest and the footer.
    public func finish() throws {
        try flush()
        try file.writeEnd(to: write)
    }
}
