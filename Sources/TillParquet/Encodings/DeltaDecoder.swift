import TillCore

/// Reads the encoding of ``DeltaEncoder``, a few values at a time.
struct DeltaDecoder {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Values not read yet.
    private(set) var remaining = 0
    private var miniblockSize = 0
    private var miniblocks = 0
    private var value: Int64 = 0
    private var isFirst = true

    // The current block and miniblock.
    private var smallest: Int64 = 0
    private var widths = 0..<0
    private var packedBit = 0
    private var width = 0
    private var left = 0

    /// Reads the header; `bytes` may continue after the values.
    init(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
        self.bytes = bytes
        let blockSize = try varint()
        let miniblocks = try varint()
        let count = try varint()
        value = try zigzag()
        guard blockSize > 0, blockSize % 128 == 0, blockSize <= 1 << 20, miniblocks > 0, miniblocks <= 1 << 10,
            blockSize % miniblocks == 0, blockSize / miniblocks % 32 == 0, count <= Int32.max
        else {
            throw Finding.brokenValues("blocks of \(blockSize) in \(miniblocks) for \(count) values")
        }
        (miniblockSize, self.miniblocks) = (Int(blockSize / miniblocks), Int(miniblocks))
        remaining = Int(count)
    }

    private func endsEarly() -> Finding { .brokenValues("differences end early", at: position) }

    private mutating func varint() throws(Finding) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { throw endsEarly() }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Finding.brokenValues("a number of more than 64 bits", at: position)
    }

    private mutating func zigzag() throws(Finding) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private mutating func beginMiniblock() throws(Finding) {
        if widths.isEmpty {
            smallest = try zigzag()
            guard miniblocks <= bytes.count - position else { throw endsEarly() }
            widths = position..<position + miniblocks
            position += miniblocks
        }
        width = Int(bytes[widths.lowerBound])
        guard width <= 64 else {
            throw Finding.brokenValues("a width of \(width) bits", at: widths.lowerBound)
        }
        widths.removeFirst()
        let length = miniblockSize / 8 * width
        // Some writers omit the unused bytes of the last miniblock.
        let needed = min(length, (min(remaining, miniblockSize) * width + 7) / 8)
        guard needed <= bytes.count - position else { throw endsEarly() }
        packedBit = position * 8
        position += min(length, bytes.count - position)
        left = miniblockSize
    }

    /// Reads the next `count` values.
    mutating func read(_ count: Int, into output: UnsafeMutablePointer<Int64>) throws(Finding) {
        guard count <= remaining else { throw endsEarly() }
        var done = 0
        if isFirst, count > 0 {
            output[0] = value
            isFirst = false
            remaining -= 1
            done = 1
        }
        while done < count {
            if left == 0 { try beginMiniblock() }
            let taken = min(left, count - done)
            for index in done..<done + taken {
                value = value &+ smallest &+ Int64(bitPattern: bytes.bits(at: packedBit, width: width))
                packedBit += width
                output[index] = value
            }
            left -= taken
            remaining -= taken
            done += taken
        }
    }

    /// The end of the values' bytes, found without reading the values.
    func end() throws(Finding) -> Int {
        var copy = self
        if copy.isFirst, copy.remaining > 0 {
            copy.isFirst = false
            copy.remaining -= 1
        }
        while copy.remaining > 0 {
            try copy.beginMiniblock()
            copy.remaining -= min(copy.remaining, copy.miniblockSize)
        }
        return copy.position
    }
}
