/// The rows of a table, in a few bytes each.
///
///     bytes  │ 1 4 coin │ 3 2 │ 4 … │ 1 3 gem │ 3 8 │ …        cell by cell: a tag, then the value
///     ends           row 0 ─────────╯
///
/// An array of `Cell` would take the size of the largest cell for each, and a report may have a million rows. Every
/// access to a row decodes its cells. Rows are in blocks, for threads that read them at the same time (``block(_:)``).
public struct TableRows: RandomAccessCollection, Sendable {
    private struct Block {
        var bytes: [UInt8] = []
        /// `ends[index]` is one past the last byte of that row.
        var ends: [Int] = []

        func cells(of index: Int) -> RowCells {
            RowCells(reader: PackedCells(bytes, from: index == 0 ? 0 : ends[index - 1]), end: ends[index])
        }
    }

    /// Rows of a block; the last one may have fewer.
    private static let rowsOfBlock = 1024

    private var blocks: [Block] = []
    private var last = Block()
    /// Cells of the row that is being written, and of the longest row.
    private var (width, mostWidth) = (0, 0)

    /// Starts without rows. ``append(_:)`` and ``endRow()`` add them without an array for each row.
    public init() {}

    /// Packs the rows of a sequence one by one. A lazy sequence is never in memory as a whole.
    public init(_ rows: some Sequence<[Cell]>) {
        for row in rows {
            for cell in row { append(cell) }
            endRow()
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { blocks.count * Self.rowsOfBlock + last.ends.count }

    /// Appends a cell to the row that is being written, which ``endRow()`` completes.
    public mutating func append(_ cell: Cell) {
        last.bytes.append(cell)
        width += 1
    }

    /// Completes a row.
    public mutating func endRow() {
        last.ends.append(last.bytes.count)
        (width, mostWidth) = (0, Swift.max(width, mostWidth))
        guard last.ends.count == Self.rowsOfBlock else { return }
        blocks.append(last)
        last = Block()
    }

    public subscript(_ index: Int) -> [Cell] {
        var row: [Cell] = []
        row.reserveCapacity(mostWidth)
        for cell in cells(of: index) { row.append(cell) }
        return row
    }

    /// The cells of a row, decoded one by one without an array.
    public func cells(of index: Int) -> RowCells {
        let (number, place) = index.quotientAndRemainder(dividingBy: Self.rowsOfBlock)
        return number == blocks.count ? last.cells(of: place) : blocks[number].cells(of: place)
    }

    /// See ``cells(of:)``.
    public struct RowCells: Sequence, IteratorProtocol {
        var reader: PackedCells
        let end: Int

        public mutating func next() -> Cell? { reader.position < end ? reader.next() : nil }
    }

    /// The number of blocks. All blocks but the last have the same number of rows.
    public var blockCount: Int { blocks.count + (last.ends.isEmpty ? 0 : 1) }

    /// The rows of a block. It shares nothing with other blocks: threads that count references to one object wait for
    /// each other, which takes longer than decoding.
    public func block(_ number: Int) -> TableRows {
        var rows = TableRows()
        rows.last = number < blocks.count ? blocks[number] : last
        rows.mostWidth = mostWidth
        return rows
    }

    /// The first rows. They share the bytes of whole blocks.
    public func first(_ count: Int) -> TableRows {
        guard count < self.count else { return self }
        let (whole, rest) = count.quotientAndRemainder(dividingBy: Self.rowsOfBlock)
        var first = self
        if whole < blocks.count { first.last = blocks[whole] }
        first.blocks.removeLast(blocks.count - whole)
        first.last.ends.removeLast(first.last.ends.count - rest)
        first.last.bytes.removeLast(first.last.bytes.count - (first.last.ends.last ?? 0))
        return first
    }

    /// One cell of a row; `nil` if the row is shorter.
    public func cell(at column: Int, of index: Int) -> Cell? {
        var cells = cells(of: index)
        for _ in 0..<column where cells.reader.position < cells.end { cells.reader.skip() }
        return cells.next()
    }
}

extension Section.Content {
    /// A table of unpacked rows.
    public static func table(_ rows: some Sequence<[Cell]>) -> Self { .table(TableRows(rows)) }
}
