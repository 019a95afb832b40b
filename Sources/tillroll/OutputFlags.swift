import ArgumentParser
import TillPipeline
import TillRender
import TillReports

/// Flags for the output of a report: path, format, detail.
enum OutputFlag: DeclaredFlag, FlagSection, CaseIterable {
    case format, output, table, detail, partial, alert, examples, manifest, noPager, width

    typealias Flag = Self

    var entry: FlagEntry {
        switch self {
        case .format:
            FlagEntry(
                "format",
                short: "t",
                completion: .words(RendererRegistry.all.map { $0.name }),
                help: "The output format (default: by -o, else table)."
            )
        case .output: FlagEntry.output(help: "Write to a file; '-' is standard output.")
        case .table:
            FlagEntry(
                "table",
                help: "Write only the table with this name in the JSON, such as totals or restores.events."
            )
        case .detail:
            FlagEntry(
                "detail",
                .none,
                help: "Show all rows in text, Markdown and HTML; json, ndjson, csv and workbooks always have them."
            )
        case .partial:
            FlagEntry(
                "partial",
                .none,
                help: "Write a partial, for 'tillroll merge', instead of the report."
            )
        case .alert:
            FlagEntry(
                "alert",
                valueName: "figure>number",
                isRepeatable: true,
                help:
                    "Exit with status 3, after the report, if a figure of failures is above a limit: 'z>4'. Figures: "
                    + "\(Alert.metricList). z and count can look back from the newest record: 'z>4@3h', "
                    + "'count>=100@7d'; z looks back \(Alert.usualWindow) by default. Repeatable."
            )
        case .examples:
            FlagEntry(
                "examples",
                .number,
                valueName: "number",
                help:
                    "The number of example records of each failure, up to \(FailuresReport.mostExamples) (default: 3 in formats "
                    + "for people, none in json, ndjson and csv)."
            )
        case .manifest: FlagEntry.manifest
        case .noPager:
            FlagEntry(
                "no-pager",
                .none,
                help: "On a terminal, show a long report at once and not page by page (PAGER, else less)."
            )
        case .width:
            FlagEntry(
                "width",
                valueName: "number|auto|none",
                usual: "auto",
                help:
                    "The width of tables in characters; 'auto' is the width of the terminal, 'none' shows all columns whole."
            )
        }
    }

    static func check(_ flags: Flags<Self>) throws {
        if let format = flags[.format], RendererRegistry.renderer(named: format) == nil {
            let names = RendererRegistry.all.map { $0.name }
            throw ValidationError.unknown("output format", format, among: names)
        }
        if let width = flags[.width], TableWidth(width) == nil {
            let range = TableWidth.range
            throw ValidationError(
                "--width takes a number of characters from \(range.lowerBound) to \(range.upperBound), 'auto' or "
                    + "'none', not '\(width)'."
            )
        }
        _ = try flags.alerts()
        if let examples = flags.number(.examples), !(0...FailuresReport.mostExamples).contains(examples) {
            throw ValidationError("--examples takes a number up to \(FailuresReport.mostExamples), not '\(examples)'.")
        }
        if flags.has(.partial) { try checkPartial(flags) }
    }

    private static func checkPartial(_ flags: Flags<Self>) throws {
        if flags.has(.format) {
            throw ValidationError("--partial has a format of its own; -t is for 'tillroll merge'.")
        }
        if flags.has(.table) {
            throw ValidationError("--partial holds the whole report; --table is for 'tillroll merge'.")
        }
        if flags.has(.alert) || flags.has(.examples) {
            throw ValidationError("--partial writes no figures; --alert and --examples are for 'tillroll merge'.")
        }
        if flags.writesToStandardOutput, Terminal.outputIsTerminal {
            throw ValidationError("--partial writes binary data; name a file with -o.")
        }
    }
}

extension FlagEntry {
    static func output(help: @autoclosure @escaping @Sendable () -> String) -> FlagEntry {
        FlagEntry("output", short: "o", valueName: "file", completion: .file, help: help())
    }

    static var manifest: FlagEntry {
        FlagEntry(
            "manifest",
            valueName: "file",
            completion: .file,
            help: "Write the inputs, the rules and the outputs of the run to this file, as JSON with SHA-256 sums."
        )
    }
}

extension Flags<OutputFlag> {
    /// Throws if the report has no use for one of the flags.
    func check(report: String) throws {
        guard report != FailuresReport.name, report != ReportRegistry.everything else { return }
        if has(.alert) { throw ValidationError("--alert is about failures; '\(report)' does not count them.") }
        if has(.examples) { throw ValidationError("--examples is about failures; '\(report)' does not count them.") }
    }

    fileprivate func alerts() throws -> [Alert] {
        do {
            return try all(.alert).map { text throws(AlertError) in try Alert(text) }
        } catch {
            throw ValidationError("--alert: \(error.description)")
        }
    }

    var writesToStandardOutput: Bool { (self[.output] ?? "-") == "-" }

    /// The outputs of the report, by these flags.
    func outputs(useColor: Bool) throws -> ReportOutputs {
        var outputs = ReportOutputs()
        outputs.format = self[.format]
        outputs.table = self[.table]
        outputs.path = self[.output]
        outputs.writesPartial = has(.partial)
        outputs.manifestPath = self[.manifest]
        outputs.alerts = try alerts()
        outputs.width = self[.width].flatMap(TableWidth.init)?.columns(onTerminal: writesToStandardOutput)
        outputs.usesPager = !has(.noPager) && writesToStandardOutput
        outputs.showsDetail = has(.detail)
        outputs.useColor = useColor && writesToStandardOutput
        return outputs
    }
}
