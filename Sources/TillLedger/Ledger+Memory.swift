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
    package var failureFootprint: Int { examples.footprint + events.failures.footprint }

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

    /// Adds failures of one kind.
    ///
    /// - Parameter cells: how many there are by hour and combination.
    package mutating func add(
        _ kind: FailureKind,
        _ bounds: InstantBounds,
        _ cells: [(hour: Int, combination: Combination, count: Int)]
    ) {
        let number = events.failures.enter(kind, bounds)
        for (hour, combination, count) in cells {
            let combination = events.failures.number(of: combination)
            events.failures.add(FailureCell(kind: number, hour: hour, combination: combination, count: count))
        }
    }

    /// Adds cells for incidents, with the texts of this ledger.
    package mutating func add(_ cells: IncidentCells) { events.cells.merge(cells) }

    /// Codes of the texts that verifications and events use.
    package var textsOfTallies: Set<Int32> { verifications.texts.union(events.texts) }

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
        events.countMembers(of: joined.events, translation)
        joined.events.forgetMembers()
        joined.events.forgetFailures()
        joined.events.cells = IncidentCells()
    }
}
