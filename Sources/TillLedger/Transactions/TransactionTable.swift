import CKernels
package import TillColumns
import TillRows
import TillThreads

/// Every transaction once, with the joined values of its duplicates.
///
///     slots   [ · | 3 | · | 1 | 2 | · | · | · ]     numbers of entries plus one, by hash of the id, under other bits of the hash
///     entries [ 1 ][ 2 ][ 3 ] …                     in order of arrival
///
/// A slot has more bits than its number needs. The upper bits hold a part of the hash, so that usually only the entry
/// of the id is read: reading an entry often waits for memory.
///
/// ``TransactionValues`` says how duplicates are joined.
package struct TransactionTable: ~Copyable {
    private(set) var entries = SegmentedArray<TransactionEntry>()
    package private(set) var rareValues: [RareValues] = []
    private var shared = SharedValueTable()
    /// Of each transaction whose duplicates differ in trust, the joined duplicates of each rank, or ``noCopy``.
    private var ranked = SegmentedArray<TransactionEntry>()
    private var slots: [UInt32] = Array(repeating: 0, count: 1 << 12)
    /// Drawn at random, so that an input cannot choose ids that all get one slot.
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private var joined = 0
    /// The fingerprint of the account that each transaction was made for, entry by entry; 0 if none is known.
    private(set) var accounts = SegmentedArray<UInt64>()
    package let keepsAccounts: Bool
    /// The time of the newest document of each transaction, entry by entry; ``TransactionEntry/unknown`` if none has one.
    private(set) var observed = SegmentedArray<Int64>()
    package let keepsTimes: Bool

    /// - Parameters:
    ///   - keepsAccounts: whether ``accounts`` is filled, 8 bytes for each transaction.
    ///   - keepsTimes: whether ``observed`` is filled, as many.
    package init(keepsAccounts: Bool = false, keepsTimes: Bool = false) {
        (self.keepsAccounts, self.keepsTimes) = (keepsAccounts, keepsTimes)
    }

    package var count: Int { entries.count }

    /// The shared values, by their numbers.
    package var sharedValues: [SharedValues] { shared.values }

    /// The entry of a number, for other modules: there the generic array would not be specialized.
    package func entry(_ number: Int) -> TransactionEntry { entries[number] }

    /// Entries that a thread visits in about the time that it takes to start another.
    private static let smallestRange = 4096

    /// The numbers of all entries, in ranges for so many threads as are worth their start; at least one range.
    func ranges(for jobs: Int) -> [Range<Int>] {
        (0..<count).divided(by: max(1, min(jobs, count / Self.smallestRange)))
    }

    /// Enters one row. Returns the number of its transaction's entry.
    ///
    /// - Parameters:
    ///   - row: its entry, of which ``TransactionEntry/shared`` is a number of this table.
    ///   - rare: where its rare values are: ``TransactionEntry/rare`` is their place in it plus one.
    ///   - account: the fingerprint of the account of the seller; 0 if none is known.
    ///   - time: the time of its document.
    @discardableResult
    mutating func enter(
        _ row: TransactionEntry,
        rare: Span<RareValues>,
        account: UInt64 = 0,
        time: Int64 = TransactionEntry.unknown,
        in texts: borrowing TextDictionary
    ) -> Int {
        guard !row.isAlone else { return append(row, rare, account, time) }
        if !isRoomy(slots.count) { growSlots() }
        let key = Key(row)
        let hash = hash(of: key)
        let slot = slot(of: key, hash)
        guard slots[slot] == 0 else {
            let number = number(in: slots[slot])
            if !isRepeated(row, rare, of: known(entries[number], of: row.answers.rank)) {
                join(row, rare, into: number, in: texts)
            }
            if keepsAccounts { accounts[number] = max(accounts[number], account) }
            if keepsTimes { observed[number] = max(observed[number], time) }
            return number
        }
        let number = append(row, rare, account, time)
        slots[slot] = tag(hash) | UInt32(entries.count)
        joined += 1
        return number
    }

    /// Enters values that are not packed.
    @discardableResult
    package mutating func enter(_ values: TransactionValues, in texts: borrowing TextDictionary) -> Int {
        var (row, rare) = values.packed()
        row.shared = shared.number(of: values.shared)
        row.rare = rare == .none ? 0 : 1
        let list: InlineArray<1, RareValues> = [rare]
        return enter(row, rare: list.span, account: values.account, time: values.observed, in: texts)
    }

    /// The number of shared values in this table, which are added if they are new.
    mutating func number(of values: SharedValues) -> UInt32 { shared.number(of: values) }

    private mutating func append(
        _ row: TransactionEntry,
        _ rare: Span<RareValues>,
        _ account: UInt64,
        _ time: Int64
    ) -> Int {
        var entry = row
        if row.rare > 0 {
            rareValues.append(rare[Int(row.rare) - 1])
            entry.rare = UInt32(rareValues.count)
        }
        entries.append(entry)
        if keepsAccounts { accounts.append(account) }
        if keepsTimes { observed.append(time) }
        return entries.count - 1
    }

    // Out of line: most rows are new or repeated.
    @inline(never)
    private mutating func join(
        _ row: TransactionEntry,
        _ rare: Span<RareValues>,
        into number: Int,
        in texts: borrowing TextDictionary
    ) {
        let other = TransactionValues(
            row,
            sharedValues[Int(row.shared)],
            row.rare > 0 ? rare[Int(row.rare) - 1] : .none,
            account: 0
        )
        let entry = entries[number]
        guard entry.answers.rank != row.answers.rank else {
            var joined = values(of: entry)
            joined.join(other, in: texts)
            entries[number] = packed(joined, rare: entry.rare)
            return
        }
        let first = firstCopy(of: entry) ?? appendCopies(with: entry)
        let place = first + Int(row.answers.rank.rawValue)
        if ranked[place].answers.rank == .mixed {
            ranked[place] = packed(other, rare: 0)
        } else {
            var joined = values(of: ranked[place])
            joined.join(other, in: texts)
            ranked[place] = packed(joined, rare: ranked[place].rare)
        }
        var copies: [TransactionValues] = []
        for place in (first..<first + Self.rankCount).reversed() where ranked[place].answers.rank != .mixed {
            copies.append(values(of: ranked[place]))
        }
        var counted = TransactionValues(ranked: copies, in: texts)
        counted.rare.ranked = UInt32(first + 1)
        entries[number] = packed(counted, rare: entry.answers.rank == .mixed ? entry.rare : 0)
    }

    /// The ranks that a row can have.
    private static var rankCount: Int { Int(TrustRank.mixed.rawValue) }

    /// The place of the duplicates of the lowest rank; `nil` if all duplicates have one rank.
    private func firstCopy(of entry: TransactionEntry) -> Int? {
        entry.answers.rank == .mixed ? Int(rareValues[Int(entry.rare) - 1].ranked) - 1 : nil
    }

    /// Keeps an entry as the duplicates of its rank. Returns the place of the lowest rank.
    private mutating func appendCopies(with entry: TransactionEntry) -> Int {
        let first = ranked.count
        var none = TransactionEntry(identifier: TransactionEntry.unknown)
        none.answers.rank = .mixed
        for rank in 0..<Self.rankCount { ranked.append(rank == Int(entry.answers.rank.rawValue) ? entry : none) }
        return first
    }

    /// Packs values.
    ///
    /// - Parameter number: the number plus one of rare values that are replaced; 0 for none.
    private mutating func packed(_ values: TransactionValues, rare number: UInt32) -> TransactionEntry {
        var (entry, rare) = values.packed()
        entry.shared = shared.number(of: values.shared)
        entry.rare = number
        if number > 0 {
            rareValues[Int(number) - 1] = rare
        } else if rare != .none {
            rareValues.append(rare)
            entry.rare = UInt32(rareValues.count)
        }
        return entry
    }

    /// The joined duplicates of a rank; the entry itself if all have one rank.
    private func known(_ entry: TransactionEntry, of rank: TrustRank) -> TransactionEntry {
        firstCopy(of: entry).map { ranked[$0 + Int(rank.rawValue)] } ?? entry
    }

    /// Passes the joined duplicates of each rank, and the number of their shared values, to `body`. Entering them into
    /// another table gives the transaction again.
    package func forEachCopy<Failure>(
        _ number: Int,
        _ body: (TransactionValues, UInt32) throws(Failure) -> Void
    ) throws(Failure) {
        let entry = entries[number]
        guard let first = firstCopy(of: entry) else { return try body(values(number), entry.shared) }
        var account = keepsAccounts ? accounts[number] : 0
        let time = keepsTimes ? observed[number] : TransactionEntry.unknown
        for place in first..<first + Self.rankCount where ranked[place].answers.rank != .mixed {
            var values = values(of: ranked[place])
            swap(&values.account, &account)
            values.observed = time
            try body(values, ranked[place].shared)
        }
    }

    /// The number of ranks that the duplicates have.
    package func copyCount(_ number: Int) -> Int {
        guard let first = firstCopy(of: entries[number]) else { return 1 }
        return (first..<first + Self.rankCount).count { ranked[$0].answers.rank != .mixed }
    }

    /// Whether a row has the same values as an entry, like most duplicates.
    private func isRepeated(
        _ row: TransactionEntry,
        _ rare: Span<RareValues>,
        of entry: TransactionEntry
    ) -> Bool {
        guard row.original == entry.original, row.webOrder == entry.webOrder, row.instants == entry.instants,
            row.product == entry.product, row.shared == entry.shared, row.quantity == entry.quantity,
            row.answers == entry.answers, entry.marks.isSuperset(of: row.marks)
        else { return false }
        guard row.rare > 0 else { return true }
        guard entry.rare > 0 else { return false }
        return rareValues[Int(entry.rare) - 1] == rare[Int(row.rare) - 1]
    }

    /// An entry unpacked.
    package func values(_ number: Int) -> TransactionValues {
        var values = values(of: entries[number])
        if keepsAccounts { values.account = accounts[number] }
        if keepsTimes { values.observed = observed[number] }
        return values
    }

    private func values(of entry: TransactionEntry) -> TransactionValues {
        TransactionValues(
            entry,
            sharedValues[Int(entry.shared)],
            entry.rare > 0 ? rareValues[Int(entry.rare) - 1] : .none,
            account: 0
        )
    }

    /// A rare number of an entry; ``TransactionEntry/unknown`` if it is not known.
    func rare(_ attribute: NumberAttribute, of entry: TransactionEntry) -> Int64 {
        entry.rare == 0 ? TransactionEntry.unknown : rareValues[Int(entry.rare) - 1][attribute]
    }

    /// A rare code of an entry; -1 if it is unknown.
    func rare(_ attribute: CodeAttribute, of entry: TransactionEntry) -> Int32 {
        entry.rare == 0 ? -1 : rareValues[Int(entry.rare) - 1][attribute]
    }

    /// Whether duplicates are in conflict: in a fact of the sale, or, if they differ in trust, in the cancellation.
    func hasConflict(_ entry: TransactionEntry) -> Bool { entry.hasConflict || !changes(of: entry).isEmpty }

    /// What less trusted duplicates say otherwise than the values that count.
    func changes(of entry: TransactionEntry) -> RareValues.Changes {
        entry.rare > 0 ? rareValues[Int(entry.rare) - 1].changes : []
    }

    /// The cancellation of an entry, without a copy of all rare values.
    func cancellation(of entry: TransactionEntry) -> Cancellation {
        entry.rare == 0 ? .none : rareValues[Int(entry.rare) - 1].cancellation
    }

    /// The purchase time in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    package func purchaseDate(of entry: TransactionEntry) -> Int64 {
        entry.instants.purchase(elsewhere: rareValues[Int(entry.rare) - 1].wide)
    }

    /// The time of the chain's first purchase in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    func originalPurchaseDate(of entry: TransactionEntry) -> Int64 {
        entry.instants.originalPurchase(elsewhere: rareValues[Int(entry.rare) - 1].wide)
    }

    /// The end of service in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    func expiresDate(of entry: TransactionEntry) -> Int64 {
        entry.instants.expires(elsewhere: rareValues[Int(entry.rare) - 1].wide)
    }

    /// The smallest expiry of all duplicates: a later one is an extension.
    func firstExpiry(of entry: TransactionEntry) -> Int64 {
        let first = rare(.firstExpiry, of: entry)
        return first == TransactionEntry.unknown ? expiresDate(of: entry) : first
    }

    /// The number of units of an entry, if it is known.
    func quantity(of entry: TransactionEntry) -> Int64? {
        entry.quantity(elsewhere: rareValues[Int(entry.rare) - 1].wide)
    }

    // MARK: - The index

    /// The key of a transaction: its id, else its original id and line item.
    private struct Key {
        let identifier: Int64
        var original: Int64 = 0
        var webOrder: Int64 = 0

        init(_ entry: TransactionEntry) {
            self.init(entry.identifier, entry.original, entry.webOrder)
        }

        /// Without an id, both other values must be known.
        init(_ identifier: Int64, _ original: Int64, _ webOrder: Int64) {
            self.identifier = identifier
            if identifier == TransactionEntry.unknown { (self.original, self.webOrder) = (original, webOrder) }
        }

        func identifies(_ entry: TransactionEntry) -> Bool {
            guard entry.identifier == identifier else { return false }
            guard identifier == TransactionEntry.unknown else { return true }
            return entry.original == original && entry.webOrder == webOrder
        }
    }

    private func hash(of key: Key) -> UInt64 {
        guard key.identifier == TransactionEntry.unknown else { return hash(of: key.identifier) }
        return hash(of: Int64(bitPattern: hash(of: key.original)) ^ key.webOrder)
    }

    private func hash(of identifier: Int64) -> UInt64 {
        let product = UInt64(bitPattern: identifier).multipliedFullWidth(by: multiplier)
        return product.high ^ product.low
    }

    /// The first slot of the search for an id.
    private func firstSlot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

    /// The bits of a slot that hold a number.
    private var numberMask: UInt32 { UInt32(truncatingIfNeeded: slots.count - 1) }

    /// The bits of a slot above the number: bits of the hash that the index of the slot does not contain.
    private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~numberMask }

    /// The number of the entry in a slot.
    private func number(in slot: UInt32) -> Int { Int(slot & numberMask) - 1 }

    private func slot(of key: Key, _ hash: UInt64) -> Int {
        let (mask, tag) = (slots.count - 1, tag(hash))
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            let found = slots[slot]
            if found & ~numberMask == tag, key.identifies(entries[number(in: found)]) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// Prefetches the slot of an id; a second call, a while later, prefetches the entry. Both are in tables larger than
    /// the caches, and waiting for them is most of the cost of a duplicate.
    func prefetchSlot(of identifier: Int64) {
        slots.withUnsafeBufferPointer { slots in
            guard let base = slots.baseAddress else { return }
            till_prefetch(base + firstSlot(hash(of: identifier)))
        }
    }

    func prefetchEntry(of identifier: Int64) {
        let hash = hash(of: identifier)
        let (mask, tag) = (slots.count - 1, tag(hash))
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            if slots[slot] & ~numberMask == tag { return till_prefetch(entries.address(of: number(in: slots[slot]))) }
            slot = (slot + 1) & mask
        }
    }

    /// Whether `slotCount` slots are enough for one more entry: they are not too full, and the entry's number fits
    /// below the bits of the hash. Entries without a slot also have numbers.
    private func isRoomy(_ slotCount: Int) -> Bool { joined * 3 < slotCount * 2 && entries.count + 1 < slotCount }

    private mutating func growSlots() {
        var count = slots.count * 2
        while !isRoomy(count) { count *= 2 }
        slots = Array(repeating: 0, count: count)
        let mask = count - 1
        let prefetchDistance = 16
        for number in 0..<entries.count where !entries[number].isAlone {
            let ahead = number + prefetchDistance
            if ahead < entries.count { prefetchSlot(of: entries[ahead].identifier) }
            let hash = hash(of: Key(entries[number]))
            // No two entries have the same key, so the first free slot is used.
            var slot = firstSlot(hash)
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = tag(hash) | UInt32(number + 1)
        }
    }

    /// Frees the memory of the index, after the last row.
    mutating func dropIndex() {
        slots = []
        shared.dropNumbers()
    }

    /// Bytes of an entry, with its part of the index at its emptiest and its place in an order.
    package static let bytesPerEntry = MemoryLayout<TransactionEntry>.stride + 12 + 4

    /// Bytes of the table, with those of an order of its entries.
    var footprint: Int {
        entries.count * (MemoryLayout<TransactionEntry>.stride + (keepsAccounts ? 12 : 4) + (keepsTimes ? 8 : 0))
            + slots.count * 4
            + ranked.count * MemoryLayout<TransactionEntry>.stride
            + rareValues.capacity * MemoryLayout<RareValues>.stride
            + sharedValues.count * 3 * MemoryLayout<SharedValues>.stride
    }
}
