import TillColumns
import TillCore
import TillRows

extension Ledger {
    /// Rows between looking for a slot, for its entry, and for what is in it.
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
        source: UInt32,
        firstDocument: Int
    ) {
        var copy = copy(of: row, in: batch)
        if needs.contains(.anomalies) { noteOddities(of: row, in: batch, &copy) }
        if needs.contains(.subscriptions) { subscriptions.see(at: batch.transactions[.observedAt, row]) }
        let number = transactions.enter(copy, in: texts)
        guard needs.contains(.evidence) else { return }
        evidence.append(
            Evidence(
                transaction: UInt32(number),
                source: source,
                document: Int64(firstDocument) + (batch.transactions[.document, row] ?? 0),
                row: batch.transactions[.row, row] ?? 0
            )
        )
    }

    /// Original purchases and purchases of one charge differ by seconds in many receipts.
    static let originalTolerance: Int64 = Timestamp.millisecondsPerDay

    private func noteOddities(of row: Int, in batch: borrowing RowBatch, _ copy: inout TransactionCopy) {
        if let token = batch.transactions[.accountToken, row] {
            let fingerprint = batch.dictionary.withBytes(of: Int(token), TextDictionary.fingerprint)
            copy.account = max(1, UInt64(truncatingIfNeeded: fingerprint))
        }
        guard let purchased = batch.transactions[.purchaseDate, row] else { return }
        if let original = batch.transactions[.originalPurchaseDate, row] {
            let (distance, overflow) = original.subtractingReportingOverflow(purchased)
            if original > purchased, overflow || distance > Self.originalTolerance {
                copy.marks.insert(.originalAfterPurchase)
            }
        }
        if let observed = batch.transactions[.observedAt, row], observed < purchased {
            copy.marks.insert(.observedBeforePurchase)
        }
    }

    mutating func noteGracePeriod(_ row: Int, in batch: borrowing RowBatch) {
        guard batch.renewals[.trust, row] != Word.untrusted.cell else { return }
        subscriptions.see(at: batch.renewals[.observedAt, row])
        guard let end = batch.renewals[.gracePeriodExpiresDate, row],
            let original = batch.renewals[.originalTransactionID, row]
        else { return }
        let environment = mapping.code(batch.renewals[.environment, row], from: batch.dictionary, to: &texts)
        guard counts(environment) else { return }
        subscriptions.note(graceUntil: end, of: mapping.identifier(original, from: batch.dictionary, to: &texts))
    }

    /// What a row tells. What its source cannot know is not known: whether a trial is at an introductory price too, and when
    /// the original of a restored product was bought. An id of 0 names nothing.
    mutating func copy(of row: Int, in batch: borrowing RowBatch) -> TransactionCopy {
        let unknown = TransactionEntry.unknown
        func text(_ column: TransactionColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(batch.transactions[column, row], from: batch.dictionary, to: &ledger.texts)
        }
        func identifier(_ column: TransactionColumn, _ ledger: inout Ledger) -> Int64 {
            guard let cell = batch.transactions[column, row], cell != 0 else { return unknown }
            return ledger.mapping.identifier(cell, from: batch.dictionary, to: &ledger.texts)
        }
        func answer(_ column: TransactionColumn) -> Bool? { batch.transactions[column, row].map { $0 == 1 } }

        var copy = TransactionCopy()
        copy.identifier = identifier(.transactionID, &self)
        copy.original = identifier(.originalTransactionID, &self)
        copy.webOrder = identifier(.webOrderLineItemID, &self)
        copy.purchaseDate = batch.transactions[.purchaseDate, row] ?? unknown
        copy.expiresDate = batch.transactions[.expiresDate, row] ?? unknown
        copy.originalPurchaseDate = batch.transactions[.originalPurchaseDate, row] ?? unknown
        copy.quantity = batch.transactions[.quantity, row] ?? unknown
        copy.product = text(.productID, &self)
        copy.answers.isTrial = answer(.isTrial)
        copy.answers.isIntro = copy.answers.isTrial == true ? nil : answer(.isIntro)
        copy.answers.isUpgraded = answer(.isUpgraded)
        copy.answers.rank = TrustRank(cell: batch.transactions[.trust, row])
        copy.facet.environment = text(.environment, &self)
        copy.facet.bundleID = text(.bundleID, &self)
        copy.facet.productType = text(.productType, &self)
        copy.facet.ownership = text(.ownershipType, &self)
        if keepsAppVersions { copy.facet.appVersion = text(.appVersion, &self) }
        setExtra(of: row, in: batch, &copy)
        if copy.isRestoredProduct { copy.originalPurchaseDate = unknown }
        let isNamed = copy.identifier != unknown || copy.original != unknown && copy.webOrder != unknown
        switch Word(rawValue: Int(copy.facet.environment)) {
        case .xcode, .localTesting: copy.marks.insert(.isAlone)
        default: if !isNamed { copy.marks.insert(.isAlone) }
        }
        return copy
    }

    /// The columns that few rows have.
    private static let extraColumns: UInt64 = [
        TransactionColumn.cancellationDate, .refundReversedAt, .price, .currency, .storefront, .offerID, .offerType,
    ].reduce(0) { $0 | 1 << UInt64($1.rawValue) }

    private mutating func setExtra(of row: Int, in batch: borrowing RowBatch, _ copy: inout TransactionCopy) {
        guard batch.transactions.presence(row: row) & Self.extraColumns != 0 else { return }
        func text(_ column: TransactionColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(batch.transactions[column, row], from: batch.dictionary, to: &ledger.texts)
        }
        let unknown = TransactionEntry.unknown
        if let cancellationDate = batch.transactions[.cancellationDate, row] {
            copy.extra.cancellationDate = cancellationDate
            // A document without an instant shows the refund at the earliest when it happened.
            copy.extra.cancellationSeen = batch.transactions[.observedAt, row] ?? cancellationDate
        }
        copy.extra.refundReversed = batch.transactions[.refundReversedAt, row] ?? unknown
        copy.extra.price = batch.transactions[.price, row] ?? unknown
        copy.extra.currency = text(.currency, &self)
        copy.extra.storefront = text(.storefront, &self)
        copy.extra.offerID = text(.offerID, &self)
        copy.extra.offerType = batch.transactions[.offerType, row].map { Int32(clamping: $0) } ?? -1
    }
}
