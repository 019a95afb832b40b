import TillLedger
import TillReports
public import TillStorage

extension PartialMerge {
    /// Settles the ledger of all partials and writes the report as one run over all inputs would have.
    public func write(
        _ settling: ReportSettling,
        _ outputs: ReportOutputs,
        digests: InputDigests? = nil,
        allowance: MemoryAllowance? = nil
    ) throws -> ExitStatus {
        try outputs.check(rejects: nil, inputs: files, files: settling.settings.sideFiles)
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
        let isReadable = input.rejected == 0 || input.accepted > 0
        if !isReadable { Output.writeError("tillroll: no document could be read") }
        if let path = outputs.path, path != "-", !isReadable {
            Output.writeError("tillroll: \(path) is not written")
            return .dataError
        }
        let alerts = try report.write(takeLedger(), input, digests: digests)
        return alerts.status(after: isReadable ? .finished : .dataError, isQuiet: false)
    }

    /// Throws where the partials lack rows that the rules count, since they were left out while reading.
    private func check(_ wanted: [GivenOption]) throws(RunError) {
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
}
