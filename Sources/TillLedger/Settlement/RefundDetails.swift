import TillCore

/// The refund data of one transaction, or of all transactions of a billing event, joined like its duplicates.
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
    private var upgrade = (cancellation: Cancellation.none, seen: TransactionEntry.unknown)

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
            upgrade = (known, knownSeen)
        }
        reversed = table.rare(.refundReversed, of: entry)
        if cancellation.isEmpty, reversed == TransactionEntry.unknown, !isUpgraded { return nil }
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
        joined.cancellation.join(other.cancellation)
        joined.seen = max(seen, other.seen)
        joined.reversed = max(reversed, other.reversed)
        joined.isUpgraded = isUpgraded || other.isUpgraded
        joined.upgrade.cancellation.join(other.upgrade.cancellation)
        joined.upgrade.seen = max(upgrade.seen, other.upgrade.seen)
        return joined
    }

    /// The time of the refund; `nil` if there is none.
    var refundDate: Timestamp? {
        cancellation.isEmpty ? nil : Timestamp(milliseconds: cancellation.date(reversed: reversed))
    }

    /// The refunded share of the price, in thousandths of a percent; `nil` without a percentage, which means the full
    /// price.
    var percentage: Int64? { cancellation.percentage < 0 ? nil : Int64(cancellation.percentage) }

    /// The time of the reversal: it counts if it was signed after the newest document with the refund.
    var reversalDate: Timestamp? {
        guard !cancellation.isEmpty, reversed > seen else { return nil }
        return Timestamp(milliseconds: reversed)
    }

    /// The time at which an upgrade without a known refund, and without a reversal, ended the service.
    var upgradeDate: Timestamp? {
        guard !upgrade.cancellation.isEmpty, reversed <= upgrade.seen else { return nil }
        return Timestamp(milliseconds: upgrade.cancellation.date(reversed: reversed))
    }

    /// Whether an upgrade ended the service and no document has the refunded share.
    var isUnquantifiedUpgrade: Bool { isUpgraded && cancellation.isEmpty }
}
