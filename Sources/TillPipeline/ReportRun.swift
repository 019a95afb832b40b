import SystemPackage
import TillCore
import TillInput
public import TillLedger
import TillRender
import TillReportModel
import TillReports
import TillRows

/// One `tillroll report`: reads the inputs, settles the ledger, writes the report.
public struct ReportRun: Sendable {
    /// A name of the report registry, or that of all reports.
    public var report: String
    /// Files, folders and `-`; none is standard input.
    public var inputs: [String]
    public var reading = ReadOptions()
    public var environments = EnvironmentFilter.booked
    /// What is chosen of prices, money, time and keys.
    public var finance = FinanceChoices()
    /// The name of an output format; `nil` to go by the name of the output, else the table.
    public var format: String?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    public var rejects = RejectOptions()
    public var showsProgress = false
    public var useColor = false
    public var width: Int?

    public init(report: String, inputs: [String]) {
        self.report = report
        self.inputs = inputs
    }

    /// Runs to the end.
    ///
    /// Everything that can be wrong with the options is found before the first byte is read. A result that has too many
    /// rejects is still written: the status says what it is worth.
    public func run() async throws -> ExitStatus {
        Terminal.ignoreBrokenPipes()
        if let path = rejects.path, path == outputPath {
            throw RunError(.usage, "\(path): the report and the rejects cannot be one file")
        }
        let renderer = try RendererRegistry.renderer(format: format, outputPath: outputPath)
        let (rules, warnings) = try finance.rules(for: report)
        if !rejects.isQuiet { for line in warnings { Output.writeError(line.madeVisible) } }
        let files = try RunAccount.files(inputs, rejects: rejects)
        let account = try RunAccount(files, rejects: rejects, showsProgress: showsProgress)
        let ledger = Ledger(
            environments: environments,
            period: rules.period,
            keepsAppVersions: rules.keys?.contains(.appVersion) == true
        )
        let consumer = LedgerConsumer(ledger: ledger, account: account)
        var stream = DocumentStream(files, options: reading, consumer: consumer)
        try await account.read(&stream)
        let progress = stream.progress
        let settled = stream.consumer.state.takeLedger().settle(rules)
        let input = InputSummary(
            documents: progress.documents,
            accepted: progress.accepted,
            rejected: progress.rejected,
            bytes: progress.bytes
        )
        let document = try document(of: settled, input: input)
        try account.finishRejects()
        try Output.write(
            renderer.render(document, options: RenderOptions(width: width, useColor: useColor)),
            to: outputPath
        )
        return account.status(progress)
    }

    private func document(
        of ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws(RunError) -> ReportDocument {
        do {
            if let document = try ReportRegistry.document(named: report, of: ledger, input: input) { return document }
        } catch {
            throw RunError(.dataError, error.description)
        }
        throw RunError(.usage, "there is no report '\(report)': \(ReportRegistry.names.joined(separator: ", "))")
    }
}
