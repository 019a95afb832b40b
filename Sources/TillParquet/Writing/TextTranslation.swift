import TillColumns
import TillCore

/// Turns the codes of a batch's dictionary into words of a column block, each text looked up once a batch.
struct TextTranslation {
    private var words: [Int64] = []
    /// The batch for which ``words`` were computed, and the row group or block with their texts.
    private var key = (batch: -1, target: -1)
    private static let unknown = Int64.min

    private mutating func prepare(for dictionary: borrowing TextDictionary, batch: Int, target: Int) {
        guard key != (batch, target) else { return }
        key = (batch, target)
        words.removeAll(keepingCapacity: true)
        words.append(contentsOf: repeatElement(Self.unknown, count: dictionary.count))
    }

    /// Turns the values from `start` on into codes of `dictionary`.
    mutating func toCodes(
        _ block: ColumnBlock,
        from start: Int,
        of texts: borrowing TextDictionary,
        batch: Int,
        in chunk: ChunkBuilder,
        target: Int
    ) throws(Finding) {
        prepare(for: texts, batch: batch, target: target)
        let values = block.words
        for index in start..<block.valueCount {
            let code = Int(values[index])
            if words[code] == Self.unknown {
                try Self.check(texts.byteCount(of: code))
                words[code] = texts.withBytes(of: code) { Int64(chunk.dictionary.code(for: $0)) }
            }
            values[index] = words[code]
        }
    }

    /// Turns the values from `start` on into places of the block's own texts.
    mutating func toPlaces(
        _ block: ColumnBlock,
        from start: Int,
        of texts: borrowing TextDictionary,
        batch: Int,
        target: Int
    ) throws(Finding) {
        prepare(for: texts, batch: batch, target: target)
        let values = block.words
        var byteCount = 0
        for index in start..<block.valueCount {
            let code = Int(values[index])
            if words[code] == Self.unknown {
                try Self.check(texts.byteCount(of: code))
                words[code] = Self.place(texts, code, in: block).word
            }
            values[index] = words[code]
            byteCount += TextPlace(word: words[code]).length
        }
        block.textByteCount += byteCount
    }

    /// Copies the texts of identifiers that are not numbers.
    static func identifiers(
        _ block: ColumnBlock,
        from start: Int,
        of texts: borrowing TextDictionary
    ) throws(Finding) {
        let values = block.words
        for index in start..<block.valueCount where values[index] < 0 {
            guard let code = Identifier(word: values[index]).code else { continue }
            try check(texts.byteCount(of: code))
            let place = place(texts, code, in: block)
            values[index] = ~place.word
            block.textByteCount += place.length
        }
    }

    private static func check(_ length: Int) throws(Finding) {
        guard length <= ParquetOptions.textLimit else {
            throw Finding(
                "parquet.too-large",
                cause: .tooLarge,
                "a text of \(length) bytes (limit: \(ParquetOptions.textLimit))"
            )
        }
    }

    private static func place(_ texts: borrowing TextDictionary, _ code: Int, in block: ColumnBlock) -> TextPlace {
        let offset = block.texts.count
        texts.withBytes(of: code) { bytes in bytes.withUnsafeBytes { block.texts.append($0) } }
        return TextPlace(offset: offset, length: block.texts.count - offset)
    }
}
