import TillColumns
import TillCore
import TillRows

/// The values of the row that a ledger has read last.
///
/// They are kept from row to row: making 500 bytes for each would take as long as filling them.
struct ReadRow {
    var values = TransactionValues()
    /// Whether ``values`` may have rare values; few rows have.
    var mayHaveRare = false
}

extension Ledger {
    /// Rows between the prefetch of a slot, the prefetch of its entry, and their use.
    private static let prefetchDistance = 8

    func prefetch(after row: Int, in batch: borrowing RecordBatch<TransactionColumn>) {
        let (near, far) = (row + Self.prefetchDistance, row + 2 * Self.prefetchDistance)
        if far < batch.rowCount, let identifier = batch[.transactionID, far] {
            transactions.prefetchSlot(of: identifier)
        }
        if near < batch.rowCount, let identifier = batch[.transactionID, near] {
            transactions.prefetchEntry(of: identifier)
        }
    }

    mutating func enterWithNeeds(
        _ row: Int,
        of batch: borrowing RowBatch,
        _ read: inout ReadRow,
        source: UInt32,
        firstDocument: Int
    ) {
        self.read(row, of: batch, into: &read)
        if needs.contains(.anomalies) { noteOddities(of: row, in: batch, &read.values) }
        if needs.contains(.subscriptions), counts(read.values[.environment]) {
            subscriptions.see(at: batch.transactions[.observedAt, row])
        }
        let number = transactions.enter(read.values, mayHaveRare: read.mayHaveRare, in: texts)
        guard needs.contains(.provenance) else { return }
        let document = batch.transactions[.document, row] ?? 0
        var mention = Provenance(
            transaction: UInt32(number),
            source: source,
            document: Int64(firstDocument) + document,
            row: batch.transactions[.row, row] ?? 0
        )
        // Rows from Parquet have their own source, and the number of their document in it.
        if let stored = batch.transactions[.source, row] {
            mention.source = provenance.number(of: batch.dictionary.text(of: Int(stored)))
            mention.document = document
        }
        provenance.append(mention)
    }

    /// Original purchases and purchases of one charge differ by seconds in many receipts.
    static let originalTolerance: Int64 = Timestamp.millisecondsPerDay

    private func noteOddities(of row: Int, in batch: borrowing RowBatch, _ values: inout TransactionValues) {
        if let token = batch.transactions[.accountToken, row] {
            let fingerprint = batch.dictionary.withBytes(of: Int(token), TextDictionary.fingerprint)
            values.account = max(1, UInt64(truncatingIfNeeded: fingerprint))
        }
        guard let purchased = batch.transactions[.purchaseDate, row] else { return }
        if let original = batch.transactions[.originalPurchaseDate, row] {
            let (distance, overflow) = original.subtractingReportingOverflow(purchased)
            if original > purchased, overflow || distance > Self.originalTolerance {
                values.marks.insert(.originalAfterPurchase)
            }
        }
        if let observed = batch.transactions[.observedAt, row], observed < purchased {
            values.marks.insert(.observedBeforePurchase)
        }
    }

    /// Notes the time of a document, also of one without transactions. Documents of environments that do not count are
    /// ignored, because they do not show how recent the counted data are.
    mutating func noteTime(ofDocument row: Int, in batch: borrowing RowBatch) {
        guard let observed = batch.documents[.observedAt, row], batch.documents[.trust, row] != Word.untrusted.cell,
            counts(mapping.code(batch.documents[.environment, row], from: batch.dictionary, to: &texts))
        else { return }
        subscriptions.see(at: observed)
    }

    mutating func noteGracePeriod(_ row: Int, in batch: borrowing RowBatch) {
        guard batch.renewals[.trust, row] != Word.untrusted.cell else { return }
        let environment = mapping.code(batch.renewals[.environment, row], from: batch.dictionary, to: &texts)
        guard counts(environment) else { return }
        subscriptions.see(at: batch.renewals[.observedAt, row])
        guard let end = batch.renewals[.gracePeriodExpiresDate, row],
            let original = batch.renewals[.originalTransactionID, row]
        else { return }
        subscriptions.note(graceUntil: end, of: mapping.identifier(original, from: batch.dictionary, to: &texts))
    }

