import TillInput
import TillLedger
import TillReports
import TillStorage

/// The container of a partial: blocks with a checksum each, little-endian.
///
///      0  8  TILLPART
///      8  4  version
///     12     block, block, …, the last one DONE
///
///     block:  4 kind │ 4 length │ length payload │ 4 CRC-32 of all before it in the block
///
/// A partial has one HEAD, one INPT, and the blocks of the ledger (``PartialBlock``).
enum PartialFile {
    static let magic = Array("TILLPART".utf8)
    /// The only version that is read: earlier ones lack facts by which copies are joined now.
    static let version: UInt32 = 5

    static let head = "HEAD"
    static let input = "INPT"
    static let done = "DONE"

    /// Writes a whole partial through `write`, a piece at a time.
    static func write(
        _ head: PartialHead,
        _ input: InputSummary,
        _ ledger: inout SpillingLedger,
        to write: ([UInt8]) throws -> Void
    ) throws {
        var start = PartialWriter()
        start.write(word: version)
        try write(magic + start.bytes)
        var blocks: UInt64 = 0
        func writeBlock(_ kind: String, _ payload: [UInt8]) throws {
            try write(block(kind, payload))
            blocks += 1
        }
        try writeBlock(Self.head, head.encode())
        try writeBlock(Self.input, encode(input))
        try ledger.encode { try writeBlock($0.rawValue, $1) }
        var end = PartialWriter()
        end.write(word: blocks)
        try write(block(done, end.bytes))
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

    static func input(_ payload: RawSpan, offset: Int) throws(PartialError) -> InputSummary {
        var cursor = PartialCursor(payload, base: offset)
        var input = InputSummary(documents: 0, accepted: 0, rejected: 0, bytes: 0)
        (input.accepted, input.rejected, input.bytes) = (try cursor.tally(), try cursor.tally(), try cursor.tally())
        input.foreign = try cursor.tally()
        try cursor.finish()
        input.documents = input.accepted + input.rejected
        return input
    }
}
