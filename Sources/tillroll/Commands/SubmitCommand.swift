import TillCore
import TillPipeline
import TillSubmit
import TillThreads

enum SubmitCommand: CommandImplementation {
    static let summary = "Sends receipts to a verifyReceipt endpoint and writes the answers."

    static var discussion: String {
        """
        Sends every document that is a receipt or a verifyReceipt request, and nothing else, to --endpoint. The \
        output has a line for each answer, in the order of the input: a pair of request and response, which \
        tillroll can read. A receipt whose status is 21007 is sent to the sandbox too and has two lines, which \
        reports count as one verification. --jobs is the number of requests at once.

        Requests are sent again after temporary failures: network errors, HTTP 429 and 5xx, the statuses 21005, \
        21009 and 21100 to 21199, and once after 21002; not if 'is-retryable' is 0. A receipt without an answer is \
        a reject; 'tillroll submit' reads the file of --rejects. A receipt that is twice in the input is sent \
        twice.

        With -o FILE, answers are written to FILE.part, which gets its name at the end. If the run fails or is \
        killed, --resume continues it.

        No other command uses the network. The shared secret is read from a file only, because other users of the \
        machine can see the arguments of a command.

        Apple's endpoints:
          \(Endpoint.production.url)
          \(Endpoint.sandbox.url)

        Example:
          tillroll submit receipts/ --password-file secret.txt -o answers.ndjson \\
              --endpoint \(Endpoint.production.url)
        """
    }

    static let operands = [Operand.inputs]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        var run = SubmitRun(inputs: arguments.operands, verifier: try verifier(arguments))
        run.reading = try arguments.readOptions()
        guard !run.reading.rows.isAnnounced else {
            throw UsageError("--from rows: rows hold no receipts to be sent")
        }
        run.passwordPath = arguments[.passwordFile]
        run.timeout = arguments.number(.timeout).map { 1000 * $0 } ?? SubmitRun.usualTimeout
        run.outputPath = arguments[.output]
        run.resumes = arguments.has(.resume)
        run.rejects = arguments.rejectOptions
        run.showsProgress = arguments.showsProgress
        return try Workers.shared.run { [run] in try await run.run() }
    }

    /// The verifier of the flags, without the shared secret.
    private static func verifier(_ arguments: Arguments) throws(UsageError) -> Verifier {
        guard let endpoint = try endpoint(.endpoint, arguments) else {
            throw UsageError(
                "submit needs --endpoint, the address to which receipts are sent. Apple's endpoints: "
                    + "\(Endpoint.production.url) and, for the sandbox, \(Endpoint.sandbox.url)"
            )
        }
        var verifier = Verifier(endpoint: endpoint)
        if let sandbox = try self.endpoint(.sandboxEndpoint, arguments) { verifier.sandbox = sandbox }
        verifier.excludesOldTransactions = arguments.has(.excludeOldTransactions)
        verifier.retries = arguments.number(.retries) ?? Verifier.usualRetries
        return verifier
    }

    private static func endpoint(_ flag: Flag, _ arguments: Arguments) throws(UsageError) -> Endpoint? {
        guard let text = arguments[flag] else { return nil }
        do {
            return try Endpoint(text)
        } catch {
            throw UsageError("\(flag): \(error.reason)")
        }
    }
}
