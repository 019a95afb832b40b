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

    /// What is done with documents that cannot be read.
    public struct RejectOptions: Sendable {
        /// Where they are written; `nil` writes them nowhere.
        public var path: String?
        /// Whether the documents themselves are written, or only what was wrong with them.
        public var keepsRaw = true
        public var allowance = RejectAllowance.any
        /// Whether stderr says nothing about them.
        public var isQuiet = false

        public init() {}
    }

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
        var (rules, warnings) = try finance.rules(for: report)
        if !rejects.isQuiet { for line in warnings { Output.writeError(line.madeVisible) } }
        rules.trust = reading.signatures.mode.rawValue
        rules.bundleIDs = reading.bundleIDs
        let trust = try reading.signatures.policy()
        let files = try InputFile.expand(inputs) { entry in
            if !rejects.isQuiet { Output.writeError("\(entry.name): passed over: \(entry.reason)".madeVisible) }
        }
        let sizes = files.map(\.size)
        let total = sizes.contains(nil) ? nil : sizes.compactMap(\.self).reduce(0, +)
        let consumer = try LedgerConsumer(
            ledger: Ledger(
                environments: environments,
                period: rules.period,
                keepsAppVersions: rules.keys?.contains(.appVersion) == true
            ),
            rejects: rejects,
            progress: ProgressLine(isShown: showsProgress, total: total)
        )
        var stream = DocumentStream(files, options: reading, trust: trust, consumer: consumer)
        do {
            try await stream.run()
        } catch {
            stream.consumer.state.progress.clear()
            throw error
        }
        let state = stream.consumer.state
        state.progress.clear()
        let progress = stream.progress
        let settled = state.takeLedger().settle(rules)
        let tally = settled.trust
        let input = InputSummary(
            documents: progress.documents,
            accepted: progress.accepted,
            rejected: progress.rejected,
            bytes: progress.bytes,
            foreign: progress.foreign
        )
        let document = try document(of: settled, input: input)
        try state.finishRejects()
        try Output.write(
            renderer.render(document, options: RenderOptions(width: width, useColor: useColor)),
            to: outputPath
        )
        return status(progress, state, tally)
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

    private func status(
        _ progress: ReadProgress,
        _ state: LedgerConsumer.State,
        _ trust: TrustTally
    ) -> ExitStatus {
        if !rejects.isQuiet {
            if trust.untrusted > 0 {
                Output.writeError(
                    "tillroll: untrusted documents, not booked: \(trust.untrusted) (transactions: "
                        + "\(trust.untrustedRows)); tillroll verify says why"
                )
            }
            if progress.foreign > 0 {
                Output.writeError("tillroll: documents of other apps, left out: \(progress.foreign)")
            }
            for line in state.summary.lines(documents: state.documents) { Output.writeError(line) }
            if progress.documents == 0 { Output.writeError("tillroll: the input holds no documents") }
        }
        if rejects.allowance.isExceeded(by: progress.rejected, of: progress.documents) {
            Output.writeError("tillroll: more documents were rejected than --max-rejects allows")
            return .dataError
        }
        if progress.rejected > 0, progress.accepted == 0 {
            Output.writeError("tillroll: no document could be read")
            return .dataError
        }
        return .finished
    }
}
