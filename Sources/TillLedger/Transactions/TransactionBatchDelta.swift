import TillColumns
import TillCore
import TillRows

/// The transactions of one batch on their way into a ``TransactionTable``, packed.
///
/// With it the worker that has read a batch packs its rows, so that nothing but the search for their duplicates is left
/// for the batch's turn.
///
/// Texts are codes of the batch's dictionary, and ``TransactionEntry/shared`` is a place in ``shared``. The ledger
/// translates each text and each combination of shared values once, not each row.
struct TransactionBatchDelta {
    /// One for each row that counts, in the order of the rows. ``TransactionEntry/rare`` is a place in ``rare``, plus
    /// one.
    private(set) var entries: [TransactionEntry] = []
    private(set) var rare: [RareValues] = []
    /// The fingerprint of the account of each entry, where anomalies are looked for.
    private(set) var accounts: [UInt64] = []
    /// The time of the document of each entry, where subscriptions are counted.
    private(set) var observed: [Int64] = []
    /// The row of each entry, where the documents of transactions are kept.
    private(set) var rows: [Int32] = []
    /// Whether an id is not a number, and so has a text.
    private(set) var hasTextIdentifiers = false
    /// Rows of documents that are not trusted.
    private(set) var untrustedRows = 0
    private var sharedTable = SharedValueTable()

    /// The different shared values of the entries.
    var shared: [SharedValues] { sharedTable.values }

    /// Packs the rows of a batch.
    ///
    /// - Parameters:
    ///   - environments: the environments that count.
    ///   - times: gets the times of the rows' documents, if subscriptions need them.
    init(
        of batch: borrowing RowBatch,
        _ selection: TransactionSelection,
        _ environments: EnvironmentFilter,
        times: inout DocumentTimes
    ) {
        let needs = selection.needs
        entries.reserveCapacity(batch.transactions.rowCount)
        var last = TransactionEntry.unknown
        for row in 0..<batch.transactions.rowCount {
            guard batch.transactions[.trust, row] != Word.untrusted.cell else {
                untrustedRows += 1
                continue
            }
            append(row, of: batch, selection)
            if needs.contains(.provenance) { rows.append(Int32(row)) }
            guard needs.keepsDocumentTimes else { continue }
            let time = batch.transactions[.observedAt, row]
            if needs.contains(.subscriptions) { observed.append(time ?? TransactionEntry.unknown) }
            // Rows of one document follow one another and have the same time, so most rows need no look-up.
            if let time, time != last, environments.counts(batch.transactions[.environment, row]) {
                times.ofRows.append(time)
                last = time
            }
        }
    }

    /// Translates the texts of the rare values.
    mutating func translateRareValues(_ text: (Int32) -> Int32, _ identifier: (Int64) -> Int64) {
        for index in rare.indices { rare[index].translate(text, identifier) }
    }

    // MARK: - Rows

    /// Packs a row. Two values are dropped, because their source cannot know them: whether a trial is also at an
    /// introductory price, and the date of the original purchase of a restored product. An id of 0 is no id.
    private mutating func append(_ row: Int, of batch: borrowing RowBatch, _ selection: TransactionSelection) {
        // One word tells which cells are present, so that each cell is one more read.
        let presence = batch.transactions.presence(row: row)
        @inline(__always)
        func cell(_ column: TransactionColumn) -> Int64? {
            presence >> UInt64(column.rawValue) & 1 == 1 ? batch.transactions.word(column, row) : nil
        }
        @inline(__always)
        func identifier(_ column: TransactionColumn) -> Int64 {
            guard let cell = cell(column), cell != 0 else { return TransactionEntry.unknown }
            return cell
        }
        @inline(__always)
        func text(_ column: TransactionColumn) -> Int32 { cell(column).map { Int32($0) } ?? -1 }
        @inline(__always)
        func number(_ column: TransactionColumn) -> Int64 { cell(column) ?? TransactionEntry.unknown }
        @inline(__always)
        func answer(_ column: TransactionColumn) -> Bool? { cell(column).map { $0 == 1 } }

        var entry = TransactionEntry(identifier: identifier(.transactionID))
        entry.original = identifier(.originalTransactionID)
        entry.webOrder = identifier(.webOrderLineItemID)
        entry.product = UInt32(text(.productID) + 1)
        var numbers = WideNumbers(
            quantity: number(.quantity),
            purchaseDate: number(.purchaseDate),
            expiresDate: number(.expiresDate),
            originalPurchaseDate: number(.originalPurchaseDate)
        )
        if entry.hasOtherOriginal, numbers.expiresDate == TransactionEntry.unknown,
            cell(.productType) != Word.autoRenewable.cell
        {
            numbers.originalPurchaseDate = TransactionEntry.unknown
        }
        entry.pack(numbers)
        let isTrial = answer(.isTrial)
        entry.answers = TransactionAnswers(
            isTrial: isTrial,
            isIntro: isTrial == true ? nil : answer(.isIntro),
            isUpgraded: answer(.isUpgraded),
            rank: TrustRank(cell: cell(.trust))
        )
        var shared = SharedValues()
        for (index, column) in selection.sharedColumns { shared[at: index] = text(column) }
        if Word(environment: cell(.environment)) == nil { shared[.environment] = -1 }
        entry.shared = sharedTable.number(of: shared)
        if presence & selection.rareColumns != 0 || !numbers.fitEntry {
            entry.rare = appendRareValues(of: row, in: batch, numbers)
        }
        let isTest = Word(environment: cell(.environment))?.isTestEnvironment ?? false
        if isTest || !entry.isNamed { entry.marks.insert(.isAlone) }
        if selection.needs.contains(.anomalies) { noteOddities(of: row, in: batch, &entry.marks) }
        if entry.hasTextIdentifier { hasTextIdentifiers = true }
        entries.append(entry)
    }

