/// Additional data for the subscription report.
package struct SubscriptionState: Sendable {
    /// What documents say of the renewal of a chain, in milliseconds; ``TransactionEntry/unknown`` for none.
    package struct Renewal: Sendable {
        /// The latest end of a grace period.
        package var graceEnd = TransactionEntry.unknown
        /// The time of the newest document.
        package var seen = TransactionEntry.unknown

        package init(graceEnd: Int64 = TransactionEntry.unknown, seen: Int64 = TransactionEntry.unknown) {
            (self.graceEnd, self.seen) = (graceEnd, seen)
        }
    }

    /// By the word of the chain's original id.
    package private(set) var renewals: [Int64: Renewal] = [:]
    /// The times of documents.
    package var documents = DocumentDays()

    /// Removes renewals, after they were written to a file.
    mutating func forgetRenewals() { renewals = [:] }

    package mutating func note(_ renewal: Renewal, of chain: Int64) {
        var known = renewals[chain] ?? Renewal()
        known.graceEnd = max(known.graceEnd, renewal.graceEnd)
        known.seen = max(known.seen, renewal.seen)
        renewals[chain] = known
    }
}
