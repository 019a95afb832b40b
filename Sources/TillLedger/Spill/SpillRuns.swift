import TillColumns
import TillCore

/// Pieces of a ledger in a file, each of one run, which is all that has to be seen together.
///
///     file   │ run 0 │ run 1 │ … │ run 0 │ run 2 │ …      as they are written
///     run 0    ╰── extents ──────────╯
///
/// A run consists of segments, and each segment of the blocks of a partial with texts and facets of their own, so what
/// reads partials reads runs. There are no checksums: nobody but this process ever has the file.
struct SpillRuns: ~Copyable, Sendable {
    /// What a piece of a run is.
    enum Kind: Equatable, Sendable {
        /// A block as partials have it; texts are the first block of a segment.
        case block(PartialBlock)
        /// Which documents mention the transactions of the segment.
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
    /// Written, and in ``buffer``.
    private var end = 0
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// None, and no file.
    init() {
        file = nil
        extents = []
    }

    init(_ count: Int, in store: any SpillStore) throws {
        file = try store.makeFile()
        extents = Array(repeating: [], count: count)
    }

    var count: Int { extents.count }

    /// Bytes written.
    var byteCount: Int { end + buffer.count }

    mutating func append(_ kind: Kind, _ bytes: [UInt8], to run: Int) throws {
        extents[run].append(Extent(offset: byteCount, count: bytes.count, kind: kind))
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Writes what is still in memory; nothing is to be read before.
    mutating func flush() throws {
        guard !buffer.isEmpty, let file else { return }
        try file.write(buffer, at: end)
        end += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Gives every piece of a run to `body`, in the order in which they were written.
    borrowing func forEachPiece(of run: Int, _ body: (Kind, RawSpan) throws -> Void) throws {
        precondition(buffer.isEmpty)
        guard let file else { return }
        for extent in extents[run] {
            let bytes = try file.read(extent.count, at: extent.offset)
            try body(extent.kind, bytes.span.bytes)
        }
    }

    /// Takes all of a run into a ledger.
    borrowing func decode(_ run: Int, into ledger: inout Ledger) throws {
        var decoder = PartialDecoder()
        try forEachPiece(of: run) { kind, bytes in
            switch kind {
            case .block(let block):
                if block == .texts { decoder = PartialDecoder(keepsNumbers: ledger.needs.contains(.evidence)) }
                try decoder.decode(block, bytes, offset: 0, into: &ledger)
            case .mentions: try decoder.decodeMentions(bytes, into: &ledger)
            case .notes: break
            }
        }
    }
}
