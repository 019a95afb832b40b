import TillParquet
import TillPipeline
import TillThreads

enum ConvertCommand: CommandImplementation {
    static let summary = "Turns the inputs into rows: Parquet, NDJSON or CSV."

    static var discussion: String {
        """
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
    }

    static let operands = [Operand.inputs]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        var run = ConvertRun(inputs: arguments.operands)
        run.reading = try arguments.readOptions()
        run.reading.filter.environments = arguments.environments
        run.period = arguments.settings
        run.sourceName = arguments[.source]
        (run.manifestPath, run.metricsPath) = (arguments[.manifest], arguments[.metrics])
        run.format = arguments[.format].flatMap(ConvertRun.Format.init)
        run.outputPath = arguments[.output]
        run.table = arguments[.table].flatMap(TableName.init)
        run.partitionKeys = arguments[.partitionBy].flatMap(PartitionKey.keys) ?? []
        run.existing = arguments.has(.append) ? .kept : arguments.has(.replace) ? .replaced : .refused
        run.isSafe = arguments[.safe].map { $0 == "true" }
        run.codec = ParquetCodec.written.first { $0.name == arguments[.compression] } ?? .zstd
        run.rejects = arguments.rejectOptions
        run.showsProgress = arguments.showsProgress
        return try Workers.shared.run { [run] in try await run.run() }
    }
}
