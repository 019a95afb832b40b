import TillColumns
import TillCore
public import TillPricing
public import TillRows

/// The business rules of DESIGN §3, applied to rows in any order.
///
///     rows ─update→ copies joined, failures and events tallied ─settle→ kinds, sales, refunds, money
///
/// Nothing it holds depends on the order of the batches. Its memory is that of the unique transactions, of distinct
/// texts it keeps, and of distinct (code, hour, dimension value); not of documents.
public struct Ledger: ~Copyable, Sendable {
    /// Texts that the ledger keeps, such as product ids; ``Word`` first.
    var texts: TextDictionary
    var transactions: TransactionTable
    var verifications = VerificationTally()
    var events = EventTally()
    var subscriptions = SubscriptionState()
    var evidence = EvidenceLog()
    var examples = FailureExamples()
    /// Documents by verdict.
    public internal(set) var trust = TrustTally()
    /// Rows of responses whose status says that they are not valid.
    public internal(set) var withheld = 0
    /// Rows seen, copies included; those of untrusted documents are counted in ``TrustTally`` instead.
    public internal(set) var rowCount = 0
    public let environments: EnvironmentFilter
    /// What is kept beyond what every report counts.
    public let needs: LedgerNeeds
    /// Failures and events of other times are of no report, though spikes are judged by what came before.
    let period: Period?
    let keepsAppVersions: Bool
    /// How much memory it may take; `nil` for all there is.
    let allowance: MemoryAllowance?
    /// What was moved out of memory while reading, dealt out by id; nothing as long as everything fits.
    var runs = SpillRuns()
    /// Once closed, what was moved out, joined and dealt out by chain.
    var parts = SpillRuns()
    /// Failures that were moved out of memory, dealt out by domain and code.
    var failureRuns = SpillRuns()
    var moved = MovedTransactions()
    /// Events and failures without a time, which are in no period.
    var undatedEvents = 0
    /// The texts of the environments that count.
    private let countedEnvironments: [Int32]
    /// Whether rows count whose environment is not known, as most events are.
    private let countsUnknown: Bool
    var mapping = TextMapping()

    /// - Parameters:
    ///   - period: what is asked for of failures and events; transactions are chosen once copies are joined, by
    ///     ``LedgerRules/period``.
    ///   - keepsAppVersions: whether a report asks in which version of the app transactions were seen; of several
    ///     versions that a transaction was seen in, the larger text is kept.
    ///   - needs: what the reports to be asked for want; each costs time and memory.
    ///   - allowance: how much memory it may take; what is more goes to files when ``relieve(keepingTexts:)`` is called.
    public init(
        environments: EnvironmentFilter = .booked,
        period: Period? = nil,
        keepsAppVersions: Bool = false,
        needs: LedgerNeeds = [],
        allowance: MemoryAllowance? = nil
    ) {
        self.environments = environments
        self.period = period
        self.keepsAppVersions = keepsAppVersions
        self.needs = needs
        self.allowance = allowance
        transactions = TransactionTable(keepsAccounts: needs.contains(.anomalies))
        var texts = Word.ledgerDictionary()
        countedEnvironments = environments.codes(in: &texts)
        countsUnknown = countedEnvironments.contains(-1)
        self.texts = texts
    }

    /// Whether rows of an environment count; -1 is one that is not known.
    func counts(_ environment: Int32) -> Bool {
        environment < 0 ? countsUnknown : countedEnvironments.contains(environment)
    }

    /// Transactions left after joining copies; of a ledger that does not fit its memory, once it is closed.
    public var uniqueCount: Int { transactions.count + moved.joined }

    /// Whether a copy of a transaction that has the text, the app and the environment of one that was taken in adds nothing but its number
    /// (``RowBatch/repeatedCount``).
    public var ignoresCopies: Bool { isPlain && !keepsAppVersions }

    /// Whether nothing is kept of a row but the transaction.
    private var isPlain: Bool { needs.isDisjoint(with: [.anomalies, .subscriptions, .evidence]) }

