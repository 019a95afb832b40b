import TillColumns

/// The values of one column for one page, before they are encoded.
///
///     presence   1 0 1 1 …        a bit a row
///     words      v0 v2 v3 …       a word a value
///
/// A word is a number; a code of the chunk's dictionary; or the place of a text in ``texts`` (``TextPlace``). An
/// identifier that is not a number is an inverted place.
final class ColumnBlock {
    private(set) var words: UnsafeMutablePointer<Int64>
    private var capacity = 0
    let presence: UnsafeMutablePointer<UInt64>
    private let presenceWords: Int
    private(set) var valueCount = 0
    /// Text that is not in the dictionary.
    var texts = ByteSink()
    /// Bytes of the values in the page, if they are plain text.
    var textByteCount = 0
    /// The number of entries of the chunk's dictionary when the page ended, if ``words`` are its codes; else `nil`.
    var dictionaryCount: Int?

    init(pageRows: Int) {
        words = .allocate(capacity: 0)
        presenceWords = (pageRows + 63) / 64
        presence = .allocate(capacity: presenceWords)
        presence.initialize(repeating: 0, count: presenceWords)
    }

    deinit {
        words.deallocate()
        presence.deallocate()
    }

    var values: UnsafeBufferPointer<Int64> { UnsafeBufferPointer(start: words, count: valueCount) }

    func removeAll() {
        valueCount = 0
        texts.removeAll()
        textByteCount = 0
        dictionaryCount = nil
        presence.update(repeating: 0, count: presenceWords)
    }

    private func reserve(_ more: Int) {
        // One more, since the loop below writes before it knows whether it has a value.
        guard valueCount + more + 1 > capacity else { return }
        let larger = max(256, capacity * 2, valueCount + more + 1)
        let fresh = UnsafeMutablePointer<Int64>.allocate(capacity: larger)
        fresh.update(from: words, count: valueCount)
        words.deallocate()
        (words, capacity) = (fresh, larger)
    }

    /// Appends all cells of `rows`; `row` is the number of the first of them in the page.
    func append<Rows: RandomAccessCollection<Int>>(all cells: UnsafePointer<Int64>, _ rows: Rows, at row: Int) {
        reserve(rows.count)
        if let range = rows as? Range<Int> {
            (words + valueCount).update(from: cells + range.lowerBound, count: range.count)
            valueCount += range.count
        } else {
            for index in rows {
                words[valueCount] = cells[index]
                valueCount += 1
            }
        }
        for position in row..<row + rows.count { presence[position >> 6] |= 1 << UInt64(position & 63) }
    }

    /// Appends the cells of `rows` that are present, by bit `column` of `present`.
    func append<Rows: RandomAccessCollection<Int>>(
        some cells: UnsafePointer<Int64>,
        _ rows: Rows,
        at row: Int,
        present: UnsafePointer<UInt64>,
        column: UInt64
    ) {
        reserve(rows.count)
        var (count, position) = (valueCount, row)
        for index in rows {
            let isPresent = present[index] >> column & 1
            presence[position >> 6] |= isPresent << UInt64(position & 63)
            words[count] = cells[index]
            count += Int(isPresent)
            position += 1
        }
        valueCount = count
    }
}

/// The place of a text among the texts of a block, as one word.
struct TextPlace {
    private static let lengthBits: Int64 = 28
    var word: Int64

    init(word: Int64) {
        self.word = word
    }

    init(offset: Int, length: Int) {
        word = Int64(offset) << Self.lengthBits | Int64(length)
    }

    var offset: Int { Int(word >> Self.lengthBits) }
    var length: Int { Int(word & (1 << Self.lengthBits - 1)) }
}

/// The values of all columns for the rows of one page.
final class RowBlock: @unchecked Sendable {
    var rowCount = 0
    let columns: [ColumnBlock]
    /// The row group that it is of.
    var group: RowGroupBuilder?

    init(columnCount: Int, pageRows: Int) {
        columns = (0..<columnCount).map { _ in ColumnBlock(pageRows: pageRows) }
    }

    func removeAll() {
        rowCount = 0
        group = nil
        for column in columns { column.removeAll() }
    }
}
