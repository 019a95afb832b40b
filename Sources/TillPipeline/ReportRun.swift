import SystemPackage
import TillCore
import TillInput
public import TillLedger
import TillPricing
import TillReference
import TillRender
import TillReportModel
public import TillReports
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
    /// Weeks of a month, in millionths, for subscriptions by the week.
    public var weeksPerMonthMillionths: Int64?
    /// Whether a part of the report is written, for ``PartialJoin``, instead of the report.
    public var writesPartial = false
    /// The figure to be explained, instead of the report.
    public var explained: Selection?
    /// Where a manifest is written; `nil` writes none.
    public var manifestPath: String?
    /// Options that decide how everything is settled, as on the command line; a partial and a manifest tell them.
    public var settling: [PartialHead.Option] = []
    /// The name of an output format; `nil` to go by the name of the output, else the table.
    public var format: String?
    /// The section to write alone: its name, or that of its report before it (`restores.events`).
    public var table: String?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    public var rejects = RejectOptions()
    /// Limits on figures of failures; past one the run ends with ``ExitStatus/checkFailed``.
    public var alerts: [Alert] = []
    /// How many records of each failure are named; `nil` for what suits the output format.
    public var exampleCount: Int?
    /// How much memory the ledger may take; `nil` for all there is.
    public var allowance: MemoryAllowance?
    public var showsProgress = false
    /// Whether the report is shown while its input is still coming, where standard output is a terminal, and whether an
    /// interrupted run says what it had come to.
    public var watches = false
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
        let renderer = try renderer()
        let rules = try rules(trust: reading.signatures.mode.rawValue, bundleIDs: reading.bundleIDs, for: renderer)
        let trust = try reading.signatures.policy()
        // Who watches and has seen enough still wants the whole report.
        if watches { Interruption.hold() }
        try checkTable(rules)
        let files = try RunAccount.files(inputs, rejects: rejects)
        try outputs.check(inputs: files, files: finance.sideFiles + reading.signatures.sideFiles)
        let isShown = watches && Terminal.outputIsTerminal
        let account = try RunAccount(files, rejects: rejects, showsProgress: showsProgress && !isShown)
        let ledger = Ledger(
            environments: environments,
            period: rules.period,
            keepsAppVersions: Self.needsAppVersions(rules) || explained?.values[.group(.appVersion)] != nil,
            needs: explained == nil ? ReportRegistry.needs(of: report) : .evidence,
            // What is shown on the way is a copy of the whole ledger.
            allowance: isShown ? nil : allowance
        )
        let ignoresCopies = ledger.ignoresCopies
        let digests = manifestPath.map { _ in InputDigests() }
        var consumer = LedgerConsumer(ledger: ledger, account: account)
        if isShown { consumer.watch = ReportWatch(self, rules) }
        var reading = reading
        reading.wanted = .numbers
        reading.rejectLimit = rejects.neededOfStretch
        reading.leavesOutCopies = ignoresCopies
        reading.isLive = isShown
        var stream = DocumentStream(files, options: reading, trust: trust, consumer: consumer, observer: digests)
        let isWhole = try await read(&stream, account)
        let progress = stream.progress
        let read = stream.consumer.state.takeLedger()
        let verdicts = read.trust
        let input = InputSummary(progress)
        let alerts = try write(read, input, rules, renderer, digests) { try account.finishRejects() }
        let status = self.status(account.status(progress, trust: verdicts), after: alerts)
        return isWhole ? status : .interrupted
    }

    /// Reads to the end; `false` where somebody who watched has seen enough.
    private func read(_ stream: inout DocumentStream<LedgerConsumer>, _ account: RunAccount) async throws -> Bool {
        defer { stream.consumer.watch?.clear() }
        do {
            try await account.read(&stream)
        } catch let error as InputError where error.code == .interrupted && watches {
            return false
        }
        return true
    }

    /// Settles the parts of a report that were read apart, and writes it as ``run()`` would have.
    public func finish(_ parts: PartialJoin, digests: InputDigests? = nil) throws -> ExitStatus {
        try outputs.check(inputs: parts.files, files: finance.sideFiles)
        let renderer = try renderer()
        let rules = try rules(trust: parts.head.trust, bundleIDs: parts.head.bundleIDs, for: renderer)
        try checkTable(rules)
        try check(parts.head, rules)
        let alerts = try write(parts.takeLedger(), parts.input, rules, renderer, digests) {}
        let isReadable = parts.input.rejected == 0 || parts.input.accepted > 0
        if !isReadable { Output.writeError("tillroll: no document could be read") }
        return status(isReadable ? .finished : .dataError, after: alerts)
    }

    /// Tells what went past a limit; input that cannot be relied on is the graver status.
    private func status(_ status: ExitStatus, after alerts: AlertLines) -> ExitStatus {
        alerts.write(isQuiet: rejects.isQuiet)
        return status == .finished && !alerts.alarms.isEmpty ? .checkFailed : status
    }

    private var outputs: OutputPaths {
        OutputPaths(outputPath, called: "the report", rejects: rejects.path, manifest: manifestPath)
    }

    /// What writes the report; `nil` where a part is written.
    private func renderer() throws(RunError) -> (any Renderer)? {
        guard !writesPartial else { return nil }
        let renderer = try RendererRegistry.renderer(format: format, outputPath: outputPath)
        try Output.check(renderer, outputPath: outputPath)
        return renderer
    }

    /// Whether there is the section that is to be written alone; what an empty ledger says has the same ones.
    private func checkTable(_ rules: LedgerRules) throws {
        guard table != nil else { return }
        let nothing = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        _ = try excerpt(of: document(of: Ledger(environments: environments).settle(rules), input: nothing))
    }

    /// Writes the report, the explanation or the part, and the manifest; gives what goes past a limit.
    private func write(
        _ ledger: consuming Ledger,
        _ input: InputSummary,
        _ rules: LedgerRules,
        _ renderer: (any Renderer)?,
        _ digests: InputDigests?,
        beforeOutput: () throws -> Void
    ) throws -> AlertLines {
        var lines = AlertLines()
        var output = manifestPath.map { _ in Manifest.OutputDigest() }
        var manifest = Manifest(command: (writesPartial ? "report --partial " : "report ") + report)
        let reading = readingOptions(rules)
        manifest.options = reading + settling
        manifest.files = try settledFiles()
        manifest.counts = [
            ("documents", input.documents), ("accepted", input.accepted), ("rejected", input.rejected),
            ("bytes", input.bytes), ("transactions", ledger.rowCount),
        ]
        if let renderer {
            try ledger.close()
            manifest.counts.append(("unique_transactions", ledger.uniqueCount))
            let settled = ledger.settle(rules)
            let newest = settled.recordSpan?.upperBound
            let document = try document(of: settled, input: input)
            lines = AlertLines(alerts, in: document, newest: newest)
            try beforeOutput()
            let shown = try excerpt(of: document)
            try Output.write(to: outputPath) { write in
                try renderer.write(shown, RenderOptions(width: width, useColor: useColor)) { piece in
                    guard watches || !Interruption.isRequested else {
                        throw InputError(.interrupted, source: report, reason: "interrupted")
                    }
                    output?.update(piece)
                    try write(piece)
                }
            }
        } else {
            try beforeOutput()
            var head = PartialHead(
                report: report,
                reading: reading,
                needs: ledger.needs,
                settling: settling
            )
            head.files = manifest.files
            try Output.write(to: outputPath) { write in
                try PartialFile.write(head, input, &ledger) { bytes in
                    output?.update(bytes)
                    try write(bytes)
                }
            }
            manifest.counts.append(("unique_transactions", ledger.uniqueCount))
        }
        guard let manifestPath, let digests else { return lines }
        manifest.output = output
        try Output.write(manifest.text(inputs: digests), to: manifestPath)
        return lines
    }

    private static func needsAppVersions(_ rules: LedgerRules) -> Bool { rules.keys?.contains(.appVersion) == true }

    /// What decides which rows are counted and how; all parts must agree.
    private func readingOptions(_ rules: LedgerRules) -> [PartialHead.Option] {
        var options = [
            PartialHead.Option("environment", environments.words.joined(separator: ",")),
            PartialHead.Option("trust", rules.trust),
        ]
        if !rules.bundleIDs.isEmpty {
            options.append(PartialHead.Option("bundle-id", rules.bundleIDs.sorted().joined(separator: ",")))
        }
        if let period = rules.period {
            let bounds = [period.from, period.until].map { $0?.description ?? "" }
            options.append(PartialHead.Option("period", bounds.joined(separator: "/")))
        }
        if Self.needsAppVersions(rules) { options.append(PartialHead.Option("by", GroupKey.appVersion.rawValue)) }
        return options
    }

    /// Whether what was left out while reading is what the rules leave out.
    private func check(_ head: PartialHead, _ rules: LedgerRules) throws(RunError) {
        let wanted = readingOptions(rules)
        for name in ["period", "by"] {
            let (read, asked) = (head.reading.first { $0.name == name }, wanted.first { $0.name == name })
            guard read != asked, asked != nil || name == "period" else { continue }
            throw RunError(
                .usage,
                "the partials were written with \(read.map { "\(name) \($0.value)" } ?? "no \(name)"), not with "
                    + "\(asked?.value ?? "none"); what was left out then cannot be had now"
            )
        }
    }

    /// The files that the settling options name, with their contents.
    private func settledFiles() throws -> [PartialHead.File] {
        guard writesPartial || manifestPath != nil else { return [] }
        var seen: Set<String> = []
        return try settling.filter { $0.namesFile && seen.insert($0.value).inserted }.map { option in
            let limit = PriceList.maximumByteCount
            let bytes = try finance.bytes(of: option.value, option: "--\(option.name)", limit: limit)
            return PartialHead.File(path: option.value, bytes: bytes)
        }
    }

    func document(
        of ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument {
        let whole: ReportDocument?
        do {
            if let explained {
                whole = try Explanation.document(of: explained, in: ledger, input: input)
            } else {
                whole = try ReportRegistry.document(named: report, of: ledger, input: input, jobs: reading.jobs)
            }
        } catch let error as LedgerError {
            throw RunError(.dataError, error.description)
        }
        guard let whole else {
            throw RunError(.usage, "there is no report '\(report)': \(ReportRegistry.names.joined(separator: ", "))")
        }
        return whole
    }

    /// The table of a report that was asked for, else all of it.
    private func excerpt(of document: ReportDocument) throws(RunError) -> ReportDocument {
        guard let table else { return document }
        return try document.excerpt(of: table)
    }

    /// Records of each failure in formats for people.
    private static let usualExampleCount = 3

    private func rules(
        trust: String,
        bundleIDs: [String],
        for renderer: (any Renderer)?
    ) throws -> LedgerRules {
        var (rules, warnings) = try finance.rules(for: report)
        rules.trust = trust
        rules.bundleIDs = bundleIDs
        // What programs read must not depend on how sources are called; people want something to look at.
        let isForPeople = renderer.map { type(of: $0).isForPeople } ?? false
        rules.exampleCount = exampleCount ?? (isForPeople ? Self.usualExampleCount : 0)
        if let weeksPerMonthMillionths { rules.weeksPerMonthMillionths = weeksPerMonthMillionths }
        if !rejects.isQuiet { for line in warnings { Output.writeError(line) } }
        return rules
    }
}

extension InputSummary {
    init(_ progress: ReadProgress) {
        self.init(
            documents: progress.documents,
            accepted: progress.accepted,
            rejected: progress.rejected,
            bytes: progress.bytes,
            foreign: progress.foreign
        )
    }
}
