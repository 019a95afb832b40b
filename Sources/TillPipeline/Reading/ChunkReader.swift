import TillCore
import TillInput
import TillReceipts

/// Cuts the bytes of the sources, one after the other, into chunks that can be read at once.
///
/// The start of each source is searched for the header of delimited text, and every chunk of the source gets this
/// header. A chunk ends at the probable beginning of a document (``Framer/lastCut(in:limit:)``); the rest goes into the
/// next chunk.
///
/// Why: `docs/decisions.md`, Chunks are cut anywhere and joined in order.
struct ChunkReader {
    private let files: [InputFile]
    private let chunkSize: Int
    private let csv: CSVOptions
    private let rows: StoredRowOptions
    private let findsRuns: Bool
    private let inflation: InflationLimit
    private let isLive: Bool
    private let inflatesAhead: Bool
    private var next = 0
    private var reader: InputReader?
    private var isUnread = false
    private var carry = ByteBuffer()
    /// The end of a chunk that is searched for a cut before the chunk is read.
    private var tail = ByteBuffer()
    private var offset = 0
    private var header: CSVHeader?
    /// The part of the source that is read.
    private var range: RangeReader?
    /// The files of folders that were skipped.
    private(set) var foreignFiles = ListedNames()

    private let observer: (any StoredBytesObserver)?

    /// The next part of the input; the caller owns its contents.
    enum Answer: @unchecked Sendable {
        case filled(ChunkInput)
        /// The next source has rows and no documents; it is not read here.
        case rows(InputReader, source: Int)
        /// The source is of a kind that is not read (``ForeignContainer``).
        case skipped
        /// All sources are used up.
        case end
    }

    init(_ files: [InputFile], options: ReadOptions, observer: (any StoredBytesObserver)? = nil) {
        self.observer = observer
        self.files = files
        chunkSize = options.chunkSize
        csv = options.csv
        rows = options.rows
        findsRuns = options.findsRuns
        inflation = options.inflation
        isLive = options.needs.contains(.pauses)
        inflatesAhead = options.jobs > 1 && !isLive
        range = options.range.map(RangeReader.init)
    }

    /// Whether the source of the next bytes is compressed.
    mutating func isInflating() throws(Finding) -> Bool {
        try open()?.compressionName != nil
    }

    /// Whether the next source is a plain file with documents, whose bytes can be read without waiting.
    mutating func isPlainFile() throws(Finding) -> Bool {
        guard let reader = try open() else { return false }
        return reader.compressionName == nil && reader.size != nil && !(isUnread && rows.reads(reader))
    }

    /// The source that is being read, or the next; `nil` if there is none.
    private mutating func open() throws(Finding) -> InputReader? {
        if reader == nil, next < files.count {
            reader = try InputReader(files[next], limit: inflation, observer: observer)
            if let reader { try rows.check(reader) }
            if let range {
                if let reader, rows.reads(reader) {
                    throw Finding(.range, source: reader.name, reason: "is Parquet, which is read as a whole")
                }
                try reader?.skip(to: range.range.firstByte)
            }
            reader?.isLive = isLive
            reader?.inflatesAhead = inflatesAhead
            next += 1
            offset = 0
            isUnread = true
        }
        return reader
    }

    /// Fills `chunk` with the next bytes.
    mutating func fill(_ chunk: Chunk) throws(Finding) -> Answer {
        let answer = try fill(chunk.buffer)
        if case .filled(let input) = answer { chunk.take(input) }
        return answer
    }

    /// Bytes in which a cut is searched first; most documents are shorter.
    private static let tailSize = 32 << 10

    /// Cuts the next chunk off a plain file by a look at its end only, so that threads can read several chunks at once.
    ///
    /// - Returns: `nil` at the start of a source, which has to be searched for a header, and for sources whose bytes
    ///   have no offsets.
    mutating func nextUnread() throws(Finding) -> UnreadChunk? {
        guard let reader, offset > 0, range == nil, reader.hasOffsets else { return nil }
        // They are read again with the chunk.
        carry.removeAll()
        let limit = offset + chunkSize
        var size = Self.tailSize
        while true {
            let start = max(offset, limit - size)
            tail.removeAll()
            let got = try tail.append(upTo: limit - start) { memory throws(Finding) in
                try reader.read(at: start, into: memory)
            }
            let isFinal = got < limit - start
            let cut: Int? = isFinal ? got : tail.withPaddedBytes { Framer.lastCut(in: $0, limit: got) }
            // There may be no cut in the tail, and the file may end before it.
            guard (cut ?? 0) > 0 || start == offset else {
                size *= 4
                continue
            }
            let bytes = offset..<start + (cut ?? got)
            offset = bytes.upperBound
            if isFinal { self.reader = nil }
            return UnreadChunk(
                reader: reader,
                source: next - 1,
                range: bytes,
                isFinal: isFinal,
                isCut: !isFinal && cut != nil,
                csvHeader: header
            )
        }
    }

