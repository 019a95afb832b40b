import CZlib

/// Gzip members as tests want them.
public enum Gzip {
    /// One member around `bytes`, with the usual header.
    public static func member(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        member(bytes, level: level, header: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    }

    /// One member around `bytes`.
    public static func member(_ bytes: [UInt8], level: Int32 = 6, header: [UInt8]) -> [UInt8] {
        header + deflated(bytes, level: level) + number(checksum(bytes))
            + number(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// A DEFLATE stream alone.
    private static func deflated(_ bytes: [UInt8], level: Int32) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else {
            return []
        }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 10 + 64)
        input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                deflate(&stream, Z_FINISH)
            }
        }
        return Array(output.prefix(output.count - Int(stream.avail_out)))
    }

    public static func checksum(_ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
    }

    /// Four bytes, the smallest first.
    public static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
