import TillCore

/// A table as a shop's database exports it, with the receipts in one of its columns.
struct DelimitedSamples {
    private let seed: UInt64
    private let clientele: Clientele

    init(seed: UInt64, clientele: Clientele) {
        self.seed = seed
        self.clientele = clientele
    }

    func files() throws -> [SampleFile] {
        let receipts = try ReceiptSamples(seed: seed, clientele: clientele).receipts().prefix(6).map { try $0.base64 }
        var verify = VerifySamples(seed: seed, clientele: clientele)
        let responses = try verify.responses().prefix(2).map { $0.compact() }
        let cells = receipts.enumerated().map { $0 % 2 == 0 ? $1 : quoted(wrapped($1)) } + responses.map(quoted)
        let notes = [quoted("bought on the train; later, restored"), "", quoted(#"said "thank you""#)]
        let rows = cells.enumerated().map { "\($0 + 1);\($1);\(notes[$0 % notes.count])" }
        return [
            SampleFile(
                path: "csv/receipts.csv",
                shows: "a table with a byte order mark and semicolons, whose column `receipt` holds receipts, on one "
                    + "line or wrapped, and responses in quotes",
                text: "\u{FEFF}" + (["id;receipt;note"] + rows).map { $0 + "\r\n" }.joined()
            )
        ]
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// In lines of 76 digits, as mail programs and many encoders have it.
    private func wrapped(_ base64: String) -> String {
        var lines: [Substring] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return lines.joined(separator: "\r\n")
    }
}
