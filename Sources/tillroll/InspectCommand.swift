import ArgumentParser
import TillInspect
import TillPipeline
import TillRender
import TillThreads

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        _superCommandName: Tillroll.name,
        abstract: "Shows all fields of a receipt, response, notification or event, with their byte offsets.",
        discussion: """
            For each document: its layers and how each was recognised; every element, attribute and member with its \
            offset, length, value and meaning; certificates with their fingerprints; the documents inside it, in the \
            same way; the rows that tillroll makes of it. A document that cannot be read is shown up to the error, \
            with the reason and the offset.

            Shared secrets and device identifiers are masked unless --show-private is given. Offsets count from the \
            first byte of the document. Below a line with "offsets below are in … bytes", they count from the first of \
            these decoded bytes.

            Output formats (-t, or the ending of -o):
            \(Self.formats)

            Examples:
              tillroll inspect Samples/legacy/receipt.plist
              head -n 1 Samples/pkcs7/receipts.b64 | tillroll inspect
              tillroll inspect Samples/events/events.ndjson --document 148
              tillroll inspect Samples/notification/v2.ndjson --document 1 -t json
            """
    )

    private static var formats: String {
        InspectionRendererRegistry.all.map { "  \($0.name)  \($0.summary)" }.joined(separator: "\n")
    }

    @Argument(
        help: ArgumentHelp.inputs,
        completion: .file()
    )
    var inputs: [String] = []

    @Option(
        name: [.customShort("t"), .customLong("format")],
        help: "The output format (default: by -o, else text).",
        completion: .list(InspectionRendererRegistry.all.map { $0.name })
    )
    var format: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to a file; '-' is standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Show only the document with this number, counted from 1 in each input (default: all).",
            valueName: "number"
        )
    )
    var document: Int?

    @Flag(help: "Show secrets and device identifiers: passwords, device ids, opaque values.")
    var showPrivate = false

    @Flag(help: "Do not shorten long values.")
    var full = false

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    func validate() throws {
        if let document, document < 1 { throw ValidationError("--document takes a number from 1, not '\(document)'.") }
        if let format, InspectionRendererRegistry.renderer(named: format) == nil {
            let names = InspectionRendererRegistry.all.map { $0.name }
            throw ValidationError.unknown("output format", format, among: names)
        }
    }

    func run() throws {
        let (showsPrivate, forcedFormat) = (showPrivate, reading[.from])
        var run = InspectRun(inputs: inputs) { checker in
            var options = Inspector.Options()
            options.showsPrivate = showsPrivate
            options.forcedFormat = forcedFormat
            options.checker = checker
            var inspector = Inspector(options: options)
            return { trace, place, rows in inspector.inspect(trace, at: place, rows: rows) }
        }
        run.reading = reading.options
        run.showsPrivate = showPrivate
        run.document = document
        run.format = format
        run.outputPath = output
        run.rejects = reading.rejectOptions
        let writesToTerminal = output == nil || output == "-"
        run.display = InspectionOptions(
            width: writesToTerminal ? Terminal.width : nil,
            useColor: writesToTerminal && reading.useColor,
            showsAll: full
        )
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
