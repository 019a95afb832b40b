import TillColumns
import TillRows

/// The renewal state that iOS 6 responses and V1 notifications tell beside their lists, of the one subscription that
/// they are about.
struct TopLevelRenewal {
    var status: Int64?
    var autoRenewProductID: Int64?
    var expirationIntent: Int64?
    var isInBillingRetryPeriod: Int64?
    /// Only V1 notifications name the subscription here.
    var originalTransactionID: Int64?

    private var isKnown: Bool {
        status != nil || autoRenewProductID != nil || expirationIntent != nil || isInBillingRetryPeriod != nil
    }

    /// Writes the state as a row, unless nothing is told or `pending_renewal_info` has told it already.
    ///
    /// Which subscription it is of, the transactions of the document say: where all of them agree, as where there is
    /// only one.
    func append(to rows: inout RowBatch, from mark: RowBatch.Mark) {
        guard isKnown, rows.renewals.rowCount == mark.renewals else { return }
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
