import TillCore
import TillInput
import TillLedger
import TillReceipts
import TillReports
import TillRows
import TillStorage

/// One `tillroll report`: reads the inputs into a ledger, settles it, and writes the report.
public struct ReportRun: Sendable {
    /// The documents or rows to be counted, and the options for reading them.
    public var inputs: ReportInputs
    /// The report with its rules, and the figure to be explained if there is one.
    public var settling: ReportSettling
    /// The output of the report, or that of a partial of it.
    public var outputs: ReportOutputs
    /// Whether the report is shown while its input is still coming, where standard output is a terminal, and whether an
    /// interrupted run still writes the report of what it has read.
    public var watches = false

    /// Makes a run that writes its report once, at the end of its input.
    public init(_ inputs: ReportInputs, _ settling: ReportSettling, _ outputs: ReportOutputs) {
        self.inputs = inputs
        self.settling = settling
        self.outputs = outputs
    }

    /// Runs to the end.
    ///
    /// All errors in the options are found before the first byte is read. A report whose input has too many rejects is
    /// still written to standard output, for people, and never to a file; the exit status says so.
    public func run() async throws -> ExitStatus {
        try OutputPaths.SideFile.checkStandardInput(sideFiles, besides: inputs.paths)
        if let id = settling.explainedFailures?.incidentID {
            var run = self
            // An incident is shown whole, also where it began before the period.
            run.settling.settings = settling.settings.ofAllTime
            let incident = try await run.incident(withID: id)
            run.settling.explainedFailures?.incident = incident
            return try await run.runInPeriod()
        }
        guard settling.settings.countsBack else { return try await runInPeriod() }
        if let path = outputs.partPath { return try await tellPeriod(to: path) }
        var run = self
        run.settling.settings = try counted(backFrom: try await periodEnd())
        return try await run.runInPeriod()
    }

    /// Looks for an incident, in a reading of its own: its failures can be chosen only once its hours are known.
    ///
    /// - Returns: `nil` where nothing could be read; the second reading says why.
    private func incident(withID id: String) async throws -> Incident? {
        let files = try files()
        if let once = files.first(where: { $0.size == nil }) {
            let name = once == .standardInput ? "standard input" : once.name
            throw RunError(
                .usage,
                "--explain incident=\(id) reads the inputs twice, which is not possible for \(name); name files"
            )
        }
        var run = self
        run.settling.explainedFailures = nil
        let report = try run.prepared(run.settling, isQuiet: true)
        let account = try RunAccount(files, rejects: .quiet, showsProgress: inputs.showsProgress)
        var stream = inputs.stream(
            files,
            into: run.ledger(for: report, isShown: false),
            trust: try inputs.reading.signatures.policy(),
            account: account,
            adding: run.wanted(for: report)
        )
        try await account.read(&stream)
        guard stream.progress.accepted > 0 else { return nil }
        let ledger = try stream.consumer.state.takeLedger().settle(report.rules, jobs: inputs.reading.jobs)
        let incidents = try ledger.findIncidents(now: report.rules.now).incidents
        guard let incident = incidents.first(where: { $0.id == id }) else {
            let reason =
                incidents.isEmpty
                ? "no incident is found in the inputs"
                : NearestWord.unknown("incident", id, among: incidents.prefix(10).map(\.id))
            throw RunError(.usage, "--explain: \(reason)")
        }
        return incident
    }

    /// The instant from which the period is counted back; `nil` if it is the present time, and records may still come.
    private func periodEnd() async throws -> Timestamp? {
        guard !outputs.writesPartial else {
            throw RunError(
                .usage,
                "--since \(settling.settings[.since] ?? "") counts back from the end of the data, which a part does not know; name a "
                    + "day or an instant, the same for all parts"
            )
        }
        var tried = settling
        tried.settings = try settling.settings.counting(backFrom: Timestamp(milliseconds: 0))
        _ = try prepared(tried, isQuiet: true)
        try checkOutputs(InputFile.expand(inputs.paths))
        if let now = settling.now { return now.instant }
        return try await NewestRecord.time(
            in: inputs.paths,
            inputs.reading,
            inputs.environments,
            countedDates,
            showsProgress: inputs.showsProgress,
            isQuiet: inputs.rejects.isQuiet
        )
    }

    /// The settings with a period that is counted back. Of events and responses, those after now are in no period.
    ///
    /// - Parameter now: `nil` for the present time, after which records may still come.
    private func counted(backFrom now: Timestamp?) throws -> Settings {
        try settling.settings.counting(
            backFrom: now ?? NewestRecord.now,
            endsThere: now != nil && countedDates == .eventsAndResponses
        )
    }

    /// The dates from which the period is counted back.
    private var countedDates: NewestRecord.Dates {
        ReportRegistry.countsTransactions(settling.report) ? .all : .eventsAndResponses
    }

    /// Writes the period of this part alone, for the driver of a cluster. The driver takes the latest beginning of all
    /// parts as the beginning for the whole input.
    private func tellPeriod(to path: String) async throws -> ExitStatus {
        let files = try files()
        try checkOutputs(files)
        let stream = try await NewestRecord.read(
            files,
            inputs.reading,
            inputs.environments,
            countedDates,
            showsProgress: inputs.showsProgress
        )
        let newest = stream.consumer.newest.map { Timestamp(milliseconds: $0) }
        var manifest = Manifest(command: "report --partial \(settling.report)")
        manifest.options = try counted(backFrom: newest).given
        manifest.describePeriod(InputSummary(stream.progress), newest: newest, stream.readRange)
        try Output.write(manifest.text(inputs: InputDigests()), to: path)
        return .finished
    }

