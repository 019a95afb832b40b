/// Writes integers as bit-packed differences (Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED)").
///
///     varint block size · varint miniblocks · varint count · zigzag first value
///     block: zigzag smallest difference · a width a miniblock · miniblocks, packed
///
/// Differences are taken modulo 2⁶⁴ (2³² for 32-bit columns is the same bits), as the format asks.
enum DeltaEncoder {
    private static let blockSize = 128
    private static let miniblockSize = 32
    private static let miniblocks = blockSize / miniblockSize

    static func append(_ values: UnsafeBufferPointer<Int64>, to sink: inout ByteSink) {
        sink.append(varint: UInt64(blockSize))
        sink.append(varint: UInt64(miniblocks))
        sink.append(varint: UInt64(values.count))
        sink.append(zigzag: values.first ?? 0)
        guard values.count > 1 else { return }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: blockSize) { deltas in
            var start = 1
            while start < values.count {
                let count = min(blockSize, values.count - start)
                var smallest = Int64.max
                for index in 0..<count {
                    let delta = values[start + index] &- values[start + index - 1]
                    deltas[index] = delta
                    smallest = min(smallest, delta)
                }
                appendBlock(UnsafeBufferPointer(rebasing: deltas[..<count]), smallest: smallest, to: &sink)
                start += count
            }
        }
    }

    private static func appendBlock(_ deltas: UnsafeBufferPointer<Int64>, smallest: Int64, to sink: inout ByteSink) {
        sink.append(zigzag: smallest)
        let widths = sink.count
        for _ in 0..<miniblocks { sink.append(UInt8(0)) }
        for miniblock in 0..<miniblocks {
            let start = miniblock * miniblockSize
            guard start < deltas.count else { break }
            let range = start..<min(start + miniblockSize, deltas.count)
            var all: UInt64 = 0
            for index in range { all |= UInt64(bitPattern: deltas[index] &- smallest) }
            let width = 64 - all.leadingZeroBitCount
            (sink.memory + widths + miniblock).storeBytes(of: UInt8(width), as: UInt8.self)
            pack(deltas, range, less: smallest, width: UInt64(width), to: &sink)
        }
    }

    /// Packs a miniblock, filled up with zeros.
    private static func pack(
        _ deltas: UnsafeBufferPointer<Int64>,
        _ range: Range<Int>,
        less smallest: Int64,
        width: UInt64,
        to sink: inout ByteSink
    ) {
        guard width > 0 else { return }
        let end = sink.count + miniblockSize / 8 * Int(width)
        sink.reserve(miniblockSize / 8 * Int(width) + 8)
        var (bits, filled): (UInt64, UInt64) = (0, 0)
        for index in range {
            let value = UInt64(bitPattern: deltas[index] &- smallest)
            bits |= value << filled
            if filled + width >= 64 {
                sink.append(bits)
                // A shift by 64 gives 0, as intended.
                bits = value >> (64 - filled)
                filled = filled + width - 64
            } else {
                filled += width
            }
        }
        while filled > 0 {
            sink.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            filled -= min(8, filled)
        }
        while sink.count < end { sink.append(UInt8(0)) }
    }
}
