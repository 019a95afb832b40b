import TillCore
import TillInput
import TillLedger
import TillReceipts
import TillRender

/// The account of a run in every reading command: rejects, documents by source, progress.
final class RunAccount {
    private let rejects: RejectOptions
    private let progress: ProgressLine
    /// Whether the result is about transactions and renewals, so that it is refused where all of them were rejected for
    /// trust.
    private let needsSignedRows: Bool
    private var rejectFile: OutputFile?
    private var summary = RejectSummary()
    private var repeats = RepeatedRejects()
    private var line = RejectLine()
    /// Documents of each source; of one that is read twice, both times.
    private var documents: [String: Int] = [:]
    private var documentsBefore: [String: Int] = [:]

    /// Begins a run over `files`; the file of the rejects is made now, so that a run does not fail at its end.
    init(
        _ files: [InputFile],
        rejects: RejectOptions,
        showsProgress: Bool,
        needsSignedRows: Bool = false
    ) throws(RunError) {
        self.rejects = rejects
        self.needsSignedRows = needsSignedRows
        rejects.log?.isChecked = true
        let sizes = files.map(\.size)
        let total = sizes.contains(nil) ? nil : sizes.compactMap(\.self).reduce(0, +)
        progress = ProgressLine(isShown: showsProgress, total: total)
        if let path = rejects.path { rejectFile = try OutputFile(path, isPrivate: true) }
    }

    /// The files that the operands of a command mean. Standard error names an entry of a folder that is no file, and a
    /// file whose bytes an earlier one has; neither is read.
    static func files(_ inputs: [String], rejects: RejectOptions) throws(Finding) -> [InputFile] {
        leavingOutRepeated(try allFiles(inputs, rejects: rejects), isQuiet: rejects.isQuiet)
    }

    /// The files to be read of those that are given: each with other bytes. Standard error names the others.
    static func leavingOutRepeated(_ files: [InputFile], isQuiet: Bool) -> [InputFile] {
        let (read, repeated) = InputFile.leavingOutRepeated(files)
        if !isQuiet, !repeated.isEmpty {
            let named = repeated.prefix(mostRepeatedNamed).map { "\($0.file.name) (as \($0.first.name))" }
            let rest = repeated.count > named.count ? ", and \(repeated.count - named.count) more" : ""
            Output.writeError(
                "tillroll: files with the bytes of an earlier one, not read again: \(repeated.count): "
                    + named.joined(separator: ", ") + rest
            )
        }
        return read
    }

    private static let mostRepeatedNamed = 20

    /// The files that the operands mean, also those with the same bytes.
    static func allFiles(_ inputs: [String], rejects: RejectOptions) throws(Finding) -> [InputFile] {
        if inputs.isEmpty || inputs.contains("-"), Terminal.inputIsTerminal, !rejects.isQuiet {
            Output.writeError("tillroll: reading from this terminal; Ctrl-D ends the input, Ctrl-C stops the command")
        }
        var hidden = ListedNames()
        let files = try InputFile.expand(inputs) { entry in
            // The listing of a folder that `convert` wrote is not input.
            if entry.isHidden, entry.name.hasSuffix("/\(OutputListing.name)") { return }
            if entry.isHidden { return hidden.add(entry.name) }
            if !rejects.isQuiet { Output.writeError("\(entry.name): passed over: \(entry.reason)") }
        }
        if hidden.count > 0, !rejects.isQuiet {
            Output.writeError("tillroll: names that begin with a dot, passed over: \(hidden.count): \(hidden.text)")
        }
        return files
    }

    /// The files that the operands mean; the only one is called `sourceName` if that is given.
    ///
    /// - Throws: a ``RunError`` if a range or a name is given, and there is not exactly one file.
    static func files(
        _ inputs: [String],
        _ reading: ReadOptions,
        calling sourceName: String?,
        rejects: RejectOptions
    ) throws -> [InputFile] {
        let files = try allFiles(inputs, rejects: rejects)
        for (option, isGiven) in [("--range", reading.range != nil), ("--source", sourceName != nil)]
        where isGiven && files.count != 1 {
            throw RunError(.usage, "\(option) is for one file, but there are \(files.count) inputs")
        }
        let read = reading.range == nil ? leavingOutRepeated(files, isQuiet: rejects.isQuiet) : files
        return read.map { file in sourceName.map(file.named) ?? file }
    }

    func count(_ count: Int, from firstDocument: Int, of source: String) {
        rejects.log?.begin(source)
        if firstDocument == 1 { documentsBefore[source] = documents[source] }
        documents[source] = (documentsBefore[source] ?? 0) + firstDocument - 1 + count
    }

    /// Counts rejects of which only the codes are known.
    func count(_ rejects: [RejectList.CodeCount], source: String) { summary.count(rejects, source: source) }

    /// - Parameter sharesRaw: whether rejects of one place may have one raw document, which is then not written with
    ///   all of them.
    func write(_ reject: Reject, sharesRaw: Bool = true) throws(RunError) {
        summary.count(reject)
        guard rejectFile != nil else { return }
        let withRaw = rejects.keepsRaw && (!sharesRaw || repeats.keepsRaw(of: reject))
        try line.write(reject, withRaw: withRaw) { piece throws(RunError) in try rejectFile?.write(piece) }
    }

    func warn(_ warning: Warning) {
        if !rejects.isQuiet { Output.writeError("\(warning.source): \(warning.text)") }
    }

    func update(_ progress: ReadProgress) {
        self.progress.update(progress)
        rejects.log?.update(progress)
    }

    /// Runs `stream` to its end; the progress line is erased afterwards, also after an error.
    func read<Consumer: DocumentConsumer>(_ stream: inout DocumentStream<Consumer>) async throws {
        defer {
            progress.clear()
            rejects.log?.update(stream.progress)
        }
        try await stream.run()
    }

