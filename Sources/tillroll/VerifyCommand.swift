import ArgumentParser
import TillPipeline
import TillThreads

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        _superCommandName: Tillroll.name,
        abstract: "Checks signatures and certificate chains offline, with a line for each document.",
        discussion: """
            Each document is trusted, untrusted (with the reason), unanchored (the signature matches, but no chain \
            leads to a known root; usual for legacy receipts) or unsigned. Certificates are checked at the time of \
            signing. With --strict, the exit status is 3 if a document is untrusted.

            Examples:
              tillroll verify Samples/pkcs7 --anchor Samples/test-roots.pem
              tillroll verify Samples/legacy --strict
              gzip -c Samples/jws/signed.jws | tillroll verify -t ndjson
              tillroll verify Samples/pkcs7/xcode-ber.b64 \\
                  --device-id 7E3FB20B-4CDB-47CC-936D-99D65F608138
            """
    )

    @Argument(
        help: ArgumentHelp.inputs,
        completion: .file()
    )
    var inputs: [String] = []

    @Option(
        name: [.customShort("t"), .customLong("format")],
        help: "The output format: table or ndjson (default: by -o, else table).",
        completion: .list(["table", "ndjson"])
    )
    var format: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to a file; '-' is standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup(title: "Reading")
    var reading: Flags<ReadingFlag>

    func validate() throws {
        if let format, VerifyRun.Format(rawValue: format) == nil {
            throw ValidationError.unknown("output format", format, among: ["table", "ndjson"])
        }
        guard reading[.trust] != SignatureOptions.Mode.off.rawValue else {
            throw ValidationError("verify checks signatures; it cannot be used with --trust off.")
        }
        guard !reading.options.rows.isAnnounced else {
            throw ValidationError("--from rows: rows hold no signatures to be checked.")
        }
    }

    func run() throws {
        var run = VerifyRun(inputs: inputs)
        run.reading = reading.options
        run.format = format.flatMap(VerifyRun.Format.init)
        run.outputPath = output
        run.rejects = reading.rejectOptions
        run.isStrict = reading.has(.strict)
        run.showsProgress = reading.showsProgress
        let status = try Workers.shared.run { [run] in try await run.run() }
        if status != .finished { throw ExitCode(status.rawValue) }
    }
}
