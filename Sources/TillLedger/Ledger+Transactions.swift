import CKernels
import TillColumns
import TillRows

extension Ledger {
    /// Rows between the prefetch of a row, that of its slot, that of its entry, and their use. The row was written by
    /// another processor.
    private static let prefetchDistance = 8

    /// Enters the transactions of a batch.
    ///
    /// - Parameters:
    ///   - source: the number of the source of the documents, where documents are kept.
    ///   - firstDocument: the number within the source of the batch's first document.
    mutating func enter(
        _ delta: consuming TransactionBatchDelta,
        of batch: borrowing RowBatch,
        source: UInt32,
        firstDocument: Int
    ) {
        rowCount += delta.entries.count
        trust.untrustedRows += delta.untrustedRows
        let shared = delta.shared.map { transactions.number(of: translated($0, from: batch)) }
        delta.translateRareValues(
            { mapping.code(Int64($0), from: batch.dictionary, to: &texts) },
            { mapping.identifier($0, from: batch.dictionary, to: &texts) }
        )
        let (entries, rare) = (delta.entries.span, delta.rare.span)
        for index in entries.indices {
            let (near, far) = (index + Self.prefetchDistance, index + 2 * Self.prefetchDistance)
            entries.prefetch(index + 4 * Self.prefetchDistance)
            if far < entries.count { transactions.prefetchSlot(of: entries[far].identifier) }
            if near < entries.count { transactions.prefetchEntry(of: entries[near].identifier) }
            var entry = entries[index]
            entry.shared = shared[Int(entry.shared)]
            if entry.product > 0 {
                let code = mapping.code(Int64(entry.product - 1), from: batch.dictionary, to: &texts)
                entry.product = UInt32(code + 1)
            }
            if delta.hasTextIdentifiers, entry.hasTextIdentifier { translateIdentifiers(of: &entry, from: batch) }
            let account = delta.accounts.isEmpty ? 0 : delta.accounts[index]
            let time = delta.observed.isEmpty ? TransactionEntry.unknown : delta.observed[index]
            let number = transactions.enter(entry, rare: rare, account: account, time: time, in: texts)
            if needs.contains(.provenance) {
                let row = Int(delta.rows[index])
                note(UInt32(number), inRow: row, of: batch, source: source, firstDocument: firstDocument)
            }
        }
    }

    private mutating func translated(_ shared: SharedValues, from batch: borrowing RowBatch) -> SharedValues {
        shared.mapTexts { mapping.code(Int64($0), from: batch.dictionary, to: &texts) }
    }

    private mutating func translateIdentifiers(of entry: inout TransactionEntry, from batch: borrowing RowBatch) {
        func translate(_ word: inout Int64, _ ledger: inout Ledger) {
            guard word != TransactionEntry.unknown else { return }
            word = ledger.mapping.identifier(word, from: batch.dictionary, to: &ledger.texts)
        }
        translate(&entry.identifier, &self)
        translate(&entry.original, &self)
        translate(&entry.webOrder, &self)
    }

    /// Notes the document of a row.
    private mutating func note(
        _ transaction: UInt32,
        inRow row: Int,
        of batch: borrowing RowBatch,
        source: UInt32,
        firstDocument: Int
    ) {
        let document = batch.transactions[.document, row] ?? 0
        var mention = Provenance(
            transaction: transaction,
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

    mutating func noteRenewal(_ row: Int, in batch: borrowing RowBatch) {
        guard batch.renewals[.trust, row] != Word.untrusted.cell else { return }
        guard environments.counts(batch.renewals[.environment, row]) else { return }
        let (end, seen) = (batch.renewals[.gracePeriodExpiresDate, row], batch.renewals[.observedAt, row])
        if let seen { subscriptions.documents.see(at: seen, documents: 0) }
        guard needs.contains(.subscriptions), end != nil || seen != nil,
            let original = batch.renewals[.originalTransactionID, row]
        else { return }
        let unknown = TransactionEntry.unknown
        let renewal = SubscriptionState.Renewal(graceEnd: end ?? unknown, seen: seen ?? unknown)
        subscriptions.note(renewal, of: mapping.identifier(original, from: batch.dictionary, to: &texts))
    }
}

extension Span {
    /// Prefetches an element, if there is one with this index.
    @inline(__always)
    fileprivate func prefetch(_ index: Int) {
        guard index < count else { return }
        withUnsafeBufferPointer { elements in
            if let base = elements.baseAddress { till_prefetch_read(base + index) }
        }
    }
}