    func finishRejects() throws(RunError) {
        if let file = rejectFile.take() { try file.finish() }
    }

    /// Runs `body`. If that ends with ``ExitStatus/dataError``, the rejects so far are in their file and on standard
    /// error all the same, as after a result that is refused.
    func keepingRejects<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            if RunError(error)?.status == .dataError {
                try finishRejects()
                if !rejects.isQuiet { tellRejects() }
            }
            throw error
        }
    }

    /// Writes the rejects of each source to standard error.
    func tellRejects() {
        for line in summary.lines(documents: documents) { Output.writeError(line) }
    }

    /// Writes which files of folders hold no documents to standard error.
    func tell(foreignFiles files: ListedNames) {
        guard files.count > 0 else { return }
        let beginning = files.count == 1 ? "1 file is no dump" : "\(files.count) files are no dumps"
        Output.writeError("tillroll: \(beginning): \(files.text)")
    }

    /// The exit status of the run; writes its explanation to standard error.
    ///
    /// - Parameters:
    ///   - trust: the verdicts on signatures; `nil` if they decide about no booking.
    ///   - output: the file that is not put in place where the result is refused (``refusal(_:)``).
    ///   - ownRefusal: a reason of the command itself to refuse its result.
    func status(
        _ progress: ReadProgress,
        trust: TrustTally? = nil,
        output: String? = nil,
        ownRefusal: String? = nil
    ) -> ExitStatus {
        if !rejects.isQuiet {
            if let trust, trust.untrusted > 0 {
                Output.writeError(
                    "tillroll: untrusted documents, not booked: \(trust.untrusted) (transactions: "
                        + "\(trust.untrustedRows)); tillroll verify says why"
                )
            }
            if progress.refusedRows > 0 {
                Output.writeError("tillroll: rows that are not trusted, left out: \(progress.refusedRows)")
            }
            if progress.filteredRows > 0 {
                Output.writeError(
                    "tillroll: rows of other environments or times, left out: \(progress.filteredRows); a report on "
                        + "the written rows cannot include them"
                )
            }
            if progress.repeatedRecords > 0 {
                Output.writeError("tillroll: records that came before, left out: \(progress.repeatedRecords)")
            }
            if progress.foreign > 0 {
                Output.writeError("tillroll: documents of other apps, left out: \(progress.foreign)")
            }
            tellRejects()
            tell(foreignFiles: progress.foreignFiles)
            if progress.isOfNothing {
                Output.writeError("tillroll: the input holds no documents")
            }
        }
        guard let refusal = ownRefusal ?? refusal(progress) else { return .finished }
        Output.writeRefusal(refusal, of: output)
        return .dataError
    }

    /// Whether a result is finished: one that goes to standard output always, one that goes to a file unless it is
    /// refused.
    func finishes(_ output: String?, _ progress: ReadProgress) -> Bool {
        (output ?? "-") == "-" || refusal(progress) == nil
    }

    /// Why the result of the run is refused: the run ends with ``ExitStatus/dataError``, and no output file is put in
    /// place. `nil` if the result stands.
    func refusal(_ progress: ReadProgress) -> String? {
        if let excess = rejects.allowance.excess(progress.rejected, of: progress.documents) { return excess }
        if rejects.isStrict, progress.isOfNothing { return "--strict allows no input without documents" }
        let hasUnread = progress.rejected > 0 || progress.isOfNothing && progress.foreignFiles.count > 0
        if hasUnread, progress.accepted == 0, !rejects.isOfPart { return "no document could be read" }
        if progress.refusedRows > 0, progress.storedRows == 0, progress.accepted == 0 { return "no row is trusted" }
        let isRefused = summary.hasTrustRejects || progress.refusedRows > 0
        if needsSignedRows, isRefused, progress.signableRows == 0, !rejects.isOfPart {
            return "no document with transactions or renewals is trusted"
        }
        return nil
    }
}

/// A consumer that leaves everything but rows to the account of the run.
protocol AccountedConsumer: DocumentConsumer {
    var account: RunAccount { get }
}

extension AccountedConsumer {
    func consume(_ reject: Reject) throws { try account.write(reject) }
    func consume(_ rejects: [RejectList.CodeCount], source: String) { account.count(rejects, source: source) }
    func consume(_ warning: Warning) { account.warn(warning) }
    func report(_ progress: ReadProgress) { account.update(progress) }
}

/// The options for rejects: their file, the number that is allowed, and the messages about them.
public struct RejectOptions: Sendable {
    /// The path of the file of rejects; `nil` writes none.
    public var path: String?
    /// Whether the documents themselves are written, or only their defects.
    public var keepsRaw = true
    /// The number or share of rejects with which a run still ends well; any number by default.
    public var allowance = RejectAllowance.any
    /// Whether standard error has no line about rejects and no warning; an exceeded ``allowance`` is still reported.
    public var isQuiet = false
    /// Whether an input without documents is a failure.
    public var isStrict = false
    /// Receives the counts of the run; `nil` if they are not needed.
    public var log: RunLog?
    /// Whether the input is one part of a larger run. A part without a readable document is not a failure.
    public var isOfPart = false

    /// Options of a first reading, whose rejects the second one reports.
    static var quiet: RejectOptions {
        var rejects = RejectOptions()
        rejects.isQuiet = true
        return rejects
    }

    /// How many rejects of a chunk are needed in full: where they are not written to a file, only those that standard
    /// error shows.
    var neededOfChunk: Int { path == nil ? RejectSummary.shown : .max }

    /// Makes options that write no file, allow any number of rejects, and name them on standard error.
    public init() {}
}
