import TillColumns
import TillRows

/// Which row of the document being read holds a transaction id.
struct DocumentIndex {
    private struct Entry {
        /// `nil` where the transaction was passed over and has no row.
        var row: Int?
        /// The cells of the row that a `latest_*` list told, bit by column.
        var latest: UInt64 = 0
    }

    private var entries = DocumentMap(nothing: Entry())
    /// Transactions that were passed over.
    private(set) var passedCount = 0
    /// Whether a transaction was passed over in one list and read in another, so that the two copies were not joined.
    private(set) var isMixed = false

    mutating func beginDocument() {
        entries.beginDocument()
        (passedCount, isMixed) = (0, false)
    }

    /// What became of the open row.
    struct Joined {
        let row: Int
        /// Whether copies of this document differ in something that both tell.
        var isDisputed = false
    }

    /// Counts the open row, unless its transaction has a row already: then the two become one, known beats absent, and
    /// where both know a field the copy of a `latest_*` list is right. Ids that are missing or 0 name nothing.
    ///
    /// - Parameter isJudged: whether somebody asks whether copies differ.
    @discardableResult
    mutating func join(isLatest: Bool, isJudged: Bool = false, in rows: inout RowBatch) -> Joined {
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
        let isDisputed = isJudged && rows.transactions.openRowDiffers(from: first)
        rows.transactions.mergeOpenRow(
            into: first,
            keeping: isLatest ? entry.latest : rows.transactions.presence(row: first)
        )
        entry.latest |= latest
        if latest != 0 { entries.set(key, entry) }
        return Joined(row: first, isDisputed: isDisputed)
    }

    /// Notes that a `latest_*` list has told these cells of a transaction, as another list did before.
    mutating func tell(_ cells: UInt64, of identifier: Int64) {
        guard var entry = entries[UInt64(bitPattern: identifier)] else { return }
        entry.latest |= cells
        entries.set(UInt64(bitPattern: identifier), entry)
    }

    /// Notes that a copy of a transaction was passed over.
    mutating func pass(_ identifier: Int64) {
        let key = UInt64(bitPattern: identifier)
        guard let entry = entries[key] else {
            entries.set(key, Entry())
            passedCount += 1
            return
        }
        isMixed = isMixed || entry.row != nil
    }
}
