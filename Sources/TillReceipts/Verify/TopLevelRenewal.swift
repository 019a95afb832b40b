import TillColumns
import TillRows

/// The renewal state beside the lists of iOS 6 responses and V1 notifications; it belongs to their one subscription.
struct TopLevelRenewal {
    var status: Int64?
    var autoRenewProductID: Int64?
    var expirationIntent: Int64?
    var isInBillingRetryPeriod: Int64?
    /// Only V1 notifications name the subscription here.
    var originalTransactionID: Int64?

    /// Whether a row may be that of the subscription: unless both name one, and not the same.
    private func mayBe(_ row: Int, of renewals: borrowing RecordBatch<RenewalColumn>) -> Bool {
        guard let originalTransactionID, let other = renewals[.originalTransactionID, row] else { return true }
        return originalTransactionID == other
    }

    private var isKnown: Bool {
        status != nil || autoRenewProductID != nil || expirationIntent != nil || isInBillingRetryPeriod != nil
    }

    /// Writes the state as a row, unless there is none or `pending_renewal_info` has given the row of the same
    /// subscription already.
    ///
    /// The subscription is that of the transactions of the document, if all of them have the same.
    func append(to rows: inout RowBatch, from mark: RowBatch.Mark) {
        let pending = mark.renewals..<rows.renewals.rowCount
        guard isKnown, !pending.contains(where: { mayBe($0, of: rows.renewals) }) else { return }
        let transactions = mark.transactions..<rows.transactions.rowCount
        rows.renewals.beginRow()
        rows.renewals.set(.autoRenewStatus, status)
        rows.renewals.set(.autoRenewProductID, autoRenewProductID)
        rows.renewals.set(.expirationIntent, expirationIntent)
        rows.renewals.set(.isInBillingRetryPeriod, isInBillingRetryPeriod)
        rows.renewals.set(.productID, rows.transactions.agreed(.productID, in: transactions))
        rows.renewals.set(
            .originalTransactionID,
            originalTransactionID ?? rows.transactions.agreed(.originalTransactionID, in: transactions)
        )
        rows.renewals.endRow()
    }
}
