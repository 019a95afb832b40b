import TillCore

/// Decompresses Snappy's raw format (google/snappy, format_description.txt).
///
///     varint length, then
///     LLLLLL00                        literal of 1…60 bytes; 60…63: 1…4 bytes of length follow
///     OOOLLL01 oooooooo               copy of 4…11 bytes from up to 2,047 back
///     LLLLLL10 offset in 2 bytes      copy of 1…64 bytes
///     LLLLLL11 offset in 4 bytes
enum Snappy {
    /// Decompresses `input`. Returns the length, at most that of `output`.
    static func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Finding) -> Int {
        var (position, written) = (0, 0)
        func broken(_ reason: String) -> Finding {
            Finding("parquet.compressed", at: position, "a page is not valid Snappy: \(reason)")
        }
        func littleEndian(_ width: Int) throws(Finding) -> Int {
            guard width <= input.count - position else { throw broken("a length ends early") }
            var value = 0
            for index in 0..<width { value |= Int(input[position + index]) << (8 * index) }
            position += width
            return value
        }
        var length = 0
        var shift = 0
        while true {
            let byte = try littleEndian(1)
            guard shift < 35 else { throw broken("its length has more than 32 bits") }
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        guard length == output.count else {
            throw Finding(
                "parquet.decompressed-length",
                "the page header says \(output.count) bytes, the page has \(length)"
            )
        }
        while position < input.count {
            let tag = Int(input[position])
            position += 1
            if tag & 3 == 0 {
                var count = tag >> 2 + 1
                if count > 60 { count = try littleEndian(count - 60) + 1 }
                guard count <= input.count - position else { throw broken("a literal ends early") }
                guard count <= output.count - written else { throw broken("it is longer than its header says") }
                output[written..<written + count].copyBytes(from: input[position..<position + count])
                position += count
                written += count
                continue
            }
            let count = tag & 3 == 1 ? tag >> 2 & 7 + 4 : tag >> 2 + 1
            let offset =
                switch tag & 3 {
                case 1: try (tag >> 5) << 8 | littleEndian(1)
                case 2: try littleEndian(2)
                default: try littleEndian(4)
                }
            guard offset > 0, offset <= written else { throw broken("it copies from before its start") }
            guard count <= output.count - written else { throw broken("it is longer than its header says") }
            // The copy may overlap its own output, which repeats a pattern.
            for _ in 0..<count {
                output[written] = output[written - offset]
                written += 1
            }
        }
        return written
    }
}
