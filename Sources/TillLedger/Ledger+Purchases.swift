import TillColumns
import TillCore

extension Ledger {
    /// The first and the latest purchase of the counted environments, in milliseconds; `nil` if none has a date. Cost: a
    /// pass over the transactions.
    package var purchases: ClosedRange<Int64>? {
        let isCounted = transactions.sharedValues.map { environments.counts(Int64($0[.environment])) }
        var purchases: ClosedRange<Int64>?
        for number in 0..<transactions.count {
            let entry = transactions.entry(number)
            let date = transactions.purchaseDate(of: entry)
            guard date != TransactionEntry.unknown, isCounted[Int(entry.shared)] else { continue }
            purchases = purchases.map { min($0.lowerBound, date)...max($0.upperBound, date) } ?? date...date
        }
        return purchases
    }

    /// The time of the newest document or purchase, or ``LedgerRules/newest`` if it is later.
    ///
    /// - Parameter partitions: the transactions that are not in memory.
    func newest(_ rules: LedgerRules, _ partitions: (any LedgerPartitions)?) -> Timestamp? {
        let latest = [purchases?.upperBound, partitions?.purchases?.upperBound].compactMap(\.self).max()
        return [subscriptions.documents.newest(after: latest), latest, rules.newest?.milliseconds].compactMap(\.self)
            .max().map { Timestamp(milliseconds: $0) }
    }

    /// The time of the newest document that is not ahead of the purchases (``DocumentDays``), in milliseconds.
    package var newestDocument: Int64? { subscriptions.documents.newest(after: purchases?.upperBound) }
}
