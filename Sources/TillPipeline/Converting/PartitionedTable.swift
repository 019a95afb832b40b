import TillColumns
import TillCore
import TillParquet
import TillRows

/// The rows of a table in a folder per value of its partition keys, as Hive lays out partitions.
///
///     transactions/environment=production/purchase_month=2026-03/part-0.parquet
///     transactions/environment=production/purchase_month=__HIVE_DEFAULT_PARTITION__/part-0.parquet   no purchase date
///
/// The files have the number of their source, until ``OutputFolder/finish()`` names them by its content. They are written
/// one after the other when the source ends; until then, their rows are in ``PartitionedRows``.
final class PartitionedTable<Column: TableColumn> {
    private let folder: OutputFolder
    private let queue: EncodingQueue
    private let table: TableName
    private var levels: [PartitionLevel<Column>]
    /// Numbers of the values of a partition, 16 bits each, of all sources.
    private var known: Set<UInt64> = []
    private var rows = PartitionedRows<Column>()

    /// - Parameter keys: at least one, all of the table.
    init(
        _ table: TableName,
        by keys: [PartitionKey],
        in folder: OutputFolder,
        queue: EncodingQueue
    ) {
        self.folder = folder
        self.queue = queue
        self.table = table
        levels = keys.compactMap(PartitionLevel.init)
    }

    /// Takes the rows of a batch from `first` on.
    func append(_ batch: borrowing RecordBatch<Column>, texts: borrowing TextDictionary, from first: Int) throws {
        for index in levels.indices { levels[index].beginBatch() }
        for row in first..<batch.rowCount {
            var number: UInt64 = 0
            for index in levels.indices {
                let value = try levels[index].number(of: batch[levels[index].column, row], in: texts)
                number = number << 16 | UInt64(value)
            }
            if known.insert(number).inserted, known.count > PartitionLimits.partitions {
                throw PartitionLimits.error(table)
            }
            try rows.append(batch, texts, row: row, to: number)
        }
    }

    /// Writes the files of a source, whose rows all were appended.
    func endSource(_ source: Int) throws {
        for number in rows.partitions {
            var path = table.rawValue
            for (index, level) in levels.enumerated() {
                path += "/" + level.names[Int(number >> UInt64(16 * (levels.count - 1 - index)) & 0xFFFF)]
                try folder.makeFolder(path)
            }
            let output = try folder.makeOutput("\(path)/part-\(source).parquet")
            let writer = try ParquetTables.writer(table, queue: queue, output: output)
            try rows.write(number, to: writer)
            try writer.finish()
            try output.finish()
        }
        rows = PartitionedRows()
    }
}

/// The limits of partitions in one data set.
private enum PartitionLimits {
    /// Partitions of one table.
    static let partitions = 10_000

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
