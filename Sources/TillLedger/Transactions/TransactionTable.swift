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
    private var slots: [UInt32] = Array(repeating: 0, count: 1 << 12)
    /// Drawn at random, so that an input cannot choose ids that all get one slot.
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private var joined = 0
    /// The fingerprint of the account that each transaction was made for, entry by entry; 0 if none is known.
    private(set) var accounts = SegmentedArray<UInt64>()
    package let keepsAccounts: Bool

    /// - Parameter keepsAccounts: whether ``accounts`` is filled, 8 bytes for each transaction.
    package init(keepsAccounts: Bool = false) {
        self.keepsAccounts = keepsAccounts
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

    /// The latest known purchase, in milliseconds.
    package var latestPurchase: Int64? {
        var latest: Int64?
        for number in 0..<entries.count {
            let purchaseDate = purchaseDate(of: entries[number])
            guard purchaseDate != TransactionEntry.unknown else { continue }
            latest = max(latest ?? purchaseDate, purchaseDate)
        }
        return latest
    }

    /// Enters one row. Returns the number of its transaction's entry.
    ///
    /// - Parameters:
    ///   - row: its entry, of which ``TransactionEntry/shared`` is a number of this table.
    ///   - rare: where its rare values are: ``TransactionEntry/rare`` is their place in it plus one.
    ///   - account: the fingerprint of the account of the seller; 0 if none is known.
    @discardableResult
    mutating func enter(
        _ row: TransactionEntry,
        rare: Span<RareValues>,
        account: UInt64 = 0,
        in texts: borrowing TextDictionary
    ) -> Int {
        guard !row.isAlone else { return append(row, rare, account) }
        if !isRoomy(slots.count) { growSlots() }
        let key = Key(row)
        let hash = hash(of: key)
        let slot = slot(of: key, hash)
        guard slots[slot] == 0 else {
            let number = number(in: slots[slot])
            if !isRepeated(row, rare, of: entries[number]) { join(row, rare, into: number, in: texts) }
            if keepsAccounts { accounts[number] = max(accounts[number], account) }
            return number
        }
        let number = append(row, rare, account)
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
        return enter(row, rare: list.span, account: values.account, in: texts)
    }

    /// The number of shared values in this table, which are added if they are new.
    mutating func number(of values: SharedValues) -> UInt32 { shared.number(of: values) }

    private mutating func append(_ row: TransactionEntry, _ rare: Span<RareValues>, _ account: UInt64) -> Int {
        var entry = row
        if row.rare > 0 {
            rareValues.append(rare[Int(row.rare) - 1])
            entry.rare = UInt32(rareValues.count)
        }
        entries.append(entry)
        if keepsAccounts { accounts.append(account) }
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
        var joined = values(number)
        let other = TransactionValues(
            row,
            sharedValues[Int(row.shared)],
            row.rare > 0 ? rare[Int(row.rare) - 1] : .none,
            account: 0
        )
        joined.join(other, in: texts)
        var (entry, joinedRare) = joined.packed()
        entry.shared = shared.number(of: joined.shared)
        entry.rare = entries[number].rare
        if entry.rare > 0 {
            rareValues[Int(entry.rare) - 1] = joinedRare
        } else if joinedRare != .none {
            rareValues.append(joinedRare)
            entry.rare = UInt32(rareValues.count)
        }
        entries[number] = entry
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
        let entry = entries[number]
        return TransactionValues(
            entry,
            sharedValues[Int(entry.shared)],
            entry.rare > 0 ? rareValues[Int(entry.rare) - 1] : .none,
            account: keepsAccounts ? accounts[number] : 0
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
    func hasConflict(_ entry: TransactionEntry) -> Bool { entry.hasConflict || hasDifferentCancellations(entry) }

    /// Whether duplicates that differ in trust have cancellations that differ.
    func hasDifferentCancellations(_ entry: TransactionEntry) -> Bool {
        entry.rare > 0 && rareValues[Int(entry.rare) - 1].ranks.haveDifferentCancellations
    }

    /// The cancellation of an entry, without a copy of all rare values.
    func cancellation(of entry: TransactionEntry) -> Cancellation {
        entry.rare == 0 ? .none : rareValues[Int(entry.rare) - 1].cancellation
    }

    /// The purchase time in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    package func purchaseDate(of entry: TransactionEntry) -> Int64 {
        entry.instants.purchase(elsewhere: rareValues[Int(entry.rare) - 1].wide)
    }

    /// The end of service in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    func expiresDate(of entry: TransactionEntry) -> Int64 {
        entry.instants.expires(elsewhere: rareValues[Int(entry.rare) - 1].wide)
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
        entries.count * (MemoryLayout<TransactionEntry>.stride + (keepsAccounts ? 12 : 4)) + slots.count * 4
            + rareValues.capacity * MemoryLayout<RareValues>.stride
            + sharedValues.count * 3 * MemoryLayout<SharedValues>.stride
    }
}
