import TillInput
import TillLedger
import TillPricing
import TillReference
import TillReports
import TillStorage

extension GivenOption {
    /// Whether it has the bounds of the period, which a manifest lists as `period` beside the flag that names it.
    fileprivate var isBounds: Bool { name == Flag.period.name && value.contains("/") }
}

extension ClosedMonthsReader {
    /// Reads the documents of a closed report again.
    ///
    /// - Parameters:
    ///   - inputs: how documents are read today.
    ///   - files: the sources of today.
    func ledger(of manifest: ClosedManifest, _ inputs: ReportInputs, _ files: [InputFile]) async throws -> ClosedLedger
    {
        let (found, missing) = try manifest.files(among: files, limit: inputs.reading.inflation)
        guard missing.isEmpty else {
            throw wrong(
                .noInput,
                "no input of today has the SHA-256 of \(missing[0]), which it names"
                    + (missing.count > 1 ? ", nor of \(missing.count - 1) more" : "")
                    + "; name the unchanged file (standard input cannot be compared), or give the closed report in JSON"
            )
        }
        let readingNames = ["environment", "trust", "bundle-id"]
        let bookingNames = Set(Self.bookingFlags.map(\.name))
        var head = PartialHead(
            report: manifest.report,
            reading: manifest.options.filter { readingNames.contains($0.name) },
            needs: [],
            settling: manifest.options.filter { bookingNames.contains($0.name) && !$0.isBounds }
        )
        head.files = try head.settling.filter(\.namesFile).map { try file(of: $0, manifest) }
        return try ClosedLedger(head, try await read(found, manifest, head, inputs), inputs.allowance)
    }

    /// The contents of a file in the options of the closed report: today's file, or the file at the old path, if the
    /// digest is the same.
    private func file(of option: GivenOption, _ manifest: ClosedManifest) throws -> NamedFile {
        let paths = settings.given.filter { $0.name == option.name }.map(\.value) + [option.value]
        for path in paths {
            // A missing file is not a candidate.
            let limit = PriceList.maximumByteCount
            guard let bytes = try? settings.bytes(of: path, option: "--\(option.name)", limit: limit),
                ClosedManifest.digest(of: bytes) == manifest.fileDigests[option.value]
            else { continue }
            return NamedFile(path: option.value, bytes: bytes)
        }
        throw wrong(
            .noInput,
            "neither today's --\(option.name) nor \(option.value) has the SHA-256 of the file of the closed report; "
                + "put that file back at \(option.value), or give the closed report in JSON"
        )
    }

    private func read(
        _ files: [InputFile],
        _ manifest: ClosedManifest,
        _ head: PartialHead,
        _ inputs: ReportInputs
    ) async throws -> SpillingLedger {
        var inputs = inputs
        // The run itself reports the rejects.
        inputs.rejects = RejectOptions()
        inputs.rejects.isQuiet = true
        let account = try RunAccount(files, rejects: inputs.rejects, showsProgress: false)
        let keepsVersions = RevenueReport.keys(rules).contains(.appVersion)
        let ledger = Ledger(environments: head.environments, keepsAppVersions: keepsVersions)
        let digests = InputDigests()
        var stream = inputs.stream(
            files,
            into: SpillingLedger(ledger, allowance: inputs.allowance),
            trust: try inputs.reading.signatures.policy(),
            account: account,
            observer: digests
        )
        try await account.read(&stream)
        guard digests.sums == manifest.inputs.map(\.sha256) else {
            throw wrong(.dataError, "an input that it names has changed while it was read")
        }
        let read = stream.consumer.state.takeLedger()
        let count = read.ledger.rowCount
        guard manifest.rowCount == count else {
            throw wrong(
                .dataError,
                "its count of transactions is \(manifest.rowCount), that of today is \(count); read the documents with the same options"
            )
        }
        return read
    }
}
