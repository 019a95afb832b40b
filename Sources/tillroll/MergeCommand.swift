import ArgumentParser
import TillPipeline
import TillReports

struct MergeCommand: SettlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        _superCommandName: Tillroll.name,
        abstract: "Joins partial reports into the report that one run over everything would print.",
        discussion: """
            A partial is what 'tillroll report NAME … --partial' writes about some of the documents. However the \
            documents were split, and in whatever order the partials are named, the report is the same, byte for byte.

            A partial carries the flags by which it is to be settled, the price list among them; flags given here take \
            their place. Which environments count was decided when the documents were read, so all parts must agree.

            Closed partials (report --partial --closed) hold sums of whole chains, settled already. They are merged among \
            themselves, by the flags that they were written with.

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

    @Option(
        help: ArgumentHelp("One report of the partials of 'all'.", valueName: "name"),
        completion: .list(ReportRegistry.names)
    )
    var report: String?

    @OptionGroup(title: "Period")
    var period: SettlingFlags<PeriodSection>

    @OptionGroup(title: "Money")
    var money: SettlingFlags<MoneySection>

    @OptionGroup(title: "Rows")
    var rows: SettlingFlags<RowsSection>

    @OptionGroup
    var ungrouped: SettlingFlags<UngroupedSection>

    @OptionGroup
    var division: DivisionOptions

    @OptionGroup
    var memory: MemoryOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Use colour: auto (on a terminal, unless NO_COLOR is set), always, never.",
            valueName: "when"
        )
    )
    var color: Showing = .auto

    func validate() throws {
        if let report, !ReportRegistry.names.contains(report) {
            throw ValidationError.unknown("report", report, among: ReportRegistry.names)
        }
        if report != nil, output.partial {
            throw ValidationError("--report chooses what is shown; a partial stays one of all.")
        }
        try division.check(output)
    }

    func run() throws {
        let digests = output.manifest.map { _ in InputDigests() }
        let given = settings
        let merge = try PartialMerge(
            partials,
            choosing: Set(given.given.map(\.name)),
            // Open shares are made of a ledger that is all in memory.
            allowance: division.dividesLedger ? nil : memory.allowance,
            digests: digests,
            behind: division.placesBefore
        )
        if let report, merge.head.report != ReportRegistry.everything, merge.head.report != report {
            throw RunError(.usage, "the partials are of '\(merge.head.report)' and do not hold '\(report)'")
        }
        var settling = ReportSettling(
            report: report ?? merge.head.report,
            settings: try given.over(merge.head.settling)
        )
        settling.settings.files = merge.head.files
        settling.exampleCount = output.examples
        (settling.newest, settling.share) = (division.newest, division.share)
        let wantsColor = color == .always || color == .auto && Terminal.wantsColor
        try output.check(report: settling.report)
        var outputs = try output.outputs(useColor: wantsColor)
        outputs.closesPartial = division.closedPartial
        outputs.division = division.divide.flatMap(PartialDivision.init)
        let status = try merge.write(settling, outputs, digests: digests, allowance: memory.allowance)
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