    /// The files that options name.
    private var sideFiles: [OutputPaths.SideFile] { settling.settings.sideFiles + inputs.sideFiles }

    private func checkOutputs(_ files: [InputFile]) throws(RunError) {
        try outputs.check(rejects: inputs.rejects.path, inputs: files, files: sideFiles)
    }

    private func files() throws -> [InputFile] {
        try RunAccount.files(inputs.paths, inputs.reading, calling: inputs.sourceName, rejects: inputs.rejects)
    }

    private func prepared(_ settling: ReportSettling, isQuiet: Bool) throws -> PreparedReport {
        try PreparedReport(
            settling,
            outputs,
            environments: inputs.environments,
            trust: inputs.reading.signatures.mode.rawValue,
            bundleIDs: inputs.reading.bundleIDs,
            isQuiet: isQuiet
        )
    }

    private func runInPeriod() async throws -> ExitStatus {
        var report = try prepared(settling, isQuiet: inputs.rejects.isQuiet)
        report.jobs = inputs.reading.jobs
        report.isInterruptible = !watches
        let closed = try report.readClosed(inputs.allowance)
        let trust = try inputs.reading.signatures.policy()
        let converted = try inputs.convertedPath.map(ConvertedInput.init)
        // With --watch, Ctrl-C must still print the report.
        if watches { Interruption.hold() }
        try report.checkTable()
        let files = try files()
        try checkOutputs(files)
        try await report.replay(closed, inputs, files)

        let isShown = watches && Terminal.outputIsTerminal
        let account = try RunAccount(
            files,
            rejects: inputs.rejects,
            showsProgress: inputs.showsProgress && !isShown,
            // Failures also come from events and statuses, which are never signed.
            needsSignedRows: ReportRegistry.countsTransactions(settling.report)
        )
        return try await account.keepingRejects {
            try await count(files, account, report, trust, converted, isShown: isShown)
        }
    }

    /// Reads the files into a ledger, and writes the report of it.
    private func count(
        _ files: [InputFile],
        _ account: RunAccount,
        _ report: PreparedReport,
        _ trust: TrustPolicy,
        _ converted: ConvertedInput?,
        isShown: Bool
    ) async throws -> ExitStatus {
        var report = report
        let digests = outputs.manifestPath.map { _ in InputDigests() }
        outputs.log?.inputs = digests
        var stream = inputs.stream(
            files,
            into: ledger(for: report, isShown: isShown),
            trust: trust,
            account: account,
            adding: wanted(for: report),
            isLive: watches,
            showsDocuments: settling.showsDocuments,
            watch: isShown ? ReportWatch(report) : nil,
            observer: digests
        )
        let isWhole = try await read(&stream, account)

        let progress = stream.progress
        let read = stream.consumer.state.takeLedger()
        let verdicts = read.ledger.trust
        guard account.finishes(outputs.path, progress) else {
            try account.finishRejects()
            return account.status(progress, trust: verdicts, output: outputs.path)
        }
        report.isOfNothing = progress.isOfNothing
        report.readRange = stream.readRange
        let summary = converted?.summary ?? InputSummary(progress)
        let alerts = try report.write(read, summary, digests: digests) { try account.finishRejects() }
        let status = alerts.status(after: account.status(progress, trust: verdicts))
        return isWhole ? status : .interrupted
    }

    private func ledger(for report: PreparedReport, isShown: Bool) -> SpillingLedger {
        let mask: (@Sendable ([UInt8]) -> [UInt8])? = settling.showsDocuments ? Redaction.redacted : nil
        let ledger = Ledger(
            environments: inputs.environments,
            period: report.rules.period,
            keepsAppVersions: settling.needsAppVersions(report.rules),
            keepsSubscriptionGroups: needsSubscriptionGroups(report.rules),
            needs: settling.needs(report.rules, writesPartial: outputs.writesPartial),
            choosing: settling.explainedFailures?.filter(in: report.rules.calendar),
            masking: mask
        )
        // Each redraw copies the whole ledger, so the ledger must be in memory.
        var allowance = isShown ? nil : inputs.allowance
        allowance?.writesPartial = outputs.writesPartial
        return SpillingLedger(ledger, allowance: allowance)
    }

    /// Whether the groups of subscriptions are kept: a partial may be merged by rules that ask for them.
    private func needsSubscriptionGroups(_ rules: LedgerRules) -> Bool {
        rules.secondYearRate != nil || outputs.writesPartial
    }

    private func wanted(for report: PreparedReport) -> RowBatch.Wanted {
        var wanted: RowBatch.Wanted = []
        if needsSubscriptionGroups(report.rules) { wanted.insert(.groups) }
        let needs = settling.needs(report.rules, writesPartial: outputs.writesPartial)
        if needs.contains(.incidents) || settling.explainedFailures?.incident != nil { wanted.insert(.dimensions) }
        if needs.contains(.verifications) { wanted.insert(.requests) }
        return wanted
    }

    /// Reads to the end; `false` if a run that is watched was interrupted.
    private func read(_ stream: inout DocumentStream<LedgerConsumer>, _ account: RunAccount) async throws -> Bool {
        defer { stream.consumer.watch?.clear() }
        do {
            try await account.read(&stream)
        } catch let error as Finding where error.cause == .interrupted && watches {
            return false
        }
        return true
    }
}