    /// The values of a row. Two values are dropped, because their source cannot know them: whether a trial is also at
    /// an introductory price, and the date of the original purchase of a restored product. An id of 0 is no id.
    mutating func read(_ row: Int, of batch: borrowing RowBatch, into read: inout ReadRow) {
        // One word tells which cells are present, so that each cell is one more read.
        let presence = batch.transactions.presence(row: row)
        @inline(__always)
        func cell(_ column: TransactionColumn) -> Int64? {
            presence >> UInt64(column.rawValue) & 1 == 1 ? batch.transactions.word(column, row) : nil
        }
        @inline(__always)
        func identifier(_ column: TransactionColumn, _ ledger: inout Ledger) -> Int64 {
            guard let cell = cell(column), cell != 0 else { return TransactionEntry.unknown }
            return ledger.mapping.identifier(cell, from: batch.dictionary, to: &ledger.texts)
        }
        @inline(__always)
        func text(_ column: TransactionColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(cell(column), from: batch.dictionary, to: &ledger.texts)
        }
        @inline(__always)
        func number(_ column: TransactionColumn) -> Int64 { cell(column) ?? TransactionEntry.unknown }
        @inline(__always)
        func answer(_ column: TransactionColumn) -> Bool? { cell(column).map { $0 == 1 } }

        read.values.marks = []
        read.values.account = 0
        read.values[.identifier] = identifier(.transactionID, &self)
        read.values[.original] = identifier(.originalTransactionID, &self)
        read.values[.webOrder] = identifier(.webOrderLineItemID, &self)
        read.values[.purchaseDate] = number(.purchaseDate)
        read.values[.expiresDate] = number(.expiresDate)
        read.values[.originalPurchaseDate] = number(.originalPurchaseDate)
        read.values[.quantity] = number(.quantity)
        read.values[.product] = text(.productID, &self)
        let isTrial = answer(.isTrial)
        read.values.answers = TransactionAnswers(
            isTrial: isTrial,
            isIntro: isTrial == true ? nil : answer(.isIntro),
            isUpgraded: answer(.isUpgraded),
            rank: TrustRank(cell: cell(.trust))
        )
        for (index, column) in keptShared { read.values.shared[at: index] = text(column, &self) }
        if read.mayHaveRare { read.values.rare = .none }
        read.mayHaveRare = presence & rareColumns != 0
        if read.mayHaveRare { setRareValues(of: row, in: batch, &read.values) }
        if read.values.isRestoredProduct { read.values[.originalPurchaseDate] = TransactionEntry.unknown }
        let isTest = Word(rawValue: Int(read.values[.environment]))?.isTestEnvironment ?? false
        if isTest || !read.values.isNamed { read.values.marks.insert(.isAlone) }
    }

    @inline(__always)
    private mutating func text(_ column: TransactionColumn, _ row: Int, _ batch: borrowing RowBatch) -> Int32 {
        mapping.code(batch.transactions[column, row], from: batch.dictionary, to: &texts)
    }

    /// Rare numbers that are copied from a cell of the row, or are an id.
    private static let rareNumbers = NumberAttribute.rare.filter { $0 != .cancellationSeen }
        .map { (attribute: $0, column: $0.definition.column, isIdentifier: $0.definition.encoding.isIdentifier) }
    private static let rareCodes = CodeAttribute.rare
        .map { (attribute: $0, column: $0.definition.column, isText: $0.definition.encoding.isText) }

    /// The columns of rare values.
    static let rareColumns: UInt64 = (rareNumbers.map(\.column) + rareCodes.map(\.column))
        .reduce(0) { $0 | 1 << UInt64($1.rawValue) }

    /// A code that is not a text; -1 for an impossible one, such as a refund of more than the price.
    private static func code(_ cell: Int64?, of attribute: CodeAttribute) -> Int32 {
        guard let cell, cell >= 0, cell <= Int64(attribute.largest) else { return -1 }
        return Int32(cell)
    }

    // Few rows have rare values: out of line, the others need no stack for it.
    @inline(never)
    private mutating func setRareValues(of row: Int, in batch: borrowing RowBatch, _ values: inout TransactionValues) {
        for (attribute, column, isIdentifier) in Self.rareNumbers {
            guard let cell = batch.transactions[column, row] else { continue }
            // A price below 0 is ignored: stored rows of another program may have one.
            if attribute == .price, cell < 0 { continue }
            if !isIdentifier {
                values.rare[attribute] = cell
            } else if cell != 0 {
                values.rare[attribute] = mapping.identifier(cell, from: batch.dictionary, to: &texts)
            }
        }
        if values[.cancellationDate] != TransactionEntry.unknown {
            // For a document without a time, the refund counts as observed at its own date.
            values[.cancellationSeen] = batch.transactions[.observedAt, row] ?? values[.cancellationDate]
        }
        for (attribute, column, isText) in Self.rareCodes {
            values.rare[attribute] =
                isText ? text(column, row, batch) : Self.code(batch.transactions[column, row], of: attribute)
        }
    }
}
