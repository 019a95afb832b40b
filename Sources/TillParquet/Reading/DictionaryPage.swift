import TillColumns
import TillCore

/// The entries of a dictionary page, checked once, and their words for the current batch.
final class DictionaryPage {
    private var bytes = ByteSink()
    /// Numbers converted already, or ``TextPlace``s in ``bytes``.
    private var entries: [Int64]
    /// Words by entry for a batch; ``unknown`` ones are not looked up yet.
    private var words: [Int64] = []
    private var batch = -1
    private static let unknown = Int64.min

    var count: Int { entries.count }

    /// - Parameter count: the number of entries in the header, already checked against the size of the page.
    init(
        _ page: UnsafeRawBufferPointer,
        count: Int,
        type: PhysicalType,
        conversion: ValueConversion
    ) throws(Finding) {
        bytes.append(page)
        entries = Array(repeating: 0, count: count)
        var decoder = try ValueDecoder(0, type, bytes.bytes, base: 0, dictionaryCount: nil)
        try entries.withUnsafeMutableBufferPointer { buffer throws(Finding) in
            guard let start = buffer.baseAddress else { return }
            try decoder.read(count, into: start)
            if type != .byteArray { try conversion.convert(start, count: count, isNarrow: type == .int32) }
        }
        guard type == .byteArray else { return }
        for entry in entries { try TextPlace(word: entry).bytes(in: bytes.bytes).checkUTF8() }
    }

    /// Turns indexes, which are in range, into numbers.
    func translate(_ indexes: UnsafeMutablePointer<Int64>, count: Int) {
        for index in 0..<count { indexes[index] = entries[Int(indexes[index])] }
    }

    /// Turns indexes, which are in range, into words of a batch, which `word` makes of texts.
    func translate(
        _ indexes: UnsafeMutablePointer<Int64>,
        count: Int,
        batch: Int,
        _ word: (UnsafeRawBufferPointer) -> Int64
    ) {
        if self.batch != batch {
            self.batch = batch
            words.removeAll(keepingCapacity: true)
            words.append(contentsOf: repeatElement(Self.unknown, count: entries.count))
        }
        for index in 0..<count {
            let entry = Int(indexes[index])
            if words[entry] == Self.unknown {
                words[entry] = word(TextPlace(word: entries[entry]).bytes(in: bytes.bytes))
            }
            indexes[index] = words[entry]
        }
    }
}

extension TextPlace {
    func bytes(in all: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: all[offset..<offset + length])
    }
}

extension UnsafeRawBufferPointer {
    /// Throws for text that is not UTF-8.
    func checkUTF8() throws(Finding) {
        var index = 0
        while index + 8 <= count {
            guard loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < count, self[index] < 0x80 { index += 1 }
        guard index < count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: self[index...]).bindMemory(to: UInt8.self)
        do {
            _ = try UTF8Span(validating: Span(_unsafeElements: rest))
        } catch {
            throw Finding("parquet.utf8", "a text that is not UTF-8")
        }
    }
}
