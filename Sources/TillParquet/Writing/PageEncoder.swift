import TillColumns

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Encodes column blocks as pages; only one task may use it at a time.
///
/// A page depends only on its block, so pages can be encoded in any order.
final class PageEncoder {
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
    func encode(_ block: ColumnBlock, type: ColumnType, rowCount: Int) -> EncodedPage {
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
    func encodeDictionary(_ dictionary: borrowing TextDictionary) -> (bytes: [UInt8], uncompressedSize: Int) {
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
    private func appendLevels(_ block: ColumnBlock, rowCount: Int) {
        page.append(UInt32(0))
        if block.valueCount == rowCount || block.valueCount == 0 {
            page.append(varint: UInt64(rowCount) << 1)
            page.append(UInt8(block.valueCount == 0 ? 0 : 1))
        } else {
            RunLengthEncoder.append(bits: block.presence, count: rowCount, to: &page)
        }
        page.store(UInt32(page.count - 4), at: 0)
    }

    private func appendValues(_ block: ColumnBlock, type: ColumnType) -> (Encoding, PageBounds) {
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

    private func appendBits(_ block: ColumnBlock) -> PageBounds {
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

    private func appendNumbers(_ block: ColumnBlock, isNarrow: Bool) -> (Encoding, PageBounds) {
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
    private func deltasPay(_ values: UnsafeBufferPointer<Int64>, isNarrow: Bool) -> Bool {
        let sample = UnsafeBufferPointer(rebasing: values.prefix(Self.trialLength))
        trial.removeAll()
        DeltaEncoder.append(sample, to: &trial)
        let deltas = compressor.compress(trial.bytes).count
        trial.removeAll()
        Self.appendPlain(sample, isNarrow: isNarrow, to: &trial)
        return deltas <= compressor.compress(trial.bytes).count
    }

    // MARK: Text

    private func appendCodes(_ block: ColumnBlock, of count: Int) -> PageBounds {
        // At least one bit, because some readers do not accept a width of 0.
        let width = max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount)
        page.append(UInt8(width))
        RunLengthEncoder.append(block.values, width: width, to: &page)
        var used = [UInt64](repeating: 0, count: (count + 63) / 64)
        for code in block.values { used[Int(code) >> 6] |= 1 << UInt64(code & 63) }
        return .codes(used)
    }

    /// Lengths first, then the texts (Encodings.md, "Delta-length byte array").
    private func appendTexts(_ block: ColumnBlock) -> PageBounds {
        lengths.removeAll(keepingCapacity: true)
        text.removeAll()
        let texts = block.texts.bytes
        var (smallest, largest) = (0, 0)
        func bytes(_ index: Int) -> UnsafeRawBufferPointer {
            let place = TextPlace(word: block.words[index])
            return UnsafeRawBufferPointer(rebasing: texts[place.offset..<place.offset + place.length])
        }
        for index in 0..<block.valueCount {
            let value = bytes(index)
            lengths.append(Int64(value.count))
            text.append(value)
            if value.precedes(bytes(smallest)) { smallest = index }
            if bytes(largest).precedes(value) { largest = index }
        }
        appendLengthsAndTexts()
        return Self.bounds(bytes(smallest), bytes(largest))
    }

    private static func bounds(_ smallest: UnsafeRawBufferPointer, _ largest: UnsafeRawBufferPointer) -> PageBounds {
        // Without an upper bound there are no bounds. This happens only if a text consists of the last Unicode
        // character.
        guard let upper = TextBound.upper(largest) else { return .none }
        return .texts(smallest: .lower(smallest), largest: upper)
    }

    private func appendIdentifiers(_ block: ColumnBlock) -> PageBounds {
        lengths.removeAll(keepingCapacity: true)
        text.removeAll()
        let texts = block.texts.bytes
        var (smallest, largest): (Range<Int>, Range<Int>) = (0..<0, 0..<0)
        for index in 0..<block.valueCount {
            let word = block.words[index]
            let start = text.count
            if word >= 0 {
                text.append(decimal: UInt64(word))
            } else {
                let place = TextPlace(word: ~word)
                text.append(UnsafeRawBufferPointer(rebasing: texts[place.offset..<place.offset + place.length]))
            }
            let range = start..<text.count
            lengths.append(Int64(range.count))
            if index == 0 { (smallest, largest) = (range, range) }
            let all = text.bytes
            let value = UnsafeRawBufferPointer(rebasing: all[range])
            if value.precedes(UnsafeRawBufferPointer(rebasing: all[smallest])) { smallest = range }
            if UnsafeRawBufferPointer(rebasing: all[largest]).precedes(value) { largest = range }
        }
        appendLengthsAndTexts()
        let all = text.bytes
        return Self.bounds(
            UnsafeRawBufferPointer(rebasing: all[smallest]),
            UnsafeRawBufferPointer(rebasing: all[largest])
        )
    }

    private func appendLengthsAndTexts() {
        lengths.withUnsafeBufferPointer { DeltaEncoder.append($0, to: &page) }
        page.append(text.bytes)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the text sorts before another, byte by byte.
    @inline(__always)
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let common = Swift.min(count, other.count)
        guard common > 0, let mine = baseAddress, let theirs = other.baseAddress else { return count < other.count }
        if common >= 8 {
            let left = mine.loadUnaligned(as: UInt64.self).bigEndian
            let right = theirs.loadUnaligned(as: UInt64.self).bigEndian
            if left != right { return left < right }
        }
        let order = memcmp(mine, theirs, common)
        return order < 0 || order == 0 && count < other.count
    }
}

extension ColumnType {
    var isInt32: Bool { if case .int32 = self { true } else { false } }
}

extension ByteSink {
    /// Appends a number in decimal digits.
    mutating func append(decimal value: UInt64) {
        reserve(20)
        let count = value.decimalDigitCount
        let start = memory + self.count
        var (rest, position) = (value, count)
        while rest >= 100 {
            let pair = UInt16(truncatingIfNeeded: rest % 100)
            rest /= 100
            position -= 2
            (start + position).storeBytes(of: Self.digits(pair), as: UInt16.self)
        }
        if rest >= 10 {
            start.storeBytes(of: Self.digits(UInt16(truncatingIfNeeded: rest)), as: UInt16.self)
        } else {
            start.storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ 0x30, as: UInt8.self)
        }
        advance(count)
    }

    /// Two digits in the order in which they are written.
    @inline(__always)
    private static func digits(_ pair: UInt16) -> UInt16 {
        let tens = pair / 10
        return (0x3030 &+ tens &+ (pair &- tens &* 10) << 8).littleEndian
    }
}

extension UInt64 {
    fileprivate var decimalDigitCount: Int {
        var (count, bound): (Int, UInt64) = (1, 10)
        while count < 20, self >= bound {
            count += 1
            let (next, isOver) = bound.multipliedReportingOverflow(by: 10)
            if isOver { break }
            bound = next
        }
        return count
    }
}
