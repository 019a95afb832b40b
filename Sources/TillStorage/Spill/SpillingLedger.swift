import CKernels
import TillColumns
public import TillLedger

/// A ledger that moves its tables to files when they take more memory than it may have.
///
///     rows → ledger ─spill→ partitions by id ─repartition→ duplicates joined ─┬ pairs, attempts: counted
///                                                                             └ transactions, grace periods → partitions by chain
///
/// One duplicate of a transaction may lack the chain that another one has, so the chain is known only after joining. So
/// there are two rounds; the second follows the last row. Without an allowance the ledger stays in memory.
public struct SpillingLedger: ~Copyable, Sendable {
    /// The part of the ledger that is in memory.
    public var ledger: Ledger
    private let allowance: MemoryAllowance?
    /// Transactions, answers and attempts that were spilled while reading, partitioned by id; `nil` as long as
    /// everything fits.
    private var members: PartitionedFile?
    /// Failures that were spilled, partitioned by domain and code; `nil` as long as they fit.
    private var failures: PartitionedFile?
    /// Entries in ``members``, of which several can be duplicates of one transaction.
    private var spilledEntries = 0
    /// Transactions in ``members``, once their duplicates are joined.
    private var joinedCount = 0
    /// The first and the latest purchase of any of them, in milliseconds.
    private var purchases: ClosedRange<Int64>?

    /// Takes over a ledger, which stays in memory until it is found too large.
    ///
    /// - Parameter allowance: the memory that the ledger may take; `nil` for no limit.
    public init(_ ledger: consuming Ledger, allowance: MemoryAllowance? = nil) {
        self.ledger = ledger
        self.allowance = allowance
    }

    /// Transactions left after joining duplicates; of a ledger that spilled, once it is settled or encoded.
    public var uniqueCount: Int { ledger.uniqueCount + joinedCount }

    /// Moves the tables to files if they take more memory than is allowed.
    ///
    /// - Parameter keepingTexts: whether codes of texts must not change, because an unfinished ``PartialDecoder`` uses
    ///   them.
    public mutating func spillIfNeeded(keepingTexts: Bool = false) throws {
        guard let allowance, ledger.footprint > allowance.bytes / 8 * 7 else { return }
        try spill(keepingTexts: keepingTexts)
    }

    /// Writes the data that must be joined with later rows to files, and removes them from memory. Without an
    /// allowance, does nothing.
    mutating func spill(keepingTexts: Bool = false) throws {
        guard let allowance else { return }
        var file = try members.take() ?? allowance.makeFile()
        try ledger.writeMembers(by: .identifier, to: &file)
        members = consume file
        spilledEntries += ledger.transactions.count
        ledger.forgetMembers()
        if ledger.failureFootprint > allowance.mostFailures { try spillFailures(allowance) }
        if !keepingTexts { ledger.forgetTexts() }
        // Tables that grow and are spilled repeatedly leave holes between other allocations: with an allocator that
        // keeps them, a run took 430 MB instead of the allowed 256.
        till_give_back_free_memory()
    }

    private mutating func spillFailures(_ allowance: MemoryAllowance) throws {
        var file = try failures.take() ?? allowance.makeFile()
        try ledger.writeFailures(to: &file)
        failures = consume file
        ledger.forgetFailures()
    }
}

// MARK: - After the last row

extension SpillingLedger {
    /// Applies the rules that need all rows.
    ///
    /// - Parameter jobs: the number of threads that may settle the ledger, and later work on it.
    public consuming func settle(_ rules: LedgerRules, jobs: Int = 1) throws -> SettledLedger {
        let partitions = try repartition()
        return ledger.settle(rules, jobs: jobs, with: partitions)
    }

    /// Settles a ledger whose transactions, attempts and requests were counted elsewhere; this ledger has spilled
    /// nothing.
    ///
    /// - Parameters:
    ///   - counted: the number of transactions after joining duplicates.
    ///   - paired: the number of 21007s that a success followed.
    public consuming func settle(_ rules: LedgerRules, counted: Int, paired: Int) -> SettledLedger {
        ledger.add(paired: paired)
        return ledger.settle(rules, with: CountedTransactions(count: counted))
    }

    /// Joins the spilled data, and partitions them by chain; `nil` if everything is in memory.
    mutating func repartition() throws -> SpilledPartitions? {
        guard let allowance, members != nil else { return nil }
        try spill()
        guard var spilled = members.take() else { return nil }
        try spilled.flush()
        var chains = try PartitionedFile(allowance.partitionCount(of: spilledEntries), in: allowance.store)
        try join(spilled, into: &chains, allowance)
        try chains.flush()
        if failures != nil {
            // All 21007s without a later success are known now.
            ledger.settleExamples()
            try spillFailures(allowance)
        }
        var failures = failures.take() ?? PartitionedFile()
        try failures.flush()
        return SpilledPartitions(
            transactions: chains,
            failures: failures,
            store: allowance.store,
            transactionCount: joinedCount,
            purchases: purchases
        )
    }

