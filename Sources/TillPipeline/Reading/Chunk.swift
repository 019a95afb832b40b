import TillCore
import TillInput
import TillLedger
import TillReceipts
import TillRows

/// A chunk of input on its way through the pipeline, with everything that is needed to read it.
///
/// It moves from the reader of chunks to a worker and to the consumer, with one owner at a time. Then it is reused, so
/// that a run of any length allocates only a few chunks.
final class Chunk: @unchecked Sendable {
    private(set) var buffer = ByteBuffer()
    var rows = RowBatch()
    private(set) var summary = DocumentReader.Summary()
    /// Rows that were read and are not given to the consumer.
    private(set) var filteredCount = 0
    /// Its rows, prepared for a ledger that will take them.
    private(set) var delta: LedgerDelta?
    /// The time of its newest row, where that is needed.
    private(set) var newest: Int64?
    private let needsNewest: Bool
    private var reader: DocumentReader
    private let filter: RowFilter
    private let selection: LedgerSelection?

    // As in ``ChunkInput``:
    private(set) var source = 0
    var streamOffset = 0
    var isFinal = false
    var isCut = false
    private(set) var isPaused = false
    var bytesRead = 0
    private(set) var compression: String?
    private var csvHeader: CSVHeader?
    var stop: Int?
    /// The place of its bytes, until they are read.
    private var unread: UnreadChunk?

    /// - Parameter recordKey: `nil` if repeated records are read like others.
    init(_ reader: DocumentReader, _ options: ReadOptions, recordKey: RecordKey? = nil) {
        self.reader = reader
        filter = options.filter
        selection = options.selection
        needsNewest = options.needs.contains(.newest)
        rows.recordKey = recordKey
        rows.keepsSigners = options.needs.contains(.signers)
        // The app of a row decides whether the row is kept.
        rows.wanted = options.bundleIDs.isEmpty ? options.wanted : .everything
    }

    /// Takes the bytes of the reader of chunks; returns a buffer for reuse.
    @discardableResult
    func take(_ input: ChunkInput) -> ByteBuffer {
        defer { buffer = input.buffer }
        source = input.source
        streamOffset = input.streamOffset
        isFinal = input.isFinal
        isCut = input.isCut
        isPaused = input.isPaused
        bytesRead = input.bytesRead
        compression = input.compression
        csvHeader = input.csvHeader
        stop = input.stop
        return buffer
    }

    /// Takes a chunk whose bytes ``load()`` reads.
    func take(_ unread: UnreadChunk) {
        take(
            ChunkInput(
                buffer: buffer,
                source: unread.source,
                streamOffset: unread.range.lowerBound,
                isFinal: unread.isFinal,
                isCut: unread.isCut,
                isPaused: false,
                bytesRead: unread.range.upperBound,
                compression: nil,
                csvHeader: unread.csvHeader,
                stop: nil
            )
        )
        self.unread = unread
    }

    /// Reads its bytes, where that has not been done.
    func load() throws(Finding) {
        guard let unread = unread.take() else { return }
        try unread.read(into: buffer)
    }

    /// How its documents were read, where that is kept.
    var traces: [DocumentTrace] { reader.traces }

    /// Reads its documents, except transactions whose texts are `counted`.
    func read(passing counted: SeenDigestCache? = nil) {
        rows.removeAll()
        rows.duplicates.cache = counted
        defer { rows.duplicates.cache = nil }
        reader.csvHeader = csvHeader
        reader.isCut = isCut
        reader.stop = stop.map { max(0, $0 - streamOffset) } ?? .max
        summary = buffer.withPaddedBytes { bytes in
            reader.read(bytes, limit: buffer.count, streamOffset: streamOffset, isFinal: isFinal, into: &rows)
        }
        if needsNewest { newest = NewestRecord.time(of: rows) }
        // Which records are repeated is known only where the chunks are in order.
        if rows.recordKey == nil { finishRows() } else { (filteredCount, delta) = (0, nil) }
    }

    /// Removes the rows of records that are known; returns the number of these.
    func removeRepeated(_ known: inout Set<UInt64>) -> Int {
        let count = rows.removeRecords { !known.insert($0).inserted }
        finishRows()
        return count
    }

    private func finishRows() {
        filteredCount = filter.apply(to: &rows)
        delta = selection.map { LedgerDelta(of: rows, $0) }
    }

    /// Reads its documents again, where it was read before the source had shown how it writes quotes, and has read other
    /// cells than it would now.
    func read(again escape: CSVEscape, passing counted: SeenDigestCache?) {
        guard let header = csvHeader, header.escape(from: streamOffset) == nil else { return }
        guard escape == .backslash || summary.csvEscape ?? escape != escape else { return }
        csvHeader = header.with(escape)
        read(passing: counted)
    }

    /// The bytes of a document that could not be read, with its secrets masked.
    func bytes(of reject: DocumentReader.Reject, masked mask: inout RejectMask) -> [UInt8]? {
        buffer.withPaddedBytes { bytes in
            guard let place = reject.place else { return reject.bytes(in: bytes).map(Redaction.redacted) }
            return mask.masked(place, in: bytes.extracting(0..<buffer.count))
        }
    }

    /// Makes a reject of an array that the end of the source leaves open.
    func rejectOpenArray() {
        buffer.withPaddedBytes { summary.rejectOpenArray(endingAt: buffer.count, in: $0) }
    }

    /// Takes none of its bytes for a document.
    func leaveUnread() {
        rows.removeAll()
        summary = DocumentReader.Summary()
        (filteredCount, delta, newest) = (0, nil, nil)
    }

    /// Bytes at the end that are the beginning of something longer.
    var unreadCount: Int { buffer.count - summary.consumed }
}

/// A chunk of a plain file that is cut and not yet read.
struct UnreadChunk {
    /// The open file, whose bytes any thread may read.
    let reader: InputReader
    /// Which of the run's sources it is of.
    let source: Int
    /// Where in the file its bytes are.
    let range: Range<Int>
    /// Whether its source ends with it.
    let isFinal: Bool
    /// Whether the next chunk begins with a line that a document may begin.
    let isCut: Bool
    /// The header of its source, where that is delimited text.
    let csvHeader: CSVHeader?

    /// Replaces the contents of `buffer` with its bytes.
    func read(into buffer: ByteBuffer) throws(Finding) {
        buffer.removeAll()
        let count = try buffer.append(upTo: range.count) { memory throws(Finding) in
            try reader.read(at: range.lowerBound, into: memory)
        }
        // The bytes were there when the chunk was cut.
        guard count == range.count else {
            throw Finding(shortened: reader.name, to: range.lowerBound + count, from: range.upperBound)
        }
    }
}

/// The input of a chunk, from the reader of chunks.
struct ChunkInput {
    let buffer: ByteBuffer
    /// Which of the run's sources it is of.
    let source: Int
    /// Where in the decompressed stream it begins.
    let streamOffset: Int
    /// Whether its source ends with it.
    let isFinal: Bool
    /// Whether the next chunk begins with a line that a document may begin.
    let isCut: Bool
    /// Whether it ends at a pause of its source.
    let isPaused: Bool
    /// Stored bytes of the source that had been read when this chunk was read.
    let bytesRead: Int
    /// The compression of its source, if any.
    let compression: String?
    /// The header of its source, where that is delimited text.
    let csvHeader: CSVHeader?
    /// The offset in the decompressed stream from which no document is begun, if known.
    let stop: Int?
}
