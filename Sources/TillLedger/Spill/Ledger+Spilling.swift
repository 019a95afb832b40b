import CKernels
import TillColumns
import TillRows

/// What is known of the transactions that are not in memory.
struct MovedTransactions {
    /// Entries written, of which several can be copies of one transaction.
    var entries = 0
    /// Transactions left after joining copies.
    var joined = 0
    /// The latest purchase of any of them, in milliseconds.
    var latestPurchase: Int64?
}

/// What must be seen together, and so goes to one run.
enum SpillKey {
    /// Copies of one transaction, and answers to one request.
    case identifier
    /// Transactions of one chain.
    case chain
}

extension Ledger {
    /// Bytes of what grows with transactions, requests, attempts and distinct texts. Sets are counted as they are while
    /// they grow, with half as much again.
    var footprint: Int {
        failureFootprint + memberFootprint
    }

    /// Of that, what grows with distinct failures.
    private var failureFootprint: Int {
        FailureLog.allCases.reduce(examples.footprint) { $0 + failures(of: $1).footprint }
    }

    private var memberFootprint: Int {
        func bytes(_ capacity: Int, _ stride: Int) -> Int { capacity * (stride + 1) * 3 / 2 }
        let attempts = events.attempts.capacity + events.purchased.attempts.capacity + events.restored.attempts.capacity
        let bought = events.purchased.transactions.capacity + events.restored.transactions.capacity
        return transactions.footprint + texts.byteCount + texts.count * 32
            + evidence.mentions.count * 2 * MemoryLayout<Evidence>.stride
            + bytes(verifications.succeeded.capacity, 24) + bytes(attempts, 16) + bytes(bought, 8)
            + bytes(events.outcomes.capacity, 32)
            + bytes(subscriptions.graceEnds.capacity, 16)
            + verifications.routed.capacity * MemoryLayout<Verification>.stride
    }

    /// Moves the tables out of memory if they take more than is allowed.
    ///
    /// - Parameter keepingTexts: whether codes of texts must stay as they are, since a ``PartialDecoder`` that is not
    ///   done knows them.
    public mutating func relieve(keepingTexts: Bool = false) throws {
        guard let allowance, footprint > allowance.bytes / 8 * 7 else { return }
        try moveOut(keepingTexts: keepingTexts)
    }

    /// Writes all that is to be seen together with what may still come to the runs, and forgets it; does nothing without
    /// an allowance.
    mutating func moveOut(keepingTexts: Bool = false) throws {
        guard let allowance else { return }
        var runs = SpillRuns()
        swap(&runs, &self.runs)
        if runs.count == 0 { runs = try SpillRuns(MemoryAllowance.identifierRuns, in: allowance.store) }
        try write(by: .identifier, to: &runs)
        swap(&runs, &self.runs)
        moved.entries += transactions.count
        transactions = TransactionTable(keepsAccounts: transactions.keepsAccounts)
        verifications.forgetPairs()
        events.forgetMembers()
        subscriptions.forgetGrace()
        evidence.forgetMentions()
        if failureFootprint > allowance.mostFailures { try moveFailuresOut(allowance) }
        if !keepingTexts { forgetTexts() }
        // Tables that grow and are moved out again and again leave holes between what stays: an allocator that kept them came to
        // 430 MB where 256 were allowed.
        till_give_back_free_memory()
    }

    /// Writes which failures there were, and forgets them.
    mutating func moveFailuresOut(_ allowance: MemoryAllowance) throws {
        var runs = SpillRuns()
        swap(&runs, &failureRuns)
        if runs.count == 0 { runs = try SpillRuns(MemoryAllowance.identifierRuns, in: allowance.store) }
        try writeFailures(to: &runs)
        swap(&runs, &failureRuns)
        verifications.forgetFailures()
        events.forgetFailures()
        examples.forgetFailures()
    }

