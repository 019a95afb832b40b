import TillColumns
import TillRows

/// What the storage of a ledger asks and changes: how much memory its tables take, and forgetting what was written elsewhere.
extension Ledger {
    /// Bytes of the tables that grow with transactions, requests, attempts, failures and distinct texts. Sets are counted
    /// as they are while they grow, with half as much again.
    package var footprint: Int { failureFootprint + memberFootprint }

    /// Bytes of the tables that grow with distinct failures.
    package var failureFootprint: Int {
        FailureLog.allCases.reduce(examples.footprint) { $0 + failures(of: $1).footprint }
    }

    private var memberFootprint: Int {
        func bytes(_ capacity: Int, _ stride: Int) -> Int { capacity * (stride + 1) * 3 / 2 }
        let attempts = events.attempts.capacity + events.purchased.attempts.capacity + events.restored.attempts.capacity
        let bought = events.purchased.transactions.capacity + events.restored.transactions.capacity
        return transactions.footprint + texts.byteCount + texts.count * 32
            + provenance.mentions.count * 2 * MemoryLayout<Provenance>.stride
            + bytes(verifications.succeeded.capacity, 24) + bytes(attempts, 16) + bytes(bought, 8)
            + bytes(events.outcomes.capacity, 32)
            + bytes(subscriptions.graceEnds.capacity, 16)
            + verifications.routed.capacity * MemoryLayout<FailedVerification>.stride
    }

    package func failures(of log: FailureLog) -> FailureTally {
        switch log {
        case .verifications: verifications.failures
        case .verificationHistory: verifications.history
        case .events: events.failures
        case .eventHistory: events.history
        }
    }

    /// Adds failures of one code that were counted apart; gives the number under which their cells are to be added.
    package mutating func merge(_ sum: FailureTally.Sum, of code: FailureCode, into log: FailureLog) -> Int {
        changeFailures(of: log) { $0.merge(sum, of: code) }
    }

    package mutating func add(_ cell: FailureCell, to log: FailureLog) {
        changeFailures(of: log) { $0.add(cell) }
    }

    private mutating func changeFailures<Result>(of log: FailureLog, _ body: (inout FailureTally) -> Result) -> Result {
        switch log {
        case .verifications: body(&verifications.failures)
        case .verificationHistory: body(&verifications.history)
        case .events: body(&events.failures)
        case .eventHistory: body(&events.history)
        }
    }

    /// Forgets transactions and all else that counts once however often it is seen.
    package mutating func forgetMembers() {
        transactions = TransactionTable(keepsAccounts: transactions.keepsAccounts)
        verifications.forgetPairs()
        events.forgetMembers()
        subscriptions.forgetGrace()
        provenance.forgetMentions()
    }

    /// Forgets which failures there were.
    package mutating func forgetFailures() {
        verifications.forgetFailures()
        events.forgetFailures()
        examples.forgetFailures()
    }

    /// Forgets texts that nothing in memory uses any more.
    package mutating func forgetTexts() {
        var fresh = Word.ledgerDictionary()
        _ = environments.codes(in: &fresh)
        var translation = TextTranslation(count: texts.count)
        for code in verifications.texts.union(events.texts).union(examples.texts) {
            translation.codes[Int(code)] = texts.withBytes(of: Int(code)) { Int32(fresh.code(for: $0)) }
        }
        verifications.renumber(translation)
        events.renumber(translation)
        examples.renumber(translation)
        texts = fresh
        mapping = TextMapping()
    }

    /// Settles the answers 21007 whose successes cannot come any more, and their examples.
    package mutating func settleExamples() { examples = examples.settled(verifications.succeeded) }

    /// Counts the verifications and events of a ledger that has all duplicates of what it has, and makes it forget them.
    ///
    /// - Parameter translation: from the texts of `joined` to those of this ledger.
    package mutating func countMembers(of joined: inout Ledger, _ translation: TextTranslation) {
        verifications.merge(joined.verifications, translation)
        joined.verifications.forgetPairs()
        events.countMembers(of: joined.events)
        joined.events.forgetMembers()
    }
}

/// The logs that have failures.
package enum FailureLog: UInt8, CaseIterable {
    // In the order in which a partial has them.
    case verifications = 0
    case verificationHistory = 2
    case events = 1
    case eventHistory = 3
}
