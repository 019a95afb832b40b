/// Writes the folder of samples: small, synthetic, and the same bytes for the same seed.
///
///     tillroll-samples FOLDER [SEED]
@main
enum TillrollSamples {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        guard let folder = words.first, words.count <= 2, let seed = words.count < 2 ? 90_210 : UInt64(words[2]) else {
            throw WrongUse(reason: "usage: tillroll-samples FOLDER [SEED]")
        }
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
            guard Readme.lists(file) else { throw WrongUse(reason: "Readme.swift does not list \(file.path)") }
            try file.write(below: folder)
        }
        try SampleFile("README.md", text: Readme.text).write(below: folder)
    }
}

private struct WrongUse: Error {
    let reason: String
}
