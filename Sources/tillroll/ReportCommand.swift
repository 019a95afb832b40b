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

struct ReportCommand: SettlingCommand, PlainCommand {
    static let word = "report"

    static let configuration = CommandConfiguration(
        commandName: word,
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
            \(Self.list(ReportRegistry.all.map { ($0.name, $0.summary) } + [("all", "All but the journal, in one pass")]))

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
        help: ArgumentHelp.inputs,
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup
    var own: Flags<ReportFlag>

    @OptionGroup(title: "Period")
    var period: Flags<PeriodSection>

    @OptionGroup(title: "Money")
    var money: Flags<MoneySection>

    @OptionGroup(title: "Rows")
    var rows: Flags<RowsSection>

    @OptionGroup
    var ungrouped: Flags<UngroupedSection>

    @OptionGroup(title: "Output")
    var output: Flags<OutputFlag>

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    static let sections: [any FlagSection.Type] = [
        ReportFlag.self, PeriodSection.self, MoneySection.self, RowsSection.self, UngroupedSection.self,
        OutputFlag.self,
        ReadingFlag.self,
    ]

    func validate() throws {
        guard ReportRegistry.names.contains(name) else {
            throw ValidationError.unknown("report", name, among: ReportRegistry.names)
        }
        try output.check(report: name)
        let partial = output.has(.partial)
        try reading.check(range: own[.range])
        if own.has(.range) || own.has(.part), !partial {
            throw ValidationError("--range and --part go with --partial: a report is of all its inputs.")
        }
        if own.has(.watch), partial || own.has(.explain) {
            throw ValidationError("--watch shows a report; it cannot be used with --partial or --explain.")
        }
        if own.has(.closedPartial), !partial { throw ValidationError("--closed-partial goes with --partial.") }
        if own.has(.converted) {
            let from = reading[.from]
            guard from == nil || from == StoredRowOptions.name else {
                throw ValidationError("--converted needs rows; it cannot be used with --from \(from ?? "").")
            }
            guard !own.has(.watch) else {
                throw ValidationError("--watch reads documents; it cannot be used with --converted.")
            }
        }
        if own.has(.explain) { try checkExplained() }
    }

    private func checkExplained() throws {
        guard Self.explained.contains(name) else {
            let names = Self.explained.map { "'\($0)'" }
            throw ValidationError(
                "--explain explains figures of \(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]), not of "
                    + "'\(name)'."
            )
        }
        guard !output.has(.partial) else {
            throw ValidationError("--explain needs the documents; a partial has none.")
        }
        do {
            let (selection, _) = try selections()
            if name == DeferredReport.name, let selection, !DeferredExplanation.namesTime(selection) {
                throw ValidationError(
                    "--explain: a figure of '\(name)' belongs to a month or week; name it, such as month=2026-03."
                )
            }
        } catch let error as SelectionError {
            throw ValidationError("--explain: \(error)")
        }
    }

    /// Reports whose figures can be explained.
    private static let explained = ReportRegistry.explainedNames

    /// The selection of --explain: of transactions, or of failures.
    private func selections() throws(SelectionError) -> (Selection?, FailureSelection?) {
        guard let explain = own[.explain] else { return (nil, nil) }
        return name == FailuresReport.name ? (nil, try FailureSelection(explain)) : (try Selection(explain), nil)
    }

    func run() throws {
        var inputs = reading.inputs(self.inputs)
        inputs.environments = EnvironmentOption.filter(own[.environment] ?? EnvironmentOption.usual)
        if let converted = own[.converted] {
            inputs.convertedPath = converted
            inputs.reading.rows = StoredRowOptions(isAnnounced: true)
            inputs.reading.rows.isChosen = true
        }
        var settling = ReportSettling(report: name, settings: settings)
        (settling.explained, settling.explainedFailures) = try selections()
        settling.exampleCount = output.number(.examples)
        (inputs.reading.range, inputs.sourceName) = (own[.range].flatMap(ByteRange.init), own[.source])
        inputs.rejects.isOfPart = own.has(.part)
        settling.newest = own[.asOf].flatMap(ReportFlag.instant)
        var outputs = try output.outputs(useColor: reading.useColor)
        outputs.closesPartial = own.has(.closedPartial)
        outputs.partPath = own[.part]
        if output.writesToStandardOutput, Terminal.outputIsTerminal {
            outputs.files = CommandFiles(inputs: self.inputs, prices: settings.pricesPath)
        }
        var run = ReportRun(inputs, settling, outputs)
        run.watches = own.has(.watch)
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}

extension ReportCommand {
    static func make(_ arguments: PlainArguments) throws -> Self? {
        guard let name = arguments.operands.first else { return nil }
        var command = Self()
        command.name = name
        command.inputs = Array(arguments.operands.dropFirst())
        command.own = try arguments.flags()
        command.period = try arguments.flags()
        command.money = try arguments.flags()
        command.rows = try arguments.flags()
        command.ungrouped = try arguments.flags()
        command.output = try arguments.flags()
        command.reading = try arguments.flags()
        return command
    }
}
