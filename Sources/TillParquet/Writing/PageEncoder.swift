import TillColumns

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Encodes column blocks as pages.
///
/// A page depends only on its block, so pages can be encoded in any order. An encoder is kept for its memory.
///
/// In a class, each access to the buffers would be checked for exclusivity when the program runs.
struct PageEncoder: ~Copyable {
    private let compressor: Compressor
    private var page = ByteSink()
    private var trial = ByteSink()
    private var text = ByteSink()
    private var lengths: [Int64] = []

    /// Values that are tried in both encodings before a page of numbers is written in one.
    private static let trialLength = 1024

    init(options: ParquetOptions) {
        compressor = Compressor(options.codec, level: options.level)
    }

    /// The page of a block (README.md of the format, "Data Pages"): levels, values, compressed together.
    mutating func encode(_ block: ColumnBlock, type: ColumnType, rowCount: Int) -> EncodedPage {
        page.removeAll()
        appendLevels(block, rowCount: rowCount)
        let (encoding, bounds) = appendValues(block, type: type)
        let compressed = compressor.compress(page.bytes)
        let header = PageHeader(
            type: .data,
            uncompressedSize: page.count,
            compressedSize: compressed.count,
            checksum: Compressor.checksum(compressed),
            data: .init(
                valueCount: rowCount,
                encoding: encoding.rawValue,
                definitionEncoding: Encoding.rle.rawValue
            )
        ).bytes
        return EncodedPage(
            bytes: header + compressed,
            uncompressedSize: header.count + page.count,
            encoding: encoding,
            rowCount: rowCount,
            nullCount: rowCount - block.valueCount,
            bounds: bounds
        )
    }

    /// The dictionary page of a chunk.
    mutating func encodeDictionary(_ dictionary: borrowing TextDictionary) -> (bytes: [UInt8], uncompressedSize: Int) {
        page.removeAll()
        dictionary.withStorage { bytes, ends in
            page.reserve(bytes.byteCount + 4 * ends.count)
            var start = 0
            for code in ends.indices {
                page.append(UInt32(ends[code] - start))
                bytes.extracting(start..<ends[code]).withUnsafeBytes { page.append($0) }
                start = ends[code]
            }
        }
        let compressed = compressor.compress(page.bytes)
        let header = PageHeader(
            type: .dictionary,
            uncompressedSize: page.count,
            compressedSize: compressed.count,
            checksum: Compressor.checksum(compressed),
            dictionary: .init(entryCount: dictionary.count, encoding: Encoding.plain.rawValue)
        ).bytes
        return (header + compressed, header.count + page.count)
    }

    /// Definition levels, with their length before them as version 1 has it.
    private mutating func appendLevels(_ block: ColumnBlock, rowCount: Int) {
        page.append(UInt32(0))
        if block.valueCount == rowCount || block.valueCount == 0 {
            page.append(varint: UInt64(rowCount) << 1)
            page.append(UInt8(block.valueCount == 0 ? 0 : 1))
        } else {
            RunLengthEncoder.append(bits: block.presence, count: rowCount, to: &page)
        }
        page.store(UInt32(page.count - 4), at: 0)
    }

    private mutating func appendValues(_ block: ColumnBlock, type: ColumnType) -> (Encoding, PageBounds) {
        guard block.valueCount > 0 else { return (.plain, .none) }
        switch type {
        case .text:
            if let count = block.dictionaryCount { return (.rleDictionary, appendCodes(block, of: count)) }
            return (.deltaLengthByteArray, appendTexts(block))
        case .identifier: return (.deltaLengthByteArray, appendIdentifiers(block))
        case .bool: return (.plain, appendBits(block))
        case .int32, .int64, .instant: return appendNumbers(block, isNarrow: type.isInt32)
        }
    }

    // MARK: Numbers

    private mutating func appendBits(_ block: ColumnBlock) -> PageBounds {
        let values = block.values
        var any: Int64 = 0
        var all: Int64 = 1
        for start in stride(from: 0, to: values.count, by: 8) {
            var byte: UInt8 = 0
            for index in start..<min(start + 8, values.count) {
                byte |= UInt8(truncatingIfNeeded: values[index] & 1) << UInt8(index - start)
                any |= values[index] & 1
                all &= values[index] & 1
            }
            page.append(byte)
        }
        return .numbers(all, any)
    }

    private mutating func appendNumbers(_ block: ColumnBlock, isNarrow: Bool) -> (Encoding, PageBounds) {
        let values = block.values
        var (smallest, largest) = (values[0], values[0])
        for value in values {
            smallest = min(smallest, value)
            largest = max(largest, value)
        }
        // A difference of 32-bit numbers must fit 32 bits; a difference of 64-bit numbers wraps.
        let canDiffer = !isNarrow || largest - smallest <= Int64(Int32.max)
        let usesDeltas = canDiffer && deltasPay(values, isNarrow: isNarrow)
        if usesDeltas {
            DeltaEncoder.append(values, to: &page)
        } else {
            Self.appendPlain(values, isNarrow: isNarrow, to: &page)
        }
        return (usesDeltas ? .deltaBinaryPacked : .plain, .numbers(smallest, largest))
    }

