import ArgumentParser
import TillPipeline
import TillRender

/// Flags that say where a report goes and how it looks.
struct OutputOptions: ParsableArguments {
    @Option(name: [.customShort("t"), .customLong("format")], help: "The output format (default: by -o, else table).")
    var format: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "Write to a file; '-' is standard output.")
    var output: String?

    @Option(help: "Write one table alone: its name in the JSON, such as totals or restores.events.")
    var table: String?

    @Flag(help: "Write a part of the report for 'tillroll merge' instead of the report.")
    var partial = false

    @Option(help: "Write what was read, by what rules, and what came of it to this file, as JSON with SHA-256 sums.")
    var manifest: String?

    func validate() throws {
        if let format, RendererRegistry.renderer(named: format) == nil {
            let names = RendererRegistry.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("There is no output format '\(format)'; choose \(names).")
        }
        if partial, format != nil {
            throw ValidationError("--partial has a format of its own; -t is for 'tillroll merge'.")
        }
        if partial, table != nil {
            throw ValidationError("--partial holds the whole report; --table is for 'tillroll merge'.")
        }
        if partial, writesToStandardOutput, Terminal.outputIsTerminal {
            throw ValidationError("--partial writes no text; name a file with -o.")
        }
    }

    var writesToStandardOutput: Bool { output == nil || output == "-" }

    func apply(to run: inout ReportRun, useColor: Bool) {
        run.format = format
        run.table = table
        run.outputPath = output
        run.writesPartial = partial
        run.manifestPath = manifest
        run.width = writesToStandardOutput ? Terminal.width : nil
        run.useColor = useColor && writesToStandardOutput
    }
}
