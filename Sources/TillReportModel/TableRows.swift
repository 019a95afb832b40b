/// The rows of a table, in a few bytes each.
///
///     bytes  │ 1 4 coin │ 3 2 │ 4 … │ 1 3 gem │ 3 8 │ …        cell by cell: a tag, then the value
///     ends           row 0 ─────────╯
///
/// An array of cells has a fixed size for each of them, and a report may have a million rows. Asking for a row makes its
/// cells anew.
public struct TableRows: RandomAccessCollection, Sendable {
    private var bytes: [UInt8] = []
    /// `ends[index]` is one past the last byte of that row.
    private var ends: [Int] = []

    public init() {}

    public init(_ rows: some Sequence<[Cell]>) {
        for row in rows { append(row) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { ends.count }

    public mutating func append(_ row: [Cell]) {
        for cell in row { bytes.append(cell) }
        ends.append(bytes.count)
    }

    public subscript(_ index: Int) -> [Cell] {
        var reader = PackedCells(bytes, from: index == 0 ? 0 : ends[index - 1])
        var row: [Cell] = []
        while reader.position < ends[index] { row.append(reader.next()) }
        return row
    }

    /// The first rows, in the same bytes.
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
    /// A table of rows that are at hand.
    public static func table(_ rows: some Sequence<[Cell]>) -> Self { .table(TableRows(rows)) }
}
