import ArgumentParser
import TillPipeline
import TillReports

struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        _superCommandName: Tillroll.name,
        abstract: "Joins partial reports into the report that one run over everything would print.",
        discussion: """
            A partial is what 'tillroll report NAME … --partial' writes about some of the documents. However the \
            documents were split, and in whatever order the partials are named, the report is the same, byte for byte.

            A partial carries the flags by which it is to be settled, the price list among them; flags given here take \
            their place. Which environments count was decided when the documents were read, so all parts must agree.

            Examples:
              tillroll report all Samples/verify --partial -o day-01.tillpart
              tillroll report all Samples/events --partial -o day-02.tillpart
              tillroll merge day-*.tillpart --prices Samples/prices.csv -t json
              tillroll merge day-*.tillpart --report failures --alert 'rate>90%'
              tillroll merge day-*.tillpart --partial -o both.tillpart
            """
    )

    @Argument(help: "Partials, folders of them, or '-'; plain, gzip or zstd.", completion: .file())
    var partials: [String]

    @Option(help: "One report of the partials of 'all'.", completion: .list(ReportRegistry.names))
    var report: String?

    @OptionGroup
    var settling: SettlingOptions

    @OptionGroup
    var memory: MemoryOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @Option(help: "Use colour: auto (on a terminal, unless NO_COLOR is set), always, never.")
    var color: Showing = .auto

    func validate() throws {
        if let report, !ReportRegistry.names.contains(report) {
            throw ValidationError.unknown("report", report, among: ReportRegistry.names)
        }
        if report != nil, output.partial {
            throw ValidationError("--report chooses what is shown; a partial stays one of all.")
        }
    }

    func run() throws {
        let digests = output.manifest.map { _ in InputDigests() }
        let parts = try PartialJoin(
            partials,
            choosing: Set(settling.given.map(\.name)),
            allowance: memory.allowance,
            digests: digests
        )
        if let report, parts.head.report != ReportRegistry.everything, parts.head.report != report {
            throw RunError(.usage, "the partials are of '\(parts.head.report)' and do not hold '\(report)'")
        }
        var run = ReportRun(report: report ?? parts.head.report, inputs: [])
        try settling.over(parts.head.settling).apply(to: &run)
        run.finance.files = parts.head.files
        run.environments = parts.head.environments
        let wantsColor = color == .always || color == .auto && Terminal.wantsColor
        try output.check(report: run.report)
        try output.apply(to: &run, useColor: wantsColor)
        let status = try run.finish(parts, digests: digests)
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
