import TillCore

/// What the documents tell of the refund of one transaction, or of all that share a billing event: each the latest of what was
/// seen.
struct RefundNews: Sendable {
    /// When it was cancelled; the cancellation of an upgrade is no refund. ``TransactionEntry/unknown`` where it was not.
    private var cancelled = TransactionEntry.unknown
    /// When the newest document was made that shows the cancellation.
    private var seen = TransactionEntry.unknown
    /// When the newest `REFUND_REVERSED` was signed.
    private var reversed = TransactionEntry.unknown

    /// `nil` where neither a refund nor a reversal was seen.
    init?(of entry: TransactionEntry, in table: borrowing TransactionTable) {
        guard let rare = table.rare(of: entry) else { return nil }
        if entry.answers.isUpgraded != true {
            (cancelled, seen) = (rare[.cancellationDate], rare[.cancellationSeen])
        }
        reversed = rare[.refundReversed]
        let unknown = TransactionEntry.unknown
        if cancelled == unknown, reversed == unknown { return nil }
    }

    /// What another transaction of a product tells that was bought once; `nil` where it is the sale itself.
    init?(ofRestore entry: TransactionEntry, in table: borrowing TransactionTable) {
        let unknown = TransactionEntry.unknown
        guard entry.rare > 0, entry.identifier != unknown, entry.original != unknown,
            entry.original != entry.identifier
        else { return nil }
        self.init(of: entry, in: table)
    }

    func joined(with other: RefundNews) -> RefundNews {
        var joined = self
        joined.cancelled = max(cancelled, other.cancelled)
        joined.seen = max(seen, other.seen)
        joined.reversed = max(reversed, other.reversed)
        return joined
    }

    /// When the sale was refunded; `nil` where it was not.
    var refundDate: Timestamp? {
        cancelled == TransactionEntry.unknown ? nil : Timestamp(milliseconds: cancelled)
    }

    /// When the refund was taken back: a reversal counts if it was signed after the newest document that shows the refund.
    var reversalDate: Timestamp? {
        guard cancelled != TransactionEntry.unknown, reversed > seen else { return nil }
        return Timestamp(milliseconds: reversed)
    }
}