    private static func appendPlain(_ values: UnsafeBufferPointer<Int64>, isNarrow: Bool, to sink: inout ByteSink) {
        if isNarrow {
            for value in values { sink.append(Int32(truncatingIfNeeded: value)) }
        } else {
            sink.reserve(8 * values.count)
            for value in values { sink.append(value) }
        }
    }

    /// Whether differences of the first values compress better than the values.
    private mutating func deltasPay(_ values: UnsafeBufferPointer<Int64>, isNarrow: Bool) -> Bool {
        let sample = UnsafeBufferPointer(rebasing: values.prefix(Self.trialLength))
        trial.removeAll()
        DeltaEncoder.append(sample, to: &trial)
        let deltas = compressor.compress(trial.bytes).count
        trial.removeAll()
        Self.appendPlain(sample, isNarrow: isNarrow, to: &trial)
        return deltas <= compressor.compress(trial.bytes).count
    }

    // MARK: Text

    private mutating func appendCodes(_ block: ColumnBlock, of count: Int) -> PageBounds {
        // At least one bit, because some readers do not accept a width of 0.
        let width = max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
        page.append(UInt8(width))
        RunLengthEncoder.append(block.values, width: width, to: &page)
        var used = [UInt64](repeating: 0, count: (count + 63) / 64)
        for code in block.values { used[Int(code) >> 6] |= 1 << UInt64(code & 63) }
        return .codes(used)
    }

    /// Lengths first, then the texts (Encodings.md, "Delta-length byte array").
    private mutating func appendTexts(_ block: ColumnBlock) -> PageBounds {
        lengths.removeAll(keepingCapacity: true)
        text.removeAll()
        let texts = block.texts.bytes
        var extremes = Extremes<TextBytes>()
        for word in block.values {
            let value = TextBytes(at: TextPlace(word: word), of: texts)
            append(value)
            extremes.add(value)
        }
        appendLengthsAndTexts()
        return Self.bounds(smallest: extremes.smallest?.copy, largest: extremes.largest?.copy)
    }

    /// Like texts; ids that are numbers become digits only here.
    private mutating func appendIdentifiers(_ block: ColumnBlock) -> PageBounds {
        lengths.removeAll(keepingCapacity: true)
        text.removeAll()
        let texts = block.texts.bytes
        var numbers = Extremes<AlignedDigits>()
        var others = Extremes<TextBytes>()
        for word in block.values {
            if word >= 0 {
                let digits = AlignedDigits(word)
                lengths.append(Int64(digits.count))
                text.append(digits)
                numbers.add(digits)
            } else {
                let other = TextBytes(at: TextPlace(word: ~word), of: texts)
                append(other)
                others.add(other)
            }
        }
        appendLengthsAndTexts()
        let smallest = [numbers.smallest?.bytes, others.smallest?.copy].compactMap(\.self)
        let largest = [numbers.largest?.bytes, others.largest?.copy].compactMap(\.self)
        return Self.bounds(
            smallest: smallest.min { $0.lexicographicallyPrecedes($1) },
            largest: largest.max { $0.lexicographicallyPrecedes($1) }
        )
    }

    private mutating func append(_ value: TextBytes) {
        lengths.append(Int64(value.bytes.count))
        text.append(value.bytes)
    }

    private static func bounds(smallest: [UInt8]?, largest: [UInt8]?) -> PageBounds {
        // Without an upper bound there are no bounds. This happens only if a text consists of the last Unicode
        // character.
        guard let smallest, let largest, let upper = largest.withUnsafeBytes(TextBound.upper) else { return .none }
        return .texts(smallest: smallest.withUnsafeBytes(TextBound.lower), largest: upper)
    }

    private mutating func appendLengthsAndTexts() {
        lengths.withUnsafeBufferPointer { DeltaEncoder.append($0, to: &page) }
        page.append(text.bytes)
    }
}

/// The smallest and the largest of some values.
private struct Extremes<Value: Comparable> {
    private(set) var smallest: Value?
    private(set) var largest: Value?

    mutating func add(_ value: Value) {
        guard let smallest, let largest else {
            (self.smallest, self.largest) = (value, value)
            return
        }
        if value < smallest { self.smallest = value }
        if largest < value { self.largest = value }
    }
}

/// A text of a block, compared byte by byte.
private struct TextBytes: Comparable {
    let bytes: UnsafeRawBufferPointer

    init(at place: TextPlace, of texts: UnsafeRawBufferPointer) {
        bytes = UnsafeRawBufferPointer(rebasing: texts[place.offset..<place.offset + place.length])
    }

    var copy: [UInt8] { Array(bytes) }

    static func == (left: TextBytes, right: TextBytes) -> Bool { left.bytes.elementsEqual(right.bytes) }

    static func < (left: TextBytes, right: TextBytes) -> Bool {
        let common = min(left.bytes.count, right.bytes.count)
        guard common > 0, let mine = left.bytes.baseAddress, let other = right.bytes.baseAddress else {
            return left.bytes.count < right.bytes.count
        }
        let order = memcmp(mine, other, common)
        return order < 0 || order == 0 && left.bytes.count < right.bytes.count
    }
}

extension ColumnType {
    var isInt32: Bool { if case .int32 = self { true } else { false } }
}
