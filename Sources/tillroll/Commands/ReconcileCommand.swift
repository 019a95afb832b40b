import TillCore
import TillPipeline
import TillReports
import TillThreads

enum ReconcileCommand: CommandImplementation {
    static let summary = "Compares our revenue and subscriptions with Apple's Sales and Trends and financial reports."

    static var discussion: String {
        """
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
    }

    static let operands = [
        Operand(
            name: "inputs",
            count: .any,
            help: "Our documents: files, folders (read recursively, in name order) or '-'. Without them, only Apple's "
                + "figures are printed."
        )
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard arguments.has(.apple) else {
            throw UsageError("reconcile needs --apple, a file or a folder with Apple's reports")
        }
        // Without a name, standard input is not read, and the figures of Apple alone would pass for a check.
        if arguments.operands.isEmpty, let flag = [Flag.explain, .tolerance, .prices].first(where: arguments.has) {
            throw UsageError("\(flag) needs our documents; '-' reads them from standard input")
        }
        var run = ReconcileRun(
            applePaths: arguments.all(.apple),
            try arguments.reportInputs(arguments.operands),
            arguments.settings,
            try arguments.reportOutputs()
        )
        run.tolerance = arguments[.tolerance].flatMap(ReconciliationTolerance.init) ?? .none
        run.payoutPath = arguments[.payout]
        run.explained = try arguments.explained { text throws(Finding) in try Selection(text) }
        return try Workers.shared.run { [run] in try await run.run() }
    }
}
