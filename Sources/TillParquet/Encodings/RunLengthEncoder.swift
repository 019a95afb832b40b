/// Writes small numbers as runs and bit-packed groups (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid").
///
///     run      varint(count << 1)       value, in as few bytes as its width needs
///     packed   varint(groups << 1 | 1)  8 values a group, low bits first
///
/// A run is shorter than packed values from eight equal values on.
enum RunLengthEncoder {
    /// Writes `values`, each of `width` bits, 0…32.
    static func append(_ values: UnsafeBufferPointer<Int64>, width: Int, to sink: inout ByteSink) {
        guard width > 0 else {
            if !values.isEmpty { appendRun(of: 0, count: values.count, width: 0, to: &sink) }
            return
        }
        var packedStart = 0
        var index = 0
        while index < values.count {
            var end = index + 1
            while end < values.count, values[end] == values[index] { end += 1 }
            // Packed groups have eight values; the run fills the last group.
            let lacking = (8 - (index - packedStart) % 8) % 8
            if end - index >= lacking + 8 {
                pack(values, packedStart..<index + lacking, width: width, to: &sink)
                appendRun(of: values[index], count: end - index - lacking, width: width, to: &sink)
                packedStart = end
            }
            index = end
        }
        pack(values, packedStart..<values.count, width: width, to: &sink)
    }

    private static func appendRun(of value: Int64, count: Int, width: Int, to sink: inout ByteSink) {
        sink.append(varint: UInt64(count) << 1)
        for byte in 0..<(width + 7) / 8 { sink.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }

    private static func pack(
        _ values: UnsafeBufferPointer<Int64>,
        _ range: Range<Int>,
        width: Int,
        to sink: inout ByteSink
    ) {
        guard !range.isEmpty else { return }
        let groups = (range.count + 7) / 8
        sink.append(varint: UInt64(groups) << 1 | 1)
        let end = sink.count + groups * width
        sink.reserve(groups * width + 8)
        var (bits, filled): (UInt64, UInt64) = (0, 0)
        for index in range {
            bits |= UInt64(bitPattern: values[index]) << filled
            filled += UInt64(width)
            if filled >= 32 {
                sink.append(UInt32(truncatingIfNeeded: bits))
                bits >>= 32
                filled -= 32
            }
        }
        while filled > 0 {
            sink.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            filled -= min(8, filled)
        }
        while sink.count < end { sink.append(UInt8(0)) }
    }

    /// Writes `count` single bits, which lie in `words` low bits first, as Parquet has them itself.
    ///
    /// Definition levels of a flat column: 1 is a value, 0 a null.
    static func append(bits words: UnsafePointer<UInt64>, count: Int, to sink: inout ByteSink) {
        let bytes = UnsafeRawBufferPointer(start: words, count: (count + 7) / 8)
        // Beyond the whole bytes there may be up to seven bits more; they are always packed.
        let whole = count / 8
        var packedStart = 0
        var index = 0
        while index < whole {
            var end = index + 1
            let value = bytes[index]
            while end < whole, bytes[end] == value { end += 1 }
            if value == 0 || value == 0xFF, end - index >= 4 || end * 8 == count {
                appendPacked(bytes, packedStart..<index, to: &sink)
                appendRun(of: value == 0 ? 0 : 1, count: (end - index) * 8, width: 1, to: &sink)
                packedStart = end
            }
            index = end
        }
        appendPacked(bytes, packedStart..<bytes.count, to: &sink)
    }

    private static func appendPacked(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, to sink: inout ByteSink) {
        guard !range.isEmpty else { return }
        sink.append(varint: UInt64(range.count) << 1 | 1)
        sink.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}
