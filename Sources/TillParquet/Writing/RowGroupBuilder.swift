import TillColumns

/// A column chunk while its row group is being filled.
final class ChunkBuilder {
    /// Texts of the pages that are dictionary-coded.
    var dictionary = TextDictionary()
    /// Whether the next page is dictionary-coded too.
    var usesDictionary: Bool
    /// Whether any page is dictionary-coded.
    private(set) var hasCodedPages = false
    private var codedValues = 0
    /// Pages that are ready, in their order.
    var pages: [EncodedPage] = []

    init(type: ColumnType) {
        if case .text = type { usesDictionary = true } else { usesDictionary = false }
    }

    /// Decides the encoding of the page of `block`, and of the next page.
    ///
    /// A dictionary is used as long as each text occurs at least twice on average. If that is not so on the first page,
    /// this page is plain too, and there is no dictionary.
    func endPage(_ block: ColumnBlock) {
        guard usesDictionary else { return }
        codedValues += block.valueCount
        let pays = codedValues >= 2 * dictionary.count && dictionary.count <= ParquetOptions.dictionaryLimit
        usesDictionary = pays
        guard pays || hasCodedPages else { return makePlain(block) }
        hasCodedPages = hasCodedPages || block.valueCount > 0
        block.dictionaryCount = dictionary.count
    }

    private func makePlain(_ block: ColumnBlock) {
        dictionary.withStorage { bytes, ends in
            bytes.withUnsafeBytes { block.texts.append($0) }
            for index in 0..<block.valueCount {
                let code = Int(block.words[index])
                let start = code == 0 ? 0 : ends[code - 1]
                block.words[index] = TextPlace(offset: start, length: ends[code] - start).word
            }
        }
        dictionary = TextDictionary()
    }
}

/// A row group while it is being filled: the order of its pages is that of the rows, whichever thread encodes them.
final class RowGroupBuilder {
    let serial: Int
    let chunks: [ChunkBuilder]
    var rowCount = 0
    /// Bytes of the cells and plain texts, see ``ParquetOptions/rowGroupBytes``; the same whatever the number of jobs.
    var cellByteCount = 0

    init(serial: Int, columns: [ParquetColumn]) {
        self.serial = serial
        chunks = columns.map { ChunkBuilder(type: $0.type) }
    }

    var byteCount: Int { chunks.reduce(cellByteCount) { $0 + $1.dictionary.byteCount } }
}
