import ArgumentParser
import TillInput
import TillPipeline
import TillReceipts
import TillThreads
import TillTrust

/// When something is shown.
enum Showing: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never

    // The parser would give the same values by itself, but through key paths and unspecialised algorithms: looking up
    // their types at run time was an eighth of a start.
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    static var allValueDescriptions: [String: String] { [:] }
}

/// The flags that every reading command has.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take every document for this format: \(Self.formats.joined(separator: ", ")).",
            valueName: "format"
        ),
        completion: .list(Self.formats)
    )
    var from: String?

    @Option(
        help: ArgumentHelp(
            "The column of delimited text that holds the documents (default: receipt and the like).",
            valueName: "name"
        )
    )
    var column: String?

    @Option(help: ArgumentHelp("Chunks read at once (default: the number of processors).", valueName: "number"))
    var jobs: Int?

    // Not the group: one within a group is read by reflection like any other, and costs every start.
    @Option(help: MemoryOptions.help)
    var memory: String?

    @Option(
        help: ArgumentHelp(
            "Write documents that cannot be read to this file, as NDJSON, readable by its owner only.",
            valueName: "file"
        ),
        completion: .file()
    )
    var rejects: String?

    @Option(
        help: ArgumentHelp(
            "Whether --rejects holds the documents themselves: 'keep' or 'none'.",
            valueName: "keep|none"
        ),
        completion: .list(["keep", "none"])
    )
    var rejectsRaw: String = "keep"

    @Option(
        help: ArgumentHelp(
            "How many rejects are still a success: a number or a percentage; more is exit status 65.",
            valueName: "number"
        )
    )
    var maxRejects: String?

    @Flag(help: "Allow no reject, as --max-rejects 0 does, and no input without documents.")
    var strict = false

    @Option(
        help: ArgumentHelp("The longest document, such as 512K or 64M; a longer one is rejected.", valueName: "size")
    )
    var maxDocument: String = "64M"

    @Option(
        help: ArgumentHelp(
            "Bytes that a compressed file may inflate to for each of its own, past the first gigabyte.",
            valueName: "number"
        )
    )
    var maxRatio: Int = InflationLimit.usualRatio

    @Option(
        help: ArgumentHelp(
            """
            Signatures: 'check' flags what fails, and no report books it; 'require' also rejects all other documents \
            of transactions or renewals that are not trusted; 'off' checks nothing.
            """,
            valueName: "check|require|off"
        ),
        completion: .list(SignatureOptions.Mode.allCases.map(\.rawValue))
    )
    var trust: String = SignatureOptions.Mode.check.rawValue

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this file (PEM or DER) as roots, beside Apple's; may be repeated.",
            valueName: "file"
        ),
        completion: .file()
    )
    var anchor: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep the documents of this app and leave out those of others; may be repeated.",
            valueName: "id"
        )
    )
    var bundleID: [String] = []

    @Option(
        help: ArgumentHelp(
            "The device that app receipts must be of: its identifier for vendor (a UUID), or a Mac's network address.",
            valueName: "id"
        )
    )
    var deviceID: String?

    @Option(help: ArgumentHelp("Show progress on stderr: auto (on a terminal), always, never.", valueName: "when"))
    var progress: Showing = .auto

    @Option(
        help: ArgumentHelp(
            "Use colour: auto (on a terminal, unless NO_COLOR is set), always, never.",
            valueName: "when"
        )
    )
    var color: Showing = .auto

    @Flag(help: "Say nothing on stderr about rejects.")
    var quiet = false

    // For tests: where chunks are cut must not change any answer.
    @Option(help: .hidden)
    var chunkSize: Int = ReadOptions.usualChunkSize

    private static var formats: [String] {
        ReceiptFormatRegistry.all.map { $0.name } + [CSVOptions.name, ReadOptions.textName, StoredRowOptions.name]
    }

    func validate() throws {
        try MemoryOptions.check(memory)
        if let from, !Self.formats.contains(from) {
            throw ValidationError.unknown(value: from, of: "--from", among: Self.formats)
        }
        if let column, column.isEmpty { throw ValidationError("--column takes the name of a column.") }
        if let jobs, !(1...ReadOptions.mostJobs).contains(jobs) {
            throw ValidationError("--jobs takes a number from 1 to \(ReadOptions.mostJobs), not '\(jobs)'.")
        }
        if let maxRejects, RejectAllowance(maxRejects) == nil {
            throw ValidationError(
                "--max-rejects takes a number or a percentage, such as 10 or 0.5%, not '\(maxRejects)'."
            )
        }
        guard ["keep", "none"].contains(rejectsRaw) else {
            throw ValidationError("--rejects-raw takes 'keep' or 'none', not '\(rejectsRaw)'.")
        }
        guard ByteSize(maxDocument) != nil else {
            throw ValidationError("--max-document takes a size such as 512K, 64M or 1G, not '\(maxDocument)'.")
        }
        guard maxRatio > 0 else { throw ValidationError("--max-ratio takes a number from 1, not '\(maxRatio)'.") }
        guard SignatureOptions.Mode(rawValue: trust) != nil else {
            throw ValidationError("--trust takes 'check', 'require' or 'off', not '\(trust)'.")
        }
        if let deviceID, DeviceIdentifier(deviceID) == nil {
            throw ValidationError("--device-id takes a UUID or hexadecimal digits, not '\(deviceID)'.")
        }
        if bundleID.contains("") { throw ValidationError("--bundle-id takes the identifier of an app.") }
        guard chunkSize > 0 else { throw ValidationError("--chunk-size takes a number from 1.") }
    }

    var options: ReadOptions {
        let isReceiptFormat = ReceiptFormatRegistry.all.contains { $0.name == from }
        var options = ReadOptions(
            format: isReceiptFormat ? from : nil,
            csv: CSVOptions(isAnnounced: from == CSVOptions.name, column: column),
            jobs: jobs ?? Workers.processorCount,
            chunkSize: chunkSize,
            documentLimit: ByteSize(maxDocument)?.bytes ?? ReadOptions.usualDocumentLimit,
            inflation: InflationLimit(ratio: maxRatio),
            signatures: SignatureOptions(
                mode: SignatureOptions.Mode(rawValue: trust) ?? .check,
                anchorPaths: anchor,
                device: deviceID.flatMap(DeviceIdentifier.init)
            ),
            bundleIDs: bundleID
        )
        options.rows = StoredRowOptions(
            isAnnounced: from == StoredRowOptions.name,
            isLookedFor: !isReceiptFormat && from != CSVOptions.name && from != ReadOptions.textName
        )
        options.findsRuns = from == ReadOptions.textName
        return options
    }

    /// What a command reads that keeps transactions.
    func inputs(_ paths: [String]) -> ReportInputs {
        var inputs = ReportInputs(paths)
        inputs.reading = options
        inputs.rejects = rejectOptions
        inputs.allowance = MemoryOptions.allowance(memory)
        inputs.showsProgress = showsProgress
        return inputs
    }

    var rejectOptions: RejectOptions {
        var options = RejectOptions()
        options.path = rejects
        options.keepsRaw = rejectsRaw == "keep"
        options.allowance = strict ? .count(0) : maxRejects.flatMap(RejectAllowance.init) ?? .any
        options.isQuiet = quiet
        options.isStrict = strict
        return options
    }

    var showsProgress: Bool {
        switch progress {
        case .auto: Terminal.errorIsTerminal && !quiet
        case .always: true
        case .never: false
        }
    }

    var useColor: Bool {
        switch color {
        case .auto: Terminal.wantsColor
        case .always: true
        case .never: false
        }
    }
}
