import TillColumns
import TillCore
import TillParquet
import TillRows

/// The rows of a table in a folder per value of its partition keys, as Hive lays out partitions.
///
///     transactions/environment=production/purchase_month=2026-03/part-0.parquet
///     transactions/environment=production/purchase_month=__HIVE_DEFAULT_PARTITION__/part-0.parquet   no purchase date
///
/// The partitions share one limit for unwritten rows. When it is reached, the partition with the most rows ends its row
/// group. So memory does not grow with the number of partitions.
final class PartitionedTable<Column: TableColumn> {
    private struct Partition {
        var path: String
        var writer: ParquetWriter
        var output: RowOutput
    }

    private let folder: OutputFolder
    private let queue: EncodingQueue
    private let table: TableName
    private var levels: [PartitionLevel<Column>]
    /// By the numbers of their values, 16 bits each.
    private var partitions: [UInt64: Partition] = [:]
    /// Rows of the batch at hand by partition, in their order.
    private var rows: [UInt64: [Int]] = [:]

    /// - Parameter keys: at least one, all of the table.
    init(
        _ table: TableName,
        by keys: [PartitionKey],
        in folder: OutputFolder,
        queue: EncodingQueue
    ) throws(RunError) {
        self.folder = folder
        self.queue = queue
        self.table = table
        levels = keys.compactMap(PartitionLevel.init)
        try folder.makeFolder(table.rawValue)
    }

    func append(_ batch: borrowing RecordBatch<Column>, texts: borrowing TextDictionary) throws {
        rows.removeAll(keepingCapacity: true)
        for index in levels.indices { levels[index].beginBatch() }
        for row in 0..<batch.rowCount {
            var number: UInt64 = 0
            for index in levels.indices {
                let value = try levels[index].number(of: batch[levels[index].column, row], in: texts)
                number = number << 16 | UInt64(value)
            }
            rows[number, default: []].append(row)
        }
        for (number, rows) in rows.sorted(by: { $0.key < $1.key }) {
            try partition(number).writer.append(batch, texts: texts, rows: rows)
        }
        try endLargeRowGroups()
    }

    private func partition(_ number: UInt64) throws -> Partition {
        if let partition = partitions[number] { return partition }
        guard partitions.count < PartitionLimits.partitions else { throw PartitionLimits.error(table) }
        var path = table.rawValue
        for (index, level) in levels.enumerated() {
            path += "/" + level.names[Int(number >> UInt64(16 * (levels.count - 1 - index)) & 0xFFFF)]
            try folder.makeFolder(path)
        }
        path += "/part-0.parquet"
        let output = try folder.makeOutput(path)
        let writer = try ParquetTables.writer(table, queue: queue, output: output)
        let partition = Partition(path: path, writer: writer, output: output)
        partitions[number] = partition
        return partition
    }

    private func endLargeRowGroups() throws {
        while partitions.values.reduce(0, { $0 + $1.writer.openRows }) > PartitionLimits.openRows {
            // The first of equals, so that the files do not depend on the order of a dictionary.
            let fullest = partitions.max { ($0.value.writer.openRows, $1.key) < ($1.value.writer.openRows, $0.key) }
            try fullest?.value.writer.flush()
        }
    }

    func finish() throws {
        for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) {
            try partition.writer.finish()
            try partition.output.finish()
        }
    }
}

/// The limits of partitions in one data set.
private enum PartitionLimits {
    /// Partitions of one table; each keeps a file open.
    static let partitions = 1_000
    /// Rows that are not written yet, of all partitions.
    static let openRows = 200_000

    static func error(_ table: TableName) -> RunError {
        RunError(
            .dataError,
            "\(table.rawValue) would have more than \(partitions) partitions (limit: partitions); choose a coarser key for "
                + "--partition-by, or convert fewer inputs at once"
        )
    }
}

/// One key of a partitioned table, which numbers the values that it has seen.
private struct PartitionLevel<Column: TableColumn> {
    let column: Column
    private let key: PartitionKey
    /// Names of folders, by number.
    private(set) var names: [String] = []
    private var numbers: [String: Int] = [:]
    /// Numbers of days, or of texts of the batch at hand.
    private var known: [Int64: Int] = [:]

    init?(_ key: PartitionKey) {
        guard let column = Column.allCases.first(where: { $0.name == key.columnName }) else { return nil }
        self.column = column
        self.key = key
    }

    /// Texts have other codes in each batch.
    mutating func beginBatch() {
        if key.value == .text { known.removeAll(keepingCapacity: true) }
    }

    mutating func number(of word: Int64?, in texts: borrowing TextDictionary) throws(RunError) -> Int {
        guard let word else { return try number(named: PartitionKey.none) }
        let value = key.value == .text ? word : word.dividedFloor(by: Timestamp.millisecondsPerDay)
        if let number = known[value] { return number }
        let name =
            switch key.value {
            case .month, .day: key.text(of: word)
            case .text: texts.withBytes(of: Int(word)) { span in span.withUnsafeBytes(PartitionKey.name) }
            }
        let number = try number(named: name)
        known[value] = number
        return number
    }

    private mutating func number(named name: String) throws(RunError) -> Int {
        if let number = numbers[name] { return number }
        guard names.count < PartitionLimits.partitions else { throw PartitionLimits.error(key.table) }
        numbers[name] = names.count
        names.append("\(key.rawValue)=\(name)")
        return names.count - 1
    }
}
