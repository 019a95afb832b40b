import TillCore
import TillInput
import TillLedger
import TillReports
import TillStorage

/// The container of a partial: blocks with a checksum each, little-endian.
///
///      0  8  TILLPART, or TILLSUMS of a closed one
///      8  4  version
///     12     block, block, …, the last one DONE
///
///     block:  4 kind │ 4 length │ length payload │ 4 CRC-32 of all before it in the block
///
/// A partial has one HEAD, one INPT, and the blocks of the ledger (``PartialBlock``).
enum PartialFile {
    static let magic = Array("TILLPART".utf8)
    static let closedMagic = Array("TILLSUMS".utf8)
    /// The only version that is read: earlier versions lack values that joining needs.
    static let version: UInt32 = 12
    /// The same of closed partials.
    static let closedVersion: UInt32 = 11

    static let head = "HEAD"
    static let input = "INPT"
    static let done = "DONE"

    /// Writes a whole partial through `write`, a piece at a time; gives its length in bytes, as the others below do.
    @discardableResult
    static func write(
        _ head: PartialHead,
        _ input: InputSummary,
        _ ledger: inout SpillingLedger,
        to write: ([UInt8]) throws -> Void
    ) throws -> Int {
        var written = try begin(.open, head, input, write)
        try ledger.encode { kind, payload in
            try written.write(kind.rawValue, payload, write)
        }
        return try written.end(write)
    }

    /// Writes one share of an open partial.
    @discardableResult
    static func write(
        _ head: PartialHead,
        _ input: InputSummary,
        _ share: Int,
        of shares: inout LedgerShares,
        _ ledger: borrowing Ledger,
        to write: ([UInt8]) throws -> Void
    ) throws -> Int {
        var written = try begin(.open, head, input, write)
        try shares.encode(share, of: ledger) { kind, payload in
            try written.write(kind.rawValue, payload, write)
        }
        return try written.end(write)
    }

    /// Writes a complete closed partial: the sums of the transactions of a ledger, and its other data.
    @discardableResult
    static func write(
        _ head: PartialHead,
        _ input: InputSummary,
        _ ledger: borrowing SettledLedger,
        _ sums: ReportSums,
        to write: ([UInt8]) throws -> Void
    ) throws -> Int {
        var closed = sums
        try closed.close()
        let sections = closed.sections.map { name in
            (
                name: name,
                visit: { [closed] (writer: inout SumWriter) in
                    // A writer does not change sums.
                    var sums = closed
                    try sums.visit(name, &writer)
                }
            )
        }
        var written = try begin(.closed, head, input, write)
        try SumEncoding.encode(ledger, sections) { kind, payload in
            try written.write(kind.rawValue, payload, write)
        }
        return try written.end(write)
    }

    /// The part of a partial written so far.
    private struct Written {
        var blockCount: UInt64 = 0
        var byteCount = 0

        mutating func write(_ kind: String, _ payload: [UInt8], _ write: ([UInt8]) throws -> Void) throws {
            let block = PartialFile.block(kind, payload)
            try write(block)
            blockCount += 1
            byteCount += block.count
        }

        /// Writes the last block; gives the length of the partial.
        consuming func end(_ write: ([UInt8]) throws -> Void) throws -> Int {
            var end = PartialWriter()
            end.write(word: blockCount)
            try self.write(PartialFile.done, end.bytes, write)
            return byteCount
        }
    }

    /// Writes what comes before the ledger.
    private static func begin(
        _ kind: PartialKind,
        _ head: PartialHead,
        _ input: InputSummary,
        _ write: ([UInt8]) throws -> Void
    ) throws -> Written {
        var start = PartialWriter()
        start.write(word: version(of: kind))
        let bytes = magic(of: kind) + start.bytes
        try write(bytes)
        var written = Written(byteCount: bytes.count)
        try written.write(Self.head, head.encode(), write)
        try written.write(Self.input, encode(input), write)
        return written
    }

    static func magic(of kind: PartialKind) -> [UInt8] {
        switch kind {
        case .open: magic
        case .closed: closedMagic
        }
    }

    static func version(of kind: PartialKind) -> UInt32 {
        switch kind {
        case .open: version
        case .closed: closedVersion
        }
    }

    static func block(_ kind: String, _ payload: [UInt8]) -> [UInt8] {
        var start = PartialWriter()
        start.write(word: UInt32(payload.count))
        var bytes = Array(kind.utf8) + start.bytes + payload
        var checksum = Checksum()
        checksum.update(bytes)
        var end = PartialWriter()
        end.write(word: checksum.value)
        bytes += end.bytes
        return bytes
    }

    private static func encode(_ input: InputSummary) -> [UInt8] {
        var writer = PartialWriter()
        for count in [input.accepted, input.rejected, input.bytes, input.foreign] { writer.write(count: count) }
        return writer.bytes
    }

    static func input(
        _ payload: RawSpan,
        offset: Int,
        within allowance: inout CountAllowance
    ) throws(Finding) -> InputSummary {
        var cursor = PartialCursor(payload, base: offset)
        var input = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        input.accepted = try cursor.tally(within: &allowance)
        input.rejected = try cursor.tally(within: &allowance)
        input.bytes = try cursor.tally(within: &allowance)
        input.foreign = try cursor.tally(within: &allowance)
        try cursor.finish()
        input.documents = input.accepted + input.rejected
        return input
    }
}
