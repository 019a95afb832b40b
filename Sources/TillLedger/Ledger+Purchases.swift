import TillColumns

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

    /// The time of the newest document that is not ahead of the purchases (``DocumentDays``), in milliseconds.
    package var newestDocument: Int64? { subscriptions.documents.newest(after: purchases?.upperBound) }
}
