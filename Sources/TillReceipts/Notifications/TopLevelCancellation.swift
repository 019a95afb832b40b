import TillColumns
import TillRows

/// The cancellation that a V1 notification tells beside its lists, of the one transaction that it is about.
struct TopLevelCancellation {
    /// Milliseconds win over the text, as they do everywhere (quirk 32).
    var milliseconds: Int64?
    var text: Int64?
    /// The line item of the transaction.
    var lineItemID: Int64?

    /// Writes it into the transaction of that line item; without one, into the transaction if there is only one. What a
    /// transaction tells itself stays.
    func complete(_ rows: inout RowBatch, _ transactions: Range<Int>) {
        guard let instant = milliseconds ?? text else { return }
        let isNamed = lineItemID != nil && lineItemID != 0
        for row in transactions {
            let isMeant =
                isNamed && rows.transactions[.webOrderLineItemID, row] == lineItemID
                || transactions.count == 1 && (!isNamed || rows.transactions[.webOrderLineItemID, row] == nil)
            if isMeant { rows.transactions.fill(.cancellationDate, instant, row: row) }
        }
    }
}
