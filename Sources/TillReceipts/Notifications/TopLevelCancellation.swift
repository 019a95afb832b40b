import TillColumns
import TillRows

/// The cancellation beside the lists of a V1 notification or an iOS 6 response; it belongs to one transaction.
struct TopLevelCancellation {
    /// Milliseconds win over the text, as they do everywhere (quirk 32).
    var milliseconds: Int64?
    var text: Int64?
    var reason: Int64?
    /// The line item of the transaction.
    var lineItemID: Int64?

    var isKnown: Bool { milliseconds ?? text ?? reason != nil }

    /// Writes it into the transaction of that line item; without one, into the transaction if there is only one. Values
    /// of the transaction itself stay. A reason by itself, as iOS 6 responses have it, is that of whichever
    /// transactions are cancelled.
    func complete(_ rows: inout RowBatch, _ transactions: Range<Int>) {
        guard isKnown else { return }
        let isNamed = lineItemID != nil && lineItemID != 0
        for row in transactions {
            let isMeant =
                isNamed && rows.transactions[.webOrderLineItemID, row] == lineItemID
                || transactions.count == 1 && (!isNamed || rows.transactions[.webOrderLineItemID, row] == nil)
            if isMeant { rows.transactions.fill(.cancellationDate, milliseconds ?? text, row: row) }
            guard isMeant || !isNamed && rows.transactions[.cancellationDate, row] != nil else { continue }
            rows.transactions.fill(.cancellationReason, reason, row: row)
        }
    }
}