    /// Rare numbers that are copied from a cell of the row, or are an id.
    private static let rareNumbers = NumberAttribute.rare.filter { $0 != .cancellationSeen && $0 != .firstExpiry }
        .map { (attribute: $0, column: $0.definition.column, isIdentifier: $0.definition.encoding.isIdentifier) }
    private static let rareCodes = CodeAttribute.rare.filter { $0 != .looseCurrency }
        .map { (attribute: $0, column: $0.definition.column, isText: $0.definition.encoding.isText) }

    /// The columns of rare values, bit by column.
    static let rareColumns: UInt64 = (rareNumbers.map(\.column) + rareCodes.map(\.column) + [.cancellationDate])
        .reduce(0) { $0 | 1 << UInt64($1.rawValue) }

    /// Appends the rare values of a row. Returns their place plus one; 0 if it has none.
    // Few rows have rare values: out of line, the others need no stack for it.
    @inline(never)
    private mutating func appendRareValues(
        of row: Int,
        in batch: borrowing RowBatch,
        _ numbers: WideNumbers
    ) -> UInt32 {
        var values = RareValues()
        for (attribute, column, isIdentifier) in Self.rareNumbers {
            guard let cell = batch.transactions[column, row] else { continue }
            // A price below 0 is ignored: stored rows of another program may have one.
            if attribute == .price, cell < 0 { continue }
            if !isIdentifier || cell != 0 { values[attribute] = cell }
        }
        if let date = batch.transactions[.cancellationDate, row] {
            func code(_ column: TransactionColumn, atMost most: Int32) -> Int32 {
                guard let cell = batch.transactions[column, row], 0...Int64(most) ~= cell else { return -1 }
                return Int32(cell)
            }
            values.cancellation = Cancellation(
                date: date,
                reason: code(.cancellationReason, atMost: .max),
                // A refund is at most the price.
                percentage: code(.refundPercentage, atMost: Cancellation.wholePercentage)
            )
            // For a document without a time, the refund counts as observed at its own date.
            values[.cancellationSeen] = batch.transactions[.observedAt, row] ?? date
        }
        for (attribute, column, isText) in Self.rareCodes {
            guard let cell = batch.transactions[column, row] else { continue }
            if isText || 0...Int64(Int32.max) ~= cell { values[attribute] = Int32(cell) }
        }
        if !numbers.fitEntry { values.wide = numbers }
        guard values != .none else { return 0 }
        rare.append(values)
        return UInt32(rare.count)
    }

    /// Original purchases and purchases of one charge differ by seconds in many receipts.
    private static let originalTolerance: Int64 = Timestamp.millisecondsPerDay

    private mutating func noteOddities(of row: Int, in batch: borrowing RowBatch, _ marks: inout TransactionMarks) {
        let account = batch.transactions[.accountToken, row].map { token in
            let fingerprint = batch.dictionary.withBytes(of: Int(token), TextDictionary.fingerprint)
            return max(1, UInt64(truncatingIfNeeded: fingerprint))
        }
        accounts.append(account ?? 0)
        guard let purchased = batch.transactions[.purchaseDate, row] else { return }
        if let original = batch.transactions[.originalPurchaseDate, row] {
            let (distance, overflow) = original.subtractingReportingOverflow(purchased)
            if original > purchased, overflow || distance > Self.originalTolerance {
                marks.insert(.originalAfterPurchase)
            }
        }
        if let observed = batch.transactions[.observedAt, row], observed < purchased {
            marks.insert(.observedBeforePurchase)
        }
    }
}

/// The transactions that a ledger keeps, and the data that it keeps of them.
struct TransactionSelection {
    let needs: LedgerNeeds
    /// The shared values that are kept, each with its place and its column.
    let sharedColumns: [(index: Int, column: TransactionColumn)]
    /// The columns of rare values, bit by column. Kept here too: a static value costs a call for each row.
    let rareColumns = TransactionBatchDelta.rareColumns

    init(needs: LedgerNeeds, keepsAppVersions: Bool, keepsSubscriptionGroups: Bool) {
        self.needs = needs
        sharedColumns = SharedValues.columns.enumerated().compactMap { index, column in
            switch column {
            case .appVersion where !keepsAppVersions, .subscriptionGroupID where !keepsSubscriptionGroups: nil
            default: (index, column)
            }
        }
    }
}
