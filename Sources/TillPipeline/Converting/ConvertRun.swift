import TillCore
import TillInput
public import TillParquet
import TillPricing
import TillThreads

/// One `tillroll convert`: reads the inputs and writes their rows.
public struct ConvertRun: Sendable {
    /// The format of written rows.
    public enum Format: String, CaseIterable, Sendable {
        case parquet, ndjson, csv
    }

    /// Files, folders and `-`; none is standard input.
    public var inputs: [String]
    /// The options for reading; ``run()`` sets the period, the needs and the limit of rejects in a copy of its own.
    public var reading = ReadOptions()
    /// The flags that name the period of the rows.
    public var period = Settings()
    /// `nil` to go by the name of the output.
    public var format: Format?
    /// The path of the output; `nil` or `-` is standard output.
    public var outputPath: String?
    /// The only table to write; `nil` for all.
    public var table: TableName?
    /// The partition keys of transactions and events.
    public var partitionKeys: [PartitionKey] = []
    /// The handling of existing rows in the output folder.
    public var existing = ExistingRows.refused
    /// The compression of the pages in Parquet files; NDJSON and CSV are not compressed.
    public var codec = ParquetCodec.zstd
    /// Whether CSV is made safe for spreadsheets and terminals; `nil` if a terminal shows it.
    public var isSafe: Bool?
    /// The file of the rejects, and the number of them that is allowed.
    public var rejects = RejectOptions()
    /// The path of the manifest; `nil` writes none.
    public var manifestPath: String?
    /// The path of the metrics; `nil` writes none.
    public var metricsPath: String?
    /// Whether standard error shows the progress: a redrawn line on a terminal, else a log line every two seconds.
    public var showsProgress = false
    /// The name of the only input in rows and rejects; `nil` for the one by which it is opened.
    public var sourceName: String?

    /// Makes a run that writes the rows of all tables to standard output, as NDJSON.
    public init(inputs: [String]) {
        self.inputs = inputs
    }

    /// The kind of output that follows from the options.
    enum Target: Equatable {
        case folder(String, [TableName])
        case parquet(TableName)
        case ndjson([TableName])
        case csv(TableName)
    }

    /// Decides the kind of output; all errors in the options are found here.
    func target(isFolder: (String) throws(RunError) -> Bool) throws(RunError) -> Target {
        let path = outputPath == "-" ? nil : outputPath
        let tables = table.map { [$0] } ?? TableName.allCases
        let ending = path.flatMap(Self.ending)
        let namesFolder = if let path { path.hasSuffix("/") ? true : try isFolder(path) } else { false }
        let format =
            if let format = self.format {
                format
            } else {
                try Self.format(path: path, ending: ending, namesFolder: namesFolder)
            }
        if let key = partitionKeys.first(where: { format != .parquet || !tables.contains($0.table) }) {
            throw RunError(
                .usage,
                "--partition-by \(key.rawValue) is for the Parquet files of \(key.table.rawValue)"
            )
        }
        guard isSafe == nil || format == .csv else {
            throw RunError(.usage, "--safe and --no-safe are for CSV; NDJSON and Parquet keep texts as they are")
        }
        switch format {
        case .parquet:
            if let path, namesFolder || ending == nil { return .folder(path, tables) }
            for (option, isGiven) in [
                ("--partition-by", !partitionKeys.isEmpty), ("--append", existing == .kept),
                ("--replace", existing == .replaced),
            ] where isGiven {
                throw RunError(.usage, "\(option) needs a folder: -o rows/")
            }
            guard let table else {
                let place = path ?? "standard output"
                throw RunError(
                    .usage,
                    "\(place): a Parquet file holds one table; name one with --table, or a folder: -o rows/"
                )
            }
            if path == nil, Terminal.outputIsTerminal {
                throw RunError(
                    .usage,
                    "a terminal cannot show parquet; write to a file with -o \(table.rawValue).parquet"
                )
            }
            return .parquet(table)
        case .ndjson, .csv:
            if let path, namesFolder { throw RunError(.cannotCreate, "\(path): is a folder; name a file") }
            guard existing == .refused else {
                throw RunError(.usage, "--append and --replace are for a folder of Parquet files: -o rows/")
            }
            if format == .ndjson { return .ndjson(tables) }
            guard let table else {
                let names = TableName.allCases.map(\.rawValue).joined(separator: ", ")
                throw RunError(.usage, "CSV holds one table; name one with --table: \(names)")
            }
            return .csv(table)
        }
    }

