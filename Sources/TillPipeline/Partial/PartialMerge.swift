import TillCore
import TillInput
public import TillLedger
public import TillReports
public import TillStorage

/// The joined partials of a report: one ledger, and the heads of all partials.
public final class PartialMerge {
    /// The head of the first partial; the others agree with it, except in the options that the merge replaces.
    public let head: PartialHead
    /// The document counts of all partials together.
    public let input: InputSummary
    /// Whether the partials are open or closed.
    public let kind: PartialKind
    private var ledger: SpillingLedger?
    /// The sums of closed partials, file by file.
    private let sums: [(file: String, sections: SumSections)]

    /// Reads partials; all of them must be parts of one report.
    ///
    /// - Parameters:
    ///   - chosen: names of options by which the report will be settled, instead of the options of the partials.
    ///   - environments: those whose transactions count; `nil` for those of the partials.
    ///   - allowance: the most memory that the ledger may take; `nil` for no limit.
    ///   - before: the numbers of documents and lines before each partial's range; empty if no partial has a range.
    public convenience init(
        _ paths: [String],
        choosing chosen: Set<String>,
        environments: EnvironmentFilter? = nil,
        allowance: MemoryAllowance? = nil,
        digests: InputDigests? = nil,
        behind before: [PlacesBefore] = []
    ) throws {
        let files = try InputFile.expand(paths)
        guard before.isEmpty || before.count == files.count else {
            throw RunError(.usage, "--before is for \(before.count) partials, but there are \(files.count)")
        }
        // Parts of one file may be the same, but are at other places.
        try self.init(
            files: before.isEmpty ? RunAccount.leavingOutRepeated(files, isQuiet: false) : files,
            choosing: chosen,
            environments: environments,
            allowance: allowance,
            digests: digests,
            behind: before
        )
    }

    private init(
        files: [InputFile],
        choosing chosen: Set<String>,
        environments: EnvironmentFilter?,
        allowance: MemoryAllowance?,
        digests: InputDigests?,
        behind before: [PlacesBefore]
    ) throws {
        var first: PartialHead?
        var ledger = SpillingLedger(Ledger())
        var input = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        var kind = PartialKind.open
        var sums: [(file: String, sections: SumSections)] = []
        var counts = CountAllowance()
        for (number, file) in files.enumerated() {
            do {
                var reader = try PartialReader(file, observer: digests)
                let head = try Self.head(&reader)
                if let first {
                    try Self.check(reader.kind, of: file, with: kind, of: files[0])
                    // Closed partials are settled already: no option can be replaced.
                    let chosen = kind == .closed ? nil : chosen
                    if let difference = head.difference(from: first, named: files[0].name, choosing: chosen) {
                        throw RunError(.usage, "\(file.name): \(difference)")
                    }
                } else {
                    first = head
                    kind = reader.kind
                    ledger = SpillingLedger(
                        Ledger(environments: environments ?? head.environments, needs: head.needs),
                        // The ledger data of a closed partial is not larger than the report.
                        allowance: kind == .open ? allowance : nil
                    )
                }
                let place = before.isEmpty ? PlacesBefore() : before[number]
                let part = try Self.read(&reader, head, behind: place, within: &counts, into: &ledger)
                input.add(part.input)
                if kind == .closed { sums.append((file.name, part.sums)) }
                try ledger.spillIfNeeded()
            } catch {
                throw Self.naming(file.name, error)
            }
        }
        guard let first else { throw RunError(.noInput, "the inputs contain no partials") }
        head = first
        self.input = input
        self.kind = kind
        self.sums = sums
        self.ledger = consume ledger
    }

    /// Throws if one partial is open and the other closed.
    private static func check(
        _ kind: PartialKind,
        of file: InputFile,
        with other: PartialKind,
        of first: InputFile
    ) throws(RunError) {
        guard kind != other else { return }
        let (open, closed) = kind == .open ? (file.name, first.name) : (first.name, file.name)
        throw RunError(
            .usage,
            "\(closed) is closed and \(open) is not: the sums of a closed partial count transactions of which \(open) may hold "
                + "copies; write both with --partial, or both with --partial --closed"
        )
    }

    /// Joins the sums of closed partials after the rules are known; returns a ledger with their other data.
    ///
    /// - Parameter sums: empty ones.
    func join(_ sums: inout ReportSums, _ rules: LedgerRules) throws -> SettledLedger {
        // How recent the data are decides where an open period ends.
        var common = sums
        try read([ReportSums.common], into: &common)
        let rules = try common.knowingNewest(rules)
        sums = sums.empty(rules)
        try read(sums.sections, into: &sums)
        return takeLedger().settle(rules, counted: sums.uniqueTransactions, paired: sums.pairedVerifications)
    }

    private func read(_ names: [String], into joined: inout ReportSums) throws {
        var allowance = SumAllowance()
        for (file, sections) in sums {
            do {
                for name in names {
                    try sections.read(name, within: &allowance) { reader in try joined.visit(name, &reader) }
                }
            } catch {
                throw Self.naming(file, error)
            }
        }
    }

    /// The ledger of all parts, once.
    func takeLedger() -> SpillingLedger { ledger.take() ?? SpillingLedger(Ledger()) }

    /// The head of a partial.
    static func head(of file: InputFile) throws -> PartialHead {
        do {
            var reader = try PartialReader(file)
            return try head(&reader)
        } catch {
            throw naming(file.name, error)
        }
    }

    /// The error of a defect in a partial, with the name of its file; other errors as they are.
    private static func naming(_ file: String, _ error: any Error) -> any Error {
        guard let error = error as? Finding, error.cause == .defect else { return error }
        return RunError(.dataError, "\(file): at \(error.offset): \(error.message)")
    }

    private static func head(_ reader: inout PartialReader) throws -> PartialHead {
        guard let block = try reader.next(), block.kind == PartialFile.head else {
            throw Finding("partial.missing-block", at: reader.offset, "there is no HEAD")
        }
        let head = try reader.withPayload { payload throws(Finding) in
            try PartialHead(payload, offset: block.offset)
        }
        guard head.needs == ReportRegistry.needs(of: head.report), ReportRegistry.names.contains(head.report) else {
            throw Finding(
                "partial.value",
                at: block.offset,
                "it is a part of a report that this tillroll does not make"
            )
        }
        return head
    }

    /// Reads what follows the head.
    private static func read(
        _ reader: inout PartialReader,
        _ head: PartialHead,
        behind before: PlacesBefore,
        within allowance: inout CountAllowance,
        into ledger: inout SpillingLedger
    ) throws -> (input: InputSummary, sums: SumSections) {
        var decoder = PartialDecoder(behind: before, within: allowance)
        var input: InputSummary?
        while let block = try reader.next() {
            if block.kind == PartialFile.input, input == nil {
                input = try reader.withPayload { payload throws(Finding) in
                    try PartialFile.input(payload, offset: block.offset, within: &decoder.allowance)
                }
                continue
            }
            guard let kind = PartialBlock(rawValue: block.kind), kind.isPart(of: reader.kind) else {
                throw Finding("partial.block", at: block.offset - 8, "there is no such block")
            }
            try reader.withPayload { payload throws(Finding) in
                try decoder.decode(kind, payload, offset: block.offset, into: &ledger.ledger)
            }
            try ledger.spillIfNeeded(keepingTexts: true)
        }
        allowance = decoder.allowance
        let sums = try decoder.finish(offset: reader.offset)
        guard let input else { throw Finding("partial.missing-block", at: reader.offset, "there is no INPT") }
        return (input, sums)
    }
}
