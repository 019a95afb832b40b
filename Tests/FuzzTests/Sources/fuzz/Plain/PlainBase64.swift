import CZlib

extension UInt8 {
    /// Whether it is a digit of either alphabet of base64 (RFC 4648 §4, §5).
    var isDigitOfBase64: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || "+/-_".utf8.contains(self)
    }
}

/// Base64 in the plainest way.
enum PlainBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 4)
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
            bits &= 0xFF
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        while text.count % 4 > 0 { text.append(0x3D) }
        return text
    }

    /// The bytes of digits of either alphabet, with line breaks and padding between and behind them; `nil` for any
    /// other text.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in text where byte != 0x3D && byte != 0x0A && byte != 0x0D {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case 0x2B, 0x2D: value = 62
            case 0x2F, 0x5F: value = 63
            default: return nil
            }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            bits &= 0xFFFF
        }
        return bytes
    }
}

/// gzip by zlib alone.
enum PlainGzip {
    /// What the first member inflates to; `nil` where it is damaged or has more than `limit` bytes.
    static func inflate(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: limit)
        let answer = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
                (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        return answer == Z_STREAM_END ? Array(output.prefix(limit - Int(stream.avail_out))) : nil
    }
}
