import TillCore

/// What the documents tell of the refund of one transaction, or of all that share a billing event: each the latest of what was
/// seen.
struct RefundNews: Sendable {
    /// The cancellation; ``Cancellation/none`` where there was none. That of an upgrade is a refund only with a percentage.
    private var cancellation = Cancellation.none
    /// When the newest document was made that shows the cancellation.
    private var seen = TransactionEntry.unknown
    /// When the newest `REFUND_REVERSED` was signed.
    private var reversed = TransactionEntry.unknown
    private var isUpgraded = false
    /// The cancellation of an upgrade without a percentage, which ends the service and is no refund, and the newest document that shows it.
    private var upgrade = (date: TransactionEntry.unknown, seen: TransactionEntry.unknown)

    /// `nil` where no refund, no reversal and no upgrade was seen.
    init?(of entry: TransactionEntry, in table: borrowing TransactionTable) {
        isUpgraded = entry.answers.isUpgraded == true
        guard let rare = table.rare(of: entry) else {
            if isUpgraded { return }
            return nil
        }
        if !isUpgraded || rare.cancellation.percentage >= 0 {
            (cancellation, seen) = (rare.cancellation, rare[.cancellationSeen])
        } else {
            upgrade = (rare[.cancellationDate], rare[.cancellationSeen])
        }
        reversed = rare[.refundReversed]
        let unknown = TransactionEntry.unknown
        if cancellation.date == unknown, reversed == unknown, !isUpgraded { return nil }
    }

    /// What another transaction of a product tells that was bought once; `nil` where it is the sale itself.
    init?(ofRestore entry: TransactionEntry, in table: borrowing TransactionTable) {
        let unknown = TransactionEntry.unknown
        guard entry.rare > 0 || entry.answers.isUpgraded == true, entry.identifier != unknown,
            entry.original != unknown,
            entry.original != entry.identifier
        else { return nil }
        self.init(of: entry, in: table)
    }

    func joined(with other: RefundNews) -> RefundNews {
        var joined = self
        joined.cancellation = max(cancellation, other.cancellation)
        joined.seen = max(seen, other.seen)
        joined.reversed = max(reversed, other.reversed)
        joined.isUpgraded = isUpgraded || other.isUpgraded
        joined.upgrade = (max(upgrade.date, other.upgrade.date), max(upgrade.seen, other.upgrade.seen))
        return joined
    }

    /// When the sale was refunded; `nil` where it was not.
    var refundDate: Timestamp? {
        cancellation.date == TransactionEntry.unknown ? nil : Timestamp(milliseconds: cancellation.date)
    }

    /// The share of the price that was refunded, in thousandths of a percent; `nil` where none is told, which means all of it.
    var percentage: Int64? { cancellation.percentage < 0 ? nil : Int64(cancellation.percentage) }

    /// When the refund was taken back: a reversal counts if it was signed after the newest document that shows the refund.
    var reversalDate: Timestamp? {
        guard cancellation.date != TransactionEntry.unknown, reversed > seen else { return nil }
        return Timestamp(milliseconds: reversed)
    }

    /// When an upgrade ended the service that nothing tells to be refunded, and no reversal has undone.
    var upgradeDate: Timestamp? {
        guard upgrade.date != TransactionEntry.unknown, reversed <= upgrade.seen else { return nil }
        return Timestamp(milliseconds: upgrade.date)
    }

    /// Whether an upgrade ended the service and nothing tells how much of the price was refunded.
    var isUnquantifiedUpgrade: Bool { isUpgraded && cancellation.date == TransactionEntry.unknown }
}
