import TillCore
public import TillInput
public import TillReceipts
import TillRows
import TillThreads

/// Reads sources to their ends, chunk by chunk, at most `jobs` at once, and hands on results in order.
///
///     plain file ─────────────┬ worker ┬─ in order ─ consumer
///     compressed ─ a task ────┤        │
///     pipe ───────────────────┴ worker ┘
///
/// Workers read their chunks from plain files themselves; sources that are compressed are inflated ahead of them.
///
/// If a cut is inside a document, the reader of the chunk stops before it. The rest is joined with the next chunk,
/// whose own result is discarded, and read again. So the result is always the result of one pass, for any chunk size.
public struct DocumentStream<Consumer: DocumentConsumer> {
    private let files: [InputFile]
    let options: ReadOptions
    /// How signatures are checked, once the run has begun.
    private var trust: TrustPolicy?
    /// The consumer that was passed in, in its state after the chunks so far.
    public internal(set) var consumer: Consumer
    /// The counts of all chunks so far; complete after ``run()``.
    public private(set) var progress = ReadProgress()

    /// The beginning of a document that continues in the next chunk.
    private var leftover: Chunk?
    /// The number of bytes before the next attempt to read it: twice the number of the failed attempt, so that the cost
    /// of a document over many chunks is linear.
    private var leftoverGoal = 0
    /// The document above the limit that is being skipped, and the number of skipped bytes.
    private var oversized: Reject?
    private var mask = RejectMask()
    // Within the current source:
    private var source = -1
    private var documentBase = 0
    private var settledCount = 0
    private var lineBase = 0
    private var openBrackets = 0
    private var rejectsOfSource = 0
    /// How the delimited text writes quotes, once a cell has shown it.
    private var csvEscape: CSVEscape?
    private var storedBytesBefore = 0

    /// The part of ``ReadOptions/range`` that was read.
    public private(set) var readRange: ReadRange?
    /// Whether the end of the range is reached.
    private var hasStopped = false

    private let observer: (any StoredBytesObserver)?
    /// Chunks that are free to be filled again.
    var spare: [Chunk] = []
    /// The digests of the transactions that the consumer has; `nil` if it needs every duplicate, or if there can be no
    /// duplicates yet.
    var counted: SeenDigestCache?
    /// The key and the digests of all records, with ``ReadOptions/isDistinct``.
    private var recordKey: RecordKey?
    private var knownRecords: Set<UInt64> = []

    /// Makes a stream; no source is opened before ``run()``.
    ///
    /// - Parameters:
    ///   - trust: the result of ``SignatureOptions/policy()``, if the caller has it already.
    ///   - observer: is given the bytes of the sources as they are stored.
    public init(
        _ files: [InputFile],
        options: ReadOptions,
        trust: TrustPolicy? = nil,
        consumer: Consumer,
        observer: (any StoredBytesObserver)? = nil
    ) {
        self.observer = observer
        self.files = files
        self.trust = trust
        self.options = options
        self.consumer = consumer
    }

    /// Reads everything.
    public mutating func run() async throws {
        if trust == nil { trust = try options.signatures.policy() }
        if options.isDistinct {
            recordKey = RecordKey()
            guard recordKey != nil else {
                throw RunError(.inputOutputError, "--distinct: the system has no random bytes")
            }
        }
        // For a range, only its own bytes count.
        let isRange = options.range != nil
        if isRange, let file = files.first { observer?.begin(file.name) }
        var chunks = ChunkReader(files, options: options, observer: isRange ? nil : observer)
        if options.jobs == 1 || isShort || isRange {
            try runInTurn(&chunks)
            progress.foreignFiles = chunks.foreignFiles
            return
        }
        if skipsDuplicates { counted = SeenDigestCache() }
        let ahead = ChunkPrefetcher(chunks)
        do {
            try await runTasks(ahead)
            progress.foreignFiles = ahead.foreignFiles
        } catch {
            await ahead.stop()
            throw error
        }
    }

    /// Whether duplicates are skipped. They are not skipped if rows are selected by app.
    private var skipsDuplicates: Bool {
        options.needs.contains(.duplicateCounts) && options.bundleIDs.isEmpty && !options.isDistinct
    }

    /// Whether all stored bytes fit one chunk, so that workers would only cost their start.
    private var isShort: Bool {
        files.count == 1 && files[0].size.map { $0 < options.chunkSize } ?? false
    }

