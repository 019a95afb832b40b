import TillCore
import TillInput
import TillStorage

/// Reads the blocks of a partial in order, compressed or not.
struct PartialReader {
    private let reader: InputReader
    private let buffer = ByteBuffer()
    /// Where the next byte is, decompressed.
    private(set) var offset = 0
    private var blocks: UInt64 = 0
    private var isDone = false
    /// Whether the partial is open or closed.
    private(set) var kind = PartialKind.open

    /// A block, and where its payload begins.
    struct Block {
        var kind: String
        var offset: Int
    }

    /// Opens a partial and reads its beginning.
    init(_ file: InputFile, observer: (any StoredBytesObserver)? = nil) throws {
        reader = try InputReader(file, observer: observer)
        let magic = try take(PartialFile.magic.count, "the beginning of a partial")
        if magic == PartialFile.closedMagic { kind = .closed }
        guard magic == PartialFile.magic(of: kind) else {
            throw Finding("partial.magic", at: 0, "this is not a partial; report --partial writes them")
        }
        let (version, known) = (try Self.word(take(4, "a version")), PartialFile.version(of: kind))
        guard version == known else {
            throw Finding(
                "partial.version",
                at: offset - 4,
                "it is of version \(version), this tillroll reads version \(known); write it anew with report --partial"
            )
        }
    }

    /// The next block, whose payload ``withPayload(_:)`` gives; `nil` after the last.
    mutating func next() throws -> Block? {
        guard !isDone else { return nil }
        let start = offset
        let head = try take(8, "a block")
        let kind = String(decoding: head[..<4], as: UTF8.self)
        let length = Int(try Self.word(Array(head[4...])))
        try fill(length, "the payload of \(kind)")
        var checksum = Checksum()
        checksum.update(head)
        buffer.withPaddedBytes { checksum.update($0.extracting(0..<length)) }
        offset += length
        guard try Self.word(take(4, "a checksum", keepingBuffer: true)) == checksum.value else {
            throw Finding("partial.checksum", at: start, "the block has changed since it was written")
        }
        guard kind == PartialFile.done else {
            blocks += 1
            return Block(kind: kind, offset: start + 8)
        }
        try end(at: start + 8)
        return nil
    }

    /// Gives the payload of the block last read.
    func withPayload<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try buffer.withPaddedBytes { bytes throws(Failure) in try body(bytes.extracting(0..<buffer.count)) }
    }

    private mutating func end(at payload: Int) throws {
        isDone = true
        let said: UInt64 = try withPayload { bytes throws(Finding) in
            var cursor = PartialCursor(bytes, base: payload)
            let count = try cursor.word(as: UInt64.self)
            try cursor.finish()
            return count
        }
        guard said == blocks else {
            throw Finding("partial.missing-block", at: payload, "it had \(said) blocks, \(blocks) are there")
        }
        buffer.removeAll()
        let more = try buffer.append(upTo: 1) { memory throws(Finding) in try reader.read(into: memory) }
        guard more == 0 else { throw Finding("partial.trailing", at: offset, "more bytes follow the last block") }
    }

    /// The next `count` bytes.
    private mutating func take(_ count: Int, _ what: String, keepingBuffer: Bool = false) throws -> [UInt8] {
        let target = keepingBuffer ? ByteBuffer() : buffer
        try fill(count, what, target)
        offset += count
        return target.withPaddedBytes { $0.extracting(0..<count).withUnsafeBytes(Array.init) }
    }

    /// Fills the buffer with up to `count` bytes as they are read, so that a false length allocates no memory. Each
    /// piece is as long as all before it, so that growing copies each byte about once.
    private func fill(_ count: Int, _ what: String, _ target: ByteBuffer? = nil) throws {
        let buffer = target ?? self.buffer
        buffer.removeAll()
        while buffer.count < count {
            let wanted = min(max(1 << 20, buffer.count), count - buffer.count)
            let got = try buffer.append(upTo: wanted) { memory throws(Finding) in try reader.read(into: memory) }
            guard got == wanted else {
                let there = buffer.count
                throw Finding("partial.truncated", at: offset, "\(what) is cut: \(there) of \(count) bytes are there")
            }
        }
    }

    private static func word(_ bytes: [UInt8]) throws(Finding) -> UInt32 {
        var cursor = PartialCursor(bytes.span.bytes, base: 0)
        return try cursor.word(as: UInt32.self)
    }
}
