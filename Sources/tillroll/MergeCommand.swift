import ArgumentParser
import TillPipeline
import TillReports

struct MergeCommand: SettlingCommand, PlainCommand {
    static let word = "merge"

    static let configuration = CommandConfiguration(
        commandName: word,
        _superCommandName: Tillroll.name,
        abstract: "Joins partial reports into the report that one run over all inputs would print.",
        discussion: """
            'tillroll report NAME … --partial' writes a partial from a part of the documents. The report is the same, \
            byte for byte, however the documents were split and in whatever order the partials are named.

            A partial contains the flags for settling, such as the price list. Flags given here replace them. The \
            environments, the period and the keys of --by were fixed when the documents were read: all partials must \
            agree in them, and they cannot be changed here.

            Closed partials (report --partial --closed) hold sums of whole chains, already settled. They are merged \
            only with closed partials, and the flags for settling cannot be replaced.

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

    @OptionGroup
    var own: Flags<MergeFlag>

    @OptionGroup(title: "Period")
    var period: Flags<PeriodSection>

    @OptionGroup(title: "Money")
    var money: Flags<MoneySection>

    @OptionGroup(title: "Rows")
    var rows: Flags<RowsSection>

    @OptionGroup
    var ungrouped: Flags<UngroupedSection>

    @OptionGroup
    var division: Flags<DivisionFlag>

    @OptionGroup
    var memory: Flags<MemoryFlag>

    @OptionGroup(title: "Output")
    var output: Flags<OutputFlag>

    @OptionGroup
    var color: Flags<ColorFlag>

    static let sections: [any FlagSection.Type] = [
        MergeFlag.self, PeriodSection.self, MoneySection.self, RowsSection.self, UngroupedSection.self,
        DivisionFlag.self,
        MemoryFlag.self, OutputFlag.self, ColorFlag.self,
    ]

    func validate() throws {
        let report = own[.report]
        if let report, !ReportRegistry.names.contains(report) {
            throw ValidationError.unknown("report", report, among: ReportRegistry.names)
        }
        if report != nil, output.has(.partial) {
            throw ValidationError("--report selects the report to show; it cannot be used with --partial.")
        }
        try division.check(output)
    }

    func run() throws {
        let digests = output.has(.manifest) ? InputDigests() : nil
        let (given, allowance, report) = (settings, MemoryFlag.allowance(memory[.memory]), own[.report])
        var outputs = try output.outputs(useColor: color.useColor)
        try PartialMerge.check(partials, given, outputs)
        let merge = try PartialMerge(
            partials,
            choosing: Set(given.given.map(\.name)),
            // Open shares are made of a ledger that is all in memory.
            allowance: division.dividesLedger ? nil : allowance,
            digests: digests,
            behind: division.placesBefore
        )
        if let report, merge.head.report != ReportRegistry.everything, merge.head.report != report {
            throw RunError(.usage, "the partials are of '\(merge.head.report)' and do not hold '\(report)'")
        }
        var settling = ReportSettling(
            report: report ?? merge.head.report,
            settings: try given.over(merge.head.settling, bringing: merge.head.files)
        )
        settling.exampleCount = output.number(.examples)
        (settling.newest, settling.share) = (division.newest, division.number(.share))
        try output.check(report: settling.report)
        outputs.closesPartial = division.has(.closedPartial)
        outputs.division = division[.divide].flatMap(PartialDivision.init)
        let status = try merge.write(settling, outputs, digests: digests, allowance: allowance)
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}

extension MergeCommand {
    static func make(_ arguments: PlainArguments) throws -> Self? {
        guard !arguments.operands.isEmpty else { return nil }
        var command = Self()
        command.partials = arguments.operands
        command.own = try arguments.flags()
        command.period = try arguments.flags()
        command.money = try arguments.flags()
        command.rows = try arguments.flags()
        command.ungrouped = try arguments.flags()
        command.division = try arguments.flags()
        command.memory = try arguments.flags()
        command.output = try arguments.flags()
        command.color = try arguments.flags()
        return command
    }
}

/// Flags of `merge` alone.
enum MergeFlag: DeclaredFlag, FlagSection, CaseIterable {
    case report

    typealias Flag = Self

    var entry: FlagEntry {
        FlagEntry(
            "report",
            valueName: "name",
            completion: .words(ReportRegistry.names),
            help: "The report to show, if the partials are of 'all'."
        )
    }

    static func check(_ flags: Flags<Self>) {}
}
