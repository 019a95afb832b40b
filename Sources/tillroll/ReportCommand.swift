import ArgumentParser
import TillCore
import TillInput
import TillLedger
import TillPipeline
import TillPricing
import TillReceipts
import TillRender
import TillReports
import TillThreads

struct ReportCommand: SettlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        _superCommandName: Tillroll.name,
        abstract: "Reports on the transactions and events in the inputs.",
        discussion: """
            Start here:
              tillroll report all Samples/verify Samples/events
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --month 2026-03
              tillroll report failures Samples/events --since 2026-03-09
              tillroll report all Samples/verify -o march.html
              gzip -c Samples/events/events.ndjson | tillroll report failures -t json

            Reports:
            \(Self.list(ReportRegistry.all.map { ($0.name, $0.summary) } + [("all", "All of them, in one pass")]))

            Output formats (-t, or the ending of -o):
            \(Self.list(RendererRegistry.all.map { ($0.name, $0.summary) }))

            Examples:
              tillroll report failures Samples/events --alert 'z>30' --since 2026-03-09
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --table totals -o totals.csv
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --month 2026-03 --compare month
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --fiscal FY26-06 --tz America/Los_Angeles
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --fx Samples/finance/rates.csv --base-currency EUR --by month,storefront
              tillroll report deferred Samples/verify --prices Samples/prices.csv \\
                  --month 2026-03 --tz America/Los_Angeles
              tillroll report restores Samples/verify Samples/broken \\
                  --rejects rejects.ndjson --max-rejects 10%
              tillroll report all Samples/events --partial -o day-01.tillpart
              tillroll report all Samples/studio --partial --closed -o studio.tillpart
              tillroll report revenue Samples/verify --prices Samples/prices.csv \\
                  --explain month=2026-02,product_id=com.example.lumen.pro
              tillroll report failures Samples/events --since 7d --by day,app_version
              tillroll report failures Samples/events \\
                  --explain code=500,hour=2026-03-09T14:00:00Z
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

    @Argument(
        help: "The report: \(ReportRegistry.names.joined(separator: ", ")).",
        completion: .list(ReportRegistry.names)
    )
    var name: String

    @Argument(
        help: "Files, folders (read recursively, in name order) or '-'; standard input if there are none.",
        completion: .file()
    )
    var inputs: [String] = []

    @Option(help: EnvironmentOption.help)
    var environment: String = EnvironmentOption.usual

    @Option(
        help: ArgumentHelp(
            "List the transactions and documents behind a figure of revenue or deferred: keys of \(Self.selectionKeys). Of "
                + "failures, list the failures: keys of \(FailureSelection.keyNames.joined(separator: ", ")).",
            valueName: "key=value,…"
        )
    )
    var explain: String?

    @Flag(
        help: ArgumentHelp(
            "Show the report while its input is still coming, and all of it at the end or at Ctrl-C.",
            discussion: "For 'tail -f events.ndjson | tillroll report failures --watch'. Where standard output is no "
                + "terminal, only the report at the end."
        )
    )
    var watch = false

    @Flag(
        help: ArgumentHelp(
            "With --partial: the input holds whole chains, accounts, attempts and requests, so write their sums, not themselves.",
            discussion: "'--partial --closed' says the same; closed months (--closed FILE) are for 'tillroll merge'."
        )
    )
    var closedPartial = false

    @Option(
        help: ArgumentHelp(
            "With --partial --closed: the newest record of the whole input, up to which subscriptions are known; as their "
                + "report calls it.",
            valueName: "instant"
        )
    )
    var asOf: String?

    @Option(
        help: ArgumentHelp(
            "The inputs are rows, and this is the manifest of the 'tillroll convert' that made them: report on the documents "
                + "that it counts.",
            valueName: "manifest"
        ),
        completion: .file()
    )
    var converted: String?

    @OptionGroup(visibility: .hidden)
    var place: RangeOptions

    @Option(
        help: ArgumentHelp(
            "With --partial: the inputs are a part of a larger run. Write the partial even where no document could be read, and "
                + "to this file what was read, as a manifest without SHA-256 sums.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file()
    )
    var part: String?

    @OptionGroup(title: "Period")
    var period: SettlingFlags<PeriodSection>

    @OptionGroup(title: "Money")
    var money: SettlingFlags<MoneySection>

    @OptionGroup(title: "Rows")
    var rows: SettlingFlags<RowsSection>

    @OptionGroup
    var ungrouped: SettlingFlags<UngroupedSection>

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @OptionGroup(title: "Reading")
    var reading: ReadingOptions

    func validate() throws {
        guard ReportRegistry.names.contains(name) else {
            throw ValidationError.unknown("report", name, among: ReportRegistry.names)
        }
        try EnvironmentOption.check(environment)
        try output.check(report: name)
        try place.check(format: reading.from)
        if place.range != nil || part != nil, !output.partial {
            throw ValidationError("--range and --part go with --partial: a report is of all its inputs.")
        }
        if watch, output.partial || explain != nil {
            throw ValidationError("--watch shows a report; it goes with neither --partial nor --explain.")
        }
        if closedPartial, !output.partial { throw ValidationError("--closed-partial goes with --partial.") }
        if let asOf {
            guard closedPartial else { throw ValidationError("--as-of goes with --partial --closed.") }
            guard Timestamp.parse(Array(asOf.utf8).span.bytes) != nil else {
                throw ValidationError("--as-of takes an instant, such as 2026-03-31T23:59:59Z, not '\(asOf)'.")
            }
        }
        if converted != nil {
            guard reading.from == nil || reading.from == StoredRowOptions.name else {
                throw ValidationError("--converted is about rows, not about --from \(reading.from ?? "").")
            }
            guard !watch else { throw ValidationError("--watch is for documents; --converted is about rows.") }
        }
        guard explain != nil else { return }
        guard Self.explained.contains(name) else {
            let names = Self.explained.map { "'\($0)'" }
            throw ValidationError(
                "--explain explains figures of \(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]), not of "
                    + "'\(name)'."
            )
        }
        guard !output.partial else { throw ValidationError("--explain needs the documents; a partial has none.") }
        do {
            let (selection, _) = try selections()
            if name == DeferredReport.name, let selection, !DeferredExplanation.namesTime(selection) {
                throw ValidationError(
                    "--explain: a figure of '\(name)' is that of a month or week; name it, such as month=2026-03."
                )
            }
        } catch let error as SelectionError {
            throw ValidationError("--explain: \(error)")
        }
    }

    /// Reports whose figures can be explained.
    private static let explained = [RevenueReport.name, DeferredReport.name, FailuresReport.name]

    /// What --explain selects: transactions or failures.
    private func selections() throws(SelectionError) -> (Selection?, FailureSelection?) {
        guard let explain else { return (nil, nil) }
        return name == FailuresReport.name ? (nil, try FailureSelection(explain)) : (try Selection(explain), nil)
    }

    func run() throws {
        var inputs = reading.inputs(self.inputs)
        inputs.environments = EnvironmentOption.filter(environment)
        if let converted {
            inputs.convertedPath = converted
            inputs.reading.rows = StoredRowOptions(isAnnounced: true)
            inputs.reading.rows.isChosen = true
        }
        var settling = ReportSettling(report: name, settings: settings)
        (settling.explained, settling.explainedFailures) = try selections()
        settling.exampleCount = output.examples
        (inputs.reading.range, inputs.sourceName) = (place.byteRange, place.source)
        inputs.rejects.isOfPart = part != nil
        settling.newest = asOf.flatMap { Timestamp.parse(Array($0.utf8).span.bytes) }
        var outputs = try output.outputs(useColor: reading.useColor)
        outputs.closesPartial = closedPartial
        outputs.partPath = part
        if output.writesToStandardOutput, Terminal.outputIsTerminal {
            outputs.files = CommandFiles(inputs: self.inputs, prices: settings.pricesPath)
        }
        var run = ReportRun(inputs, settling, outputs)
        run.watches = watch
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
