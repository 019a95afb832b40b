import TillCore
import TillInput
import TillLedger
import TillPricing
import TillReceipts
import TillReference
import TillRender
import TillReportModel
public import TillReports
import TillRows
import TillStorage

/// `tillroll reconcile`: our figures, Apple's figures, and the differences.
public struct ReconcileRun: Sendable {
    /// Files and folders of Apple's reports.
    public var applePaths: [String]
    /// Our documents; without paths only Apple's side is printed.
    public var inputs: ReportInputs
    /// The flags that decide the comparison; all must be flags of `reconcile`, as the command line sees to.
    public var settings: Settings
    /// The path, the format and the look of the report; neither a partial nor a manifest is written.
    public var outputs: ReportOutputs
    /// The largest difference that still agrees; none by default.
    public var tolerance = ReconciliationTolerance.none
    /// The path for Apple's commissions as a file for `--commission`; `nil` writes none.
    public var payoutPath: String?
    /// The difference to be explained by our transactions, instead of the report.
    public var explained: Selection?

    /// The time zone of Apple's days.
    public static let usualTimeZone = "America/Los_Angeles"

    /// Makes a run that writes the report and no payout file, and allows no difference.
    public init(applePaths: [String], _ inputs: ReportInputs, _ settings: Settings, _ outputs: ReportOutputs) {
        self.applePaths = applePaths
        self.inputs = inputs
        self.settings = settings
        self.outputs = outputs
    }

    /// Runs to the end; ``ExitStatus/checkFailed`` if our figures and Apple's differ by more than the tolerance.
    public func run() async throws -> ExitStatus {
        let prepared = try await prepare()
        guard !inputs.paths.isEmpty else {
            var document = AppleFiguresReport.document(
                of: prepared.apple,
                isForPeople: isForPeople(prepared.renderer)
            )
            document.productNames = prepared.rules.productNames.byProductID
            _ = try outputs.excerpt(of: document)
            try write(prepared.payout)
            try write(document, with: prepared.renderer)
            return .finished
        }
        return try await compare(prepared)
    }

    /// The state of a run before our documents are read.
    private struct Prepared {
        var rules: LedgerRules
        let byStorefront: Bool
        let renderer: (any Renderer)?
        let trust: TrustPolicy
        /// Our documents.
        let files: [InputFile]
        let apple: AppleFigures
        let payout: ApplePayout?
    }

    /// Checks the options, and reads Apple's reports.
    private func prepare() async throws -> Prepared {
        let (settings, byStorefront) = try comparable()
        let sideFiles = settings.sideFiles + inputs.sideFiles
        try OutputPaths.SideFile.checkStandardInput(
            applePaths.map { OutputPaths.SideFile(option: "--apple", path: $0) } + sideFiles,
            besides: inputs.paths.isEmpty ? nil : inputs.paths
        )
        var (rules, warnings) = try settings.rules(for: RevenueReport.name)
        rules.trust = inputs.reading.signatures.mode.rawValue
        rules.bundleIDs = inputs.reading.bundleIDs
        if let explained {
            let calendar = Self.calendar(of: explained, rules.calendar)
            try RunError.ofSelection { () throws(Finding) in try explained.check(in: calendar) }
        }
        if !inputs.rejects.isQuiet { for line in warnings { Output.writeError(line) } }
        let renderer = try outputs.renderer(of: ReconciliationReport.name)
        let trust = try inputs.reading.signatures.policy()
        let appleFiles = try RunAccount.allFiles(applePaths, rejects: inputs.rejects)
        let files = inputs.paths.isEmpty ? [] : try RunAccount.files(inputs.paths, rejects: inputs.rejects)
        try OutputPaths(outputs.path, called: "the report", rejects: inputs.rejects.path, payout: payoutPath)
            .check(inputs: files + appleFiles, files: sideFiles)

        let apple = try await appleFigures(appleFiles, rules)
        guard apple.hasSales || apple.isOfHeaders || explained == nil && payoutPath == nil else {
            throw RunError(
                .usage,
                "--explain and --payout are about money, and --apple names reports about subscriptions alone; name a Summary "
                    + "Sales or financial report too"
            )
        }
        return Prepared(
            rules: rules,
            byStorefront: byStorefront,
            renderer: renderer,
            trust: trust,
            files: files,
            apple: apple,
            payout: try payout(of: apple)
        )
    }

    /// Reads our documents, and writes the differences.
    private func compare(_ prepared: Prepared) async throws -> ExitStatus {
        let apple = prepared.apple
        let report = ReconciliationReport(
            apple,
            tolerance: tolerance,
            byStorefront: prepared.byStorefront,
            asked: prepared.rules.period
        )
        var rules = report.rules(prepared.rules)
        let account = try RunAccount(
            prepared.files,
            rejects: inputs.rejects,
            showsProgress: inputs.showsProgress,
            needsSignedRows: true
        )
        if let explained { rules.calendar = Self.calendar(of: explained, rules.calendar) }
        return try await account.keepingRejects { try await compare(prepared, report, rules, account) }
    }

