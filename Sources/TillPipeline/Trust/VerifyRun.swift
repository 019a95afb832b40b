import TillInput
import TillRender
import TillRows

/// One `tillroll verify`: reports the signer of each document, and whether it is trusted.
public struct VerifyRun: Sendable {
    /// The forms of the output.
    public enum Format: String, CaseIterable, Sendable {
        case table, ndjson

        /// The form that the ending of a file means.
        init?(fileExtension: String) {
            switch fileExtension.lowercased() {
            case "txt": self = .table
            case "ndjson", "jsonl": self = .ndjson
            default: return nil
            }
        }
    }

    /// Files, folders and `-`; none is standard input.
    public var inputs: [String]
    /// The options for reading and for the check of signatures; ``run()`` sets the needs and the limit of rejects.
    public var reading = ReadOptions()
    /// `nil` to go by the name of the output, else the table.
    public var format: Format?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    /// The file of the rejects, and the number of them that is allowed.
    public var rejects = RejectOptions()
    /// Whether the run also ends with ``ExitStatus/finished`` if a document is untrusted or unsigned.
    public var reportsOnly = false
    /// Whether standard error shows the progress: a redrawn line on a terminal, else a log line every two seconds.
    public var showsProgress = false

    /// Makes a run that checks no signature until `reading.signatures` asks for it.
    public init(inputs: [String]) {
        self.inputs = inputs
    }

    /// Runs to the end; memory does not grow with documents.
    ///
    /// - Returns: ``ExitStatus/dataError`` if there are too many rejects; else ``ExitStatus/checkFailed`` if a document is
    ///   untrusted or unsigned and ``reportsOnly`` is false; else ``ExitStatus/finished``.
    public func run() async throws -> ExitStatus {
        let format =
            try self.format
            ?? Output.format(byEndingOf: outputPath, hint: "name table or ndjson with -t") { Format(fileExtension: $0) }
        try OutputPaths.SideFile.checkStandardInput(reading.signatures.sideFiles, besides: inputs)
        let trust = try reading.signatures.policy()
        let files = try RunAccount.files(inputs, rejects: rejects)
        try OutputPaths(outputPath, called: "the result", rejects: rejects.path)
            .check(inputs: files, files: reading.signatures.sideFiles)
        let account = try RunAccount(files, rejects: rejects, showsProgress: showsProgress)
        let consumer: VerifyConsumer
        do {
            consumer = try VerifyConsumer(account: account, format: format ?? .table, outputPath: outputPath)
        } catch is VerifyConsumer.OutputClosed {
            try account.finishRejects()
            return .finished
        }
        var reading = reading
        reading.rejectLimit = rejects.neededOfChunk
        reading.needs = .signers
        // Rows have no signature, and their column of trust is no verdict of this run.
        reading.rows.isRefused = true
        var stream = DocumentStream(files, options: reading, trust: trust, consumer: consumer)
        do {
            try await account.keepingRejects { try await account.read(&stream) }
        } catch is VerifyConsumer.OutputClosed {
            // The reader of standard output has closed the pipe, so the rest is not needed.
            try account.finishRejects()
            return .finished
        }
        try account.finishRejects()
        if account.finishes(outputPath, stream.progress) { try stream.consumer.output.finish() }
        let tally = stream.consumer.tally
        let status = account.status(stream.progress, output: outputPath)
        if !rejects.isQuiet {
            for line in tally.lines(stream.progress) { Output.writeError(line) }
        }
        // Unreliable input takes precedence, as in a report with alerts.
        return status == .finished && !reportsOnly && tally.failed > 0 ? .checkFailed : status
    }
}

/// The totals of a run.
struct VerifyTally {
    private var verdicts: [Word: Int] = [:]
    private var codes: [String: Int] = [:]

    /// Documents that fail the run. Unanchored ones do not: legacy receipts have no chain.
    var failed: Int { verdicts[.untrusted, default: 0] + verdicts[.unsigned, default: 0] }

    mutating func count(_ document: VerifiedDocument) {
        if let trust = document.trust { verdicts[trust, default: 0] += 1 }
        if let code = document.code { codes[code, default: 0] += 1 }
    }

    func lines(_ progress: ReadProgress) -> [String] {
        let order: [Word] = [.trusted, .untrusted, .unanchored, .unsigned, .unchecked]
        let counts = order.compactMap { word in verdicts[word].map { "\($0) \(word.text)" } }
        let documents = "\(progress.documents) document\(progress.documents == 1 ? "" : "s")"
        var lines = ["tillroll: " + ([documents] + counts).joined(separator: ", ")]
        if !codes.isEmpty {
            let sorted = codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            lines.append("    " + sorted.map { "\($0.key) ×\($0.value)" }.joined(separator: ", "))
        }
        return lines
    }
}

/// Writes a line for each document as it comes, and keeps rejects as every run does.
struct VerifyConsumer: AccountedConsumer {
    /// Thrown when the reader of the output has gone.
    struct OutputClosed: Error {}

    /// Where lines go; a class, since a stream cannot be copied.
    final class Lines {
        private var stream: OutputStream

        init(_ path: String?) throws(RunError) { stream = try OutputStream(path) }

        func write(_ lines: [UInt8]) throws {
            try stream.write(lines)
            if stream.isClosed { throw OutputClosed() }
        }

        func finish() throws(RunError) { try stream.finish() }
    }

    let account: RunAccount
    let output: Lines
    private let format: VerifyRun.Format
    private(set) var tally = VerifyTally()

    init(account: RunAccount, format: VerifyRun.Format, outputPath: String?) throws {
        self.account = account
        self.format = format
        output = try Lines(outputPath)
        if format == .table { try output.write(Array((VerifiedDocument.heading + "\n").utf8)) }
    }

    mutating func consume(_ rows: borrowing RowBatch, source: String, firstDocument: Int, count: Int) throws {
        account.count(count, from: firstDocument, of: source)
        var lines: [UInt8] = []
        for document in VerifiedDocument.documents(in: rows, source: source, firstDocument: firstDocument) {
            tally.count(document)
            lines += format == .ndjson ? document.json : Array((document.text.madeVisible + "\n").utf8)
        }
        if !lines.isEmpty { try output.write(lines) }
    }
}
