import TillColumns
import TillCore
import TillThreads

/// The outcomes of an event that are counted.
enum EventKind {
    case purchasing, purchased, failed, restored, deferred, restoreCompleted, restoreFailed, verified, verifyFailed
    case productRequestFailed
    case other

    init(name: String) {
        self =
            switch name {
            case "purchasing": .purchasing
            case "purchased": .purchased
            case "failed": .failed
            case "restored": .restored
            case "deferred", "pending": .deferred
            case "restore_completed": .restoreCompleted
            case "restore_failed": .restoreFailed
            case "verified": .verified
            case "verify_failed": .verifyFailed
            case "product_request_failed": .productRequestFailed
            default: .other
            }
    }

    var isFailure: Bool {
        switch self {
        case .failed, .restoreFailed, .verifyFailed, .productRequestFailed: true
        case .purchasing, .purchased, .restored, .deferred, .restoreCompleted, .verified, .other: false
        }
    }

    /// The attempts that it begins or ends; `nil` if it does neither.
    var family: AttemptFamily? {
        switch self {
        case .purchased, .failed: .purchase
        case .restored, .restoreCompleted, .restoreFailed: .restore
        case .verified, .verifyFailed: .verify
        case .productRequestFailed: .products
        case .purchasing: .begun
        case .deferred: .deferred
        case .other: nil
        }
    }
}

/// The sets of attempts of an ``EventTally``, whose members count once each, by their numbers in partials.
package enum AttemptSet: UInt8, CaseIterable {
    case attempts, purchasedAttempts, restoredAttempts
}

