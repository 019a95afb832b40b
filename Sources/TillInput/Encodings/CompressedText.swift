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

    /// The text, of gzip that of the first member; `nil` where it is damaged or cut.
    ///
    /// - Throws: ``TooLong`` where it has more than `limit` bytes.
    public func inflate(_ bytes: [UInt8], limit: Int) throws(TooLong) -> [UInt8]? {
        switch self {
        case .gzip:
            guard let inflater = try? GzipInflater(source: "") else { return nil }
            inflater.beginMember()
            return try Self.inflate(bytes[...], limit: limit) { inflater.step($0, into: $1) }?.text
        case .zlib:
            guard let decoder = ZlibDecoder() else { return nil }
            decoder.begin()
            guard let (text, end) = try Self.inflate(bytes[2...], limit: limit, step: { decoder.step($0, into: $1) }),
                end + 4 <= bytes.count
            else { return nil }
            let sum = bytes[end..<end + 4].reduce(0) { $0 << 8 | UInt32($1) }
            return sum == Self.checksum(text) ? text : nil
        }
    }

    private static func inflate(
        _ bytes: ArraySlice<UInt8>,
        limit: Int,
        step: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> InflationStep
    ) throws(TooLong) -> (text: [UInt8], end: Int)? {
        var text: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        var position = 0
        return try bytes.span.bytes.withUnsafeBytes { input throws(TooLong) in
            while position <= input.count {
                let rest = UnsafeRawBufferPointer(rebasing: input[position...])
                let step = block.withUnsafeMutableBytes { step(rest, $0) }
                position += step.consumed
                text += block[..<step.written]
                guard text.count <= limit else { throw TooLong() }
                switch step.outcome {
                case .ended: return (text, bytes.startIndex + position)
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
