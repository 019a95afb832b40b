import ArgumentParser

@main
struct TillrollSamples: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tillroll-samples",
        abstract: "Writes the folder of samples: small, synthetic, and the same bytes for the same seed."
    )

    @Argument(help: "The folder to write to.")
    var folder: String

    @Option(help: "Selects the random numbers of the samples.")
    var seed: UInt64 = 90_210

    func run() throws {
        let clientele = Clientele(seed: seed)
        let files = [
            try VerifySamples(clientele).files(), try ReceiptSamples(clientele).files(),
            try LegacySamples(clientele).files(), try JWSSamples(clientele).files(),
            try NotificationSamples(clientele).files(), EventSamples(clientele).files(), LogSamples(clientele).files(),
            [try TableSamples.receipts(clientele)], [try BrokenSamples(clientele).file()], [OddSamples.file],
            [TableSamples.prices], FinanceSamples.files, QuerySamples.files, [TestSigner.roots],
        ]
        .flatMap(\.self)
        for file in files + [Self.readme(of: files)] { try file.write(below: folder) }
    }

    private static func readme(of files: [SampleFile]) -> SampleFile {
        let introduction = """
            # Samples

            Small inputs to try `tillroll` on. All of it is made up: the apps do not exist, nobody bought anything, and
            what is signed is signed with test keys, which tillroll trusts only where `--anchor test-roots.pem` tells it
            to. `make samples` writes this folder, this page included, from a fixed seed; to change a sample, change
            `Sources/tillroll-samples`.

            | file | what it shows |
            | --- | --- |
            """
        let rows = files.map { "| `\($0.path)` | \($0.shows) |" }
        return SampleFile("README.md", shows: "this list", lines: [introduction] + rows)
    }
}
