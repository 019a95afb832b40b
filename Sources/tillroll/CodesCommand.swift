import ArgumentParser
import TillPipeline
import TillRender

struct CodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        _superCommandName: Tillroll.name,
        abstract: "Explains failure codes: what each means, its class, whether to try again, what to do.",
        discussion: """
            A code is a number (all domains with this number), or a domain and a number: SKErrorDomain:2, SK:2. A \
            domain alone is all of its codes. StoreKit 2 errors have names. Without a code, all known codes are \
            listed.

            Examples:
              tillroll codes 21007
              tillroll codes SKErrorDomain:2 SK:0/ASD:500 userCancelled
              tillroll codes NSURLErrorDomain
              tillroll codes -t csv > codes.csv
              tillroll codes -1009
            """
    )

    // Negative codes look like options, so unknown options are left to validate().
    @Argument(
        parsing: .allUnrecognized,
        help: "Codes: 21007, SK:2, SKErrorDomain 2, StoreKitError.userCancelled, userCancelled."
    )
    var codes: [String] = []

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

    @OptionGroup
    var color: Flags<ColorFlag>

    func validate() throws {
        if let option = codes.first(where: { $0.hasPrefix("-") && Int64($0) == nil }) {
            throw ValidationError("There is no option '\(option)'.")
        }
        if let format, RendererRegistry.renderer(named: format) == nil {
            let names = RendererRegistry.all.map { $0.name }
            throw ValidationError.unknown("output format", format, among: names)
        }
    }

    func run() throws {
        var run = CodesRun(codes: codes)
        run.format = format
        run.outputPath = output
        let writesToTerminal = output == nil || output == "-"
        run.width = writesToTerminal ? Terminal.width : nil
        run.useColor = writesToTerminal && color.useColor
        let status = try run.run()
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
