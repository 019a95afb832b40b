import TillCore

/// Reads the values of one page, a few at a time (Encodings.md).
///
/// Numbers are returned unchanged, texts as places in the page (``TextPlace``), and dictionary indexes as indexes,
/// checked against the size of the dictionary.
enum ValueDecoder {
    case fixed(UnsafeRawBufferPointer, width: Int, position: Int)
    case bits(UnsafeRawBufferPointer, position: Int)
    case runs(RunLengthDecoder)
    case indexes(RunLengthDecoder, count: Int)
    case deltas(DeltaDecoder, isNarrow: Bool)
    case plainTexts(UnsafeRawBufferPointer, base: Int, position: Int)
    case lengthsAndTexts(lengths: DeltaDecoder, UnsafeRawBufferPointer, base: Int, position: Int)
    case sharedTexts(SharedTextDecoder)
    case split(UnsafeRawBufferPointer, width: Int, position: Int)

    /// Whether the values are indexes.
    var isIndexed: Bool { if case .indexes = self { true } else { false } }

    /// - Parameters:
    ///   - bytes: the values; they begin `base` bytes into the page.
    ///   - dictionaryCount: entries of the dictionary, if there is one.
    init(
        _ encoding: Int32,
        _ type: PhysicalType,
        _ bytes: UnsafeRawBufferPointer,
        base: Int,
        dictionaryCount: Int?
    ) throws(Finding) {
        let known = Encoding(rawValue: encoding)
        switch (known, type) {
        case (.plain, .boolean): self = .bits(bytes, position: 0)
        case (.plain, .int32): self = .fixed(bytes, width: 4, position: 0)
        case (.plain, .int64): self = .fixed(bytes, width: 8, position: 0)
        case (.plain, .int96): self = .fixed(bytes, width: 12, position: 0)
        case (.plain, .byteArray): self = .plainTexts(bytes, base: base, position: 0)
        case (.plainDictionary, _), (.rleDictionary, _):
            guard let dictionaryCount else {
                throw Finding("parquet.dictionary", "a page needs a dictionary, which its column has not")
            }
            guard let width = bytes.first else {
                throw Finding.brokenValues("indexes end early")
            }
            guard width <= 32 else {
                throw Finding.brokenValues("indexes of \(width) bits")
            }
            let runs = UnsafeRawBufferPointer(rebasing: bytes[1...])
            self = .indexes(RunLengthDecoder(runs, width: Int(width), code: "parquet.values"), count: dictionaryCount)
        case (.rle, .boolean):
            guard bytes.count >= 4 else {
                throw Finding.brokenValues("runs end early")
            }
            let length = Int(bytes.loadUnaligned(as: UInt32.self).littleEndian)
            guard length <= bytes.count - 4 else {
                throw Finding.brokenValues("runs end early")
            }
            let runs = UnsafeRawBufferPointer(rebasing: bytes[4..<4 + length])
            self = .runs(RunLengthDecoder(runs, width: 1, code: "parquet.values"))
        case (.deltaBinaryPacked, .int32), (.deltaBinaryPacked, .int64):
            self = .deltas(try DeltaDecoder(bytes), isNarrow: type == .int32)
        case (.deltaLengthByteArray, .byteArray):
            let lengths = try DeltaDecoder(bytes)
            let start = try lengths.end()
            self = .lengthsAndTexts(lengths: lengths, bytes, base: base, position: start)
        case (.deltaByteArray, .byteArray): self = .sharedTexts(try SharedTextDecoder(bytes))
        case (.byteStreamSplit, .int32): self = .split(bytes, width: 4, position: 0)
        case (.byteStreamSplit, .int64): self = .split(bytes, width: 8, position: 0)
        default:
            let name = known.map { "\($0)" } ?? "number \(encoding)"
            throw Finding("parquet.encoding", "encoding \(name) is not read for \(type)")
        }
    }

    private static func endsEarly() -> Finding { .brokenValues("values end early") }

