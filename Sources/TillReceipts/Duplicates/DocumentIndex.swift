import TillColumns
import TillRows

/// Which row of the document being read holds a transaction id.
struct DocumentIndex {
    private struct Entry {
        /// `nil` if the transaction was skipped and has no row.
        var row: Int?
        /// The cells of the row whose values are those of a `latest_*` list, bit by column.
        var latest: UInt64 = 0
    }

    private var entries = DocumentMap(nothing: Entry())
    /// Skipped transactions, which have no row.
    private(set) var skippedCount = 0
    /// Whether a transaction was skipped in one list and read in another, so that the two copies were not joined.
    private(set) var isMixed = false

    mutating func beginDocument() {
        entries.beginDocument()
        (skippedCount, isMixed) = (0, false)
    }

    /// The row into which the open row was joined.
    struct Joined {
        let row: Int
        /// Whether the copies in this document differ in a value that both have.
        var isDisputed = false
    }

    /// Ends the open row, or joins it into the row of the same transaction: a value takes precedence over an absent
    /// one, and if both rows have a value, the value of a `latest_*` list counts. Missing ids and id 0 identify no
    /// transaction.
    ///
    /// - Parameter comparesCopies: whether ``Joined/isDisputed`` is wanted.
    @discardableResult
    mutating func join(isLatest: Bool, comparesCopies: Bool = false, in rows: inout RowBatch) -> Joined {
        let row = rows.transactions.rowCount
        guard let identifier = rows.transactions[.transactionID, row], identifier != 0 else {
            rows.transactions.endRow()
            return Joined(row: row)
        }
        let latest = isLatest ? rows.transactions.presence(row: row) : 0
        let key = UInt64(bitPattern: identifier)
        let known = entries[key]
        guard var entry = known, let first = entry.row else {
            isMixed = isMixed || known != nil
            entries.set(key, Entry(row: row, latest: latest))
            rows.transactions.endRow()
            return Joined(row: row)
        }
        let isDisputed = comparesCopies && rows.transactions.openRowDiffers(from: first)
        rows.transactions.mergeOpenRow(
            into: first,
            keeping: isLatest ? entry.latest : rows.transactions.presence(row: first)
        )
        entry.latest |= latest
        if latest != 0 { entries.set(key, entry) }
        return Joined(row: first, isDisputed: isDisputed)
    }

    /// Says that a `latest_*` list has the same values for these cells of a transaction as an earlier list.
    mutating func markLatest(_ cells: UInt64, of identifier: Int64) {
        guard var entry = entries[UInt64(bitPattern: identifier)] else { return }
        entry.latest |= cells
        entries.set(UInt64(bitPattern: identifier), entry)
    }

    /// Says that a copy of a transaction was skipped.
    mutating func skip(_ identifier: Int64) {
        let key = UInt64(bitPattern: identifier)
        guard let entry = entries[key] else {
            entries.set(key, Entry())
            skippedCount += 1
            return
        }
        isMixed = isMixed || entry.row != nil
    }
}
