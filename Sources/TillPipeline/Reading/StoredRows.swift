import TillColumns
import TillCore
import TillInput
import TillLedger
import TillParquet
import TillReceipts
import TillRows

/// The options for sources of rows: tillroll's own Parquet, or that of other programs.
public struct StoredRowOptions: Sendable {
    /// The word for `--from`.
    public static let name = "rows"

    /// Whether every source is rows.
    public var isAnnounced: Bool
    /// Whether a source that begins as Parquet does is rows.
    public var isLookedFor: Bool
    /// Whether such a source ends the run, because only documents are of use.
    public var isRefused = false
    /// Whether `tillroll convert` selected documents by the options of this run, so that all rows count.
    public var isChosen = false

    /// Makes options; by default a source is rows if it begins as Parquet does.
    public init(isAnnounced: Bool = false, isLookedFor: Bool = true) {
        self.isAnnounced = isAnnounced
        self.isLookedFor = isLookedFor
    }

    /// Throws if the source holds rows that are of no use.
    func check(_ reader: InputReader) throws(Finding) {
        guard isRefused, ParquetFile.recognizes(reader.magic) else { return }
        throw Finding(
            .rows,
            source: reader.name,
            reason: "is Parquet, whose rows hold no documents; tillroll report and convert read it"
        )
    }

    func reads(_ reader: InputReader) -> Bool {
        // An empty file has no rows, such as the marker files in Spark's folders.
        isAnnounced && !reader.magic.isEmpty || isLookedFor && ParquetFile.recognizes(reader.magic)
    }
}

/// Rows of one source on their way from the decoder to the consumer. A batch is used again, by one owner at a time.
final class StoredBatch: @unchecked Sendable {
    fileprivate(set) var rows = RowBatch()
    /// Rows that were left out since they are not trusted.
    fileprivate(set) var refusedCount = 0
    /// Rows that ``ReadOptions/filter`` left out.
    fileprivate(set) var filteredCount = 0
    /// The time of its newest row, where that is needed.
    fileprivate(set) var newest: Int64?
    /// Its rows, prepared for a ledger that will take them.
    fileprivate(set) var delta: LedgerDelta?

    /// Documents that the rows stand for: every accepted one has a row of its own, or is an event.
    var documentCount: Int { rows.documents.rowCount + rows.events.rowCount }
}

/// Decodes the rows of one source, some at a time. One task decodes at a time; other batches may be prepared meanwhile.
final class StoredRows: @unchecked Sendable {
    /// Rows that are read at a time.
    private static let batchRows = 16_384

    private enum Table {
        case transactions(ParquetTableReader<TransactionColumn>)
        case documents(ParquetTableReader<DocumentColumn>)
        case events(ParquetTableReader<EventColumn>)
        case renewals(ParquetTableReader<RenewalColumn>)
    }

    let byteCount: Int
    let name: String
    private let table: Table
    /// Whether transactions and renewals that are not trusted are left out, and documents that `--trust require` would
    /// have rejected.
    private let keepsOnlyTrusted: Bool
    private let filter: RowFilter
    private let selection: LedgerSelection?
    private let needsNewest: Bool

    init(_ reader: InputReader, _ options: ReadOptions) throws {
        name = reader.name
        keepsOnlyTrusted = options.signatures.mode == .require
        (filter, selection) = (options.filter, options.selection)
        needsNewest = options.needs.contains(.newest)
        let source = StoredSource(try reader.seekable())
        byteCount = source.byteCount
        do {
            let file = try ParquetFile(source)
            let name = try Self.table(of: file)
            table =
                switch name {
                case .transactions: .transactions(try ParquetTableReader(file, dropsEmptyTexts: true))
                case .documents: .documents(try ParquetTableReader(file, dropsEmptyTexts: true))
                case .events: .events(try ParquetTableReader(file, dropsEmptyTexts: true))
                case .renewals: .renewals(try ParquetTableReader(file, dropsEmptyTexts: true))
                }
        } catch {
            throw Self.naming(name, error)
        }
    }

    /// The error of a defect in a file, with its name; other errors have it already.
    private static func naming(_ file: String, _ error: Finding) -> any Error {
        guard error.cause == .defect || error.cause == .brokenValues else { return error }
        let place = error.path.isEmpty ? "@ \(error.offset)" : "@ \(error.offset) \(error.path)"
        return RunError(.dataError, "\(file) \(place): \(error.message)")
    }

    /// The table of a file: by its metadata, else the table with most of its columns.
    private static func table(of file: ParquetFile) throws(Finding) -> TableName {
        if let text = file.value(ofKey: ParquetTables.schemaKey) {
            guard let version = Int(text), version <= ParquetTables.schemaVersion else {
                let reason = "tables of version \(text); this program knows \(ParquetTables.schemaVersion)"
                throw Finding("parquet.version", at: 0, reason)
            }
        }
        if let text = file.value(ofKey: ParquetTables.tableKey), let table = TableName(rawValue: text) { return table }
        let found = Set(file.columnNames)
        let matches = TableName.allCases.map { table in (table, found.intersection(table.columnNames).count) }
            .sorted { $0.1 > $1.1 }
        guard matches[0].1 >= 2, matches[0].1 > matches[1].1 else {
            let names = TableName.allCases.map(\.rawValue).joined(separator: ", ")
            let columns = file.columnNames.prefix(10).joined(separator: ", ")
            throw Finding(
                "parquet.table",
                at: 0,
                "there is no table with the columns \(columns); the tables are \(names)"
            )
        }
        return matches[0].0
    }

    /// Decodes further rows into a batch; `false` at the end.
    func decode(into batch: StoredBatch) throws -> Bool { try decode(into: &batch.rows) }

    /// Takes out the rows that do not count, and prepares the others for the ledger.
    func prepare(_ batch: StoredBatch) {
        batch.rows.readStoredIdentifiers()
        batch.refusedCount = keepsOnlyTrusted ? batch.rows.removeUntrusted() : 0
        batch.newest = needsNewest ? NewestRecord.time(of: batch.rows) : nil
        batch.filteredCount = filter.apply(to: &batch.rows)
        batch.delta = selection.map { LedgerDelta(of: batch.rows, $0) }
    }

    private func decode(into rows: inout RowBatch) throws -> Bool {
        rows.removeAll()
        let limit = Self.batchRows
        // Moved out, because two parts of a batch cannot be changed at once.
        var texts = TextDictionary()
        swap(&texts, &rows.dictionary)
        defer { swap(&texts, &rows.dictionary) }
        do {
            return switch table {
            case .transactions(let reader):
                try reader.read(into: &rows.transactions, texts: &texts, limit: limit) > 0
            case .documents(let reader):
                try reader.read(into: &rows.documents, texts: &texts, limit: limit) > 0
            case .events(let reader):
                try reader.read(into: &rows.events, texts: &texts, limit: limit) > 0
            case .renewals(let reader):
                try reader.read(into: &rows.renewals, texts: &texts, limit: limit) > 0
            }
        } catch {
            throw Self.naming(name, error)
        }
    }
}

/// A source of the run as Parquet reads it.
private final class StoredSource: ParquetSource {
    private let file: SeekableFile

    init(_ file: SeekableFile) {
        self.file = file
    }

    var byteCount: Int { file.byteCount }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Finding) {
        try file.read(at: offset, into: buffer)
    }
}
