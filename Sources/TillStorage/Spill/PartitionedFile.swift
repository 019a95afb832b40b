import TillColumns
import TillCore
import TillLedger

extension MemoryAllowance {
    /// Makes a file of partitions by id.
    func makeFile() throws -> PartitionedFile { try PartitionedFile(identifierPartitions, in: store, seed: seed) }
}

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

    /// Decides which keys are in which partition (``Partitioner``).
    let seed: UInt64
    private let file: (any SpillFile)?
    private var extents: [[Extent]]
    /// Bytes in the file; later ones are in ``buffer``.
    private var end = 0
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// No partition, and no file.
    init() {
        (file, seed) = (nil, Partitioner.sharedSeed)
        extents = []
    }

    /// - Parameter seed: drawn for each file, unless its partitions decide the bytes of a result.
    init(_ count: Int, in store: any SpillStore, seed: UInt64 = .random(in: .min ... .max)) throws {
        self.seed = seed
        file = try store.makeFile()
        extents = Array(repeating: [], count: count)
    }

    /// Partitions, empty ones among them.
    var count: Int { extents.count }

    /// Assigns keys to the partitions.
    var partitioner: Partitioner { Partitioner(count: count, seed: seed) }

    /// Bytes written.
    var byteCount: Int { end + buffer.count }

    /// Bytes of one partition.
    func byteCount(of partition: Int) -> Int { extents[partition].reduce(0) { $0 + $1.count } }

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
    ///
    /// - Parameter beforeSegment: is called where the decoder refers to nothing in the ledger.
    borrowing func read(
        _ partition: Int,
        into ledger: inout Ledger,
        beforeSegment: (inout Ledger) throws -> Void = { _ in }
    ) throws {
        var decoder = PartialDecoder()
        try forEachPiece(of: partition) { kind, bytes in
            switch kind {
            case .block(let block):
                if block == .texts { try beforeSegment(&ledger) }
                if block == .texts { decoder = PartialDecoder(keepsNumbers: ledger.needs.contains(.provenance)) }
                try decoder.decode(block, bytes, offset: 0, into: &ledger)
            case .mentions: try decoder.decodeMentions(bytes, into: &ledger)
            case .notes: break
            }
        }
    }
}
