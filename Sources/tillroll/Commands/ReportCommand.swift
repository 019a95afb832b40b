import TillCore
import TillPipeline
import TillRender
import TillReports
import TillThreads

enum ReportCommand: CommandImplementation {
    static let summary = "Reports on the transactions and events in the inputs."

    static var discussion: String {
        """
        Start here:
          tillroll report all Samples/verify Samples/events
          tillroll report revenue Samples/verify --prices Samples/prices.csv \\
              --month 2026-03
          tillroll report failures Samples/events --since 2026-03-09
          tillroll report all Samples/verify -o march.html
          gzip -c Samples/events/events.ndjson | tillroll report failures -t json

        Reports:
        \(Help.list(ReportRegistry.all.map { ($0.name, $0.summary) } + [("all", "All but the journal, in one pass")]))

        Output formats (-t, or the ending of -o):
        \(Help.list(RendererRegistry.all.map { ($0.name, $0.summary) }))

        Examples:
          tillroll report failures Samples/events --alert 'rate>5%@24h' --since 2026-03-09
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
          tillroll report failures Samples/events \\
              --explain incident=e833299146af --raw
        """
    }

    static let operands = [
        Operand(
            name: "report",
            count: .one,
            words: ReportRegistry.names,
            help: "The report: \(ReportRegistry.names.joined(separator: ", "))."
        ),
        Operand.inputs,
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let (name, paths) = (arguments.operands[0], Array(arguments.operands.dropFirst()))
        try arguments.checkUse(of: name)
        let outputs = try outputs(arguments, paths)
        let inputs = try inputs(arguments, paths)
        var settling = ReportSettling(report: name, settings: arguments.settings)
        (settling.explained, settling.explainedFailures) = try explained(name, arguments)
        guard !arguments.has(.raw) || settling.explainedFailures != nil else {
            throw UsageError("--raw shows the documents of failures; it goes with the report '\(FailuresReport.name)'")
        }
        settling.showsDocuments = arguments.has(.raw)
        settling.exampleCount = arguments.number(.examples)
        settling.now = arguments.now
        (settling.first, settling.newest) = (arguments.first, arguments.newest)
        var run = ReportRun(inputs, settling, outputs)
        run.watches = arguments.has(.watch)
        return try Workers.shared.run { [run] in try await run.run() }
    }

    private static func outputs(_ arguments: Arguments, _ paths: [String]) throws -> ReportOutputs {
        var outputs = try arguments.reportOutputs()
        outputs.partPath = arguments[.part]
        if arguments.writesToStandardOutput, Terminal.outputIsTerminal {
            outputs.files = CommandFiles(inputs: paths, prices: arguments.settings.pricesPath)
        }
        return outputs
    }

    private static func inputs(_ arguments: Arguments, _ paths: [String]) throws(UsageError) -> ReportInputs {
        var inputs = try arguments.reportInputs(paths)
        inputs.sourceName = arguments[.source]
        guard let converted = arguments[.converted] else { return inputs }
        if let from = arguments[.from], from != StoredRowOptions.name {
            throw UsageError("--converted needs rows; it cannot be used with --from \(from)")
        }
        inputs.convertedPath = converted
        inputs.reading.rows = StoredRowOptions(isAnnounced: true)
        inputs.reading.rows.isChosen = true
        return inputs
    }

    /// The figure that is explained: of transactions, or of failures.
    private static func explained(
        _ name: String,
        _ arguments: Arguments
    ) throws(UsageError) -> (Selection?, FailureSelection?) {
        guard arguments.has(.explain) else { return (nil, nil) }
        let explained = ReportRegistry.explainedNames
        guard explained.contains(name) else {
            throw UsageError(
                "--explain does not list figures of '\(name)'; choose \(explained.joined(separator: ", "))"
            )
        }
        if name == FailuresReport.name {
            return (nil, try arguments.explained { text throws(Finding) in try FailureSelection(text) })
        }
        let selection = try arguments.explained { text throws(Finding) in try Selection(text) }
        if name == DeferredReport.name, let selection, !DeferredExplanation.namesTime(selection) {
            throw UsageError(
                "--explain: a figure of '\(name)' belongs to a month or week; name it, such as month=2026-03"
            )
        }
        return (selection, nil)
    }
}

extension Arguments {
    /// The figure that `--explain` names; `nil` if the flag is not given.
    func explained<Figure>(_ read: (String) throws(Finding) -> Figure) throws(UsageError) -> Figure? {
        guard let text = self[.explain] else { return nil }
        do {
            return try read(text)
        } catch {
            throw UsageError("--explain: \(error.reason)")
        }
    }
}
