import ArgumentParser
import TillInput
import TillPipeline
import TillReceipts
import TillThreads
import TillTrust

/// The words for when to show progress or colours.
enum Showing: String, FlagChoice {
    case auto, always, never

    /// - Parameters:
    ///   - word: the value of a flag.
    ///   - auto: the meaning of `auto`.
    static func isShown(_ word: String?, auto: @autoclosure () -> Bool) -> Bool {
        switch word.flatMap(Showing.init) ?? .auto {
        case .auto: auto()
        case .always: true
        case .never: false
        }
    }
}

/// Whether output is coloured.
enum ColorFlag: DeclaredFlag, FlagSection, CaseIterable {
    case color

    typealias Flag = Self

    var entry: FlagEntry {
        FlagEntry(
            "color",
            .choice(Showing.self),
            valueName: "when",
            usual: Showing.auto.rawValue,
            help: "Use colour: auto (on a terminal, unless NO_COLOR is set), always, never."
        )
    }

    static func check(_ flags: Flags<Self>) {}

    static func isWanted(_ word: String?) -> Bool { Showing.isShown(word, auto: Terminal.wantsColor) }
}

extension Flags<ColorFlag> {
    var useColor: Bool { ColorFlag.isWanted(self[.color]) }
}

/// The flags that every reading command has.
enum ReadingFlag: DeclaredFlag, FlagSection, CaseIterable {
    case from, column, jobs, memory, rejects, rejectsRaw, maxRejects, strict, maxDocument, maxRatio, trust, anchor,
        bundleID
    case deviceID, progress, color, quiet, chunkSize

    typealias Flag = Self

    private static let formats =
        ReceiptFormatRegistry.all.map { $0.name } + [CSVOptions.name, ReadOptions.textName, StoredRowOptions.name]

    var entry: FlagEntry {
        switch self {
        case .from:
            FlagEntry(
                "from",
                valueName: "format",
                completion: .words(Self.formats),
                help: "Read every document as this format: \(Self.formats.joined(separator: ", "))."
            )
        case .column:
            FlagEntry(
                "column",
                valueName: "name",
                help: "The column of delimited text that holds the documents (default: receipt and similar names)."
            )
        case .jobs:
            FlagEntry(
                "jobs",
                .number,
                valueName: "number",
                help: "Chunks read at once (default: the number of processors)."
            )
        case .memory: MemoryFlag.memory.entry
        case .rejects:
            FlagEntry(
                "rejects",
                valueName: "file",
                completion: .file,
                help: "Write documents that cannot be read to this file, as NDJSON, readable by its owner only."
            )
        case .rejectsRaw:
            FlagEntry(
                "rejects-raw",
                valueName: "keep|none",
                usual: "keep",
                completion: .words(["keep", "none"]),
                help: "Whether --rejects contains the raw documents: 'keep' or 'none'."
            )
        case .maxRejects:
            FlagEntry(
                "max-rejects",
                valueName: "number",
                help:
                    "The largest number or percentage of rejects in a successful run; with more, the exit status is "
                    + "65."
            )
        case .strict:
            FlagEntry(
                "strict",
                .none,
                help: "Allow no reject, as --max-rejects 0 does, and no input without documents."
            )
        case .maxDocument:
            FlagEntry(
                "max-document",
                valueName: "size",
                usual: "64M",
                help: "The longest document, such as 512K or 64M; a longer one is rejected."
            )
        case .maxRatio:
            FlagEntry(
                "max-ratio",
                .number,
                valueName: "number",
                usual: String(InflationLimit.usualRatio),
                help: "The largest ratio of inflated to compressed size, after the first GiB."
            )
        case .trust:
            FlagEntry(
                "trust",
                valueName: "check|require|off",
                usual: SignatureOptions.Mode.check.rawValue,
                completion: .words(SignatureOptions.Mode.allCases.map(\.rawValue)),
                help: """
                    Signatures: 'check' flags invalid signatures, and no report books their documents; 'require' also \
                    rejects all other documents of transactions or renewals that are not trusted; 'off' checks nothing.
                    """
            )
        case .anchor:
            FlagEntry(
                "anchor",
                valueName: "file",
                isRepeatable: true,
                completion: .file,
                help: "Trust the certificates in this file (PEM or DER) as roots, in addition to Apple's; repeatable."
            )
        case .bundleID:
            FlagEntry(
                "bundle-id",
                valueName: "id",
                isRepeatable: true,
                help:
                    "Omit documents of apps other than this one; repeatable. Documents without a bundle id are kept."
            )
        case .deviceID:
            FlagEntry(
                "device-id",
                valueName: "id",
                help:
                    "The device that app receipts must belong to: its identifier for vendor (a UUID), or the network "
                    + "address of a Mac."
            )
        case .progress:
            FlagEntry(
                "progress",
                .choice(Showing.self),
                valueName: "when",
                usual: Showing.auto.rawValue,
                help: "Show progress on stderr: auto (on a terminal), always, never."
            )
        case .color: ColorFlag.color.entry
        case .quiet: FlagEntry("quiet", .none, help: "Print nothing about rejects on stderr.")
        case .chunkSize:
            // For tests: the size of chunks must not change any result.
            FlagEntry("chunk-size", .number, usual: String(ReadOptions.usualChunkSize), isHidden: true, help: "")
        }
    }