    /// Takes in a batch of rows.
    ///
    /// - Parameters:
    ///   - source: where the documents are from, for ``LedgerNeeds/evidence``.
    ///   - firstDocument: the number within the source of the batch's first document.
    public mutating func update(with batch: borrowing RowBatch, source: String = "", firstDocument: Int = 1) {
        mapping.reset(for: batch.dictionary)
        let isPlain = isPlain
        rowCount += batch.repeatedCount
        trust.untrustedRows += batch.refusedCount
        let sourceNumber = needs.contains(.evidence) ? evidence.number(of: source) : 0
        for row in 0..<batch.transactions.rowCount {
            prefetch(after: row, in: batch.transactions)
            guard batch.transactions[.trust, row] != Word.untrusted.cell else {
                trust.untrustedRows += 1
                continue
            }
            rowCount += 1
            if isPlain {
                let copy = copy(of: row, in: batch)
                transactions.enter(copy, in: texts)
            } else {
                enterWithNeeds(row, of: batch, source: sourceNumber, firstDocument: firstDocument)
            }
        }
        if needs.contains(.examples) { examples.begin(source, firstDocument: firstDocument) }
        for row in 0..<batch.documents.rowCount {
            if let count = batch.documents[.withheld, row] { withheld += Int(count) }
            trust.count(batch.documents[.trust, row])
            countVerification(row, in: batch)
        }
        countEvents(in: batch)
        if needs.contains(.subscriptions) {
            for row in 0..<batch.renewals.rowCount { noteGracePeriod(row, in: batch) }
        }
    }

    /// Rows between looking for a slot, for its entry, and for what is in it.
    private static let prefetchDistance = 8

    private func prefetch(after row: Int, in batch: borrowing RecordBatch<TransactionColumn>) {
        let (near, far) = (row + Self.prefetchDistance, row + 2 * Self.prefetchDistance)
        if far < batch.rowCount, let identifier = batch[.transactionID, far] {
            transactions.prefetchSlot(of: identifier)
        }
        if near < batch.rowCount, let identifier = batch[.transactionID, near] {
            transactions.prefetchEntry(of: identifier)
        }
    }

    private mutating func enterWithNeeds(
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

    private mutating func noteGracePeriod(_ row: Int, in batch: borrowing RowBatch) {
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
    private mutating func copy(of row: Int, in batch: borrowing RowBatch) -> TransactionCopy {
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

    private mutating func countVerification(_ row: Int, in batch: borrowing RowBatch) {
        guard let status = batch.documents[.status, row], batch.documents[.kind, row] == Word.verify.cell else {
            return
        }
        func text(_ column: DocumentColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(batch.documents[column, row], from: batch.dictionary, to: &ledger.texts)
        }
        let isCounted = counts(text(.environment, &self))
        let pairKey = batch.documents[.pairKey, row].map { cell in
            batch.dictionary.withBytes(of: Int(cell), TextDictionary.fingerprint)
        }
        let isFailure = isCounted && status != 0
        let at = batch.documents[.loggedAt, row]
        let verification =
            Verification(
                status: status,
                isRetryable: batch.documents[.isRetryable, row].map { $0 == 1 },
                at: at,
                pairKey: pairKey,
                appVersion: isFailure ? text(.appVersion, &self) : -1,
                isCounted: isCounted,
                isInPeriod: isInPeriod(at, isCounted: isCounted)
            )
        verifications.count(verification)
        if needs.contains(.examples), isFailure, verification.isInPeriod {
            noteExample(verification, row: row, in: batch)
        }
    }

    /// Whether something that is counted is in the period asked for.
    mutating func isInPeriod(_ milliseconds: Int64?, isCounted: Bool = true) -> Bool {
        guard let period else { return true }
        if milliseconds == nil, isCounted { undatedEvents += 1 }
        return period.contains(milliseconds.map(Timestamp.init(milliseconds:)))
    }

    /// Answers what can only be answered when everything has been seen.
    public consuming func settle(_ rules: LedgerRules) -> SettledLedger {
        SettledLedger(self, rules: rules)
    }
}