    /// Fills `buffer` with the next bytes.
    mutating func fill(_ buffer: ByteBuffer) throws(Finding) -> Answer {
        guard let reader = try open() else { return .end }
        if isUnread, rows.reads(reader) {
            self.reader = nil
            return .rows(reader, source: next - 1)
        }
        isUnread = false
        buffer.removeAll()
        carry.withPaddedBytes { buffer.append($0.extracting(0..<carry.count)) }
        carry.removeAll()
        var isFinal = try append(to: buffer, from: reader)
        if offset == 0, !findsRuns, try isForeign(buffer, files[next - 1]) {
            self.reader = nil
            return .skipped
        }
        if offset == 0, var begun = range {
            offset = try begun.begin(buffer, isFinal: &isFinal) { () throws(Finding) in
                try append(to: buffer, from: reader)
            }
            range = begun
        }
        if offset == 0, !findsRuns { header = try readHeader(in: buffer, from: reader, isFinal: &isFinal) }
        if isFinal {
            self.reader = nil
        } else if !reader.isPaused {
            // Before a pause, all bytes are passed on, so that complete documents are read now.
            carryOver(from: buffer)
        }
        if range != nil, header != nil {
            throw Finding(.range, source: reader.name, reason: "is delimited text, which is read as a whole")
        }
        range?.look(at: buffer, streamOffset: offset)
        defer { offset += buffer.count }
        return .filled(
            ChunkInput(
                buffer: buffer,
                source: next - 1,
                streamOffset: offset,
                isFinal: isFinal,
                isCut: carry.count > 0,
                isPaused: reader.isPaused,
                bytesRead: reader.bytesRead,
                compression: reader.compressionName,
                csvHeader: header,
                stop: range?.stop
            )
        )
    }

    /// Whether the file of a folder is of a kind that is not read, by its first bytes.
    ///
    /// - Throws: ``Finding`` where the caller has named such a file itself.
    private mutating func isForeign(_ buffer: ByteBuffer, _ file: InputFile) throws(Finding) -> Bool {
        let kind = buffer.withPaddedBytes { ForeignContainer.recognize($0.extracting(0..<buffer.count)) }
        guard let kind else { return false }
        guard file.isInFolder else { throw kind.finding(of: file.name) }
        foreignFiles.add("\(file.name) (\(kind.name))")
        return true
    }

    /// Keeps the end of `buffer`, from where a document seems to begin, for the next.
    private mutating func carryOver(from buffer: ByteBuffer) {
        let headerEnd = header?.byteCount ?? 0
        buffer.withPaddedBytes { bytes in
            guard let cut = Framer.lastCut(in: bytes, limit: buffer.count), offset + cut >= headerEnd else { return }
            carry.append(bytes.extracting(cut..<buffer.count))
        }
        buffer.truncate(to: buffer.count - carry.count)
    }

    /// Appends a chunk to `buffer`; whether the source ends with it.
    private func append(to buffer: ByteBuffer, from reader: InputReader) throws(Finding) -> Bool {
        let got = try buffer.append(upTo: chunkSize) { memory throws(Finding) in try reader.read(into: memory) }
        return got < chunkSize && !reader.isPaused
    }

    /// The header at the start of a source, if it is delimited text; reads on until that is known.
    private func readHeader(
        in buffer: ByteBuffer,
        from reader: InputReader,
        isFinal: inout Bool
    ) throws(Finding) -> CSVHeader? {
        while true {
            func find(_ wanted: [String], byContent: Bool) -> CSVHeader.Answer {
                buffer.withPaddedBytes { bytes in
                    CSVHeader.find(
                        in: bytes,
                        limit: buffer.count,
                        wanted: wanted,
                        isAnnounced: csv.isAnnounced,
                        isFinal: isFinal,
                        isPaused: reader.isPaused,
                        isDocument: byContent ? { cell in cell.beginsLikeCell } : nil
                    )
                }
            }
            switch find(csv.columns, byContent: csv.column == nil) {
            case .header(var header):
                buffer.withPaddedBytes { header.findEscape(in: $0, limit: buffer.count) }
                return header
            case .undecided: isFinal = try append(to: buffer, from: reader)
            case .none(let columns):
                guard buffer.count > 0 else { return nil }
                if !csv.isAnnounced {
                    // If the header lacks the requested column, the text must not be read in another format.
                    guard csv.column != nil else { return nil }
                    switch find(CSVHeader.usualColumns, byContent: true) {
                    case .none: return nil
                    case .undecided:
                        isFinal = try append(to: buffer, from: reader)
                        continue
                    case .header, .ambiguous: break
                    }
                }
                throw Finding(.header, source: reader.name, reason: csv.reason(columns))
            case .ambiguous(let columns, let fitting):
                throw Finding(.header, source: reader.name, reason: csv.reason(columns, fitting: fitting))
            }
        }
    }
}