    private func compare(
        _ prepared: Prepared,
        _ report: ReconciliationReport,
        _ rules: LedgerRules,
        _ account: RunAccount
    ) async throws -> ExitStatus {
        let apple = prepared.apple
        let ledger = Ledger(
            environments: inputs.environments,
            period: rules.period,
            needs: explained == nil ? apple.subscriptions.isEmpty ? [] : .subscriptions : .provenance
        )
        let spilling = SpillingLedger(ledger, allowance: inputs.allowance)
        var stream = inputs.stream(prepared.files, into: spilling, trust: prepared.trust, account: account)
        try await account.read(&stream)

        let progress = stream.progress
        let read = stream.consumer.state.takeLedger()
        let verdicts = read.ledger.trust
        guard account.finishes(outputs.path, progress) else {
            try account.finishRejects()
            return account.status(progress, trust: verdicts, output: outputs.path)
        }
        let agrees = try settle(read, report, rules, InputSummary(progress), prepared.renderer) {
            try account.finishRejects()
            if account.refusal(progress) == nil { try write(prepared.payout) }
        }
        let status = account.status(progress, trust: verdicts)
        return status == .finished && !agrees ? .checkFailed : status
    }

    private func isForPeople(_ renderer: (any Renderer)?) -> Bool {
        renderer.map { type(of: $0).isForPeople } ?? false
    }

    /// The settings for our figures, and whether rows are grouped by storefront.
    func comparable() throws(RunError) -> (Settings, byStorefront: Bool) {
        let keys = settings[.by]
        guard keys == nil || keys == GroupKey.storefront.rawValue else {
            throw RunError(
                .usage,
                NearestWord.unknown("key", keys ?? "", for: "--by", among: [GroupKey.storefront.rawValue])
            )
        }
        var given = settings.given.filter { $0.name != Flag.by.name }
        if settings[.tz] == nil { given.append(GivenOption(.tz, Self.usualTimeZone)) }
        return (Settings(given), keys != nil)
    }

    private func appleFigures(_ files: [InputFile], _ rules: LedgerRules) async throws -> AppleFigures {
        let selection: DaySelection
        do {
            selection = try DaySelection(rules.period, in: rules.calendar)
        } catch {
            throw RunError(.usage, "\(error.reason) [\(error.code)]")
        }
        let reader = AppleReportFiles(files: files, jobs: inputs.reading.jobs, limit: inputs.reading.inflation)
        let apple = try await reader.read(selection)
        guard !apple.isEmpty || apple.isOfHeaders else {
            let reason = rules.period == nil ? "covers a day" : "lies in the period asked for"
            throw RunError(
                .dataError,
                "no file of --apple \(reason) [apple.period]"
            )
        }
        return apple
    }

    private func settle(
        _ read: consuming SpillingLedger,
        _ report: ReconciliationReport,
        _ rules: LedgerRules,
        _ input: InputSummary,
        _ renderer: (any Renderer)?,
        beforeOutput: () throws -> Void
    ) throws -> Bool {
        let settled = try read.settle(rules, jobs: inputs.reading.jobs)
        if let explained {
            let document = try Explanation.document(of: explained, in: settled, input: input)
            try beforeOutput()
            try write(report.explanation(document), with: renderer)
            return true
        }
        let outcome = try report.outcome(of: settled, input: input, isForPeople: isForPeople(renderer))
        // A table that is not there is an error before any file is written.
        _ = try outputs.excerpt(of: outcome.document)
        try beforeOutput()
        try write(outcome.document, with: renderer)
        return outcome.agrees
    }

    /// The calendar by which a month of the selection is named: `FY26-06` is a fiscal one.
    private static func calendar(of selection: Selection, _ usual: BookingCalendar) -> BookingCalendar {
        let month = selection.values[.group(.month)] ?? nil
        return BookingCalendar(month?.hasPrefix("FY") == true ? .appleFiscal : .gregorian, zone: usual.zone)
    }

    /// The content of the payout file; `nil` if none is written.
    private func payout(of apple: AppleFigures) throws(RunError) -> ApplePayout? {
        guard payoutPath != nil else { return nil }
        do {
            return try ApplePayout(apple)
        } catch {
            throw RunError(.usage, "\(error.reason) [\(error.code)]")
        }
    }

    private func write(_ payout: ApplePayout?) throws {
        guard let payout, let payoutPath else { return }
        try Output.write(Array(payout.lines.map { $0 + "\n" }.joined().utf8), to: payoutPath)
        guard !inputs.rejects.isQuiet else { return }
        if payout.foreignCount > 0 {
            Output.writeError(
                "tillroll: without a rate in \(payoutPath), because Apple pays in another currency: \(payout.foreignCount)"
            )
        }
        if payout.ambiguousCount > 0 {
            Output.writeError(
                "tillroll: in \(payoutPath) sales without a storefront have no rate, because those of the storefronts differ "
                    + "or are not known: products and months \(payout.ambiguousCount); they are not estimated, unless "
                    + "--default-territory names a storefront"
            )
        }
    }

    private func write(_ document: ReportDocument, with renderer: (any Renderer)?) throws {
        guard let renderer else { return }
        var shown = try outputs.excerpt(of: document)
        shown.origin = ReportOrigin(program: Tool.program)
        try Output.write(to: outputs.path, pagedTo: outputs.pageHeight(renderer)) { write in
            try renderer.write(shown, outputs.renderOptions(jobs: inputs.reading.jobs)) { piece in
                guard !Interruption.isRequested else {
                    throw Finding(.interrupted, source: ReconciliationReport.name, reason: "interrupted")
                }
                try write(piece)
            }
        }
    }
}