/// Client events counted for rates and failures.
///
/// The queue delivers a transaction again until it is finished, so purchases and restores are counted by distinct
/// transaction, else by distinct attempt, else by line (quirk 74). Outcomes of attempts are counted by attempt, which
/// may have several of them, else by transaction, else by line.
package struct EventTally {
    package private(set) var lines = Lines()
    /// The failures of the period: of events and of responses.
    package internal(set) var failures = FailureTally()
    /// The times of the events and responses of the period.
    package internal(set) var span = InstantBounds()
    /// All events, and responses, by time; empty without ``LedgerNeeds/incidents``.
    package internal(set) var cells = IncidentCells()

    private(set) var attempts = IntegerSet<UInt128>()
    /// The outcomes of attempts with an id; ``settle(jobs:)`` counts them among the lines.
    package private(set) var outcomes = AttemptOutcomes()
    /// Purchases and restores by transaction, and the outcomes of attempts without an id; ``settle(jobs:)`` counts
    /// them.
    package private(set) var transactions = TransactionOutcomes()
    package private(set) var purchased = Distinct()
    package private(set) var restored = Distinct()

    /// Counts of lines. Beginnings and ends of attempts are among them only where the attempt has no id.
    package struct Lines {
        var purchasing = 0
        var failed = 0
        var cancelled = 0
        var deferred = 0
        var purchased = 0
        var restoreCompleted = 0
        var restoreFailed = 0

        package init() {}

        /// Every counter, in the order in which a partial has them.
        package static let all: [WritableKeyPath<Lines, Int> & Sendable] = [
            \.purchasing, \.failed, \.cancelled, \.deferred, \.purchased, \.restoreCompleted, \.restoreFailed,
        ]

        /// Counts attempts that ended in one way.
        mutating func count(_ kind: AttemptOutcome.Kind, attempts: Int = 1) {
            switch kind {
            case .deferred: deferred += attempts
            case .cancelled: cancelled += attempts
            case .failed: failed += attempts
            case .purchased: purchased += attempts
            // A restore is not an attempt to buy. One that began as a purchase is counted by its beginning.
            case .restored: break
            }
        }
    }

    /// Purchases or restores of which no transaction is known, each counted once: by attempt, else by line.
    package struct Distinct {
        var attempts = IntegerSet<UInt128>()
        package var nameless = 0

        var count: Int { attempts.count + nameless }

        mutating func merge(_ other: Distinct) {
            attempts.formUnion(other.attempts)
            nameless += other.nameless
        }

        mutating func count(_ batchDelta: EventBatchDelta.Names) {
            attempts.insert(contentsOf: batchDelta.attempts)
            nameless += batchDelta.nameless
        }
    }

    /// Distinct purchases and restores. The tally must be settled.
    var purchasedCount: Int { purchased.count }
    var restoredCount: Int { restored.count }

    /// Attempts to buy: those that began, or, in a log without beginnings, those that ended. A log in which fewer began
    /// than failed or were cancelled lacks beginnings. The tally must be settled.
    var attemptCount: Int {
        let (begun, unsuccessful) = (attempts.count + lines.purchasing, lines.failed + lines.cancelled)
        return begun > 0 && begun >= unsuccessful ? begun : lines.purchased + unsuccessful + lines.deferred
    }

    /// Attempts that began and did not end, as far as their numbers tell. The tally must be settled.
    var unfinishedCount: Int {
        max(0, attempts.count + lines.purchasing - lines.purchased - lines.failed - lines.cancelled - lines.deferred)
    }

    /// Adds events that were counted separately.
    mutating func merge(_ other: EventTally, _ translation: TextTranslation) {
        add(other.lines)
        span.merge(other.span)
        failures.merge(other.failures, translation)
        cells.merge(other.cells, translation)
        attempts.formUnion(other.attempts)
        outcomes.merge(other.outcomes)
        transactions.merge(other.transactions, translation)
        purchased.merge(other.purchased)
        restored.merge(other.restored)
    }

    /// Counts what is complete in another tally, whose ids are not kept: members of sets, and what came of 21007s.
    mutating func countMembers(of other: EventTally, _ translation: TextTranslation) {
        failures.merge(other.failures, translation)
        cells.merge(other.cells, translation)
        lines.purchasing += other.attempts.count
        count(other.outcomes, other.transactions)
        purchased.nameless += other.purchased.count
        restored.nameless += other.restored.count
    }

    /// Counts the members of its own sets, which are complete. Their ids are not kept.
    mutating func countOwnMembers() {
        settle()
        lines.purchasing += attempts.count
        (purchased.nameless, restored.nameless) = (purchased.count, restored.count)
        forgetMembers()
    }

    /// Removes the members of all sets, after they were written to a file.
    mutating func forgetMembers() {
        attempts = IntegerSet()
        outcomes = AttemptOutcomes()
        transactions = TransactionOutcomes()
        purchased.attempts = IntegerSet()
        restored.attempts = IntegerSet()
    }

    /// Codes of the texts that are in use.
    var texts: Set<Int32> { failures.texts.union(cells.texts) }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        failures.renumber(translation)
        cells.renumber(translation)
    }

    /// Counts the outcomes of attempts and transactions, and the pending events, after the last event.
    ///
    /// - Parameter jobs: the number of threads of the run.
    mutating func settle(jobs: Int = 1) {
        // The largest tables are freed first, so that sorting can use their memory.
        count(outcomes, transactions)
        outcomes = AttemptOutcomes()
        transactions = TransactionOutcomes()
        concurrently(2, width: jobs) { table in
            if table == 0 { failures.settle() } else { cells.settle() }
        }
    }

    private mutating func count(_ outcomes: AttemptOutcomes, _ transactions: TransactionOutcomes) {
        for (kind, attempts) in outcomes.counts.enumerated() {
            if let kind = AttemptOutcome.Kind(rawValue: UInt8(kind)) { lines.count(kind, attempts: attempts) }
        }
        transactions.visitCounts { outcome, count in
            if let attempt = outcome.attempt { lines.count(attempt.kind, attempts: count) }
            if outcome.isPurchased { purchased.nameless += count }
            if outcome.isRestored { restored.nameless += count }
        }
    }

    /// Removes all failures, after they were written to a file.
    mutating func forgetFailures() { failures = FailureTally() }

    // The values of a partial, one by one:

    package mutating func add(_ other: Lines) {
        for line in Lines.all { lines[keyPath: line] += other[keyPath: line] }
    }

    /// Notes an instant of the log.
    package mutating func see(_ instant: Int64?) { span.see(instant) }

    package mutating func addNameless(purchased: Int, restored: Int) {
        self.purchased.nameless += purchased
        self.restored.nameless += restored
    }

    package mutating func add(attempt: UInt128, to set: AttemptSet) {
        switch set {
        case .purchasedAttempts: purchased.attempts.insert(attempt)
        case .restoredAttempts: restored.attempts.insert(attempt)
        case .attempts: attempts.insert(attempt)
        }
    }

    /// The members of a set of attempts, in order.
    package func attempts(in set: AttemptSet) -> [UInt128] {
        switch set {
        case .purchasedAttempts: purchased.attempts.sorted()
        case .restoredAttempts: restored.attempts.sorted()
        case .attempts: attempts.sorted()
        }
    }

    package mutating func add(_ outcome: AttemptOutcome, of attempt: UInt128) { outcomes.note(outcome, of: attempt) }

    package mutating func add(_ outcome: TransactionOutcome, of transaction: Int64) {
        transactions.note(outcome, of: transaction)
    }

    /// Counts the events of a batch, whose texts are those of the ledger.
    ///
    /// - Parameters:
    ///   - cells: the cells of the batch, with the texts of the ledger.
    ///   - failures: in the period.
    ///   - jobs: the number of threads of the run.
    mutating func count(
        _ batchDelta: EventBatchDelta,
        _ cells: TranslatedCells,
        failures: [FailureOccurrence],
        jobs: Int
    ) {
        add(batchDelta.lines)
        span.merge(batchDelta.span)
        // These tables have nothing in common and take about the same time. Two threads are both busy with decoding.
        concurrently(3, width: jobs > 2 ? 3 : 1) { table in
            switch table {
            case 0: enterMembers(of: batchDelta)
            case 1: self.failures.count(failures)
            default: self.cells.count(batchDelta.cells, cells)
            }
        }
    }

    /// Enters the data that count once each.
    private mutating func enterMembers(of batchDelta: EventBatchDelta) {
        attempts.insert(contentsOf: batchDelta.attempts)
        outcomes.note(contentsOf: batchDelta.outcomes)
        transactions.note(contentsOf: batchDelta.transactions)
        purchased.count(batchDelta.purchased)
        restored.count(batchDelta.restored)
    }
}
