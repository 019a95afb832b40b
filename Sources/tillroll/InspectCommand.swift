import ArgumentParser
import TillInspect
import TillPipeline
import TillRender
import TillThreads

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        _superCommandName: Tillroll.name,
        abstract: "Shows everything inside a receipt, response, notification or event, with its place in the bytes.",
        discussion: """
            For each document: what it was recognised as and what showed it, layer by layer; every element, attribute \
            and member with its offset and length, its value, and what the value means; certificates with their \
            fingerprints; documents inside it, opened; the rows that tillroll makes of it. One that cannot be read is \
            shown as far as it goes, with what is wrong and where.

            Shared secrets and what tells of a device are masked unless --show-private is given. Offsets count from \
            the first byte of the document, below "offsets below are in …" from the first byte that was decoded there.

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
        help: "Files, folders (read recursively, in name order) or '-'; standard input if there are none.",
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
            "Show only the document of this number, from 1, of each input (default: all of them).",
            valueName: "number"
        )
    )
    var document: Int?

    @Flag(help: "Show secrets and device identifiers: passwords, device ids, opaque values.")
    var showPrivate = false

    @Flag(help: "Show long values whole, whatever the width of the terminal.")
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
        var run = InspectRun(inputs: inputs)
        run.reading = reading.options
        run.inspection.showsPrivate = showPrivate
        run.inspection.forcedFormat = reading[.from]
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
