import TillInput
import TillLedger
import TillReports
public import TillStorage

extension PartialMerge {
    /// Throws if an output would replace a file that is read, if it cannot be created, or if standard input is named
    /// twice; to be called before the partials are read.
    public static func check(_ paths: [String], _ settings: Settings, _ outputs: ReportOutputs) throws {
        try OutputPaths.SideFile.checkStandardInput(settings.sideFiles, besides: paths)
        try outputs.check(rejects: nil, inputs: InputFile.expand(paths), files: settings.sideFiles)
    }

    /// Settles the ledger of all partials and writes the report as one run over all inputs would have.
    public func write(
        _ settling: ReportSettling,
        _ outputs: ReportOutputs,
        digests: InputDigests? = nil,
        allowance: MemoryAllowance? = nil
    ) throws -> ExitStatus {
        var outputs = outputs
        if kind == .closed {
            guard !outputs.closesPartial, outputs.division == nil else {
                throw RunError(.usage, "the partials are closed already; only open ones are closed or divided")
            }
            outputs.closesPartial = true
        }
        var report = try PreparedReport(
            settling,
            outputs,
            environments: head.environments,
            trust: head.trust,
            bundleIDs: head.bundleIDs
        )
        guard try report.readClosed(allowance) == nil else {
            throw RunError(
                .usage,
                "--closed takes no manifest here: it is compared with the documents themselves, and partials have none; give "
                    + "the closed report in JSON or a partial of it"
            )
        }
        try report.checkTable()
        try check(report.readingOptions)
        if kind == .closed { try checkSettled(settling.settings) }
        let isReadable = input.rejected == 0 || input.accepted > 0
        if !isReadable {
            Output.writeRefusal("no document could be read", of: outputs.path)
            if (outputs.path ?? "-") != "-" { return .dataError }
        }
        let alerts = try write(report, digests)
        return alerts.status(after: isReadable ? .finished : .dataError)
    }

    private func write(_ report: PreparedReport, _ digests: InputDigests?) throws -> AlertLines {
        switch kind {
        case .open: return try report.write(takeLedger(), input, digests: digests)
        case .closed:
            guard var sums = ReportSums(named: report.settling.report, report.rules) else { return AlertLines() }
            let ledger = try join(&sums, report.rules)
            if sums.comparesLineItems, !report.outputs.writesPartial {
                Output.writeError(
                    "tillroll: charges under two original ids (same_line_item) were not looked for: closed partials "
                        + "hold no transactions; merge open partials to find them"
                )
            }
            return try report.write(sums, ledger, input, digests: digests)
        }
    }

    /// Throws if an option differs from the options by which closed partials were settled.
    private func checkSettled(_ settings: Settings) throws {
        var wanted = head
        (wanted.settling, wanted.files) = (settings.given, try settings.readFiles())
        guard let name = wanted.settledDifference(from: head) else { return }
        throw RunError(
            .usage,
            "--\(name): the partials are closed, and were settled with another --\(name) or without it; write them "
                + "again with this --\(name)"
        )
    }

    /// Throws if the rules need rows that were omitted when the partials were read.
    private func check(_ wanted: [GivenOption]) throws(RunError) {
        for name in ["period", "by"] {
            let (read, asked) = (head.reading.first { $0.name == name }, wanted.first { $0.name == name })
            guard read != asked, asked != nil || name == "period" else { continue }
            let remedy = asked == nil ? "without a period" : "with this \(name == "by" ? "--by" : name)"
            throw RunError(
                .usage,
                "the partials were written with \(read.map { "\(name) \($0.value)" } ?? "no \(name)"), not with "
                    + "\(asked?.value ?? "none"); write them again \(remedy)"
            )
        }
    }
}
