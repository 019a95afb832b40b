import TillColumns
import TillRows

/// The interface for TillStorage: the memory of the tables, and methods that remove data after they are written to a
/// file.
extension Ledger {
    /// Bytes of the tables that grow with transactions, requests, attempts, failures and distinct texts. Sets are
    /// counted at one and a half times their size, because a growing set holds its old table too.
    ///
    /// Cells of incidents are not among them, because they stay in memory whatever is written to files.
    package var footprint: Int { failureFootprint + memberFootprint }

    /// Bytes of the tables that grow with distinct failures.
    package var failureFootprint: Int {
        FailureLog.allCases.reduce(examples.footprint) { $0 + failures(of: $1).footprint }
    }

    private var memberFootprint: Int {
        func bytes(_ capacity: Int, _ stride: Int) -> Int { capacity * (stride + 1) * 3 / 2 }
        let attempts = events.attempts.capacity + events.purchased.attempts.capacity + events.restored.attempts.capacity
        return transactions.footprint + texts.byteCount + texts.count * 32
            + provenance.mentions.count * 2 * MemoryLayout<Provenance>.stride
            + bytes(verifications.succeeded.capacity, 32)
            + bytes(attempts, 16)
            + bytes(events.outcomes.capacity, 24) + bytes(events.transactions.capacity, 16)
            + bytes(subscriptions.renewals.capacity, 24)
            + verifications.routed.capacity * MemoryLayout<FailedVerification>.stride
    }

    package func failures(of log: FailureLog) -> FailureTally {
        switch log {
        case .verifications: verifications.failures
        case .events: events.failures
        }
    }

    /// Adds the sum of one code of another tally. Returns the number of the code, for adding its cells.
    package mutating func merge(_ sum: FailureTally.Sum, of code: FailureCode, into log: FailureLog) -> Int {
        changeFailures(of: log) { $0.merge(sum, of: code) }
    }

    package mutating func add(_ cell: FailureCell, to log: FailureLog) {
        changeFailures(of: log) { $0.add(cell) }
    }

    /// Adds failures of a code of a log to a combination.
    package mutating func add(
        _ count: Int,
        of combination: Combination,
        toCode number: Int,
        hour: Int,
        in log: FailureLog
    ) {
        guard combination != .unknown else { return }
        changeFailures(of: log) { tally in
            let value = tally.number(entering: combination)
            tally.add(FailureCell(number, .combination, hour: hour, value: value, count: count))
        }
    }

    /// Adds cells for incidents, with the texts of this ledger.
    package mutating func add(_ cells: IncidentCells) { events.cells.merge(cells) }

    /// Codes of the texts that verifications and events use.
    package var textsOfTallies: Set<Int32> { verifications.texts.union(events.texts) }

    private mutating func changeFailures<Result>(of log: FailureLog, _ body: (inout FailureTally) -> Result) -> Result {
        switch log {
        case .verifications: body(&verifications.failures)
        case .events: body(&events.failures)
        }
    }

    /// Removes transactions, requests, attempts and the other data that count once.
    package mutating func forgetMembers() {
        transactions = TransactionTable(keepsAccounts: transactions.keepsAccounts, keepsTimes: transactions.keepsTimes)
        verifications.forgetPairs()
        events.forgetMembers()
        subscriptions.forgetRenewals()
        provenance.forgetMentions()
    }

    /// Removes all failures.
    package mutating func forgetFailures() {
        verifications.forgetFailures()
        events.forgetFailures()
        examples.forgetFailures()
    }

    /// Removes unused texts.
    package mutating func forgetTexts() {
        var fresh = Word.ledgerDictionary()
        var translation = TextTranslation(count: texts.count)
        // In order of codes, so that the bytes of a partial do not depend on the order of a set.
        for code in textsOfTallies.union(examples.texts).sorted() {
            translation.codes[Int(code)] = texts.withBytes(of: Int(code)) { Int32(fresh.code(for: $0)) }
        }
        verifications.renumber(translation)
        events.renumber(translation)
        examples.renumber(translation)
        texts = fresh
        mapping = TextMapping()
    }

    /// Settles the examples of 21007s, when no more successes can come.
    package mutating func settleExamples() { examples = examples.settled(verifications.succeeded) }

    /// Counts the verifications and events of a ledger whose duplicates are all joined, and removes them there.
    ///
    /// - Parameter translation: from the texts of `joined` to those of this ledger.
    package mutating func countMembers(of joined: inout Ledger, _ translation: TextTranslation) {
        verifications.merge(joined.verifications, translation)
        joined.verifications.forgetPairs()
        events.countMembers(of: joined.events)
        events.cells.merge(joined.events.cells, translation)
        joined.events.forgetMembers()
        joined.events.cells = IncidentCells()
    }
}

/// The tallies of failures, of verifications and of events.
package enum FailureLog: UInt8, CaseIterable {
    // In the order in which a partial has them.
    case verifications, events
}
