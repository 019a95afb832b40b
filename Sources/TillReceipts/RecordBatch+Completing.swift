import TillColumns

/// Changes to finished rows after the whole document is read.
extension RecordBatch {
    /// The value of a cell that all of `rows` have, `nil` if they differ or there are none.
    func agreed(_ column: Column, in rows: Range<Int>) -> Int64? {
        guard let first = rows.first, let value = self[column, first] else { return nil }
        return rows.allSatisfy { self[column, $0] == value } ? value : nil
    }

    /// Sets a cell of a finished row where it is absent and there is a value.
    @inline(__always)
    mutating func fill(_ column: Column, _ value: Int64?, row: Int) {
        if let value, self[column, row] == nil { set(column, value, row: row) }
    }
}
