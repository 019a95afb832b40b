import TillCore

/// The refund data of one transaction, or of all transactions of a billing event: the latest of each date.
struct RefundDetails: Sendable {
    /// The cancellation; ``Cancellation/none`` where there was none. The cancellation of an upgrade is a refund only
    /// with a percentage.
    private var cancellation = Cancellation.none
    /// The time of the newest document with the cancellation.
    private var seen = TransactionEntry.unknown
    /// The signing time of the newest `REFUND_REVERSED`.
    private var reversed = TransactionEntry.unknown
    private var isUpgraded = false
    /// The cancellation of an upgrade without a percentage, which ends the service and is not a refund, and the newest
    /// document that shows it.
    private var upgrade = (date: TransactionEntry.unknown, seen: TransactionEntry.unknown)

    /// `nil` if no refund, no reversal and no upgrade was seen.
    init?(of entry: TransactionEntry, in table: borrowing TransactionTable) {
        isUpgraded = entry.answers.isUpgraded == true
        guard entry.rare > 0 else {
            if isUpgraded { return }
            return nil
        }
        let known = table.cancellation(of: entry)
        let knownSeen = table.rare(.cancellationSeen, of: entry)
        if !isUpgraded || known.percentage >= 0 {
            (cancellation, seen) = (known, knownSeen)
        } else {
            upgrade = (known.date, knownSeen)
        }
        reversed = table.rare(.refundReversed, of: entry)
        let unknown = TransactionEntry.unknown
        if cancellation.date == unknown, reversed == unknown, !isUpgraded { return nil }
    }

    /// The refund data of another transaction of a product bought once; `nil` if it is the sale itself.
    init?(ofRestore entry: TransactionEntry, in table: borrowing TransactionTable) {
        let unknown = TransactionEntry.unknown
        guard entry.rare > 0 || entry.answers.isUpgraded == true, entry.identifier != unknown,
            entry.original != unknown,
            entry.original != entry.identifier
        else { return nil }
        self.init(of: entry, in: table)
    }

    func joined(with other: RefundDetails) -> RefundDetails {
        var joined = self
        joined.cancellation = max(cancellation, other.cancellation)
        joined.seen = max(seen, other.seen)
        joined.reversed = max(reversed, other.reversed)
        joined.isUpgraded = isUpgraded || other.isUpgraded
        joined.upgrade = (max(upgrade.date, other.upgrade.date), max(upgrade.seen, other.upgrade.seen))
        return joined
    }

    /// The time of the refund; `nil` if there is none.
    var refundDate: Timestamp? {
        cancellation.date == TransactionEntry.unknown ? nil : Timestamp(milliseconds: cancellation.date)
    }

    /// The refunded share of the price, in thousandths of a percent; `nil` without a percentage, which means the full
    /// price.
    var percentage: Int64? { cancellation.percentage < 0 ? nil : Int64(cancellation.percentage) }

    /// The time of the reversal: it counts if it was signed after the newest document with the refund.
    var reversalDate: Timestamp? {
        guard cancellation.date != TransactionEntry.unknown, reversed > seen else { return nil }
        return Timestamp(milliseconds: reversed)
    }

    /// The time at which an upgrade without a known refund, and without a reversal, ended the service.
    var upgradeDate: Timestamp? {
        guard upgrade.date != TransactionEntry.unknown, reversed <= upgrade.seen else { return nil }
        return Timestamp(milliseconds: upgrade.date)
    }

    /// Whether an upgrade ended the service and no document has the refunded share.
    var isUnquantifiedUpgrade: Bool { isUpgraded && cancellation.date == TransactionEntry.unknown }
}