    private static func ending(of path: String) -> String? {
        let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        return String(name[name.index(after: dot)...])
    }

    private static func format(path: String?, ending: String?, namesFolder: Bool) throws(RunError) -> Format {
        guard let path else { return .ndjson }
        if namesFolder { return .parquet }
        switch ending {
        case nil, "parquet": return .parquet
        case "ndjson", "jsonl": return .ndjson
        case "csv": return .csv
        case let ending?:
            throw RunError(
                .usage,
                "\(path): no output format ends in .\(ending); name one with -t: parquet, ndjson, csv"
            )
        }
    }

    /// Runs to the end. Rows of an input that has too many rejects are written to standard output only, never to a
    /// file.
    public func run() async throws -> ExitStatus {
        try OutputPaths.SideFile.checkStandardInput(reading.signatures.sideFiles, besides: inputs)
        let target = try target(isFolder: OutputFolder.exists)
        let files = try RunAccount.files(inputs, reading, calling: sourceName, rejects: rejects)
        var outputs = OutputPaths(
            outputPath,
            called: "the rows",
            rejects: rejects.path,
            manifest: manifestPath,
            metrics: metricsPath
        )
        if case .folder(let path, _) = target { outputs.replaced = try OutputFolder.filesReplaced(at: path) }
        try outputs.check(inputs: files, files: reading.signatures.sideFiles)
        var reading = reading
        reading.filter.period = try await settledPeriod()
        let account = try RunAccount(files, rejects: rejects, showsProgress: showsProgress)
        reading.needs = rejects.log == nil ? .origins : [.origins, .newest]
        // The reader of standard output gets rows of a slow pipe as soon as they are read.
        if (outputPath ?? "-") == "-" { reading.needs.insert(.pauses) }
        reading.rejectLimit = rejects.neededOfChunk
        let written = manifestPath.map { _ in WrittenFiles() }
        let (sink, folder): (any RowSink, OutputFolder?)
        do {
            (sink, folder) = try self.sink(target, written)
        } catch is RowOutput.Closed {
            try account.finishRejects()
            return .finished
        }
        // Which rejects are at the end of a source decides where it goes on when it has grown.
        if folder != nil { reading.rejectLimit = .max }
        let digests = folder != nil || written != nil ? InputDigests(inflates: folder != nil) : nil
        rejects.log?.inputs = written == nil ? nil : digests
        let (unknown, known) = unknownFiles(files, folder, reading)
        let consumer = ConvertConsumer(sink: sink, account: account, known: known)
        var stream = DocumentStream(unknown, options: reading, consumer: consumer, observer: digests)
        do {
            if unknown.isEmpty, !files.isEmpty {
                try account.finishRejects()
                if let written { rejects.log?.manifest = manifest(reading, stream, written, in: folder) }
                tellKnown(0, of: files.count)
                return .finished
            }
            try await account.keepingRejects { try await account.read(&stream) }
            if account.finishes(outputPath, stream.progress), existing != .kept || !stream.progress.isOfNothing {
                if let folder, let digests {
                    folder.inputs = zip(digests.contents, stream.consumer.settled).map { digest, settled in
                        LakeInput(digest, reading.selectionOptions, documents: settled)
                    }
                }
                try account.finishRejects()
                try sink.finish()
                if let folder {
                    tellKnown(unknown.count - folder.repeatedCount, of: files.count, grown: known.count { $0 > 0 })
                }
                if let written { rejects.log?.manifest = manifest(reading, stream, written, in: folder) }
            }
        } catch is RowOutput.Closed {
            // If the reader of standard output has closed the pipe, writing stops without an error.
            try account.finishRejects()
            return .finished
        } catch let error as Finding where error.cause == .tooLarge {
            try account.finishRejects()
            throw RunError(.dataError, "\(outputPath ?? "-"): \(error.message)")
        }
        try account.finishRejects()
        return account.status(stream.progress, output: outputPath)
    }

