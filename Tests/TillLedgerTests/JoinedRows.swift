import TillColumns
import TillRows
import TillTestSupport

@testable import TillLedger

/// What the ledger keeps of a transaction, as a row again.
struct JoinedRow: Hashable {
    /// `observedAt` is that of the newest document with the cancellation.
    var row: Row<TransactionColumn>
    var hasConflict = false
}

extension TransactionTable {
    /// Every transaction, in order of arrival.
    func rows(_ texts: borrowing TextDictionary) -> [JoinedRow] {
        var rows: [JoinedRow] = []
        for number in 0..<count {
            rows.append(JoinedRow(row: row(number, texts), hasConflict: entries[number].hasConflict))
        }
        return rows
    }

    private func row(_ number: Int, _ texts: borrowing TextDictionary) -> Row<TransactionColumn> {
        func text(_ code: Int32) -> RowValue? { code < 0 ? nil : .text(texts.text(of: Int(code))) }
        func identifier(_ word: Int64) -> RowValue? {
            word == TransactionEntry.unknown ? nil : .text(Identifier(word: word).text(in: texts))
        }
        func number64(_ word: Int64?) -> RowValue? {
            word.flatMap { $0 == TransactionEntry.unknown ? nil : .number($0) }
        }
        let entry = entries[number]
        let facet = facets[Int(entry.facet)]
        let extra = entry.extra == 0 ? TransactionExtra() : extras[Int(entry.extra) - 1]
        func fact(_ flag: TransactionEntry.Flags) -> RowValue? {
            if entry.flags.contains(flag) { return true }
            return entry.flags.contains(flag.answer(0)) ? false : nil
        }
        var row: Row<TransactionColumn> = [:]
        row[.transactionID] = identifier(entry.identifier)
        row[.originalTransactionID] = identifier(entry.original)
        row[.webOrderLineItemID] = identifier(entry.webOrder)
        row[.purchaseDate] = number64(entry.purchaseDate)
        row[.expiresDate] = number64(entry.expiresDate)
        row[.productID] = text(Int32(entry.product) - 1)
        row[.quantity] = number64(quantity(entry))
        row[.isTrial] = fact(.isTrial)
        row[.isIntro] = fact(.isIntro)
        row[.isUpgraded] = fact(.isUpgraded)
        row[.environment] = text(facet.environment)
        row[.bundleID] = text(facet.bundleID)
        row[.productType] = text(facet.productType)
        row[.ownershipType] = text(facet.ownership)
        row[.cancellationDate] = number64(extra.cancellationDate)
        row[.observedAt] = number64(extra.cancellationSeen)
        row[.refundReversedAt] = number64(extra.refundReversed)
        row[.price] = number64(extra.price)
        row[.currency] = text(extra.currency)
        row[.storefront] = text(extra.storefront)
        row[.offerID] = text(extra.offerID)
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
