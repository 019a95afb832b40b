import TillColumns

extension Ledger {
    /// Joins what was moved out of memory, after the last row; does nothing where everything is in memory.
    ///
    ///     runs by id ─ one at a time ─ copies joined ─┬ pairs, attempts: counted
    ///                                                 └ transactions, grace periods → parts by chain
    ///
    /// Of copies of one transaction one may lack the chain that another tells, so the chain is known only when they are
    /// joined: hence two rounds. A ledger with an allowance must be closed before it is settled.
    public mutating func close() throws {
        guard runs.count > 0, let allowance else { return }
        try moveOut()
        try runs.flush()
        var parts = try SpillRuns(allowance.partCount(of: moved.entries), in: allowance.store)
        for run in 0..<runs.count { try join(run, into: &parts) }
        try parts.flush()
        self.parts = parts
        runs = SpillRuns()
        guard failureRuns.count > 0 else { return }
        // The 21007 that no success followed are known now.
        examples = examples.settled(verifications.succeeded)
        try moveFailuresOut(allowance)
        try failureRuns.flush()
    }

    private mutating func join(_ run: Int, into parts: inout SpillRuns) throws {
        var joined = Ledger(environments: environments, needs: needs)
        joined.evidence = EvidenceLog(sources: evidence.sources)
        try runs.decode(run, into: &joined)
        count(&joined)
        try joined.write(by: .chain, to: &parts)
    }

    /// Counts what is complete in a run, and notes the texts that reports can tell rows apart by: their codes must be
    /// the same in all parts.
    private mutating func count(_ joined: inout Ledger) {
        moved.joined += joined.transactions.count
        var used = TextSelection(among: joined.texts.count)
        for facet in joined.transactions.facets { used.choose(facet) }
        for number in 0..<joined.transactions.count {
            let entry = joined.transactions.entries[number]
            used.choose(Int32(entry.product) - 1)
            let purchaseDate = joined.transactions.purchaseDate(of: entry)
            guard purchaseDate != TransactionEntry.unknown else { continue }
            moved.latestPurchase = max(moved.latestPurchase ?? purchaseDate, purchaseDate)
        }
        for extra in joined.transactions.extras {
            used.choose(extra.currency)
            used.choose(extra.storefront)
            used.choose(extra.offerID)
        }
        examples.forget(joined.verifications.succeeded)
        joined.verifications.settle()
        for code in joined.verifications.texts { used.choose(code) }
        var translation = TextTranslation(count: joined.texts.count)
        for code in used.chosen {
            translation.codes[Int(code)] = joined.texts.withBytes(of: Int(code)) { Int32(texts.code(for: $0)) }
        }
        verifications.merge(joined.verifications, translation)
        joined.verifications.forgetPairs()
        events.countMembers(of: joined.events)
        joined.events.forgetMembers()
    }

    /// Writes all that ``encode(_:)`` writes, of a ledger that may not fit its memory.
    ///
    /// Of such a one the blocks come run by run, and so in another order; what they are merged into is the same. All
    /// distinct texts are in memory meanwhile. Nothing more can be taken in afterwards.
    public mutating func encodeWhole(_ write: (PartialBlock, [UInt8]) throws -> Void) throws {
        guard runs.count > 0 else { return try encode(write) }
        try moveOut()
        try runs.flush()
        try encodeTexts(from: 0, write)
        try encodeTallies(write)
        var all = texts
        var facetCount = 0
        for run in 0..<runs.count {
            let joined = try join(run, of: runs, &all, write)
            moved.joined += joined.transactions.count
            facetCount += try joined.encodeTransactions(facetsBefore: facetCount, write)
            try joined.encodeMembers(write)
            all = joined.texts
        }
        guard failureRuns.count > 0 else { return }
        try failureRuns.flush()
        for run in 0..<failureRuns.count {
            let joined = try join(run, of: failureRuns, &all, write)
            try joined.encodeFailures(write)
            all = joined.texts
        }
    }

    /// Joins a run in a ledger that goes on with texts that were written, and writes those that are new.
    ///
    /// - Parameter texts: handed over, so that there is one copy of them, to which the run's are added in place.
    private borrowing func join(
        _ run: Int,
        of runs: borrowing SpillRuns,
        _ texts: inout TextDictionary,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) throws -> Ledger {
        var joined = Ledger(environments: environments, needs: needs)
        let known = texts.count
        swap(&joined.texts, &texts)
        try runs.decode(run, into: &joined)
        try joined.encodeTexts(from: known, write)
        return joined
    }
}