    /// The files that a folder to which rows are added does not have, and how many documents of each of them it has.
    private func unknownFiles(
        _ files: [InputFile],
        _ folder: OutputFolder?,
        _ reading: ReadOptions
    ) -> ([InputFile], [Int]) {
        guard let folder, existing == .kept else { return (files, []) }
        var answers = [KnownInputs.Answer](repeating: .new, count: files.count)
        if reading.range == nil {
            let known = KnownInputs(folder.keptInputs, reading.selectionOptions)
            answers.withUnsafeMutableBufferPointer { answers in
                concurrently(files.count, width: reading.jobs) { number in
                    answers[number] = known.answer(for: files[number], reading.inflation)
                }
            }
        }
        return KnownInputs.added(files, answers)
    }

    /// Writes to standard error how many inputs are new to the folder; for a new folder only if some have the same bytes.
    private func tellKnown(_ new: Int, of count: Int, grown: Int = 0) {
        guard !rejects.isQuiet, existing == .kept || new < count else { return }
        Output.writeError(
            "\(outputPath ?? ""): inputs: \(new) new, \(count - new) known"
                + (grown > 0 ? "; of the new ones, \(grown) go on where known ones end" : "")
        )
    }

    /// The period of the rows; `nil` for all time.
    private func settledPeriod() async throws -> Period? {
        guard period.countsBack else { return try period.period() }
        guard reading.range == nil else {
            throw RunError(
                .usage,
                "--since counts back from the end of the data, which a part of a file does not tell; give a day or an "
                    + "instant, the same for all parts"
            )
        }
        let newest = try await NewestRecord.time(
            in: inputs,
            reading,
            reading.filter.environments,
            .all,
            showsProgress: showsProgress,
            isQuiet: rejects.isQuiet
        )
        return try period.counting(backFrom: newest ?? NewestRecord.now).period()
    }

    private func manifest(
        _ reading: ReadOptions,
        _ stream: DocumentStream<ConvertConsumer>,
        _ written: WrittenFiles,
        in folder: OutputFolder?
    ) -> Manifest {
        let (progress, rows) = (stream.progress, stream.consumer.counts)
        var manifest = Manifest(command: "convert")
        manifest.options = [GivenOption("trust", reading.signatures.mode.rawValue)] + reading.selectionOptions
        if let table { manifest.options.append(GivenOption("table", table.rawValue)) }
        if !partitionKeys.isEmpty {
            let keys = partitionKeys.map(\.rawValue).joined(separator: ",")
            manifest.options.append(GivenOption("partition-by", keys))
        }
        manifest.counts = [
            ("documents", progress.documents), ("accepted", progress.accepted), ("rejected", progress.rejected),
            ("bytes", progress.bytes),
        ]
        let tables = table.map { [$0] } ?? TableName.allCases
        manifest.counts += tables.map { ("\($0.rawValue)_rows", rows[$0] ?? 0) }
        manifest.counts.append(("left_out_rows", progress.filteredRows))
        if !reading.bundleIDs.isEmpty { manifest.counts.append(("foreign_documents", progress.foreign)) }
        manifest.range = stream.readRange
        manifest.outputs = written.files.compactMap { file in
            let path = folder.map { $0.finalPath(of: file.path) } ?? file.path
            return path.map { ($0, file.digest) }
        }
        .sorted { $0.0 < $1.0 }
        return manifest
    }

    /// The sink for the rows, and its folder.
    private func sink(_ target: Target, _ written: WrittenFiles?) throws -> (any RowSink, OutputFolder?) {
        let queue = EncodingQueue(jobs: reading.jobs, options: ParquetOptions(codec: codec))
        switch target {
        case .folder(let path, let tables):
            let folder = try OutputFolder(
                path,
                existing: existing,
                layout: FolderLayout(partitionKeys: partitionKeys, tables: tables),
                written: written
            )
            return (
                try ParquetSink(tables, folder: folder, partitionedBy: partitionKeys, queue: queue), folder
            )
        case .parquet(let table):
            return (try ParquetSink(table, path: outputPath, queue: queue, written: written), nil)
        case .ndjson(let tables):
            return (NDJSONSink(try RowOutput(outputPath, written: written), tables: tables), nil)
        case .csv(let table):
            let isShown = (outputPath ?? "-") == "-" && Terminal.outputIsTerminal
            let output = try RowOutput(outputPath, written: written)
            return (CSVSink(output, table: table, isSafe: isSafe ?? isShown), nil)
        }
    }
}
