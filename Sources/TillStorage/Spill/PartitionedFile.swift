import TillColumns
import TillCore
import TillLedger

/// A file of pieces of a ledger, each of one partition.
///
///     file          │ partition 0 │ partition 1 │ … │ partition 0 │ partition 2 │ …      as they are written
///     partition 0     ╰── extents ────────────────────╯
///
/// A partition consists of segments, and each segment of the blocks of a partial with its own texts and shared values,
/// so ``PartialDecoder`` reads partitions. There are no checksums, because only this process can open the file.
struct PartitionedFile: ~Copyable, Sendable {
    /// The kind of a piece of a partition.
    enum Kind: Equatable, Sendable {
        /// A block as partials have it; texts are the first block of a segment.
        case block(PartialBlock)
        /// Mentions of the segment's transactions in documents.
        case mentions
        /// Values that no ledger holds.
        case notes
    }

    private struct Extent {
        var offset: Int
        var count: Int
        var kind: Kind
    }

    private let file: (any SpillFile)?
    private var extents: [[Extent]]
    /// Bytes in the file; later ones are in ``buffer``.
    private var end = 0
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// No partition, and no file.
    init() {
        file = nil
        extents = []
    }

    init(_ count: Int, in store: any SpillStore) throws {
        file = try store.makeFile()
        extents = Array(repeating: [], count: count)
    }

    /// Partitions, empty ones among them.
    var count: Int { extents.count }

    /// Bytes written.
    var byteCount: Int { end + buffer.count }

    mutating func append(_ kind: Kind, _ bytes: [UInt8], to partition: Int) throws {
        extents[partition].append(Extent(offset: byteCount, count: bytes.count, kind: kind))
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Writes the bytes that are still in memory. Must be called before reading.
    mutating func flush() throws {
        guard !buffer.isEmpty, let file else { return }
        try file.write(buffer, at: end)
        end += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Passes every piece of a partition to `body`, in the order in which they were written.
    borrowing func forEachPiece(of partition: Int, _ body: (Kind, RawSpan) throws -> Void) throws {
        precondition(buffer.isEmpty)
        guard let file else { return }
        for extent in extents[partition] {
            let bytes = try file.read(extent.count, at: extent.offset)
            try body(extent.kind, bytes.span.bytes)
        }
    }

    /// Reads a partition into a ledger.
    borrowing func read(_ partition: Int, into ledger: inout Ledger) throws {
        var decoder = PartialDecoder()
        try forEachPiece(of: partition) { kind, bytes in
            switch kind {
            case .block(let block):
                if block == .texts { decoder = PartialDecoder(keepsNumbers: ledger.needs.contains(.provenance)) }
                try decoder.decode(block, bytes, offset: 0, into: &ledger)
            case .mentions: try decoder.decodeMentions(bytes, into: &ledger)
            case .notes: break
            }
        }
    }
}
