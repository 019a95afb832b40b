import TillCore
import TillInput
import TillLedger
import TillPricing
import TillRender
import TillReportModel
import TillReports
import TillStorage

/// A report whose options have been checked: its rules and its renderer. It turns a ledger into the output.
///
/// All errors in the options are found in its initializer, before the first byte is read.
struct PreparedReport {
    let settling: ReportSettling
    let outputs: ReportOutputs
    let environments: EnvironmentFilter
    var rules: LedgerRules
    /// `nil` if a partial is written.
    private let renderer: (any Renderer)?
    /// The number of threads that may settle and count.
    var jobs = ReadOptions().jobs
    /// The part of the input that was read, if it is a range.
    var readRange: ReadRange?
    /// Whether a request to stop ends the writing.
    var isInterruptible = true
    /// Whether the input has neither documents nor rows. Formats for people then have one line instead of empty
    /// sections; formats for programs are unchanged.
    var isOfNothing = false

    /// Reads the files of the settings and writes warnings about them to standard error.
    ///
    /// - Parameters:
    ///   - trust: how signatures are checked while reading.
    ///   - bundleIDs: the apps whose documents are read; none where all are.
    init(
        _ settling: ReportSettling,
        _ outputs: ReportOutputs,
        environments: EnvironmentFilter,
        trust: String,
        bundleIDs: [String],
        isQuiet: Bool = false
    ) throws {
        self.settling = settling
        self.outputs = outputs
        self.environments = environments
        renderer = try outputs.renderer(of: settling.report)
        let isForPeople = renderer.map { type(of: $0).isForPeople } ?? false
        let warnings: [String]
        (rules, warnings) = try settling.rules(trust: trust, bundleIDs: bundleIDs, isForPeople: isForPeople)
        rules.looksBack = outputs.alerts.contains(where: \.looksBack)
        if !isQuiet { for line in warnings { Output.writeError(line) } }
    }

    /// Throws if the report has no section of the name that is to be written alone; the report of an empty ledger has
    /// the same sections.
    func checkTable() throws {
        guard outputs.table != nil else { return }
        let nothing = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        var document = try document(of: Ledger(environments: environments).settle(rules), input: nothing)
        AlertLines(outputs.alerts, in: document).add(to: &document)
        _ = try outputs.excerpt(of: document)
    }

    /// - Parameter sums: the sums of the transactions, if the ledger does not have them.
    func document(
        of ledger: borrowing SettledLedger,
        _ sums: ReportSums? = nil,
        input: InputSummary
    ) throws -> ReportDocument {
        try settling.document(of: ledger, sums, input: input)
    }

    /// The options for reading rows; they must be equal in all partials of a report.
    var readingOptions: [GivenOption] {
        var options = [
            GivenOption("environment", environments.words.joined(separator: ",")), GivenOption("trust", rules.trust),
        ]
        options += GivenOption.bundleIDs(rules.bundleIDs)
        if let period = rules.period { options.append(GivenOption("period", period.bounds)) }
        if settling.groupsByAppVersion(rules) {
            options.append(GivenOption("by", GroupKey.appVersion.rawValue))
        }
        return options
    }

    /// Writes the report, the explanation or the partial, and the manifest; returns the figures above a limit.
    ///
    /// - Parameters:
    ///   - digests: the digests of the inputs, where a manifest is written.
    ///   - beforeOutput: is called when the report is settled, before its first byte is written.
    func write(
        _ ledger: consuming SpillingLedger,
        _ input: InputSummary,
        digests: InputDigests?,
        beforeOutput: () throws -> Void = {}
    ) throws -> AlertLines {
        guard outputs.writesPartial, !outputs.closesPartial else {
            let settled = try ledger.settle(rules, jobs: jobs)
            return try write(nil, settled, input, digests: digests, beforeOutput: beforeOutput)
        }
        var manifest = try manifest(input, rowCount: ledger.ledger.rowCount)
        if outputs.partPath != nil {
            manifest.describePart(
                .init(
                    foreign: input.foreign,
                    trust: ledger.ledger.trust,
                    newest: ledger.ledger.newestDocument,
                    isOfNothing: isOfNothing,
                    range: readRange
                )
            )
        }
        try beforeOutput()
        let head = head(ledger.ledger.needs, files: manifest.files)
        manifest.output = try writeOutput { write in
            if let division = outputs.division {
                try Self.write(ledger.ledger, in: division, head, input, to: write)
            } else {
                try PartialFile.write(head, input, &ledger, to: write)
            }
        }
        manifest.counts.append(("unique_transactions", ledger.uniqueCount))
        try write(manifest, digests)
        return AlertLines()
    }

