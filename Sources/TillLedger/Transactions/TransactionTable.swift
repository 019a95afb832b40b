import CKernels
package import TillColumns
import TillRows

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
    package private(set) var sharedValues: [SharedValues] = [SharedValues()]
    private var sharedNumbers: [SharedValues: UInt32] = [SharedValues(): 0]
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

    /// The entry of a number, for other modules: there the generic array would not be specialized.
    package func entry(_ number: Int) -> TransactionEntry { entries[number] }

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
    /// - Parameter mayHaveRare: `false` if the row certainly has no rare values.
    @discardableResult
    package mutating func enter(
        _ values: borrowing TransactionValues,
        mayHaveRare: Bool = true,
        in texts: borrowing TextDictionary
    ) -> Int {
        guard !values.isAlone else {
            append(values, mayHaveRare)
            return entries.count - 1
        }
        if !isRoomy(slots.count) { growSlots() }
        let key = Key(values)
        let hash = hash(of: key)
        let slot = slot(of: key, hash)
        guard slots[slot] == 0 else {
            let number = number(in: slots[slot])
            join(values, mayHaveRare, into: number, in: texts)
            return number
        }
        append(values, mayHaveRare)
        slots[slot] = tag(hash) | UInt32(entries.count)
        joined += 1
        return entries.count - 1
    }

    private mutating func append(_ values: borrowing TransactionValues, _ mayHaveRare: Bool) {
        entries.append(store(values, mayHaveRare: mayHaveRare))
        if keepsAccounts { accounts.append(values.account) }
    }

    private mutating func join(
        _ values: TransactionValues,
        _ mayHaveRare: Bool,
        into number: Int,
        in texts: borrowing TextDictionary
    ) {
        guard !isRepeated(values, mayHaveRare, of: entries[number]) else { return noteAccount(values, of: number) }
        var joined = self.values(number)
        joined.join(values, in: texts)
        entries[number] = store(joined, over: entries[number].rare)
        noteAccount(values, of: number)
    }

    private mutating func noteAccount(_ values: TransactionValues, of number: Int) {
        if keepsAccounts { accounts[number] = max(accounts[number], values.account) }
    }

    /// Whether a row has the same values as an entry, like most duplicates.
    private func isRepeated(_ values: TransactionValues, _ mayHaveRare: Bool, of entry: TransactionEntry) -> Bool {
        guard !mayHaveRare || values.rare == .none || entry.rare > 0 && values.rare == rareValues[Int(entry.rare) - 1],
            values[.original] == entry.original, values[.webOrder] == entry.webOrder,
            UInt32(values[.product] + 1) == entry.product, values.answers == entry.answers,
            entry.marks.isSuperset(of: values.marks), entry.quantity == Self.packed(values[.quantity]),
            entry.quantity != 254
        else { return false }
        return PackedInstants(values) == entry.instants && !Self.needsRare(values)
            && sharedValues[Int(entry.shared)] == values.shared
    }

    // MARK: - Packing

    private static func packed(_ quantity: Int64) -> UInt8 {
        if quantity == TransactionEntry.unknown { return 255 }
        return (0..<254).contains(quantity) ? UInt8(quantity) : 254
    }

    /// Whether a row has a quantity or a date that does not fit an entry.
    private static func needsRare(_ values: TransactionValues) -> Bool {
        func isWide(_ date: Int64) -> Bool { date != TransactionEntry.unknown && !PackedInstants.fits(date) }
        return packed(values[.quantity]) == 254 || isWide(values[.purchaseDate]) || isWide(values[.expiresDate])
            || isWide(values[.originalPurchaseDate])
    }

    /// Packs values into an entry.
    ///
    /// - Parameter number: the number of the rare values, plus one, that the transaction has already.
    private mutating func store(
        _ values: TransactionValues,
        over number: UInt32 = 0,
        mayHaveRare: Bool = true
    ) -> TransactionEntry {
        var entry = TransactionEntry(identifier: values[.identifier])
        entry.original = values[.original]
        entry.webOrder = values[.webOrder]
        entry.instants = PackedInstants(values)
        entry.product = UInt32(values[.product] + 1)
        entry.quantity = Self.packed(values[.quantity])
        entry.answers = values.answers
        entry.marks = values.marks
        entry.shared = self.number(of: values.shared)
        entry.rare = number
        guard number > 0 || mayHaveRare && values.rare != .none || Self.needsRare(values) else { return entry }
        var rare = values.rare
        if Self.needsRare(values) {
            rare.quantity = values[.quantity]
            rare.purchaseDate = values[.purchaseDate]
            rare.expiresDate = values[.expiresDate]
            rare.originalPurchaseDate = values[.originalPurchaseDate]
        }
        if number > 0 {
            rareValues[Int(number) - 1] = rare
        } else {
            rareValues.append(rare)
            entry.rare = UInt32(rareValues.count)
        }
        return entry
    }

    /// An entry unpacked.
    package func values(_ number: Int) -> TransactionValues {
        let entry = entries[number]
        var values = TransactionValues()
        values[.identifier] = entry.identifier
        values[.original] = entry.original
        values[.webOrder] = entry.webOrder
        values[.purchaseDate] = purchaseDate(of: entry)
        values[.expiresDate] = expiresDate(of: entry)
        values[.originalPurchaseDate] = originalPurchaseDate(of: entry)
        values[.quantity] = quantity(of: entry) ?? TransactionEntry.unknown
        values[.product] = Int32(entry.product) - 1
        values.answers = entry.answers
        values.marks = entry.marks
        values.shared = sharedValues[Int(entry.shared)]
        if keepsAccounts { values.account = accounts[number] }
        guard entry.rare > 0 else { return values }
        values.rare = rareValues[Int(entry.rare) - 1]
        let unknown = TransactionEntry.unknown
        values.rare.quantity = unknown
        (values.rare.purchaseDate, values.rare.expiresDate, values.rare.originalPurchaseDate) = (
            unknown, unknown, unknown
        )
        return values
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
        let date = entry.instants.purchase
        return date == PackedInstants.elsewhere ? rareValues[Int(entry.rare) - 1].purchaseDate : date
    }

    /// The end of service in milliseconds; ``TransactionEntry/unknown`` if no duplicate has it.
    func expiresDate(of entry: TransactionEntry) -> Int64 {
        let date = entry.instants.expires
        return date == PackedInstants.elsewhere ? rareValues[Int(entry.rare) - 1].expiresDate : date
    }

    private func originalPurchaseDate(of entry: TransactionEntry) -> Int64 {
        let date = entry.instants.originalPurchase
        return date == PackedInstants.elsewhere ? rareValues[Int(entry.rare) - 1].originalPurchaseDate : date
    }

    /// The number of units of an entry, if it is known.
    func quantity(of entry: TransactionEntry) -> Int64? {
        switch entry.quantity {
        case 255: nil
        case 254: rareValues[Int(entry.rare) - 1].quantity
        default: Int64(entry.quantity)
        }
    }

    // MARK: - Shared values

    private var lastShared: (values: SharedValues, number: UInt32) = (SharedValues(), 0)

    private mutating func number(of values: SharedValues) -> UInt32 {
        if lastShared.values == values { return lastShared.number }
        let number = sharedNumbers[values] ?? UInt32(sharedValues.count)
        if number == sharedValues.count {
            sharedValues.append(values)
            sharedNumbers[values] = number
        }
        lastShared = (values, number)
        return number
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

        init(_ values: TransactionValues) {
            self.init(values[.identifier], values[.original], values[.webOrder])
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
        sharedNumbers = [:]
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
