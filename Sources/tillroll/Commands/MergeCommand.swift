import TillPipeline
import TillReports
import TillStorage

enum MergeCommand: CommandImplementation {
    static let summary = "Joins partial reports into the report that one run over all inputs would print."

    static var discussion: String {
        """
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
    }

    static let operands = [
        Operand(name: "partials", count: .atLeastOne, help: "Partials, folders of them, or '-'; plain, gzip or zstd.")
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let division = try division(arguments)
        let given = arguments.settings
        var allowance = arguments.memoryAllowance
        let digests = arguments.has(.manifest) ? InputDigests() : nil
        var outputs = try arguments.reportOutputs()
        outputs.division = division
        allowance?.writesPartial = outputs.writesPartial
        try PartialMerge.check(arguments.operands, given, outputs)
        let merge = try PartialMerge(
            arguments.operands,
            choosing: Set(given.given.map(\.name)),
            // Open shares are made of a ledger that is all in memory.
            allowance: division != nil && !outputs.closesPartial ? nil : allowance,
            digests: digests,
            behind: arguments[.before].flatMap(PlacesBefore.list) ?? []
        )
        let report = arguments[.report] ?? merge.head.report
        guard merge.head.report == ReportRegistry.everything || merge.head.report == report else {
            throw RunError(.usage, "the partials are of '\(merge.head.report)' and do not hold '\(report)'")
        }
        try arguments.checkUse(of: report)
        var settling = ReportSettling(
            report: report,
            settings: try given.over(merge.head.settling, bringing: merge.head.files)
        )
        settling.exampleCount = arguments.number(.examples)
        settling.now = arguments.now
        (settling.first, settling.newest, settling.share) = (
            arguments.first, arguments.newest, arguments.number(.share)
        )
        return try merge.write(settling, outputs, digests: digests, allowance: allowance)
    }

    /// The shares into which the partial is divided; `nil` for one.
    private static func division(_ arguments: Arguments) throws(UsageError) -> PartialDivision? {
        guard let division = arguments[.divide].flatMap(PartialDivision.init) else { return nil }
        let isClosed = arguments.has(.closedPartial)
        guard (division.key == .accounts) == isClosed, isClosed == arguments.has(.share) else {
            throw UsageError(
                "--divide accounts needs --closed-partial and --share; other keys cannot be used with them"
            )
        }
        guard !arguments.writesToStandardOutput else {
            throw UsageError("--divide writes several partials; name their file with -o")
        }
        return division
    }
}