    /// Writes the report, the explanation or the closed partial of a settled ledger, and the manifest.
    ///
    /// - Parameter sums: the sums of the transactions, if the ledger does not have them.
    func write(
        _ sums: ReportSums?,
        _ ledger: borrowing SettledLedger,
        _ input: InputSummary,
        digests: InputDigests?,
        beforeOutput: () throws -> Void = {}
    ) throws -> AlertLines {
        outputs.log?.settle(input, newest: ledger.recordSpan?.upperBound)
        var manifest = try manifest(input, rowCount: ledger.rowCount)
        manifest.counts.append(("unique_transactions", ledger.uniqueCount))
        var lines = AlertLines()
        if let renderer {
            var document = try document(of: ledger, sums, input: input)
            document.origin = manifest.origin(inputs: digests)
            lines = AlertLines(outputs.alerts, in: document)
            // People read them on standard error.
            if !type(of: renderer).isForPeople || outputs.table != nil { lines.add(to: &document) }
            try beforeOutput()
            manifest.output = try write(document, with: renderer)
            if let path = outputs.alertPath { try lines.write(to: path) }
        } else {
            let counted = try sums ?? settling.sums(of: ledger)
            try beforeOutput()
            let head = head(ledger.needs, files: manifest.files)
            manifest.output = try writeOutput { write in
                if let division = outputs.division {
                    try self.write(counted, ledger, in: division, head, input, to: write)
                } else {
                    try PartialFile.write(head, input, ledger, counted, to: write)
                }
            }
        }
        try write(manifest, digests)
        return lines
    }

    private func manifest(_ input: InputSummary, rowCount: Int) throws -> Manifest {
        let closed = outputs.closesPartial ? "--closed " : ""
        var manifest = Manifest(
            command: (outputs.writesPartial ? "report --partial \(closed)" : "report ") + settling.report
        )
        manifest.options = readingOptions + settling.settings.given
        if outputs.writesPartial || outputs.manifestPath != nil { manifest.files = try settling.settings.readFiles() }
        manifest.counts = [
            ("documents", input.documents), ("accepted", input.accepted), ("rejected", input.rejected),
            ("bytes", input.bytes), ("transactions", rowCount),
        ]
        return manifest
    }

    private func write(_ manifest: Manifest, _ digests: InputDigests?) throws {
        outputs.log?.manifest = manifest
        outputs.log?.inputs = digests
        if let path = outputs.partPath { try Output.write(manifest.text(inputs: InputDigests()), to: path) }
    }

    /// Writes the shares of an open partial.
    private static func write(
        _ ledger: borrowing Ledger,
        in division: PartialDivision,
        _ head: PartialHead,
        _ input: InputSummary,
        to write: ([UInt8]) throws -> Void
    ) throws {
        let key: ShareKey = division.key == .chains ? .chains : .transactions
        var shares = LedgerShares(ledger, by: key, count: division.count)
        try division.write(to: write) { share in
            try PartialFile.write(head, Self.input(input, of: share), share, of: &shares, ledger, to: write)
        }
    }

    /// Writes the shares of a closed partial. The first share has the other data of the ledger.
    private func write(
        _ sums: ReportSums,
        _ ledger: borrowing SettledLedger,
        in division: PartialDivision,
        _ head: PartialHead,
        _ input: InputSummary,
        to write: ([UInt8]) throws -> Void
    ) throws {
        let nothing = Ledger(environments: environments, needs: head.needs).settle(rules)
        try division.write(to: write) { number in
            let (share, input) = (sums.share(number, of: division.count, ledger.rules), Self.input(input, of: number))
            return number == 0
                ? try PartialFile.write(head, input, ledger, share, to: write)
                : try PartialFile.write(head, input, nothing, share, to: write)
        }
    }

    /// The document counts of a share: the first share has all counts.
    private static func input(_ input: InputSummary, of share: Int) -> InputSummary {
        share == 0 ? input : InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
    }

    private func write(_ document: ReportDocument, with renderer: any Renderer) throws -> ContentDigest? {
        var shown = try outputs.excerpt(of: document)
        if isOfNothing, type(of: renderer).isForPeople {
            // Standard error says it.
            if (outputs.path ?? "-") == "-", !type(of: renderer).isPage {
                return outputs.manifestPath.map { _ in ContentDigest() }
            }
            shown.sections = []
            shown.children = []
            shown.closing = { ClosingSchedules() }
            shown.notes = ["The input holds no documents."]
        }
        return try writeOutput(pagedTo: isInterruptible ? outputs.pageHeight(renderer) : nil) { write in
            try renderer.write(shown, outputs.renderOptions(jobs: jobs)) { piece in
                guard !isInterruptible || !Interruption.isRequested else {
                    throw Finding(.interrupted, source: settling.report, reason: "interrupted")
                }
                try write(piece)
            }
        }
    }

    /// Writes to where the output goes; gives its digest, where a manifest is written.
    private func writeOutput(
        pagedTo height: Int? = nil,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws -> ContentDigest? {
        var digest = outputs.manifestPath.map { _ in ContentDigest() }
        try Output.write(to: outputs.path, pagedTo: height, digest: &digest, body)
        return digest
    }

    private func head(_ needs: LedgerNeeds, files: [NamedFile]) -> PartialHead {
        var head = PartialHead(
            report: settling.report,
            reading: readingOptions,
            needs: needs,
            settling: settling.settings.given
        )
        head.files = files
        return head
    }
}
