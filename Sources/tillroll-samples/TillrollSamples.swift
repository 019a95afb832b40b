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
            try VerifySamples(clientele).files(), try ReceiptSamples(clientele: clientele).files(),
            try LegacySamples(clientele: clientele).files(), try JWSSamples(clientele: clientele).files(),
            try NotificationSamples(clientele).files(), FinanceSamples.files, AppleSamples.files, QuerySamples.files,
            [
                EventSamples(clientele).file(), LogSamples(clientele).file(), try TableSamples.receipts(clientele),
                try TableSamples.dump(clientele),
                StudioSales(clientele.random("studio sales")).file(),
                StudioEvents(clientele.random("studio events")).file(),
                StudioShop.rates(clientele.random("studio rates")), StudioShop.catalogue,
                try BrokenSamples(clientele: clientele).file(), OddSamples.file, TableSamples.prices, TestSigner.roots,
            ],
        ]
        .flatMap(\.self)
        for file in files {
            guard Readme.lists(file) else { throw ValidationError("Readme.swift does not list \(file.path)") }
            try file.write(below: folder)
        }
        try SampleFile("README.md", text: Readme.text).write(below: folder)
    }
}