    /// Reads the next `count` values.
    mutating func read(_ count: Int, into output: UnsafeMutablePointer<Int64>) throws(Finding) {
        switch self {
        case .fixed(let bytes, let width, let position):
            guard count <= (bytes.count - position) / width else { throw Self.endsEarly() }
            try Self.readFixed(bytes, width: width, at: position, count, into: output)
            self = .fixed(bytes, width: width, position: position + count * width)
        case .bits(let bytes, let position):
            guard count <= bytes.count * 8 - position else { throw Self.endsEarly() }
            for index in 0..<count {
                output[index] = Int64(bytes[(position + index) >> 3] >> UInt8((position + index) & 7) & 1)
            }
            self = .bits(bytes, position: position + count)
        case .runs(var runs):
            try runs.read(count, into: output)
            self = .runs(runs)
        case .indexes(var runs, let size):
            try runs.read(count, into: output)
            self = .indexes(runs, count: size)
            for index in 0..<count where output[index] >= size {
                let reason = "index \(output[index]) of a dictionary of \(size)"
                throw Finding("parquet.dictionary-index", reason)
            }
        case .deltas(var deltas, let isNarrow):
            try deltas.read(count, into: output)
            self = .deltas(deltas, isNarrow: isNarrow)
            // Differences of 32-bit values wrap at 32 bits.
            if isNarrow { for index in 0..<count { output[index] = Int64(Int32(truncatingIfNeeded: output[index])) } }
        case .plainTexts(let bytes, let base, var position):
            for index in 0..<count {
                guard bytes.count - position >= 4 else { throw Self.endsEarly() }
                let length = Int(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self).littleEndian)
                position += 4
                guard length <= bytes.count - position else { throw Self.endsEarly() }
                output[index] = TextPlace(offset: base + position, length: length).word
                position += length
            }
            self = .plainTexts(bytes, base: base, position: position)
        case .lengthsAndTexts(var lengths, let bytes, let base, var position):
            try lengths.read(count, into: output)
            for index in 0..<count {
                let length = output[index]
                guard length >= 0, length <= bytes.count - position else { throw Self.endsEarly() }
                output[index] = TextPlace(offset: base + position, length: Int(length)).word
                position += Int(length)
            }
            self = .lengthsAndTexts(lengths: lengths, bytes, base: base, position: position)
        case .sharedTexts(var texts):
            try texts.read(count, into: output)
            self = .sharedTexts(texts)
        case .split(let bytes, let width, let position):
            let total = bytes.count / width
            guard bytes.count.isMultiple(of: width), count <= total - position else { throw Self.endsEarly() }
            for index in 0..<count {
                var value: UInt64 = 0
                for byte in 0..<width { value |= UInt64(bytes[byte * total + position + index]) << UInt64(8 * byte) }
                output[index] =
                    width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
            }
            self = .split(bytes, width: width, position: position + count)
        }
    }

    private static func readFixed(
        _ bytes: UnsafeRawBufferPointer,
        width: Int,
        at position: Int,
        _ count: Int,
        into output: UnsafeMutablePointer<Int64>
    ) throws(Finding) {
        switch width {
        case 4:
            for index in 0..<count {
                let value = bytes.loadUnaligned(fromByteOffset: position + 4 * index, as: Int32.self)
                output[index] = Int64(value.littleEndian)
            }
        case 8:
            for index in 0..<count {
                output[index] = bytes.loadUnaligned(fromByteOffset: position + 8 * index, as: Int64.self).littleEndian
            }
        default:
            for index in 0..<count {
                let start = position + 12 * index
                output[index] = try ValueConversion.milliseconds(
                    julian: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 12])
                )
            }
        }
    }
}

/// Texts that share a beginning with the text before (Encodings.md, "Delta Strings"): lengths of the prefixes, lengths
/// of the suffixes, and the suffixes.
///
/// Such texts are not contiguous in the page, so they are put together, some at a time.
struct SharedTextDecoder {
    private let bytes: UnsafeRawBufferPointer
    private var prefixes: DeltaDecoder
    private var suffixes: DeltaDecoder
    private var position: Int
    /// The texts that were read last, end to end.
    private(set) var texts: [UInt8] = []
    private var last = 0..<0

    init(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
        self.bytes = bytes
        prefixes = try DeltaDecoder(bytes)
        let start = try prefixes.end()
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        suffixes = try DeltaDecoder(rest)
        position = start + (try suffixes.end())
    }

    /// Returns places in ``texts``, valid until the next call.
    mutating func read(_ count: Int, into output: UnsafeMutablePointer<Int64>) throws(Finding) {
        texts = Array(texts[last])
        last = 0..<texts.count
        try withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(1, count)) { lengths throws(Finding) in
            guard let lengths = lengths.baseAddress else { return }
            try prefixes.read(count, into: output)
            try suffixes.read(count, into: lengths)
            for index in 0..<count {
                let (shared, own) = (output[index], lengths[index])
                guard shared >= 0, shared <= last.count, own >= 0, own <= bytes.count - position else {
                    throw Finding.brokenValues("values end early")
                }
                let start = texts.count
                // A prefix can grow with every text, so the sum is limited and not only each length.
                guard start + Int(shared) <= PageReader.pageLimit else {
                    let reason = "texts of a page over \(PageReader.pageLimit) bytes (limit: page size)"
                    throw Finding("parquet.too-large", reason)
                }
                texts.append(contentsOf: texts[last.lowerBound..<last.lowerBound + Int(shared)])
                texts.append(contentsOf: bytes[position..<position + Int(own)])
                position += Int(own)
                last = start..<texts.count
                output[index] = TextPlace(offset: start, length: last.count).word
            }
        }
    }
}

extension Finding {
    /// Values that end early or that the encoding does not have.
    static func brokenValues(_ reason: String, at offset: Int = 0) -> Finding {
        Finding("parquet.values", at: offset, cause: .brokenValues, reason)
    }
}
