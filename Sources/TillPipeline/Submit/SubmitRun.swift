import TillCore
import TillInput
public import TillSubmit

/// One `tillroll submit`: sends the receipts of the inputs to a verifyReceipt endpoint and writes the answers.
public struct SubmitRun: Sendable {
    /// Files, folders and `-`; none is standard input.
    public var inputs: [String]
    /// The options for reading; their `jobs` is the number of requests at once, while one job reads.
    public var reading = ReadOptions()
    /// The endpoints to which receipts are sent, and the number of retries.
    public var verifier: Verifier
    /// The file with the shared secret; `nil` sends none.
    public var passwordPath: String?
    /// Milliseconds for a request with its answer.
    public var timeout = SubmitRun.usualTimeout
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    /// Whether the answers in the file of a run that did not end are kept, and not asked for again.
    public var resumes = false
    /// The file of the rejects, and the number of them that is allowed; a receipt without an answer is a reject.
    public var rejects = RejectOptions()
    /// Whether standard error shows the progress: a redrawn line on a terminal, else a log line every two seconds.
    public var showsProgress = false

    /// The default of ``timeout``: 30 seconds, in milliseconds.
    public static let usualTimeout = 30_000
    /// Bytes of the longest file with a shared secret.
    private static let longestSecret = 4096

    /// Makes a run that reads no shared secret from a file, and writes the answers to standard output.
    public init(inputs: [String], verifier: Verifier) {
        (self.inputs, self.verifier) = (inputs, verifier)
    }

    /// Runs to the end; memory does not grow with documents.
    public func run() async throws -> ExitStatus {
        var verifier = verifier
        let secretFile = passwordPath.map { OutputPaths.SideFile(option: "--password-file", path: $0) }
        let files = try checkedFiles(secretFile)
        let (endOfRun, userAgent, timeout) = (Self.isOver, "tillroll/\(Tool.version)", timeout)
        let room = AnswerRoom(requests: reading.jobs)
        let makeClient: @Sendable () throws(Finding) -> CurlClient = { () throws(Finding) in
            try CurlClient(userAgent: userAgent, timeout: timeout, room: room, isOver: endOfRun)
        }
        do {
            // A missing library is reported before anything is read.
            _ = try makeClient()
        } catch {
            throw RunError(.cannotCreate, error.reason)
        }
        if let passwordPath { verifier.secret = try secret(in: passwordPath) }
        let account = try RunAccount(files, rejects: rejects, showsProgress: showsProgress)
        let writesToStandardOutput = (outputPath ?? "-") == "-"
        let output = try AnswerFile(outputPath, resumes: resumes, verifier)
        try await check(output.held, files)
        let sender = OrderedSender(
            ReceiptSender(verifier, width: reading.jobs, share: room.share, makeClient: makeClient),
            width: reading.jobs,
            account: account,
            output: output,
            isLive: writesToStandardOutput && files.contains { $0.name == "-" }
        )
        var reading = reading
        reading.needs = writesToStandardOutput ? [.traces, .pauses] : .traces
        reading.rows.isRefused = true
        // One worker is enough, because most of the time is spent on the network.
        reading.jobs = 1
        var stream = DocumentStream(files, options: reading, consumer: SubmitConsumer(sender, account: account))
        do {
            try await account.keepingRejects {
                try await account.read(&stream)
                try stream.consumer.finish()
            }
        } catch is SubmitConsumer.OutputClosed {
            // The reader of standard output has gone: the rest is not sent.
            try account.finishRejects()
            return .finished
        } catch {
            tellUnfinished(sender)
            throw error
        }
        return try finish(sender, account, stream.progress)
    }

    /// Throws if some held answers belong to no receipt of the inputs, which are read once for that.
    private func check(_ held: HeldAnswers, _ files: [InputFile]) async throws {
        guard held.count > 0 else { return }
        guard files.allSatisfy({ $0.size != nil }) else {
            throw RunError(
                .usage,
                "--resume reads the inputs twice, which is not possible for standard input or a pipe; name files"
            )
        }
        var reading = reading
        (reading.needs, reading.rows.isRefused, reading.jobs, reading.rejectLimit) = (.traces, true, 1, 0)
        let account = try RunAccount(files, rejects: .quiet, showsProgress: false)
        var stream = DocumentStream(files, options: reading, consumer: HeldConsumer(held, account: account))
        try await account.read(&stream)
        let rest = stream.consumer.held.count
        guard rest == 0 else {
            throw RunError(
                .usage,
                "\(outputPath ?? "-").part: has answers to receipts that are not in the inputs: \(rest); give the inputs and "
                    + "the flags of the run that began it, or remove it"
            )
        }
    }

    /// Names the file that has the answers so far.
    private func tellUnfinished(_ sender: OrderedSender) {
        guard let path = sender.unfinishedPath else { return }
        Output.writeError("tillroll: \(path) has the answers so far; --resume continues the run")
    }

    private func finish(
        _ sender: OrderedSender,
        _ account: RunAccount,
        _ progress: ReadProgress
    ) throws -> ExitStatus {
        var (tally, progress) = (sender.tally, progress)
        tally.others = progress.accepted - progress.foreign - tally.answered - tally.failed
        progress.accepted -= tally.failed
        progress.rejected += tally.failed
        try account.finishRejects()
        let isWanted = tally.refusal == nil || (outputPath ?? "-") == "-"
        if isWanted, account.finishes(outputPath, progress) { try sender.finishOutput() }
        let status = account.status(progress, output: outputPath, ownRefusal: tally.refusal)
        if !rejects.isQuiet {
            for line in tally.lines(progress, hasSandbox: verifier.sandbox != nil) { Output.writeError(line) }
        }
        tellUnfinished(sender)
        return status
    }

    private static let isOver: @convention(c) () -> Int32 = { Interruption.isRequested ? 1 : 0 }

    /// The inputs. They must not be outputs. The file with the secret must not be among them, because it would be
    /// written to the rejects file.
    private func checkedFiles(_ secretFile: OutputPaths.SideFile?) throws -> [InputFile] {
        let sideFiles = reading.signatures.sideFiles + [secretFile].compactMap(\.self)
        try OutputPaths.SideFile.checkStandardInput(sideFiles, besides: inputs)
        let files = try RunAccount.files(inputs, rejects: rejects)
        if let identity = secretFile.flatMap({ try? FileIdentity.ofContents($0.path) }),
            let input = files.first(where: { $0.identity == identity })
        {
            throw RunError(
                .usage,
                "\(input.name): is the file of --password-file, and among the inputs; keep it elsewhere"
            )
        }
        try OutputPaths(outputPath, called: "the answers", rejects: rejects.path)
            .check(inputs: files, files: sideFiles.filter { $0.path != "-" })
        if let outputPath, let identity = try? FileIdentity.ofContents(outputPath + ".part"),
            let input = files.first(where: { $0.identity == identity })
        {
            throw RunError(.usage, "\(input.name): has the answers of -o so far, and is among the inputs; leave it out")
        }
        return files
    }

    private func secret(in path: String) throws -> SharedSecret {
        let contents = try ReferenceFile.bytes(of: path, option: "--password-file", limit: Self.longestSecret)
        do {
            return try SharedSecret(file: contents)
        } catch {
            throw RunError(.dataError, "\(path): \(error.reason)")
        }
    }
}
