import TillColumns
import TillParquet
import TillRows

/// The metadata of all Parquet files that tillroll writes.
enum ParquetTables {
    static let createdBy = "tillroll version \(Tool.version)"
    static let tableKey = "tillroll.table"
    static let schemaKey = "tillroll.schema"
    /// The version of the tables (`docs/tables.md`); a reader refuses newer versions.
    static let schemaVersion = 1

    static func writer(_ table: TableName, queue: EncodingQueue, output: RowOutput) throws -> ParquetWriter {
        try ParquetWriter(
            columns: table.withColumns { columns(of: $0) },
            keyValues: [(tableKey, table.rawValue), (schemaKey, "\(schemaVersion)")],
            createdBy: createdBy,
            queue: queue,
            write: output.write
        )
    }

    private static func columns(of columns: any TableColumn.Type) -> [ParquetColumn] {
        func open<Column: TableColumn>(_ columns: Column.Type) -> [ParquetColumn] { ParquetColumn.columns(of: columns) }
        return open(columns)
    }
}

/// Writes tables as Parquet: one, to a file or standard output, or several, to files of a folder, one for each source
/// and table that has rows.
final class ParquetSink: RowSink {
    private let folder: OutputFolder?
    private let queue: EncodingQueue
    private let tables: [TableName]
    private var parts: [TableName: (writer: ParquetWriter, output: RowOutput)] = [:]
    private var transactions: PartitionedTable<TransactionColumn>?
    private var events: PartitionedTable<EventColumn>?
    /// Tables of the folder that have no file yet, and are to have one.
    private var unwritten: Set<TableName> = []
    /// The source of the rows, from 0.
    private var source = 0

    /// One table, to `path`.
    init(_ table: TableName, path: String?, queue: EncodingQueue, written: WrittenFiles?) throws {
        (folder, tables, self.queue) = (nil, [table], queue)
        try begin(table, RowOutput(path, written: written))
    }

    /// Tables as folders in a folder; `keys` divide some of them further.
    init(
        _ tables: [TableName],
        folder: OutputFolder,
        partitionedBy keys: [PartitionKey],
        queue: EncodingQueue
    ) throws {
        (self.folder, self.tables, self.queue) = (folder, tables, queue)
        for table in tables {
            try folder.makeFolder(table.rawValue)
            let keys = keys.filter { $0.table == table }
            switch table {
            case .transactions where !keys.isEmpty:
                transactions = PartitionedTable(table, by: keys, in: folder, queue: queue)
            case .events where !keys.isEmpty:
                events = PartitionedTable(table, by: keys, in: folder, queue: queue)
            case .transactions, .documents, .events, .renewals:
                if !folder.keeps(table) { unwritten.insert(table) }
            }
        }
    }

    private func begin(_ table: TableName, _ output: RowOutput) throws {
        parts[table] = (try ParquetTables.writer(table, queue: queue, output: output), output)
    }

    func consume(_ rows: borrowing RowBatch) throws { try consume(rows, from: FirstRows()) }

    func consume(_ rows: borrowing RowBatch, from first: FirstRows) throws {
        if let transactions {
            try transactions.append(rows.transactions, texts: rows.dictionary, from: first.transactions)
        } else {
            try append(rows.transactions, rows.dictionary, from: first.transactions, .transactions)
        }
        try append(rows.documents, rows.dictionary, from: first.documents, .documents)
        if let events {
            try events.append(rows.events, texts: rows.dictionary, from: first.events)
        } else {
            try append(rows.events, rows.dictionary, from: first.events, .events)
        }
        try append(rows.renewals, rows.dictionary, from: first.renewals, .renewals)
    }

    private func append<Column: TableColumn>(
        _ batch: borrowing RecordBatch<Column>,
        _ texts: borrowing TextDictionary,
        from first: Int,
        _ table: TableName
    ) throws {
        guard first < batch.rowCount, tables.contains(table) else { return }
        if parts[table] == nil, let folder {
            try begin(table, folder.makeOutput("\(table.rawValue)/part-\(source).parquet"))
            unwritten.remove(table)
        }
        if first == 0 {
            try parts[table]?.writer.append(batch, texts: texts)
        } else {
            try parts[table]?.writer.append(batch, texts: texts, rows: Array(first..<batch.rowCount))
        }
    }

    func endSource() throws {
        guard folder != nil else { return }
        try endParts()
        source += 1
    }

    private func endParts() throws {
        for table in tables {
            guard let part = parts.removeValue(forKey: table) else { continue }
            try part.writer.finish()
            try part.output.finish()
        }
        try transactions?.endSource(source)
        try events?.endSource(source)
    }

    func finish() throws {
        try endParts()
        // Readers of a folder take the columns of a table from its files.
        for table in tables where unwritten.contains(table) {
            if let folder { try begin(table, folder.makeOutput("\(table.rawValue)/part-0.parquet")) }
        }
        try endParts()
        try folder?.finish()
    }
}