    private mutating func runInTurn(_ chunks: inout ChunkReader) throws {
        while true {
            let chunk = spare.popLast() ?? newChunk()
            switch try chunks.fill(chunk) {
            case .end: return
            case .rows(let reader, let source):
                spare.append(chunk)
                try read(rows: reader, source: source)
            case .skipped: spare.append(chunk)
            case .filled:
                if leftover == nil { chunk.read(passing: counted) }
                try accept(chunk)
                if hasStopped { return }
                // A known text helps only later chunks, and often there are none.
                if counted == nil, skipsDuplicates, !chunk.isFinal { counted = SeenDigestCache() }
                if options.needs.contains(.pauses) { consumer.report(progress) }
            }
        }
    }

    func newChunk() -> Chunk {
        var reader = DocumentReader(
            format: options.format,
            documentLimit: options.documentLimit,
            trust: trust ?? .off,
            bundleIDs: options.bundleIDs
        )
        reader.keepsTraces = options.needs.contains(.traces)
        reader.rejectLimit = options.rejectLimit
        reader.findsRuns = options.findsRuns
        return Chunk(reader, options, recordKey: recordKey)
    }

    /// Reads a source of rows to its end; its documents are those that its rows stand for.
    private mutating func read(rows reader: InputReader, source number: Int) throws {
        let stored = try open(rows: reader, source: number)
        let batch = StoredBatch()
        while try stored.decode(into: batch) {
            stored.prepare(batch)
            try hand(on: batch, of: stored)
        }
        try endRows(of: stored)
    }

    mutating func open(rows reader: InputReader, source number: Int) throws -> StoredRows {
        begin(number)
        guard options.bundleIDs.isEmpty || options.rows.isChosen else {
            throw RunError(
                .usage,
                "\(reader.name): holds rows, whose documents are not there; --bundle-id is for 'tillroll convert', "
                    + "which makes them"
            )
        }
        let isRequired = options.signatures.mode == .require
        // A file of rows has no signature, so its column of trust may be forged.
        guard !isRequired || options.rows.isAnnounced else {
            throw RunError(
                .usage,
                "\(reader.name): holds rows, which are not signed; --trust require goes by their column trust only "
                    + "with --from rows"
            )
        }
        progress.hasStoredRows = true
        return try StoredRows(reader, options)
    }

    /// Hands rows to the consumer.
    mutating func hand(on batch: StoredBatch, of stored: StoredRows) throws {
        if Interruption.isRequested {
            throw Finding(.interrupted, source: stored.name, reason: "interrupted")
        }
        let count = batch.documentCount
        progress.filteredRows += batch.filteredCount
        progress.note(newest: batch.newest)
        if let delta = batch.delta { consumer.consume(delta) }
        try consumer.consume(batch.rows, source: stored.name, firstDocument: documentBase + 1, count: count)
        documentBase += count
        progress.accepted += count
        progress.storedRows += batch.rows.rowCount
        progress.signableRows += batch.rows.signableRowCount
        progress.refusedRows += batch.refusedCount
        progress.storedBytes = storedBytesBefore + stored.byteCount
        consumer.report(progress)
    }

    mutating func endRows(of stored: StoredRows) throws {
        progress.bytes += stored.byteCount
        progress.storedBytes = storedBytesBefore + stored.byteCount
        consumer.report(progress)
        try consumer.endSource(source, settled: 0)
    }

    /// Takes the next chunk in order; reusable chunks go to ``spare``.
    mutating func accept(_ chunk: Chunk) throws {
        if Interruption.isRequested {
            throw Finding(.interrupted, source: files[chunk.source].name, reason: "interrupted")
        }
        begin(chunk.source)
        progress.storedBytes = storedBytesBefore + chunk.bytesRead
        var current = chunk
        if let begun = leftover {
            leftover = nil
            chunk.buffer.withPaddedBytes { begun.buffer.append($0.extracting(0..<chunk.buffer.count)) }
            begun.isFinal = chunk.isFinal
            begun.isCut = chunk.isCut
            begun.bytesRead = chunk.bytesRead
            begun.stop = chunk.stop
            spare.append(chunk)
            current = begun
            let hasPaused = chunk.isPaused && chunk.buffer.count > 0
            guard begun.isFinal || hasPaused || oversized != nil || begun.buffer.count >= leftoverGoal else {
                leftover = begun
                return
            }
            try read(current)
        } else if oversized != nil {
            try read(current)
        }
        if let escape = csvEscape, oversized == nil { current.read(again: escape, passing: counted) }
        csvEscape = csvEscape ?? current.summary.csvEscape
        // A part of an array has unmatched brackets.
        if current.isFinal, options.range == nil, openBrackets + current.summary.openBrackets > 0 {
            current.rejectOpenArray()
        }
        try hand(on: current)
        if options.range != nil { note(current) }
        if hasStopped { return try consumer.endSource(source, settled: settledCount) }
        if current.isFinal { try endSource() }
        if current.unreadCount > 0, !current.isFinal {
            keep(current)
        } else {
            spare.append(current)
        }
    }

