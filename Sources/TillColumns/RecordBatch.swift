/// Rows of one table, column by column.
///
///     presence   column 0       column 1       …
///     [0b0111]   [  17  ]       [  42  ]            row 0
///     [0b0101]   [  17  ]       [  ··  ]            row 1      ·· not present: the word means nothing
///     [······]   [  ··  ]       [  ··  ]            the open row, not counted yet
///
/// Each column is a run of 64-bit words; which cells are present is one word per row, bit by column. Setting a cell is
/// two stores. Rows are built in the open row behind the last one and then counted, so removing a half-read document
/// (``rollBack(to:)``) only sets a number.
///
/// Why: `docs/decisions.md`, No tree, columns of 64-bit words.
@frozen
public struct RecordBatch<Column: TableColumn>: ~Copyable {
    @usableFromInline var cells: UnsafeMutablePointer<Int64>
    @usableFromInline var presence: UnsafeMutablePointer<UInt64>
    @usableFromInline var capacity: Int
    /// Words from one column to the next: a cache line more than ``capacity``. The capacity is a power of two, and
    /// without the extra line all cells of a row would be in one set of the cache and evict each other.
    @usableFromInline var stride = 0
    @usableFromInline let columnCount: Int
    @usableFromInline var finished = 0
    /// Words in a line of the cache.
    private static var lineWords: Int { 64 / MemoryLayout<Int64>.size }

    /// Rows finished; the open row is not among them.
    @inlinable
    public var rowCount: Int { finished }

    /// Makes an empty batch; memory is taken with the first row.
    public init() {
        columnCount = Column.allCases.count
        precondition(columnCount <= 64)
        capacity = 0
        cells = .allocate(capacity: 0)
        presence = .allocate(capacity: 0)
    }

    deinit {
        cells.deallocate()
        presence.deallocate()
    }

    /// Removes all rows and keeps the memory.
    public mutating func removeAll() {
        finished = 0
    }

    /// Removes every row from `mark` on, an earlier ``rowCount``.
    public mutating func rollBack(to mark: Int) {
        precondition(mark <= rowCount)
        finished = mark
    }

    /// Removes the rows from `mark` on, an earlier ``rowCount``, whose cell in `column` is unwanted; the others keep
    /// their order.
    public mutating func removeRows(from mark: Int, column: Column, where isUnwanted: (Int64?) -> Bool) {
        removeRows(from: mark) { rows, row in isUnwanted(rows[column, row]) }
    }

    /// Removes the unwanted rows from `mark` on, an earlier ``rowCount``; the others keep their order.
    public mutating func removeRows(from mark: Int, where isUnwanted: (borrowing Self, Int) -> Bool) {
        precondition(mark <= rowCount)
        var kept = mark
        for row in mark..<rowCount where !isUnwanted(self, row) {
            if kept < row {
                for number in 0..<columnCount { cells[number * stride + kept] = cells[number * stride + row] }
                presence[kept] = presence[row]
            }
            kept += 1
        }
        finished = kept
    }

    /// Opens a row with nothing present.
    @inlinable
    public mutating func beginRow() {
        if rowCount == capacity { grow() }
        presence[rowCount] = 0
    }

    /// Sets a cell of the open row.
    @inlinable
    @inline(__always)
    public mutating func set(_ column: Column, _ value: Int64) {
        precondition(rowCount < capacity)
        cells[column.rawValue &* stride &+ rowCount] = value
        presence[rowCount] |= 1 << UInt64(column.rawValue)
    }

    /// Sets a cell of the open row, or leaves it absent.
    @inlinable
    @inline(__always)
    public mutating func set(_ column: Column, _ value: Int64?) {
        if let value { set(column, value) }
    }

    /// Counts the open row.
    @inlinable
    public mutating func endRow() {
        precondition(rowCount < capacity)
        finished += 1
    }

    /// Sets a cell of a finished row.
    @inlinable
    public mutating func set(_ column: Column, _ value: Int64, row: Int) {
        precondition(row < rowCount)
        cells[column.rawValue &* stride &+ row] = value
        presence[row] |= 1 << UInt64(column.rawValue)
    }

