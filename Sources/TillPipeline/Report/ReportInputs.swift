import TillInput
public import TillLedger
import TillReceipts
import TillRows
public import TillStorage

/// The inputs of a report, and the options for reading them.
public struct ReportInputs: Sendable {
    /// Files, folders and `-`; none is standard input.
    public var paths: [String]
    /// The options for reading; the report sets the cells, the events and the limit of rejects in a copy.
    public var reading = ReadOptions()
    /// The environments that count: by default production, and rows without an environment.
    public var environments = EnvironmentFilter.booked
    /// The file of the rejects, and the number of them that is allowed.
    public var rejects = RejectOptions()
    /// The most memory that the ledger may take; `nil` for no limit.
    public var allowance: MemoryAllowance?
    /// Whether standard error shows the progress: a redrawn line on a terminal, else a log line every two seconds.
    public var showsProgress = false
    /// The manifest of the `tillroll convert` that made the rows, with the counts of its documents. `nil` if documents
    /// are read, or if the rows count as their own input.
    public var convertedPath: String?
    /// The name of the only input in rejects and examples; `nil` for the one by which it is opened.
    public var sourceName: String?

    /// Makes inputs that one job reads, without a check of signatures and without a limit of memory.
    public init(_ paths: [String]) {
        self.paths = paths
    }

    /// The files that options of reading name.
    var sideFiles: [OutputPaths.SideFile] {
        let converted = convertedPath.map { OutputPaths.SideFile(option: "--converted", path: $0) }
        return reading.signatures.sideFiles + [converted].compactMap(\.self)
    }

    /// The reader that puts files into a ledger.
    ///
    /// - Parameters:
    ///   - wanted: cells that are read beside those on which the numbers of every report depend.
    ///   - isLive: whether the input may pause for long, so that what has come is read at once.
    ///   - showsDocuments: whether the ledger needs the documents themselves.
    ///   - watch: shows the report while its input is still coming.
    ///   - observer: is given the bytes of the sources as they are stored.
    func stream(
        _ files: [InputFile],
        into ledger: consuming SpillingLedger,
        trust: TrustPolicy,
        account: RunAccount,
        adding wanted: RowBatch.Wanted = [],
        isLive: Bool = false,
        showsDocuments: Bool = false,
        watch: ReportWatch? = nil,
        observer: InputDigests? = nil
    ) -> DocumentStream<LedgerConsumer> {
        var options = reading
        options.wanted = wanted.union(.numbers)
        options.rejectLimit = rejects.neededOfChunk
        options.selection = ledger.ledger.selection
        if ledger.ledger.ignoresDuplicates { options.needs.insert(.duplicateCounts) }
        if isLive { options.needs.insert(.pauses) }
        if showsDocuments { options.needs.insert(.traces) }
        if rejects.log != nil { options.needs.insert(.newest) }
        var consumer = LedgerConsumer(ledger: ledger, account: account, jobs: reading.jobs)
        consumer.watch = watch
        return DocumentStream(files, options: options, trust: trust, consumer: consumer, observer: observer)
    }
}
