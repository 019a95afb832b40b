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
            let values = values(number)
            rows.append(
                JoinedRow(
                    row: row(values, texts),
                    hasConflict: entries[number].hasConflict,
                    isChangedByLessTrusted: !values.rare.changes.isEmpty
                )
            )
        }
        return rows
    }

    private func row(_ values: TransactionValues, _ texts: borrowing TextDictionary) -> Row<TransactionColumn> {
        func text(_ code: Int32) -> RowValue? { code < 0 ? nil : .text(texts.text(of: Int(code))) }
        func identifier(_ word: Int64) -> RowValue? {
            word == TransactionEntry.unknown ? nil : .text(Identifier(word: word).text(in: texts))
        }
        func number(_ word: Int64) -> RowValue? { word == TransactionEntry.unknown ? nil : .number(word) }
        func answer(_ answer: Bool?) -> RowValue? { answer.map { .number($0 ? 1 : 0) } }
        var row: Row<TransactionColumn> = [:]
        for attribute in NumberAttribute.allCases where attribute != .firstExpiry {
            let isIdentifier = attribute.definition.encoding.isIdentifier
            row[attribute.definition.column] = isIdentifier ? identifier(values[attribute]) : number(values[attribute])
        }
        func code(_ code: Int32) -> RowValue? { code < 0 ? nil : .number(Int64(code)) }
        for attribute in CodeAttribute.allCases where attribute != .looseCurrency {
            let isText = attribute.definition.encoding.isText
            row[attribute.definition.column] = isText ? text(values[attribute]) : code(values[attribute])
        }
        let cancellation = values.rare.cancellation
        row[.cancellationDate] = number(cancellation.date(reversed: values[.refundReversed]))
        row[.cancellationReason] = code(cancellation.reason)
        row[.refundPercentage] = code(cancellation.percentage)
        row[.isTrial] = answer(values.answers.isTrial)
        row[.isIntro] = answer(values.answers.isIntro)
        row[.isUpgraded] = answer(values.answers.isUpgraded)
        return row
    }
}

/// The transactions that the ledger keeps of rows, in order of arrival.
func kept(_ rows: [Row<TransactionColumn>]) -> [JoinedRow] {
    var ledger = Ledger(keepsSubscriptionGroups: true)
    for row in rows { ledger.update(with: Rows(transactions: [row]).batch()) }
    return ledger.transactions.rows(ledger.texts)
}

/// Settled transactions of the requested environments, by their ids.
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
