import ArgumentParser
import TillInput
import TillParquet
import TillPipeline
import TillReceipts
import TillThreads

struct ConvertCommand: PlainCommand {
    static let word = "convert"

    static let configuration = CommandConfiguration(
        commandName: word,
        _superCommandName: Tillroll.name,
        abstract: "Turns the inputs into rows: Parquet, NDJSON or CSV.",
        discussion: """
            There are four tables: \(TableName.allCases.map(\.rawValue).joined(separator: ", ")); 'tillroll schema' prints \
            their columns. A folder gets a Parquet file of each table; 'tillroll report' reads these files too. One \
            Parquet or CSV file holds one table. NDJSON is one stream of all tables; each line names its table. Output \
            files are complete or absent. --jobs does not change their bytes.

            CSV is for programs: its texts are those of the input, and a spreadsheet may run a text as a formula. For \
            a spreadsheet, add --safe; on a terminal it is on by default.

            Examples:
              tillroll convert Samples/verify Samples/events -o rows/ --replace
              tillroll convert Samples/notification -o rows/ --append
              tillroll report failures rows/
              tillroll convert Samples/pkcs7 --table transactions -o sales.parquet
              gzip -c Samples/verify/array.json | tillroll convert -t ndjson
              tillroll convert Samples/verify -o months/ --partition-by purchase_month
              tillroll convert Samples/verify -o march/ --month 2026-03
            """
    )

    @Argument(
        help: ArgumentHelp.inputs,
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup
    var own: Flags<ConvertFlag>

    @OptionGroup(title: "Period")
    var period: Flags<PeriodSection>

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    static let sections: [any FlagSection.Type] = [ConvertFlag.self, PeriodSection.self, ReadingFlag.self]

    func validate() throws {
        try reading.check(range: own[.range])
    }

    func run() throws {
        var run = ConvertRun(inputs: inputs)
        run.reading = reading.options
        run.reading.filter.environments = own[.environment].map(EnvironmentOption.filter)
        run.period = Settings(period.given)
        run.reading.range = own[.range].flatMap(ByteRange.init)
        run.sourceName = own[.source]
        run.manifestPath = own[.manifest]
        run.format = own[.format].flatMap(ConvertRun.Format.init)
        run.outputPath = own[.output]
        run.table = own[.table].flatMap(TableName.init)
        run.partitionKeys = own[.partitionBy].flatMap(PartitionKey.keys) ?? []
        run.existing = own.has(.append) ? .kept : own.has(.replace) ? .replaced : .refused
        run.isSafe = own[.safe].map { $0 == "true" }
        run.codec = ParquetCodec.written.first { $0.name == own[.compression] } ?? .zstd
        run.rejects = reading.rejectOptions
        run.rejects.isOfPart = own.has(.part)
        run.showsProgress = reading.showsProgress
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}

extension ConvertCommand {
    static func make(_ arguments: PlainArguments) throws -> Self? {
        var command = Self()
        command.inputs = arguments.operands
        command.own = try arguments.flags()
        command.period = try arguments.flags()
        command.reading = try arguments.flags()
        return command
    }
}
