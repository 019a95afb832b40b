import TillColumns
import TillRows
import TillTestSupport

@testable import TillLedger

/// What the ledger keeps of a transaction, as a row again.
struct JoinedRow: Hashable {
    /// `observedAt` is that of the newest document with the cancellation.
    var row: Row<TransactionColumn>
    var hasConflict = false
    var isChangedByLessTrusted = false
}

extension TransactionTable {
    /// Every transaction, in order of arrival.
    func rows(_ texts: borrowing TextDictionary) -> [JoinedRow] {
        var rows: [JoinedRow] = []
        for number in 0..<count {
            let copy = copy(number)
            rows.append(
                JoinedRow(
                    row: row(copy, texts),
                    hasConflict: entries[number].hasConflict,
                    isChangedByLessTrusted: copy.isChangedByLessTrusted
                )
            )
        }
        return rows
    }

    private func row(_ copy: TransactionCopy, _ texts: borrowing TextDictionary) -> Row<TransactionColumn> {
        func text(_ code: Int32) -> RowValue? { code < 0 ? nil : .text(texts.text(of: Int(code))) }
        func identifier(_ word: Int64) -> RowValue? {
            word == TransactionEntry.unknown ? nil : .text(Identifier(word: word).text(in: texts))
        }
        func number(_ word: Int64) -> RowValue? { word == TransactionEntry.unknown ? nil : .number(word) }
        func answer(_ answer: Bool?) -> RowValue? { answer.map { .number($0 ? 1 : 0) } }
        var row: Row<TransactionColumn> = [:]
        row[.transactionID] = identifier(copy.identifier)
        row[.originalTransactionID] = identifier(copy.original)
        row[.webOrderLineItemID] = identifier(copy.webOrder)
        row[.purchaseDate] = number(copy.purchaseDate)
        row[.expiresDate] = number(copy.expiresDate)
        row[.originalPurchaseDate] = number(copy.originalPurchaseDate)
        row[.productID] = text(copy.product)
        row[.quantity] = number(copy.quantity)
        row[.isTrial] = answer(copy.answers.isTrial)
        row[.isIntro] = answer(copy.answers.isIntro)
        row[.isUpgraded] = answer(copy.answers.isUpgraded)
        row[.environment] = text(copy.facet.environment)
        row[.bundleID] = text(copy.facet.bundleID)
        row[.productType] = text(copy.facet.productType)
        row[.ownershipType] = text(copy.facet.ownership)
        row[.cancellationDate] = number(copy.extra.cancellationDate)
        row[.observedAt] = number(copy.extra.cancellationSeen)
        row[.refundReversedAt] = number(copy.extra.refundReversed)
        row[.price] = number(copy.extra.price)
        row[.currency] = text(copy.extra.currency)
        row[.storefront] = text(copy.extra.storefront)
        row[.offerID] = text(copy.extra.offerID)
        row[.offerType] = copy.extra.offerType < 0 ? nil : .number(Int64(copy.extra.offerType))
        return row
    }
}

/// The transactions that the ledger keeps of rows, in order of arrival.
func kept(_ rows: [Row<TransactionColumn>]) -> [JoinedRow] {
    var ledger = Ledger()
    for row in rows { ledger.update(with: Rows(transactions: [row]).batch()) }
    return ledger.transactions.rows(ledger.texts)
}

/// Settled transactions of the environments asked for, by their ids.
func settled(
    _ rows: [Row<TransactionColumn>],
    environments: EnvironmentFilter = .booked,
    rules: LedgerRules = LedgerRules()
) throws -> [String: SettledTransaction] {
    let ledger = Rows(transactions: rows).settled(environments: environments, rules: rules)
    let kept = ledger.table.rows(ledger.texts).filter { joined in
        environments.words.contains(joined.row[.environment]?.text ?? EnvironmentFilter.unknown)
    }
    var transactions: [SettledTransaction] = []
    try ledger.forEachTransaction { transactions.append($0) }
    return Dictionary(zip(kept.map { $0.row[.transactionID]?.text ?? "" }, transactions)) { $1 }
}
