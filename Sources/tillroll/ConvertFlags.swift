import ArgumentParser
import TillParquet
import TillPipeline

/// Flags of `convert` alone.
enum ConvertFlag: DeclaredFlag, FlagSection, CaseIterable {
    case format, output, table, partitionBy, replace, append, compression, safe, environment, manifest, range, source,
        part

    typealias Flag = Self

    private static let formats = ConvertRun.Format.allCases.map(\.rawValue)
    private static let tables = TableName.allCases.map(\.rawValue)
    private static let codecs = ParquetCodec.written.map(\.name)

    var entry: FlagEntry {
        switch self {
        case .format:
            FlagEntry(
                "format",
                short: "t",
                completion: .words(Self.formats),
                help: "The output format: parquet, ndjson, csv (default: by -o, else ndjson)."
            )
        case .output:
            FlagEntry.output(
                help: "A folder, or a file that ends in .parquet, .ndjson or .csv; '-' is standard output."
            )
        case .table:
            FlagEntry(
                "table",
                completion: .words(Self.tables),
                help: "Write only this table: \(Self.tables.joined(separator: ", "))."
            )
        case .partitionBy:
            FlagEntry(
                "partition-by",
                valueName: "keys",
                completion: .words(PartitionKey.allCases.map(\.rawValue)),
                help:
                    "Write one folder for each value (Hive layout). Keys of transactions: "
                    + "\(Self.keys(of: .transactions)); of events: \(Self.keys(of: .events)). Separate several keys "
                    + "with commas."
            )
        case .replace: FlagEntry("replace", .none, help: "Replace the rows in the folder.")
        case .append:
            FlagEntry(
                "append",
                .none,
                help: """
                    Add to the rows in the folder. New files are named by the content of the input, so converting the \
                    same input again replaces its files.
                    """
            )
        case .compression:
            FlagEntry(
                "compression",
                valueName: "codec",
                usual: ParquetCodec.zstd.name,
                completion: .words(Self.codecs),
                help: "The compression of Parquet: \(Self.codecs.joined(separator: ", "))."
            )
        case .safe:
            FlagEntry(
                "safe",
                .inverted,
                help:
                    "In CSV, put ' before a text that a spreadsheet would run as a formula, and spell out control "
                    + "characters (default: on a terminal)."
            )
        case .environment: EnvironmentOption.entry()
        case .manifest: FlagEntry.manifest
        case .range: FlagEntry.range()
        case .source: FlagEntry.source()
        case .part:
            FlagEntry(
                "part",
                .none,
                help: "The inputs are a part of a larger run: write the rows even if no document could be read."
            )
        }
    }

    private static func keys(of table: TableName) -> String {
        PartitionKey.allCases.filter { $0.table == table }.map(\.rawValue).joined(separator: ", ")
    }

    static func check(_ flags: Flags<Self>) throws {
        if let format = flags[.format], ConvertRun.Format(rawValue: format) == nil {
            throw ValidationError.unknown("output format", format, among: formats)
        }
        if let table = flags[.table], TableName(rawValue: table) == nil {
            throw ValidationError.unknown("table", table, among: tables)
        }
        if let keys = flags[.partitionBy] { try checkPartition(by: keys) }
        if let environment = flags[.environment] { try EnvironmentOption.check(environment) }
        if flags.has(.replace), flags.has(.append) {
            throw ValidationError("--replace and --append cannot both be given.")
        }
        if let codec = flags[.compression], !codecs.contains(codec) {
            throw ValidationError.unknown(value: codec, of: "--compression", among: codecs)
        }
    }

    private static func checkPartition(by keys: String) throws {
        guard PartitionKey.keys(keys) == nil else { return }
        let names = PartitionKey.allCases.map(\.rawValue)
        let words = keys.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard let unknown = words.first(where: { !names.contains($0) }) else {
            throw ValidationError("--partition-by names a key twice: '\(keys)'.")
        }
        throw ValidationError.unknown(value: unknown, of: "--partition-by", among: names)
    }
}