    /// Notes how much of the range has been read.
    private mutating func note(_ chunk: Chunk) {
        let count = chunk.summary.consumed
        let before = readRange ?? ReadRange(begin: chunk.streamOffset, end: 0, lines: 0, openBrackets: 0)
        readRange = ReadRange(
            begin: before.begin,
            end: chunk.streamOffset + count,
            lines: lineBase,
            openBrackets: openBrackets
        )
        hasStopped = chunk.summary.hasStopped
        chunk.buffer.withPaddedBytes { bytes in
            bytes.extracting(0..<count).withUnsafeBytes { observer?.update($0) }
        }
    }

    /// Reads a chunk that begins with the leftover of an earlier chunk, or inside a document over the limit.
    private mutating func read(_ chunk: Chunk) throws {
        guard oversized != nil else { return chunk.read(passing: counted) }
        let end = chunk.buffer.withPaddedBytes { bytes in
            Framer.endOfOversized(in: bytes, at: 0, limit: chunk.buffer.count, isFinal: chunk.isFinal)
        }
        guard let end else {
            // A line feed at the very end is kept, because the next byte decides.
            try skip(max(0, chunk.buffer.count - 1), of: chunk)
            return chunk.leaveUnread()
        }
        try skip(end, of: chunk)
        try endOversized()
        chunk.read(passing: counted)
    }

    /// Skips bytes of the document above the limit.
    private mutating func skip(_ count: Int, of chunk: Chunk) throws {
        oversized?.position.length += count
        progress.bytes += count
        lineBase += chunk.buffer.withPaddedBytes { bytes in
            mask.pass(bytes.extracting(0..<count))
            if options.range != nil { bytes.extracting(0..<count).withUnsafeBytes { observer?.update($0) } }
            return bytes.count(of: 0x0A, from: 0, to: count)
        }
        dropFirst(count, of: chunk)
    }

    private func dropFirst(_ count: Int, of chunk: Chunk) {
        let rest = ByteBuffer()
        chunk.buffer.withPaddedBytes { rest.append($0.extracting(count..<chunk.buffer.count)) }
        chunk.buffer.removeAll()
        rest.withPaddedBytes { chunk.buffer.append($0.extracting(0..<rest.count)) }
        chunk.streamOffset += count
    }

    /// Keeps the unread end of a chunk for the next; a document above the limit becomes a reject.
    private mutating func keep(_ chunk: Chunk) {
        let (offset, consumed) = (chunk.streamOffset + chunk.summary.consumed, chunk.summary.consumed)
        dropFirst(consumed, of: chunk)
        chunk.streamOffset = offset
        leftover = chunk
        // One more byte than the limit shows that a document is too long.
        leftoverGoal = min(2 * chunk.buffer.count, options.documentLimit == .max ? .max : options.documentLimit + 1)
        guard chunk.buffer.count > options.documentLimit else { return }
        guard oversized == nil else { return }
        let raw = chunk.buffer.withPaddedBytes { bytes in
            mask.masked(
                0..<min(options.documentLimit, DocumentReader.cutLength),
                in: bytes.extracting(0..<chunk.buffer.count)
            )
        }
        oversized = Reject(
            document: documentBase + 1,
            position: SourcePosition(source: files[source].name, line: lineBase + 1, offset: offset, length: 0),
            diagnostic: Diagnostic(Finding(.tooLarge, at: options.documentLimit)),
            kind: nil,
            raw: raw
        )
    }

    private mutating func endOversized() throws {
        guard var reject = oversized else { return }
        oversized = nil
        // Its end was not known, so it seemed longer than the limit; it may be one short line.
        reject.raw = reject.raw.map { Array($0.prefix(reject.position.length)) }
        documentBase += 1
        progress.rejected += 1
        try consumer.consume(reject)
    }