    /// The most times that a partition by id is divided. One that is still too large is joined all the same.
    private static let mostDivisions = 4
    /// Parts of a partition that is divided.
    private static let divisor = 16

    /// Joins partitions by id one by one, and partitions them by chain.
    private mutating func join(
        _ spilled: borrowing PartitionedFile,
        into chains: inout PartitionedFile,
        _ allowance: MemoryAllowance,
        divisions: Int = 0
    ) throws {
        for partition in 0..<spilled.count {
            let isLarge = spilled.byteCount(of: partition) > allowance.mostPartitionBytes
            if isLarge, divisions < Self.mostDivisions {
                let parts = try divide(partition, of: spilled, allowance)
                try join(parts, into: &chains, allowance, divisions: divisions + 1)
                continue
            }
            var joined = emptyLedger()
            try spilled.read(partition, into: &joined)
            try count(&joined)
            try joined.writeMembers(by: .chain, to: &chains)
        }
    }

    /// Divides a partition by id. The new file has another seed, so its parts have about equal size, unless one id has
    /// most of the data.
    private borrowing func divide(
        _ partition: Int,
        of spilled: borrowing PartitionedFile,
        _ allowance: MemoryAllowance
    ) throws -> PartitionedFile {
        var parts = try PartitionedFile(Self.divisor, in: allowance.store)
        var piece = emptyLedger()
        try spilled.read(partition, into: &piece) { ledger in
            guard ledger.footprint > allowance.bytes / 8 * 7 else { return }
            try ledger.writeMembers(by: .identifier, to: &parts)
            ledger = emptyLedger()
        }
        try piece.writeMembers(by: .identifier, to: &parts)
        try parts.flush()
        return parts
    }

    private borrowing func emptyLedger() -> Ledger {
        var empty = Ledger(environments: ledger.environments, needs: ledger.needs)
        empty.provenance = ProvenanceLog(sources: ledger.provenance.sources)
        return empty
    }

    /// Counts the data that are complete in a partition by id, and notes the texts that identify rows of reports. Their
    /// codes must be the same in all partitions by chain.
    private mutating func count(_ joined: inout Ledger) throws {
        joinedCount += joined.transactions.count
        if let dates = joined.purchases {
            let known = purchases ?? dates
            purchases = min(known.lowerBound, dates.lowerBound)...max(known.upperBound, dates.upperBound)
        }
        var used = TextSelection(among: joined.texts.count)
        used.chooseReported(joined.transactions)
        ledger.examples.forget(joined.verifications.succeeded)
        ledger.chosen?.forget(joined.verifications.succeeded)
        joined.settleVerifications()
        for code in joined.textsOfTallies { used.choose(code) }
        var translation = TextTranslation(count: joined.texts.count)
        for code in used.chosen {
            translation.codes[Int(code)] = joined.texts.withBytes(of: Int(code)) { Int32(ledger.texts.code(for: $0)) }
        }
        ledger.countMembers(of: &joined, translation)
    }

    /// Writes the blocks of ``Ledger/encode(_:)`` for a ledger that may not fit its memory.
    ///
    /// If the ledger has spilled, the blocks come partition by partition, and so in another order; merged, they give
    /// the same ledger. All distinct texts are in memory meanwhile. Afterwards the ledger must not get more rows.
    public mutating func encode(_ write: (PartialBlock, [UInt8]) throws -> Void) throws {
        guard members != nil else { return try ledger.encode(write) }
        try spill()
        guard var spilled = members.take() else { return }
        try spilled.flush()
        try ledger.encodeTexts(from: 0, write)
        try ledger.encodeTallies(write)
        var texts = ledger.texts
        var sharedCount = 0
        for partition in 0..<spilled.count {
            let joined = try join(partition, of: spilled, &texts, write)
            joinedCount += joined.transactions.count
            sharedCount += try joined.encodeTransactions(sharedBefore: sharedCount, write)
            try joined.encodeMembers(write)
            texts = joined.texts
        }
        guard var spilledFailures = failures.take() else { return }
        try spilledFailures.flush()
        for partition in 0..<spilledFailures.count {
            let joined = try join(partition, of: spilledFailures, &texts, write)
            try joined.encodeFailures(write)
            texts = joined.texts
        }
    }

    /// Joins a partition in a ledger that begins with the texts already written, and writes the new ones.
    ///
    /// - Parameter texts: moved, not copied. The texts of the partition are added in place.
    private borrowing func join(
        _ partition: Int,
        of file: borrowing PartitionedFile,
        _ texts: inout TextDictionary,
        _ write: (PartialBlock, [UInt8]) throws -> Void
    ) throws -> Ledger {
        var joined = Ledger(environments: ledger.environments, needs: ledger.needs)
        let known = texts.count
        swap(&joined.texts, &texts)
        try file.read(partition, into: &joined)
        try joined.encodeTexts(from: known, write)
        return joined
    }
}
