import TillColumns
import TillParquet
import TillRows

/// The metadata of all Parquet files that tillroll writes.
enum ParquetTables {
    static let createdBy = "tillroll version \(Tool.version)"
    static let tableKey = "tillroll.table"
    static let schemaKey = "tillroll.schema"
    /// The version of the tables (the page Tables of TillRows); a reader refuses newer versions.
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

/// Writes tables as Parquet: one, to a file or standard output, or several, to files of a folder.
final class ParquetSink: RowSink {
    private let folder: OutputFolder?
    private var outputs: [RowOutput] = []
    private var writers: [TableName: ParquetWriter] = [:]
    private var transactions: PartitionedTable<TransactionColumn>?
    private var events: PartitionedTable<EventColumn>?
    private let tables: [TableName]

    /// One table, to `path`.
    init(_ table: TableName, path: String?, queue: EncodingQueue, written: WrittenFiles?) throws {
        folder = nil
        tables = [table]
        try begin(table, RowOutput(path, written: written), queue: queue)
    }

    /// Tables as files of a folder; those that `keys` divide as folders of it.
    init(
        _ tables: [TableName],
        folder: OutputFolder,
        partitionedBy keys: [PartitionKey],
        queue: EncodingQueue
    ) throws {
        self.folder = folder
        self.tables = tables
        for table in tables {
            let keys = keys.filter { $0.table == table }
            switch table {
            case .transactions where !keys.isEmpty:
                transactions = try PartitionedTable(table, by: keys, in: folder, queue: queue)
            case .events where !keys.isEmpty:
                events = try PartitionedTable(table, by: keys, in: folder, queue: queue)
            case .transactions, .documents, .events, .renewals:
                try begin(table, folder.makeOutput("\(table.rawValue).parquet"), queue: queue)
            }
        }
    }

    private func begin(_ table: TableName, _ output: RowOutput, queue: EncodingQueue) throws {
        outputs.append(output)
        writers[table] = try ParquetTables.writer(table, queue: queue, output: output)
    }

    func consume(_ rows: borrowing RowBatch) throws {
        try writers[.transactions]?.append(rows.transactions, texts: rows.dictionary)
        try transactions?.append(rows.transactions, texts: rows.dictionary)
        try events?.append(rows.events, texts: rows.dictionary)
        try writers[.documents]?.append(rows.documents, texts: rows.dictionary)
        try writers[.events]?.append(rows.events, texts: rows.dictionary)
        try writers[.renewals]?.append(rows.renewals, texts: rows.dictionary)
    }

    func finish() throws {
        for table in tables { try writers[table]?.finish() }
        for output in outputs { try output.finish() }
        try transactions?.finish()
        try events?.finish()
        try folder?.finish()
    }
}
