import ArgumentParser
import TillInput
import TillParquet
import TillPipeline
import TillReceipts
import TillThreads

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        _superCommandName: Tillroll.name,
        abstract: "Turns the inputs into rows: Parquet, NDJSON or CSV.",
        discussion: """
            There are four tables: \(TableName.allCases.map(\.rawValue).joined(separator: ", ")); 'tillroll schema' prints \
            their columns. A folder gets a Parquet file of each, which 'tillroll report' reads as well. One Parquet or \
            CSV file holds one table; NDJSON is one stream of all, each line with its table. Output appears whole or \
            not at all, and is the same bytes whatever --jobs is.

            CSV is for programs: its texts are those of the input, and a spreadsheet may run one as a formula. For a \
            spreadsheet add --safe, which a terminal gets by itself.

            Examples:
              tillroll convert Samples/verify Samples/events -o rows/ --replace
              tillroll convert Samples/notification -o rows/ --append
              tillroll report failures rows/
              tillroll convert Samples/pkcs7 --table transactions -o sales.parquet
              gzip -c Samples/verify/array.json | tillroll convert -t ndjson
              tillroll convert Samples/verify -o months/ --partition-by purchase_month
              tillroll convert Samples/verify -o march/ --month 2026-03 --environment production
            """
    )

    @Argument(
        help: "Files, folders (read recursively, in name order) or '-'; standard input if there are none.",
        completion: .file()
    )
    var inputs: [String] = []

    @Option(
        name: [.customShort("t"), .customLong("format")],
        help: "The output format: parquet, ndjson, csv (default: by -o, else ndjson).",
        completion: .list(ConvertRun.Format.allCases.map(\.rawValue))
    )
    var format: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "A folder, or a file that ends in .parquet, .ndjson or .csv; '-' is standard output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        help: "Write only this table: \(TableName.allCases.map(\.rawValue).joined(separator: ", ")).",
        completion: .list(TableName.allCases.map(\.rawValue))
    )
    var table: String?

    @Option(
        help: ArgumentHelp(
            "Write a folder per value, as Hive lays out partitions: of transactions by \(Self.keys(of: .transactions)), of "
                + "events by \(Self.keys(of: .events)). Commas join several.",
            valueName: "keys"
        ),
        completion: .list(PartitionKey.allCases.map(\.rawValue))
    )
    var partitionBy: String?

    @Flag(help: "Replace the rows that the folder holds.")
    var replace = false

    @Flag(
        help: """
            Add to the rows that the folder holds. New files are named by the content of the input, so the same input \
            is there once.
            """
    )
    var append = false

    @Option(
        help: ArgumentHelp(
            "How Parquet is compressed: \(ParquetCodec.written.map(\.name).joined(separator: ", ")).",
            valueName: "codec"
        ),
        completion: .list(ParquetCodec.written.map(\.name))
    )
    var compression: String = ParquetCodec.zstd.name

    @Flag(
        inversion: .prefixedNo,
        help:
            "In CSV, put ' before what a spreadsheet would run and spell out control characters (default: on a terminal)."
    )
    var safe: Bool?

    @Option(help: EnvironmentOption.help)
    var environment: String?

    @Option(
        help: ArgumentHelp(
            "Write what was read, by what rules, and what came of it to this file, as JSON with SHA-256 sums.",
            valueName: "file"
        ),
        completion: .file()
    )
    var manifest: String?

    @OptionGroup
    var place: RangeOptions

    @Flag(help: "The inputs are a part of a larger run: write the rows even where no document could be read.")
    var part = false

    @OptionGroup(title: "Period")
    var period: SettlingFlags<PeriodSection>

    @OptionGroup(title: "Reading")
    var reading: ReadingOptions

    private static func keys(of table: TableName) -> String {
        PartitionKey.allCases.filter { $0.table == table }.map(\.rawValue).joined(separator: ", ")
    }

    func validate() throws {
        if let format, ConvertRun.Format(rawValue: format) == nil {
            let names = ConvertRun.Format.allCases.map(\.rawValue)
            throw ValidationError.unknown("output format", format, among: names)
        }
        if let table, TableName(rawValue: table) == nil {
            let names = TableName.allCases.map(\.rawValue)
            throw ValidationError.unknown("table", table, among: names)
        }
        if let partitionBy, PartitionKey.keys(partitionBy) == nil {
            let names = PartitionKey.allCases.map(\.rawValue)
            let words = partitionBy.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let unknown = words.first { !names.contains($0) }
            guard let unknown else { throw ValidationError("--partition-by names a key twice: '\(partitionBy)'.") }
            throw ValidationError.unknown(value: unknown, of: "--partition-by", among: names)
        }
        if let environment { try EnvironmentOption.check(environment) }
        try place.check(format: reading.from)
        if replace, append { throw ValidationError("--replace and --append cannot both be given.") }
        guard ParquetCodec.written.contains(where: { $0.name == compression }) else {
            let names = ParquetCodec.written.map(\.name)
            throw ValidationError.unknown(value: compression, of: "--compression", among: names)
        }
    }

    func run() throws {
        var run = ConvertRun(inputs: inputs)
        run.reading = reading.options
        run.reading.filter.environments = environment.map(EnvironmentOption.filter)
        run.period = Settings(period.given)
        run.reading.range = place.byteRange
        run.sourceName = place.source
        run.manifestPath = manifest
        run.format = format.flatMap(ConvertRun.Format.init)
        run.outputPath = output
        run.table = table.flatMap(TableName.init)
        run.partitionKeys = partitionBy.flatMap(PartitionKey.keys) ?? []
        run.existing = append ? .kept : replace ? .replaced : .refused
        run.isSafe = safe
        run.codec = ParquetCodec.written.first { $0.name == compression } ?? .zstd
        run.rejects = reading.rejectOptions
        run.rejects.isOfPart = part
        run.showsProgress = reading.showsProgress
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