    /// Writes failures and examples of them, each to the run of its domain and code.
    private borrowing func writeFailures(to runs: inout SpillRuns) throws {
        let spread = Spread(count: runs.count)
        func run(of code: FailureCode) -> Int {
            let domain = code.domain < 0 ? 0 : texts.withBytes(of: Int(code.domain), TextDictionary.fingerprint)
            return spread.run(of: domain ^ UInt128(UInt64(bitPattern: code.code ?? .max)))
        }
        let tallies = FailureLog.allCases.map { log in
            let tally = failures(of: log)
            let dealt = Dealt(tally.codes.indices, runs: runs.count) { run(of: tally.codes[$0]) }
            return (log: log, tally: tally, cells: FailureTally.OrderedCells(tally), dealt: dealt)
        }
        let dealtExamples = Dealt(examples.codes.indices, runs: runs.count) { run(of: examples.codes[$0]) }
        var encoder = SliceEncoder(self)
        for run in 0..<runs.count {
            for (log, tally, cells, dealt) in tallies {
                for number in dealt[run] {
                    encoder.encode(tally.codes[number], tally.sums[number], cells[number], log: log, of: self)
                }
            }
            encoder.encodeExamples(dealtExamples[run], of: self)
            try encoder.flush(of: self) { try runs.append($0, $1, to: run) }
        }
    }

    /// Forgets texts that nothing in memory uses any more.
    private mutating func forgetTexts() {
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

    /// Writes transactions and whatever else is kept until the end, each to the run of its key.
    borrowing func write(by key: SpillKey, to runs: inout SpillRuns) throws {
        let spread = Spread(count: runs.count)
        let order = Dealt(0..<UInt32(transactions.count), runs: runs.count) { run(of: Int($0), by: key, spread) }
        var mentions: [Evidence] = []
        mentions.reserveCapacity(evidence.mentions.count)
        for index in 0..<evidence.mentions.count { mentions.append(evidence.mentions[index]) }
        let dealtMentions = Dealt(mentions, runs: runs.count) { run(of: Int($0.transaction), by: key, spread) }
        func deal(_ members: IntegerSet<UInt128>) -> Dealt<UInt128> {
            Dealt(Array(members), runs: spread.count) { spread.run(of: $0) }
        }
        func deal(_ members: IntegerSet<Int64>, _ texts: borrowing TextDictionary) -> Dealt<Int64> {
            Dealt(Array(members), runs: spread.count) { spread.run(ofIdentifier: $0, in: texts) }
        }
        let succeeded = Dealt(verifications.succeeded.sorted, runs: runs.count) { spread.run(of: $0.request) }
        let routed = Dealt(verifications.routed, runs: runs.count) { spread.run(of: $0.pairKey ?? 0) }
        let attempts: [(DistinctSet, Dealt<UInt128>)] = [
            (.attempts, deal(events.attempts)), (.purchasedAttempts, deal(events.purchased.attempts)),
            (.restoredAttempts, deal(events.restored.attempts)),
        ]
        let bought: [(DistinctSet, Dealt<Int64>)] = [
            (.purchasedTransactions, deal(events.purchased.transactions, texts)),
            (.restoredTransactions, deal(events.restored.transactions, texts)),
        ]
        let outcomes = Dealt(events.outcomes.sorted, runs: runs.count) { spread.run(of: $0.attempt) }
        let grace = Dealt(subscriptions.graceEnds, runs: runs.count) { spread.run(ofIdentifier: $0.key, in: texts) }
        var encoder = SliceEncoder(self)
        for run in 0..<runs.count {
            let slice = LedgerSlice(
                transactions: order[run],
                mentions: dealtMentions[run],
                succeeded: succeeded[run],
                routed: routed[run],
                attempts: attempts.map { ($0, $1[run]) },
                bought: bought.map { ($0, $1[run]) },
                outcomes: outcomes[run],
                grace: grace[run]
            )
            try encoder.encode(slice, of: self) { try runs.append($0, $1, to: run) }
        }
    }

    private borrowing func run(of number: Int, by key: SpillKey, _ spread: Spread) -> Int {
        let entry = transactions.entries[number]
        switch key {
        case .identifier:
            if entry.isAlone { return spread.run(ofAlone: number) }
            guard entry.identifier == TransactionEntry.unknown else {
                return spread.run(ofIdentifier: entry.identifier, in: texts)
            }
            // Copies without an id have their original id and line item in common.
            return spread.run(ofIdentifier: entry.original, in: texts)
        case .chain:
            if entry.chain == TransactionEntry.unknown { return spread.run(ofAlone: number) }
            return spread.run(ofIdentifier: entry.chain, in: texts)
        }
    }
}
