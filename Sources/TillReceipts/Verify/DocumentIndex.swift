import TillColumns
import TillRows

/// Which row of the document being read holds a transaction id.
///
/// Open addressing; an entry counts only if it carries the number of the current document, so a new document costs
/// nothing to begin. At most half full.
struct DocumentIndex {
    struct Entry {
        var document: UInt64 = 0
        var identifier: Int64 = 0
        var row = 0
        /// The cells of the row that a `latest_*` list told, bit by column.
        var latest: UInt64 = 0
    }

    private var entries = [Entry](repeating: Entry(), count: 64)
    private var document: UInt64 = 0
    private var count = 0

    mutating func beginDocument() {
        document += 1
        count = 0
    }

    /// Counts the open row, unless its transaction has a row already: then the two become one, known beats absent, and
    /// where both know a field the copy of a `latest_*` list is right. Ids that are missing or 0 name nothing.
    mutating func join(isLatest: Bool, in rows: inout RowBatch) {
        let row = rows.transactions.rowCount
        guard let identifier = rows.transactions[.transactionID, row], identifier != 0 else {
            return rows.transactions.endRow()
        }
        let latest = isLatest ? rows.transactions.presence(row: row) : 0
        let (entry, isNew) = enter(identifier, newRow: row, latest: latest)
        guard !isNew else { return rows.transactions.endRow() }
        let kept = isLatest ? entry.latest : rows.transactions.presence(row: entry.row)
        rows.transactions.mergeOpenRow(into: entry.row, keeping: kept)
        if isLatest { addLatest(latest, to: identifier) }
    }

    /// The entry of `identifier`; where it had none, `newRow` was entered and is what `isNew` says.
    private mutating func enter(_ identifier: Int64, newRow: Int, latest: UInt64) -> (entry: Entry, isNew: Bool) {
        if count * 2 >= entries.count { grow() }
        let slot = self.slot(of: identifier)
        if entries[slot].document == document { return (entries[slot], false) }
        entries[slot] = Entry(document: document, identifier: identifier, row: newRow, latest: latest)
        count += 1
        return (entries[slot], true)
    }

    /// Remembers that a `latest_*` list has told these cells of the row of `identifier`.
    private mutating func addLatest(_ cells: UInt64, to identifier: Int64) {
        entries[slot(of: identifier)].latest |= cells
    }

    private func slot(of identifier: Int64) -> Int {
        let mask = entries.count - 1
        let hash = UInt64(bitPattern: identifier) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(hash >> 32) & mask
        while entries[slot].document == document, entries[slot].identifier != identifier { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(), count: old.count * 2)
        for entry in old where entry.document == document { entries[slot(of: entry.identifier)] = entry }
    }
}