    /// Hands the results of a chunk to the consumer.
    private mutating func hand(on chunk: Chunk) throws {
        let summary = chunk.summary
        let name = files[source].name
        if options.isDistinct { progress.repeatedRecords += chunk.removeRepeated(&knownRecords) }
        chunk.rows.firstLine = lineBase + 1
        if options.needs.contains(.origins) { chunk.rows.setOrigin(source: name, firstDocument: documentBase + 1) }
        progress.filteredRows += chunk.filteredCount
        progress.note(newest: chunk.newest)
        progress.signableRows += chunk.rows.signableRowCount
        if options.needs.contains(.traces) {
            let traces = TracedChunk(
                traces: chunk.traces,
                source: name,
                compression: chunk.compression,
                firstDocument: documentBase + 1,
                firstLine: lineBase + 1,
                offset: chunk.streamOffset
            )
            try consumer.consume(traces, rows: chunk.rows)
        }
        if let delta = chunk.delta { consumer.consume(delta) }
        try handRows(of: chunk, source: name)
        try handRejects(of: chunk)
        if !summary.rejects.counted.isEmpty { try consumer.consume(summary.rejects.counted, source: name) }
        chunk.buffer.withPaddedBytes { mask.pass($0.extracting(0..<summary.consumed)) }
        var settled = summary.documents
        for reject in summary.rejects.reversed() {
            guard reject.ordinal == settled - 1 else { break }
            settled -= 1
        }
        if settled > 0 { settledCount = documentBase + settled }
        documentBase += summary.documents
        lineBase += summary.lines
        openBrackets += summary.openBrackets
        progress.accepted += summary.accepted
        progress.rejected += summary.rejects.total
        progress.foreign += summary.foreign
        progress.bytes += summary.consumed
        consumer.report(progress)
    }

    /// Hands the rows of a chunk to the consumer, and notes their digests on another thread if there are several.
    private mutating func handRows(of chunk: Chunk, source: String) throws {
        let firstDocument = documentBase + 1
        let newDigests = chunk.rows.duplicates.newDigests
        var digests = counted
        var failure: (any Error)?
        concurrently(2, width: options.jobs > 2 && !newDigests.isEmpty ? 2 : 1) { part in
            if part == 0 {
                do {
                    try consumer.consume(
                        chunk.rows,
                        source: source,
                        firstDocument: firstDocument,
                        count: chunk.summary.documents
                    )
                } catch {
                    failure = error
                }
            } else if let table = digests?.withRoom(for: newDigests.count) {
                table.add(newDigests)
                digests = table
            }
        }
        if let failure { throw failure }
        counted = digests
    }

    private mutating func handRejects(of chunk: Chunk) throws {
        let name = files[source].name
        // All documents in one text share the text, which is copied once.
        var frame: (place: Range<Int>?, bytes: [UInt8]?) = (nil, nil)
        for reject in chunk.summary.rejects {
            // Those after the first ones of a source are only counted, unless they are written to a file.
            rejectsOfSource += 1
            if rejectsOfSource > options.rejectLimit {
                frame = (nil, nil)
            } else if reject.place == nil || reject.place != frame.place {
                frame = (reject.place, chunk.bytes(of: reject, masked: &mask))
            }
            let number = documentBase + reject.ordinal + 1
            let earlier = reject.earlier?.place
            let position = SourcePosition(
                source: name,
                line: lineBase + reject.line + 1,
                offset: chunk.streamOffset + reject.offset,
                length: reject.length
            )
            try consumer.consume(
                Reject(
                    document: earlier?.document ?? number,
                    position: earlier?.position ?? position,
                    diagnostic: reject.diagnostic,
                    kind: reject.kind,
                    // What an array lacks has no bytes, and is not to be read again.
                    raw: frame.bytes?.isEmpty == true ? nil : frame.bytes,
                    readAt: earlier.map { _ in Reject.ReadPlace(source: name, document: number) }
                )
            )
        }
    }

    private mutating func begin(_ number: Int) {
        guard number != source else { return }
        // The rejects at the end of a source are its own.
        if source >= 0 { consumer.report(progress) }
        source = number
        (documentBase, settledCount, lineBase, openBrackets, csvEscape) = (0, 0, 0, 0, nil)
        rejectsOfSource = 0
        mask = RejectMask()
        storedBytesBefore = progress.storedBytes
    }

    private mutating func endSource() throws {
        try endOversized()
        try consumer.endSource(source, settled: settledCount)
        if options.findsRuns, documentBase == 0 {
            try consumer.consume(
                Warning(source: files[source].name, text: "no receipt and no JWS is found in the text")
            )
        }
        guard openBrackets < 0, options.range == nil else { return }
        let text = "an array of documents is closed that was not opened"
        try consumer.consume(Warning(source: files[source].name, text: text))
    }
}

/// The part of a byte range that was read.
public struct ReadRange: Hashable, Sendable {
    /// The offset in the file of the first line that was read.
    public var begin: Int
    /// One past the last byte that was read.
    public var end: Int
    /// Line feeds among the bytes.
    public var lines: Int
    /// `[` less `]` between the documents.
    public var openBrackets: Int
}