    static func check(_ flags: Flags<Self>) throws {
        try MemoryFlag.check(flags[.memory])
        if let from = flags[.from], !formats.contains(from) {
            throw ValidationError.unknown(value: from, of: "--from", among: formats)
        }
        if flags[.column] == "" { throw ValidationError("--column takes the name of a column.") }
        if let jobs = flags.number(.jobs), !(1...ReadOptions.mostJobs).contains(jobs) {
            throw ValidationError("--jobs takes a number from 1 to \(ReadOptions.mostJobs), not '\(jobs)'.")
        }
        if let maxRejects = flags[.maxRejects], RejectAllowance(maxRejects) == nil {
            throw ValidationError(
                "--max-rejects takes a number or a percentage, such as 10 or 0.5%, not '\(maxRejects)'."
            )
        }
        if let rejectsRaw = flags[.rejectsRaw], !["keep", "none"].contains(rejectsRaw) {
            throw ValidationError("--rejects-raw takes 'keep' or 'none', not '\(rejectsRaw)'.")
        }
        if let maxDocument = flags[.maxDocument], ByteSize(maxDocument) == nil {
            throw ValidationError("--max-document takes a size such as 512K, 64M or 1G, not '\(maxDocument)'.")
        }
        if let maxRatio = flags.number(.maxRatio), maxRatio <= 0 {
            throw ValidationError("--max-ratio takes a number from 1, not '\(maxRatio)'.")
        }
        if let trust = flags[.trust], SignatureOptions.Mode(rawValue: trust) == nil {
            throw ValidationError("--trust takes 'check', 'require' or 'off', not '\(trust)'.")
        }
        if let deviceID = flags[.deviceID], DeviceIdentifier(deviceID) == nil {
            throw ValidationError("--device-id takes a UUID or hexadecimal digits, not '\(deviceID)'.")
        }
        if flags.all(.bundleID).contains("") { throw ValidationError("--bundle-id takes the identifier of an app.") }
        if let chunkSize = flags.number(.chunkSize), chunkSize <= 0 {
            throw ValidationError("--chunk-size takes a number from 1.")
        }
    }
}

extension Flags<ReadingFlag> {
    var options: ReadOptions {
        let from = self[.from]
        let isReceiptFormat = ReceiptFormatRegistry.all.contains { $0.name == from }
        var options = ReadOptions(
            format: isReceiptFormat ? from : nil,
            csv: CSVOptions(isAnnounced: from == CSVOptions.name, column: self[.column]),
            jobs: number(.jobs) ?? Workers.processorCount,
            chunkSize: number(.chunkSize) ?? ReadOptions.usualChunkSize,
            documentLimit: self[.maxDocument].flatMap(ByteSize.init)?.bytes ?? ReadOptions.usualDocumentLimit,
            inflation: InflationLimit(ratio: number(.maxRatio) ?? InflationLimit.usualRatio),
            signatures: signatures,
            bundleIDs: all(.bundleID)
        )
        options.rows = StoredRowOptions(
            isAnnounced: from == StoredRowOptions.name,
            isLookedFor: !isReceiptFormat && from != CSVOptions.name && from != ReadOptions.textName
        )
        options.findsRuns = from == ReadOptions.textName
        return options
    }

    private var signatures: SignatureOptions {
        let device = self[.deviceID].flatMap(DeviceIdentifier.init)
        return SignatureOptions(
            mode: self[.trust].flatMap(SignatureOptions.Mode.init) ?? .check,
            anchorPaths: all(.anchor)
        ) { files in
            TrustChecker(anchors: files.isEmpty ? nil : try TrustAnchors(files: files), device: device)
        }
    }

    /// Flags of commands that keep transactions.
    func inputs(_ paths: [String]) -> ReportInputs {
        var inputs = ReportInputs(paths)
        inputs.reading = options
        inputs.rejects = rejectOptions
        inputs.allowance = MemoryFlag.allowance(self[.memory])
        inputs.showsProgress = showsProgress
        return inputs
    }

    var rejectOptions: RejectOptions {
        var options = RejectOptions()
        options.path = self[.rejects]
        options.keepsRaw = self[.rejectsRaw] != "none"
        options.allowance = has(.strict) ? .count(0) : self[.maxRejects].flatMap(RejectAllowance.init) ?? .any
        options.isQuiet = has(.quiet)
        options.isStrict = has(.strict)
        return options
    }

    var showsProgress: Bool { Showing.isShown(self[.progress], auto: Terminal.errorIsTerminal && !has(.quiet)) }

    var useColor: Bool { ColorFlag.isWanted(self[.color]) }
}
