import TillPipeline
import TillReceipts
import TillThreads

enum VerifyCommand: CommandImplementation {
    static let summary = "Checks signatures and certificate chains offline, with a line for each document."

    static var discussion: String {
        """
        Each document is trusted, untrusted (with the reason), unanchored (the signature matches, but no chain \
        leads to a known root; usual for legacy receipts) or unsigned. Certificates are checked at the time of \
        signing.

        The exit status is 3 if a document is untrusted or unsigned, and 65 if there are too many rejects. With \
        --report-only it is 0 instead of 3.

        Examples:
          tillroll verify Samples/pkcs7 --anchor Samples/test-roots.pem
          tillroll verify Samples/legacy --report-only
          gzip -c Samples/jws/signed.jws | tillroll verify -t ndjson
          tillroll verify Samples/pkcs7/xcode-ber.b64 \\
              --device-id 7E3FB20B-4CDB-47CC-936D-99D65F608138
        """
    }

    static let operands = [Operand.inputs]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard arguments[.trust] != SignatureOptions.Mode.off.rawValue else {
            throw UsageError("verify checks signatures; it cannot be used with --trust off")
        }
        var run = VerifyRun(inputs: arguments.operands)
        run.reading = try arguments.readOptions()
        guard !run.reading.rows.isAnnounced else {
            throw UsageError("--from rows: rows hold no signatures to be checked")
        }
        run.format = arguments[.format].flatMap(VerifyRun.Format.init)
        run.outputPath = arguments[.output]
        run.rejects = arguments.rejectOptions
        run.reportsOnly = arguments.has(.reportOnly)
        run.showsProgress = arguments.showsProgress
        return try Workers.shared.run { [run] in try await run.run() }
    }
}
