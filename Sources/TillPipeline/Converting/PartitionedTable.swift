import TillColumns
import TillCore
import TillParquet
import TillRows

/// Transactions in a folder per month of purchase, as Hive lays out partitions.
///
///     transactions/purchase_month=2026-03/part-0.parquet
///     transactions/purchase_month=__HIVE_DEFAULT_PARTITION__/part-0.parquet      purchase date not known
///
/// The months share one allowance of rows that are not written yet; when it is used up the month with the most of them
/// ends its row group. So memory does not grow with the months.
final class PartitionedTable {
    /// Months of one dataset; each keeps a file open.
    private static let monthLimit = 600
    private static let openRowLimit = 200_000

    private struct Month {
        var writer: ParquetWriter
        var output: RowOutput
    }

    private let folder: OutputFolder
    private let queue: EncodingQueue
    private static let name = TableName.transactions.rawValue
    /// By months since year 0; `Int.min` where there is none.
    private var months: [Int: Month] = [:]
    /// Rows of the batch at hand by month, in their order.
    private var rows: [Int: [Int]] = [:]

    init(in folder: OutputFolder, queue: EncodingQueue) throws(RunError) {
        self.folder = folder
        self.queue = queue
        try folder.makeFolder(Self.name)
    }

    func append(_ batch: borrowing RecordBatch<TransactionColumn>, texts: borrowing TextDictionary) throws {
        rows.removeAll(keepingCapacity: true)
        var last = (day: Int64.min, month: Int.min)
        for row in 0..<batch.rowCount {
            guard let instant = batch[.purchaseDate, row] else {
                rows[.min, default: []].append(row)
                continue
            }
            let day = instant.dividedFloor(by: Timestamp.millisecondsPerDay)
            if day != last.day {
                let date = CivilDate(daysSinceEpoch: Int(day))
                last = (day, date.year * 12 + date.month - 1)
            }
            rows[last.month, default: []].append(row)
        }
        for (number, rows) in rows.sorted(by: { $0.key < $1.key }) {
            try month(number).writer.append(batch, texts: texts, rows: rows)
        }
        try writeWhatIsTooMuch()
    }

    private func month(_ number: Int) throws -> Month {
        if let month = months[number] { return month }
        guard months.count < Self.monthLimit else {
            throw RunError(.dataError, "purchases of more than \(Self.monthLimit) months (limit: partitions)")
        }
        let name = "\(Self.name)/purchase_month=\(Self.name(of: number))"
        try folder.makeFolder(name)
        let output = try RowOutput(folder.makeFile("\(name)/part-0.parquet"))
        let month = Month(writer: try ParquetTables.writer(.transactions, queue: queue, output: output), output: output)
        months[number] = month
        return month
    }

    private static func name(of month: Int) -> String {
        guard month > .min else { return "__HIVE_DEFAULT_PARTITION__" }
        // The first day of the month as rows write it, without the day.
        let year = month >= 0 ? month / 12 : (month - 11) / 12
        let first = CivilDate(year: year, month: month - year * 12 + 1, day: 1)
        let (start, isOver) = Int64(first.daysSinceEpoch).multipliedReportingOverflow(by: Timestamp.millisecondsPerDay)
        let text = Timestamp(milliseconds: isOver ? .min : start).text(alwaysWithMilliseconds: false)
        return String(text.prefix { $0 != "T" }.dropLast(3))
    }

    private func writeWhatIsTooMuch() throws {
        while months.values.reduce(0, { $0 + $1.writer.openRows }) > Self.openRowLimit {
            // The first of equals, so that the files do not depend on the order of a dictionary.
            let fullest = months.max { ($0.value.writer.openRows, $1.key) < ($1.value.writer.openRows, $0.key) }
            try fullest?.value.writer.flush()
        }
    }

    func finish() throws {
        for (_, month) in months.sorted(by: { $0.key < $1.key }) {
            try month.writer.finish()
            try month.output.finish()
        }
    }
}
