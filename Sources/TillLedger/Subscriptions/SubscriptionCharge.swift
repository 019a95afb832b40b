import TillColumns
public import TillCore

/// A charge or trial of a subscription, with the data about its service.
public struct SubscriptionCharge: Sendable {
    /// The number of the transaction.
    let number: Int
    /// Identifies the chain: equal for all charges of one subscription.
    public let chain: Int64
    /// The code of the product in the ledger's texts; `nil` if it is not known.
    public let product: Int?
    /// The purchase, in milliseconds.
    public let start: Int64
    /// The original purchase of the chain, in milliseconds; `nil` if no duplicate has it.
    var originalStart: Int64?
    /// The time of the newest document that shows the transaction; `nil` if none has a time.
    var observed: Int64?
    /// The end of service: expiry, else the end of the listed period, or an earlier cancellation; `nil` if it is not
    /// known.
    public let end: Int64?
    /// The expiry at the sale, before any cancellation.
    public let expires: Int64?
    /// Whether a cancellation ended service before its expiry, that of an upgrade among them.
    public let isRevoked: Bool
    /// Whether it is a free trial; also `false` if no document tells it.
    public let isTrial: Bool
    /// Whether it is a refunded sale; the cancellation of an upgrade is one only with a percentage.
    public let isRefunded: Bool
    /// The price of all units; `nil` if it is not known.
    public let price: Money?
    /// The length of its period; `nil` if it is not known.
    private(set) var period: RenewalPeriod?
    /// Whether the length comes from a list.
    private(set) var isPeriodListed = false

    /// Sets the length of the period: the length in a list, else the App Store's length nearest to the time between
    /// purchase and expiry.
    mutating func setPeriod(listed: RenewalPeriod?) {
        period = listed ?? expires.flatMap { RenewalPeriod(from: start, to: $0) }
        isPeriodListed = listed != nil
    }
}

extension SettledLedger {
    /// The service that a transaction of a subscription gave; `nil` if its purchase has no date.
    ///
    /// The caller must omit restores and family-shared rows: they are not charges.
    public func subscriptionCharge(of transaction: SettledTransaction) -> SubscriptionCharge? {
        let entry = table.entries[transaction.number]
        guard let start = transaction.purchaseDate?.milliseconds else { return nil }
        let expiry = table.expiresDate(of: entry)
        let expires = expiry == TransactionEntry.unknown ? nil : expiry
        let cancellation = cancellation(of: transaction)?.milliseconds
        let serviceEnd = transaction.serviceEnd?.milliseconds
        let isRevoked = cancellation.map { $0 < serviceEnd ?? .max } ?? false
        func known(_ milliseconds: Int64) -> Int64? { milliseconds == TransactionEntry.unknown ? nil : milliseconds }
        return SubscriptionCharge(
            number: transaction.number,
            chain: chain(of: transaction.number),
            product: transaction.product,
            start: start,
            originalStart: known(table.originalPurchaseDate(of: entry)),
            observed: table.keepsTimes ? known(table.observed[transaction.number]) : nil,
            end: isRevoked ? cancellation : serviceEnd,
            expires: expires,
            isRevoked: isRevoked,
            isTrial: entry.answers.isTrial == true,
            isRefunded: transaction.isRefunded,
            price: transaction.price
        )
    }

    /// The cancellation time of a transaction: a refund without a reversal, or an upgrade.
    private func cancellation(of transaction: SettledTransaction) -> Timestamp? {
        if transaction.refundDate != nil { return transaction.isRefunded ? transaction.refundDate : nil }
        return refundDetails(of: transaction.number)?.upgradeDate
    }

    /// The word of a transaction's original id, else its own; a row without any is a chain of its own.
    func chain(of number: Int) -> Int64 {
        let entry = table.entries[number]
        if entry.original != TransactionEntry.unknown { return entry.original }
        // The smallest integers are never words of ids, because they would be impossibly large codes of texts.
        return entry.identifier == TransactionEntry.unknown ? .min + 1 + Int64(number) : entry.identifier
    }

    /// What documents say of the renewal of a chain; `nil` if none does.
    func renewal(ofChain chain: Int64) -> SubscriptionState.Renewal? { subscriptions.renewals[chain] }

    /// The first and the latest purchase of the whole ledger, of which this may be a partition.
    private var wholePurchases: ClosedRange<Int64>? { origin?.partitions.purchases }

    /// The instants between which the data of all parts are known, in milliseconds; `nil` without any time.
    func knownTime(_ sales: SubscriptionSales) -> (first: Int64?, newest: Int64)? {
        let latest = [wholePurchases?.upperBound, sales.purchases?.upperBound].compactMap(\.self).max()
        let newest = [subscriptions.documents.newest(after: latest), latest, rules.newest?.milliseconds]
        let first = [wholePurchases?.lowerBound, sales.purchases?.lowerBound, rules.first?.milliseconds]
        return newest.compactMap(\.self).max().map { (first.compactMap(\.self).min(), $0) }
    }

    /// The number of documents whose clock is ahead of an instant, up to which the data are known.
    public func documentsAhead(of instant: Timestamp) -> Int {
        subscriptions.documents.count(after: instant.milliseconds)
    }
}
