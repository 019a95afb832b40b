import ArgumentParser
import TillPipeline
import TillSubmit
import TillThreads

struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        _superCommandName: Tillroll.name,
        abstract: "Sends receipts to a verifyReceipt endpoint and writes the answers.",
        discussion: """
            Sends every document that is a receipt or a verifyReceipt request, and nothing else, to --endpoint. The \
            output has a line for each answer, in the order of the input: a pair of request and response, which \
            tillroll can read. A receipt whose status is 21007 is sent to the sandbox too and has two lines, which \
            reports count as one verification. --jobs is the number of requests at once.

            Requests are sent again after temporary failures: network errors, HTTP 429 and 5xx, the statuses 21005, \
            21009 and 21100 to 21199, and once after 21002; not if 'is-retryable' is 0. A receipt without an answer is \
            a reject; 'tillroll submit' reads the file of --rejects. A receipt that is twice in the input is sent \
            twice.

            No other command uses the network. The shared secret is read from a file only, because other users of the \
            machine can see the arguments of a command.

            Apple's endpoints:
              \(Endpoint.production.url)
              \(Endpoint.sandbox.url)

            Example:
              tillroll submit receipts/ --password-file secret.txt -o answers.ndjson \\
                  --endpoint \(Endpoint.production.url)
            """
    )

    @Argument(
        help: ArgumentHelp.inputs,
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup
    var own: Flags<SubmitFlag>

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    func validate() throws {
        guard !reading.options.rows.isAnnounced else {
            throw ValidationError("--from rows: rows hold no receipts to be sent.")
        }
    }

    func run() throws {
        var run = SubmitRun(inputs: inputs, verifier: try own.verifier())
        run.reading = reading.options
        run.passwordPath = own[.passwordFile]
        run.timeout = own.number(.timeout).map { 1000 * $0 } ?? SubmitRun.usualTimeout
        run.outputPath = own[.output]
        run.rejects = reading.rejectOptions
        run.showsProgress = reading.showsProgress
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
