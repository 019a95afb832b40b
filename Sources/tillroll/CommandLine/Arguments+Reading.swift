import TillInput
import TillLedger
import TillPipeline
import TillReceipts
import TillStorage
import TillThreads
import TillTrust

extension Arguments {
    /// How documents are read. Throws if a range is given for a format that cannot be read by ranges.
    func readOptions() throws(UsageError) -> ReadOptions {
        let from = self[.from]
        let isReceiptFormat = ReceiptFormatRegistry.all.contains { $0.name == from }
        if let from, has(.range), !isReceiptFormat {
            throw UsageError("--range needs one document per line; it cannot be used with --from \(from)")
        }
        var options = ReadOptions(
            format: isReceiptFormat ? from : nil,
            csv: CSVOptions(isAnnounced: from == CSVOptions.name, column: self[.column]),
            jobs: number(.jobs) ?? Workers.processorCount,
            chunkSize: number(.chunkSize) ?? ReadOptions.usualChunkSize,
            documentLimit: self[.maxDocument].flatMap(ByteSize.init)?.bytes ?? ReadOptions.usualDocumentLimit,
            inflation: InflationLimit(ratio: number(.maxRatio) ?? InflationLimit.usualRatio),
            signatures: try signatures(),
            bundleIDs: all(.bundleID)
        )
        options.rows = StoredRowOptions(
            isAnnounced: from == StoredRowOptions.name,
            isLookedFor: !isReceiptFormat && from != CSVOptions.name && from != ReadOptions.textName
        )
        options.isDistinct = has(.distinct)
        options.findsRuns = from == ReadOptions.textName
        options.range = self[.range].flatMap(ByteRange.init)
        return options
    }

    private func signatures() throws(UsageError) -> SignatureOptions {
        let device = self[.deviceID].map(DeviceIdentifier.init)
        if case .some(nil) = device {
            throw UsageError("--device-id takes a UUID or hexadecimal digits, not '\(self[.deviceID] ?? "")'")
        }
        return SignatureOptions(
            mode: self[.trust].flatMap(SignatureOptions.Mode.init) ?? .check,
            anchorPaths: all(.anchor)
        ) { files in
            TrustChecker(anchors: files.isEmpty ? nil : try TrustAnchors(files: files), device: device ?? nil)
        }
    }

    /// The inputs of commands that keep transactions.
    func reportInputs(_ paths: [String]) throws(UsageError) -> ReportInputs {
        var inputs = ReportInputs(paths)
        inputs.reading = try readOptions()
        inputs.environments = environments ?? .booked
        inputs.rejects = rejectOptions
        inputs.allowance = memoryAllowance
        inputs.showsProgress = showsProgress
        return inputs
    }

    /// The environments that are asked for, or usual; `nil` for all.
    var environments: EnvironmentFilter? {
        self[.environment].map { EnvironmentFilter($0.split(separator: ",").map(String.init)) }
    }

    var rejectOptions: RejectOptions {
        var options = RejectOptions()
        options.path = self[.rejects]
        options.keepsRaw = self[.rejectsRaw] != "none"
        options.allowance = has(.strict) ? .count(0) : self[.maxRejects].flatMap(RejectAllowance.init) ?? .any
        options.isQuiet = has(.quiet)
        options.isStrict = has(.strict)
        options.isOfPart = has(.part)
        options.log = log
        return options
    }

    var memoryAllowance: MemoryAllowance? {
        let bytes = self[.memory].flatMap { ByteSize($0)?.bytes } ?? MemoryLimit.forReports
        return bytes.map { MemoryAllowance(bytes: $0, store: TemporaryFiles()) }
    }

    var showsProgress: Bool { isShown(.progress, auto: Terminal.errorIsTerminal && !has(.quiet)) }

    var useColor: Bool { isShown(.color, auto: Terminal.wantsColor) }

    private func isShown(_ flag: Flag, auto: @autoclosure () -> Bool) -> Bool {
        switch self[flag].flatMap(Showing.init) ?? .auto {
        case .auto: auto()
        case .always: true
        case .never: false
        }
    }
}
