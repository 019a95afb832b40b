import TillColumns
import TillRows

/// Keeps the documents and rows of some apps and leaves out those of others.
///
/// A genuine signature proves that the App Store wrote a receipt, not that it is one of this app: receipts of others are
/// replayed (quirk 28). Documents without a bundle id are kept.
struct AppFilter: Sendable {
    private let bundleIDs: [[UInt8]]

    /// `nil` where no app is asked for.
    init?(_ bundleIDs: [String]) {
        guard !bundleIDs.isEmpty else { return nil }
        self.bundleIDs = bundleIDs.map { Array($0.utf8) }
    }

    /// Takes back what a document appended since `mark` that is of another app; whether that was all of it.
    func apply(to rows: inout RowBatch, from mark: RowBatch.Mark) -> Bool {
        let isOther = (mark.documents..<rows.documents.rowCount).contains { row in
            isForeign(rows.documents[.bundleID, row], rows.dictionary)
        }
        if isOther {
            rows.rollBack(to: mark)
            return true
        }
        let before = rows.transactions.rowCount + rows.renewals.rowCount + rows.events.rowCount
        let dictionary = rows.dictionary
        rows.transactions.removeRows(from: mark.transactions, column: .bundleID) { isForeign($0, dictionary) }
        rows.renewals.removeRows(from: mark.renewals, column: .bundleID) { isForeign($0, dictionary) }
        rows.events.removeRows(from: mark.events, column: .bundleID) { isForeign($0, dictionary) }
        let after = rows.transactions.rowCount + rows.renewals.rowCount + rows.events.rowCount
        guard after < before else { return false }
        guard after == mark.transactions + mark.renewals + mark.events else {
            for row in mark.documents..<rows.documents.rowCount {
                rows.documents.set(.transactions, Int64(rows.transactions.rowCount - mark.transactions), row: row)
            }
            return false
        }
        rows.rollBack(to: mark)
        return true
    }

    private func isForeign(_ cell: Int64?, _ dictionary: borrowing TextDictionary) -> Bool {
        guard let cell else { return false }
        return dictionary.withBytes(of: Int(cell)) { text in
            !bundleIDs.contains { bundleID in
                bundleID.count == text.byteCount && bundleID.indices.allSatisfy { text.byte($0) == bundleID[$0] }
            }
        }
    }
}