    /// Sets a cell of a finished row, or removes it.
    public mutating func replace(_ column: Column, _ value: Int64?, row: Int) {
        precondition(row < rowCount)
        presence[row] &= ~(1 << UInt64(column.rawValue))
        if let value { set(column, value, row: row) }
    }

    /// Joins the open row into a finished one: the cells of the open row replace those of the finished row. Cells whose
    /// bit is set in `kept` stay; its bits are those of ``presence(row:)``.
    @inlinable
    public mutating func mergeOpenRow(into row: Int, keeping kept: UInt64) {
        precondition(row < rowCount && rowCount < capacity)
        var taken = presence[rowCount] & ~kept
        presence[row] |= taken
        while taken != 0 {
            let base = taken.trailingZeroBitCount &* stride
            cells[base &+ row] = cells[base &+ rowCount]
            taken &= taken &- 1
        }
    }

    /// Whether a cell is present in both the open row and a finished one, with different values.
    public func openRowDiffers(from row: Int) -> Bool {
        precondition(row < rowCount && rowCount < capacity)
        var common = presence[row] & presence[rowCount]
        while common != 0 {
            let base = common.trailingZeroBitCount &* stride
            if cells[base &+ row] != cells[base &+ rowCount] { return true }
            common &= common &- 1
        }
        return false
    }

    /// The value of a cell; `nil` if it is absent. The open row can be read too.
    @inlinable
    public subscript(_ column: Column, _ row: Int) -> Int64? {
        precondition(row <= rowCount && row < capacity)
        return presence[row] >> UInt64(column.rawValue) & 1 == 1 ? cells[column.rawValue &* stride &+ row] : nil
    }

    /// The present cells of a row, bit by column. The open row can be read too.
    @inlinable
    public func presence(row: Int) -> UInt64 {
        precondition(row <= rowCount && row < capacity)
        return presence[row]
    }

    /// A cell's word without a check; it has a meaning only if the cell is present (``presence(row:)``).
    @inlinable
    public func word(_ column: Column, _ row: Int) -> Int64 {
        precondition(row < rowCount)
        return cells[column.rawValue &* stride &+ row]
    }

    /// The words of all columns, column `c` from `c × stride` on, and the presence bits of the rows.
    ///
    /// For callers that read whole columns at once. The pointers are valid only during the call.
    @inlinable
    public func withStorage<Result, Failure: Error>(
        _ body: (_ words: UnsafePointer<Int64>, _ stride: Int, _ presence: UnsafePointer<UInt64>) throws(Failure) ->
            Result
    ) throws(Failure) -> Result {
        try body(UnsafePointer(cells), stride, UnsafePointer(presence))
    }

    /// Adds `count` rows without present cells, and lets `body` fill them.
    ///
    /// The pointers are valid only during the call; column `c` of the first new row is at word `c × stride + first`.
    @inlinable
    public mutating func appendRows<Failure: Error>(
        _ count: Int,
        _ body: (
            _ words: UnsafeMutablePointer<Int64>, _ stride: Int, _ presence: UnsafeMutablePointer<UInt64>,
            _ first: Int
        ) throws(Failure) -> Void
    ) throws(Failure) {
        while capacity < finished + count { grow() }
        (presence + finished).update(repeating: 0, count: count)
        try body(cells, stride, presence, finished)
        finished += count
    }

    @usableFromInline
    mutating func grow() {
        let larger = max(256, capacity * 2)
        let newStride = larger + Self.lineWords
        let newCells = UnsafeMutablePointer<Int64>.allocate(capacity: newStride * columnCount)
        let newPresence = UnsafeMutablePointer<UInt64>.allocate(capacity: larger)
        newCells.initialize(repeating: 0, count: newStride * columnCount)
        newPresence.initialize(repeating: 0, count: larger)
        for column in 0..<columnCount {
            (newCells + column * newStride).update(from: cells + column * stride, count: rowCount)
        }
        newPresence.update(from: presence, count: rowCount)
        cells.deallocate()
        presence.deallocate()
        (cells, presence, capacity, stride) = (newCells, newPresence, larger, newStride)
    }
}

// The batch owns its memory alone and has no shared state.
extension RecordBatch: @unchecked Sendable {}
