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
              tillroll report all receipts/ --prices prices.csv -o march.xlsx
              tillroll report revenue receipts/ --prices prices.csv --table totals -o totals.csv
              tillroll report revenue receipts/ --prices prices.csv --month 2026-03 --compare month
              tillroll report revenue receipts/ --fiscal FY26-06 --tz America/Los_Angeles
              tillroll report revenue receipts/ --fx eurofxref-hist.xml --base-currency EUR --by month,storefront
              tillroll report restores *.ndjson --rejects rejects.ndjson --max-rejects 0.1%
              tillroll report all day-01.ndjson --partial -o day-01.tillpart
              tillroll report revenue dumps/ --prices prices.csv --explain month=2026-03,product_id=pro
            """
    )

    private static var selectionKeys: String { Selection.Key.all.map(\.name).joined(separator: ", ") }

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

    @Option(help: "Environments to count, separated by commas: production, sandbox, xcode, local_testing, unknown.")
    var environment: String = EnvironmentFilter.booked.words.joined(separator: ",")

    @Option(
        help: ArgumentHelp(
            "List the transactions and documents behind a figure of revenue: keys of \(Self.selectionKeys).",
            valueName: "key=value,…"
        )
    )
    var explain: String?

    @OptionGroup
    var settling: SettlingOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

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
        guard explain != nil else { return }
        guard name == RevenueReport.name else {
            throw ValidationError("--explain explains figures of '\(RevenueReport.name)', not of '\(name)'.")
        }
        guard !output.partial else { throw ValidationError("--explain needs the documents; a partial has none.") }
        do {
            _ = try explain.map { try Selection($0) }
        } catch let error as SelectionError {
            throw ValidationError("--explain: \(error).")
        }
    }

    func run() throws {
        var run = ReportRun(report: name, inputs: inputs)
        run.reading = reading.options
        run.allowance = reading.memory.allowance
        run.environments = EnvironmentFilter(environment.split(separator: ",").map(String.init))
        run.explained = try explain.map { try Selection($0) }
        run.rejects = reading.rejectOptions
        run.showsProgress = reading.showsProgress
        settling.apply(to: &run)
        output.apply(to: &run, useColor: reading.useColor)
        let status = try Main.wait { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
