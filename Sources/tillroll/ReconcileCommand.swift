import ArgumentParser
import TillLedger
import TillPipeline
import TillReports
import TillThreads

struct ReconcileCommand: SettlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        _superCommandName: Tillroll.name,
        abstract: "Compares our revenue and subscriptions with Apple's Sales and Trends and financial reports.",
        discussion: """
            Apple's reports are Summary Sales (daily to yearly), Financial (of a region or of all) and Financial Detail \
            (Z1), plain, gzip or zstd. They are recognised by their headers. A difference is our figure minus Apple's, \
            with its cause. Without inputs, only Apple's figures are printed; '-' reads ours from standard input.

            Subscription, Subscription Event and Subscriber reports are compared with 'report subscriptions': active, \
            new, churned, trials, conversions and charges by month and product. They name products by Apple ID; a \
            sales or financial report among the files gives the product ids.

            Days are in Pacific time unless --tz names another zone; this includes the days of the price list. The \
            exit status is 3 if a row differs by more than --tolerance, or if a sale of ours has no price.

            Examples:
              tillroll reconcile --apple Samples/apple/sales Samples/verify \\
                  --prices Samples/prices.csv --month 2026-03 --tolerance 20%
              tillroll reconcile --apple Samples/apple/financial Samples/verify \\
                  --prices Samples/prices.csv --tolerance 20% -o march.html
              tillroll reconcile --apple Samples/apple/sales \\
                  --apple Samples/apple/subscriptions Samples/verify \\
                  --prices Samples/prices.csv --month 2026-02 --tolerance 1
              tillroll reconcile --apple Samples/apple/sales -t csv
              tillroll reconcile --apple Samples/apple/sales --payout commission.csv
              tillroll reconcile --apple Samples/apple/sales Samples/verify \\
                  --prices Samples/prices.csv --explain month=2026-03,currency=EUR
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Our documents: files, folders (read recursively, in name order) or '-'. Without them, only Apple's "
                + "figures are printed."
        ),
        completion: .file()
    )
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp("Apple's reports: a file or a folder; repeatable.", valueName: "file"),
        completion: .file()
    )
    var apple: [String] = []

    @Option(
        help: ArgumentHelp(
            "The largest allowed difference in a row: a number, for units and for money, or a percentage of Apple's "
                + "figure such as 0.5% (default: 0).",
            valueName: "number"
        )
    )
    var tolerance: String?

    @Option(
        help: ArgumentHelp(
            "List our transactions behind a difference: month=2026-03,product_id=pro,currency=USD.",
            valueName: "key=value,…"
        )
    )
    var explain: String?

    @Option(
        help: ArgumentHelp(
            "Write Apple's commission rates to this file, by product, storefront and month, for --commission.",
            valueName: "file"
        ),
        completion: .file()
    )
    var payout: String?

    @Option(help: EnvironmentOption.help)
    var environment: String = EnvironmentOption.usual

    @OptionGroup(title: "Period")
    var period: Flags<Reconciling<PeriodSection>>

    @OptionGroup(title: "Money")
    var money: Flags<Reconciling<MoneySection>>

    @OptionGroup(title: "Rows")
    var rows: Flags<Reconciling<RowsSection>>

    @OptionGroup
    var ungrouped: Flags<Reconciling<UngroupedSection>>

    @OptionGroup(title: "Output")
    var output: Flags<Reconciling<OutputFlag>>

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    func validate() throws {
        guard !apple.isEmpty else {
            throw ValidationError("reconcile needs --apple: a file or a folder with Apple's reports.")
        }
        if let tolerance, ReconciliationTolerance(tolerance) == nil {
            throw ValidationError("--tolerance takes a number such as 0.05 or 0.5%, not '\(tolerance)'.")
        }
        try EnvironmentOption.check(environment)
        let output = Flags<OutputFlag>(self.output)
        try output.check(report: ReconciliationReport.name)
        _ = try selection()
        guard explain == nil || !inputs.isEmpty else { throw ValidationError("--explain needs our documents.") }
        // Without a name, standard input is not read, and the figures of Apple alone would pass for a check.
        guard !inputs.isEmpty || tolerance == nil && !money.has(.prices) else {
            throw ValidationError(
                "\(tolerance == nil ? "--prices" : "--tolerance") needs our documents; '-' reads them from standard input."
            )
        }
        if let payout, payout.isEmpty || payout == "-" { throw ValidationError("--payout takes the name of a file.") }
        guard !output.has(.partial), !output.has(.manifest) else {
            throw ValidationError("reconcile writes neither --partial nor --manifest.")
        }
    }

    private func selection() throws -> Selection? {
        do {
            return try explain.map { try Selection($0) }
        } catch let error as SelectionError {
            throw ValidationError("--explain: \(error)")
        }
    }

    func run() throws {
        var inputs = reading.inputs(self.inputs)
        inputs.environments = EnvironmentOption.filter(environment)
        var run = ReconcileRun(
            applePaths: apple,
            inputs,
            settings,
            try Flags<OutputFlag>(output).outputs(useColor: reading.useColor)
        )
        run.tolerance = tolerance.flatMap(ReconciliationTolerance.init) ?? .none
        run.payoutPath = payout
        run.explained = try selection()
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
