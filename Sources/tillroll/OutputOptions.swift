import ArgumentParser
import TillPipeline
import TillRender
import TillReports

/// Flags that say where a report goes and how it looks.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("t"), .customLong("format")],
        help: "The output format (default: by -o, else table).",
        completion: .list(RendererRegistry.all.map { $0.name })
    )
    var format: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to a file; '-' is standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Option(help: "Write one table alone: its name in the JSON, such as totals or restores.events.")
    var table: String?

    @Flag(help: "Show all rows in text, Markdown and HTML; json, ndjson, csv and workbooks always have them.")
    var detail = false

    @Flag(help: "Write a part of the report for 'tillroll merge' instead of the report.")
    var partial = false

    @Option(
        help: ArgumentHelp(
            "Exit with status 3, after the report, where a figure of failures is past a limit: 'z>4'. Figures: "
                + "\(Alert.metricList). z and count can look back from the newest record: 'z>4@3h', 'count>=100@7d'; z looks "
                + "back \(Alert.usualWindow) unless told. May be repeated.",
            valueName: "figure>number"
        )
    )
    var alert: [String] = []

    @Option(
        help: ArgumentHelp(
            "Name so many records of each failure, up to \(FailuresReport.mostExamples) (default: 3 where people read "
                + "the format, none in json, ndjson and csv).",
            valueName: "number"
        )
    )
    var examples: Int?

    @Option(
        help: ArgumentHelp(
            "Write what was read, by what rules, and what came of it to this file, as JSON with SHA-256 sums.",
            valueName: "file"
        ),
        completion: .file()
    )
    var manifest: String?

    @Flag(help: "On a terminal, show a long report at once and not page by page (PAGER, else less).")
    var noPager = false

    @Option(
        help: ArgumentHelp(
            "Fit tables to so many columns; 'auto' takes those of the terminal, 'none' shows all columns whole.",
            valueName: "number|auto|none"
        )
    )
    var width: TableWidth = .auto

    func validate() throws {
        if let format, RendererRegistry.renderer(named: format) == nil {
            let names = RendererRegistry.all.map { $0.name }
            throw ValidationError.unknown("output format", format, among: names)
        }
        if partial, format != nil {
            throw ValidationError("--partial has a format of its own; -t is for 'tillroll merge'.")
        }
        if partial, table != nil {
            throw ValidationError("--partial holds the whole report; --table is for 'tillroll merge'.")
        }
        _ = try alerts()
        if partial, !alert.isEmpty || examples != nil {
            throw ValidationError("--partial writes no figures; --alert and --examples are for 'tillroll merge'.")
        }
        if let examples, !(0...FailuresReport.mostExamples).contains(examples) {
            throw ValidationError("--examples takes a number up to \(FailuresReport.mostExamples), not '\(examples)'.")
        }
        if partial, writesToStandardOutput, Terminal.outputIsTerminal {
            throw ValidationError("--partial writes no text; name a file with -o.")
        }
    }

    /// Whether the flags fit the report.
    func check(report: String) throws {
        guard report != FailuresReport.name, report != ReportRegistry.everything else { return }
        if !alert.isEmpty { throw ValidationError("--alert is about failures; '\(report)' does not count them.") }
        if examples != nil { throw ValidationError("--examples names failures; '\(report)' does not count them.") }
    }

    private func alerts() throws -> [Alert] {
        do {
            return try alert.map { text throws(AlertError) in try Alert(text) }
        } catch {
            throw ValidationError("--alert: \(error.description)")
        }
    }

    var writesToStandardOutput: Bool { output == nil || output == "-" }

    /// Where the report goes, by these flags.
    func outputs(useColor: Bool) throws -> ReportOutputs {
        var outputs = ReportOutputs()
        outputs.format = format
        outputs.table = table
        outputs.path = output
        outputs.writesPartial = partial
        outputs.manifestPath = manifest
        outputs.alerts = try alerts()
        outputs.width = width.columns(onTerminal: writesToStandardOutput)
        outputs.usesPager = !noPager && writesToStandardOutput
        outputs.showsDetail = detail
        outputs.useColor = useColor && writesToStandardOutput
        return outputs
    }
}
