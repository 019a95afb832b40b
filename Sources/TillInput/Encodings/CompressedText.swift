import CZlib

/// Inflates text that stands compressed inside a document, as a service puts it into a message: the whole of it at
/// once.
public enum CompressedText: Sendable {
    /// A gzip member (RFC 1952).
    case gzip
    /// A zlib stream (RFC 1950).
    case zlib

    /// How bytes are compressed, by their first ones; `nil` where they are not.
    public init?(_ bytes: [UInt8]) {
        if GzipHeader.recognizes(bytes) {
            self = .gzip
        } else if bytes.count > 6, bytes[0] == 0x78, bytes[1] & 0x20 == 0, (0x7800 | Int(bytes[1])) % 31 == 0 {
            // DEFLATE with a window of 32 KiB, no dictionary, and the check bits (RFC 1950 §2.2).
            self = .zlib
        } else {
            return nil
        }
    }

    /// The text has more bytes than it may have.
    public struct TooLong: Error {}

    /// The text; `nil` where it is damaged or cut, or other bytes than zeros follow. Gzip may have several members
    /// (RFC 1952 §2.2).
    ///
    /// - Throws: ``TooLong`` where it has more than `limit` bytes.
    public func inflate(_ bytes: [UInt8], limit: Int) throws(TooLong) -> [UInt8]? {
        switch self {
        case .gzip: return try Self.inflate(gzip: bytes, limit: limit)
        case .zlib:
            guard let decoder = ZlibDecoder() else { return nil }
            decoder.begin()
            var text: [UInt8] = []
            let end = try Self.inflate(bytes[2...], into: &text, limit: limit) { decoder.step($0, into: $1) }
            guard let end, end + 4 <= bytes.count else { return nil }
            let sum = bytes[end..<end + 4].reduce(0) { $0 << 8 | UInt32($1) }
            return sum == Self.checksum(text) && bytes[(end + 4)...].allSatisfy { $0 == 0 } ? text : nil
        }
    }

    private static func inflate(gzip bytes: [UInt8], limit: Int) throws(TooLong) -> [UInt8]? {
        guard let inflater = try? GzipInflater(source: "") else { return nil }
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            inflater.beginMember()
            guard let end = try inflate(rest, into: &text, limit: limit, step: { inflater.step($0, into: $1) })
            else { return nil }
            rest = bytes[end...].drop { $0 == 0 }
        }
        return text
    }

    /// Appends what one stream inflates to; gives where the stream ends, or `nil` where it is damaged or cut.
    private static func inflate(
        _ bytes: ArraySlice<UInt8>,
        into text: inout [UInt8],
        limit: Int,
        step: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> InflationStep
    ) throws(TooLong) -> Int? {
        var position = 0
        return try bytes.span.bytes.withUnsafeBytes { input throws(TooLong) in
            while position <= input.count {
                let rest = UnsafeRawBufferPointer(rebasing: input[position...])
                let step = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { block in
                    let step = step(rest, block)
                    text += block[..<step.written]
                    return step
                }
                position += step.consumed
                guard text.count <= limit else { throw TooLong() }
                switch step.outcome {
                case .ended: return bytes.startIndex + position
                case .damaged: return nil
                case .unfinished: if step.isIdle { return nil }
                }
            }
            return nil
        }
    }

    /// The checksum behind a zlib stream (RFC 1950 §8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { bytes in
            UInt32(truncatingIfNeeded: adler32_z(1, bytes.baseAddress, bytes.count))
        }
    }
}
