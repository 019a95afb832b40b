import TillColumns
import TillCore
import TillRows

/// Keeps the documents and rows of some apps and leaves out those of others.
///
/// A genuine signature proves that the App Store wrote a receipt, not that it is one of this app: receipts of others
/// are replayed (quirk 28). Documents without a bundle id are kept.
struct AppFilter: Sendable {
    /// Sorted by length, then by bytes, so that a hundred apps cost a document no more than a few.
    private let bundleIDs: [[UInt8]]

    /// `nil` if no app is asked for.
    init?(_ bundleIDs: [String]) {
        guard !bundleIDs.isEmpty else { return nil }
        self.bundleIDs = bundleIDs.map { Array($0.utf8) }.sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
        }
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
            let index = bundleIDs.partitioningIndex { bundleID in
                guard bundleID.count == text.byteCount else { return bundleID.count > text.byteCount }
                guard let difference = bundleID.indices.first(where: { text.byte($0) != bundleID[$0] }) else {
                    return true
                }
                return bundleID[difference] > text.byte(difference)
            }
            guard index < bundleIDs.count, bundleIDs[index].count == text.byteCount else { return true }
            return !bundleIDs[index].indices.allSatisfy { text.byte($0) == bundleIDs[index][$0] }
        }
    }
}
