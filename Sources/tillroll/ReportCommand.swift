import ArgumentParser
import TillInput
import TillLedger
import TillPipeline
import TillReceipts
import TillRender
import TillReports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Reports on the transactions and events in the inputs.",
        discussion: """
            Reports:
            \(Self.list(ReportRegistry.all.map { ($0.name, $0.summary) } + [("all", "All of them, in one pass")]))

            Output formats (-t, or the ending of -o):
            \(Self.list(RendererRegistry.all.map { ($0.name, $0.summary) }))

            Examples:
              tillroll report all dump.ndjson
              zcat dump.ndjson.gz | tillroll report failures -t json
              tillroll report revenue receipts/ --prices prices.csv -o revenue.csv
              tillroll report revenue receipts/ --prices prices.csv --month 2026-03 --compare month
              tillroll report revenue receipts/ --fiscal FY26-06 --tz America/Los_Angeles
              tillroll report revenue receipts/ --fx eurofxref-hist.xml --base-currency EUR --by month,storefront
              tillroll report restores *.ndjson --rejects rejects.ndjson --max-rejects 0.1%
            """
    )

    private static func list(_ entries: [(name: String, summary: String)]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.map { entry in
            "  " + entry.name + String(repeating: " ", count: width + 2 - entry.name.count) + entry.summary
        }
        .joined(separator: "\n")
    }

    @Argument(help: "The report: \(ReportRegistry.names.joined(separator: ", ")).")
    var name: String

    @Argument(help: "Files, folders (read recursively, in name order) or '-'; standard input if there are none.")
    var inputs: [String] = []

    @Option(name: [.customShort("t"), .customLong("format")], help: "The output format (default: by -o, else table).")
    var format: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "Write to a file; '-' is standard output.")
    var output: String?

    @Option(help: "Environments to count, separated by commas: production, sandbox, xcode, local_testing, unknown.")
    var environment: String = EnvironmentFilter.booked.words.joined(separator: ",")

    @OptionGroup(title: "Period")
    var period: PeriodOptions

    @OptionGroup(title: "Money")
    var money: MoneyOptions

    @OptionGroup(title: "Rows")
    var grouping: GroupingOptions

    @OptionGroup(title: "Reading")
    var reading: ReadingOptions

    func validate() throws {
        guard ReportRegistry.names.contains(name) else {
            throw ValidationError(
                "There is no report '\(name)'; choose \(ReportRegistry.names.joined(separator: ", "))."
            )
        }
        let known = ["production", "sandbox", "xcode", "local_testing", EnvironmentFilter.unknown]
        for word in environment.split(separator: ",", omittingEmptySubsequences: false)
        where !known.contains(String(word)) {
            throw ValidationError("--environment knows \(known.joined(separator: ", ")), not '\(word)'.")
        }
        if let format, RendererRegistry.renderer(named: format) == nil {
            let names = RendererRegistry.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("There is no output format '\(format)'; choose \(names).")
        }
    }

    func run() throws {
        var run = ReportRun(report: name, inputs: inputs)
        run.reading = reading.options
        run.environments = EnvironmentFilter(environment.split(separator: ",").map(String.init))
        period.apply(to: &run.finance)
        money.apply(to: &run.finance)
        grouping.apply(to: &run.finance)
        run.format = format
        run.outputPath = output
        run.rejects = reading.rejectOptions
        run.showsProgress = reading.showsProgress
        let writesToTerminal = output == nil || output == "-"
        run.width = writesToTerminal ? Terminal.width : nil
        run.useColor = reading.useColor && writesToTerminal
        let status = try Main.wait { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
