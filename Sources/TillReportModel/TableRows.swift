/// The rows of a table, in a few bytes each.
///
///     bytes  │ 1 4 coin │ 3 2 │ 4 … │ 1 3 gem │ 3 8 │ …        cell by cell: a tag, then the value
///     ends           row 0 ─────────╯
///
/// An array of `Cell` would take the size of the largest cell for each, and a report may have a million rows. Every access
/// to a row decodes its cells.
public struct TableRows: RandomAccessCollection, Sendable {
    private var bytes: [UInt8] = []
    /// `ends[index]` is one past the last byte of that row.
    private var ends: [Int] = []
    /// Cells of the row that is being written, and of the longest row.
    private var (width, mostWidth) = (0, 0)

    public init() {}

    public init(_ rows: some Sequence<[Cell]>) {
        for row in rows {
            for cell in row { append(cell) }
            endRow()
        }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { ends.count }

    /// Appends a cell to the row that is being written, which ``endRow()`` completes.
    public mutating func append(_ cell: Cell) {
        bytes.append(cell)
        width += 1
    }

    /// Completes a row.
    public mutating func endRow() {
        ends.append(bytes.count)
        (width, mostWidth) = (0, Swift.max(width, mostWidth))
    }

    public subscript(_ index: Int) -> [Cell] {
        var reader = PackedCells(bytes, from: index == 0 ? 0 : ends[index - 1])
        var row: [Cell] = []
        row.reserveCapacity(mostWidth)
        while reader.position < ends[index] { row.append(reader.next()) }
        return row
    }

    /// The first rows. They share the bytes of all rows.
    public func first(_ count: Int) -> TableRows {
        var first = self
        first.ends.removeLast(Swift.max(0, ends.count - count))
        return first
    }

    /// One cell of a row; `nil` where the row is shorter.
    public func cell(at column: Int, of index: Int) -> Cell? {
        var reader = PackedCells(bytes, from: index == 0 ? 0 : ends[index - 1])
        for _ in 0..<column where reader.position < ends[index] { reader.skip() }
        return reader.position < ends[index] ? reader.next() : nil
    }
}

extension Section.Content {
    /// A table of unpacked rows.
    public static func table(_ rows: some Sequence<[Cell]>) -> Self { .table(TableRows(rows)) }
}
