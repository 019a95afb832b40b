package import TillColumns
import TillCore
public import TillPricing
public import TillRows

/// The business rules (`docs/rules.md`), applied to rows in any order.
///
///     rows ─update→ duplicates joined, failures and events tallied ─settle→ kinds, sales, refunds, money
///
/// Its content does not depend on the order of the batches. Its memory grows with unique transactions, distinct texts,
/// and distinct (code, hour, dimension value), not with documents.
///
/// Why: `docs/decisions.md`, Duplicates join field by field.
public struct Ledger: ~Copyable, Sendable {
    /// Texts that the ledger keeps, such as product ids; ``Word`` first.
    package var texts: TextDictionary
    package var transactions: TransactionTable
    package var verifications = VerificationTally()
    package var events = EventTally()
    package var subscriptions = SubscriptionState()
    package var provenance = ProvenanceLog()
    package var examples = FailureExamples()
    /// The failures of an explanation; `nil` without an explanation.
    package var chosen: ChosenFailures?
    /// Documents by verdict.
    public package(set) var trust = TrustTally()
    /// Rows of responses with a failure status.
    public package(set) var withheld = 0
    /// Values of the documents that are not in their usual form.
    public package(set) var reading = ReadingCounts()
    /// Rows seen, duplicates included; those of untrusted documents are counted in ``TrustTally`` instead.
    public package(set) var rowCount = 0
    /// The environments that count.
    public let environments: EnvironmentFilter
    /// The additional data to keep.
    public let needs: LedgerNeeds
    /// Failures and events outside this period are in no report, but incidents are looked for in all of them.
    let period: Period?
    let keepsAppVersions: Bool
    let keepsSubscriptionGroups: Bool
    /// The data of rows that is kept.
    public let selection: LedgerSelection
    /// Events and responses that are missing from figures.
    package var omitted = OmittedRecords()
    var mapping = TextMapping()
    var sources = SourceHashes()

    /// - Parameters:
    ///   - period: the period of failures and events. Transactions are chosen by ``LedgerRules/period``, after
    ///     duplicates are joined.
    ///   - keepsAppVersions: whether a report needs the version of the app in which a transaction was seen. Of several
    ///     versions the larger text is kept.
    ///   - keepsSubscriptionGroups: whether a rule needs the group of a subscription in the receipts.
    ///   - needs: the data that the reports need; each costs time and memory.
    ///   - filter: the failures that are listed; it needs ``LedgerNeeds/examples`` and ``LedgerNeeds/failures``.
    ///   - mask: masks the secrets of a document; `nil` where documents are not listed.
    public init(
        environments: EnvironmentFilter = .booked,
        period: Period? = nil,
        keepsAppVersions: Bool = false,
        keepsSubscriptionGroups: Bool = false,
        needs: LedgerNeeds = [],
        choosing filter: FailureFilter? = nil,
        masking mask: (@Sendable ([UInt8]) -> [UInt8])? = nil
    ) {
        chosen = filter.map { ChosenFailures($0, masking: mask) }
        self.environments = environments
        self.period = period
        self.keepsAppVersions = keepsAppVersions
        self.keepsSubscriptionGroups = keepsSubscriptionGroups
        self.needs = needs
        selection = LedgerSelection(
            environments: environments,
            transactions: TransactionSelection(
                needs: needs,
                keepsAppVersions: keepsAppVersions,
                keepsSubscriptionGroups: keepsSubscriptionGroups
            ),
            events: needs.contains(.events)
                ? EventSelection(period: period, keepsCells: needs.contains(.incidents)) : nil
        )
        transactions = TransactionTable(
            keepsAccounts: needs.contains(.anomalies),
            keepsTimes: needs.contains(.subscriptions)
        )
        texts = Word.ledgerDictionary()
    }

    /// Transactions left after joining duplicates.
    public var uniqueCount: Int { transactions.count }

    /// Whether a duplicate with the same text, app and environment as an earlier row only adds to the count of rows
    /// (``DuplicateLog/skippedCount``).
    public var ignoresDuplicates: Bool {
        needs.isDisjoint(with: [.anomalies, .subscriptions, .provenance]) && !keepsAppVersions
    }

    /// Adds a batch of rows.
    ///
    /// - Parameters:
    ///   - source: the source of the documents, for ``LedgerNeeds/provenance``.
    ///   - firstDocument: the number within the source of the batch's first document.
    ///   - prepared: the rows, if they were already prepared by ``selection``.
    ///   - jobs: the number of threads of the run. Some of them may count events.
    public mutating func update(
        with batch: borrowing RowBatch,
        source: String = "",
        firstDocument: Int = 1,
        prepared: consuming LedgerDelta? = nil,
        jobs: Int = 1
    ) {
        let delta = prepared ?? LedgerDelta(of: batch, selection)
        mapping.reset(for: batch.dictionary)
        rowCount += batch.duplicates.skippedCount
        trust.untrustedRows += batch.refusedCount
        trust.add(delta.trust)
        withheld += delta.withheld
        reading.add(batch.reading)
        subscriptions.documents.see(delta.documents)
        let sourceNumber = needs.contains(.provenance) ? provenance.number(of: source) : 0
        enter(delta.transactions, of: batch, source: sourceNumber, firstDocument: firstDocument)
        if needs.contains(.examples) { examples.begin(source, firstDocument: firstDocument) }
        if needs.contains(.verifications) {
            for row in 0..<batch.documents.rowCount { countVerification(row, in: batch) }
        }
        if let events = delta.events { countEvents(events, in: batch, jobs: jobs) }
        if needs.keepsDocumentTimes {
            for row in 0..<batch.renewals.rowCount { noteRenewal(row, in: batch) }
        }
        chosen?.begin(documents: [])
    }

    /// Sets the documents of the next batch, by their number in it, where failures are listed with their documents.
    public mutating func begin(documents: [[UInt8]]) { chosen?.begin(documents: documents) }

    /// Whether a response that is counted is in the period. Responses without a time are counted.
    mutating func isInPeriod(_ milliseconds: Int64?) -> Bool {
        if milliseconds == nil { omitted.undated += 1 }
        guard let period else { return true }
        return period.contains(milliseconds.map(Timestamp.init(milliseconds:)))
    }

    /// Applies the rules that need all rows: kinds, sales, refunds and money.
    ///
    /// - Parameter jobs: the number of threads that may settle the ledger, and later work on it.
    public consuming func settle(_ rules: LedgerRules, jobs: Int = 1) -> SettledLedger {
        SettledLedger(self, rules: rules, jobs: jobs)
    }

    /// Settles a ledger whose transactions are outside of memory; this one has none of them.
    package consuming func settle(
        _ rules: LedgerRules,
        jobs: Int = 1,
        with partitions: (any LedgerPartitions)?
    ) -> SettledLedger {
        SettledLedger(self, rules: rules, jobs: jobs, partitions: partitions)
    }
}
