import TillCore
import TillInput
import TillLedger
import TillPricing
import TillReports
import TillStorage

extension PreparedReport {
    /// Reads the closed months of `--closed` into the rules.
    ///
    /// - Returns: a manifest if its documents must still be read; until then the rules have closed months with the same
    ///   sections.
    mutating func readClosed(_ allowance: MemoryAllowance?) throws -> ClosedManifest? {
        guard let reader = try closedReader(allowance) else { return nil }
        switch try reader.open() {
        case .report(let bytes): rules.closed = try reader.months(ofReport: bytes)
        case .partial(let file):
            rules.closed = try reader.months(of: ClosedLedger(file, path: reader.path, allowance))
        case .manifest(let manifest):
            let nothing = ClosedScope(Period(from: nil, until: Timestamp(milliseconds: .min)))
            rules.closed = ClosedMonths(name: reader.name, scope: nothing, tellsTransactions: true)
            return manifest
        }
        return nil
    }

    /// Reads the documents of a manifest, and the closed months from them.
    mutating func replay(_ manifest: ClosedManifest?, _ inputs: ReportInputs, _ files: [InputFile]) async throws {
        guard let manifest, let reader = try closedReader(inputs.allowance) else { return }
        let ledger = try await reader.ledger(of: manifest, inputs, files)
        var months = try reader.months(of: ledger)
        if manifest.version != Tool.version {
            months.notes.append(
                "\(reader.name) is of version \(manifest.version); its figures are settled here by the rules of version "
                    + "\(Tool.version)."
            )
        }
        rules.closed = months
    }

    private func closedReader(_ allowance: MemoryAllowance?) throws(RunError) -> ClosedMonthsReader? {
        guard let path = settling.settings[.closed] else { return nil }
        guard ReportRegistry.comparesEarlierFigures(settling.report) else {
            throw RunError(.usage, "--closed belongs to the report revenue, not to \(settling.report)")
        }
        guard !outputs.writesPartial else {
            throw RunError(
                .usage,
                "--partial writes no figures; give --closed to 'tillroll merge', where the report is made"
            )
        }
        guard settling.explained == nil, settling.explainedFailures == nil else {
            throw RunError(.usage, "--explain lists the transactions of one run; --closed goes with the report")
        }
        return ClosedMonthsReader(
            path: path,
            settings: settling.settings,
            rules: rules,
            environments: environments,
            allowance: allowance
        )
    }
}
