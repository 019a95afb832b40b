import CKernels
package import TillColumns
import TillRows

/// Every transaction once, with all that its copies tell.
///
///     slots   [ · | 3 | · | 1 | 2 | · | · | · ]     numbers of entries plus one, by hash of the id, under other bits of the hash
///     entries [ 1 ][ 2 ][ 3 ] …                     in order of arrival
///
/// A slot has more bits than numbers need as long as there are no billions of them. Those above hold a part of the hash, so that
/// only one entry, that of the id, is looked at: entries lie in memory that is slow to reach.
///
/// ``TransactionCopy`` says how copies are joined.
package struct TransactionTable: ~Copyable {
    private(set) var entries = SegmentedArray<TransactionEntry>()
    package private(set) var extras: [TransactionExtra] = []
    package private(set) var facets: [TransactionFacet] = [TransactionFacet()]
    private var facetNumbers: [TransactionFacet: UInt32] = [TransactionFacet(): 0]
    private var slots: [UInt32] = Array(repeating: 0, count: 1 << 12)
    /// Drawn at random, so that nobody can choose ids that all meet in one slot.
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private var joined = 0
    /// What stands for the account that each transaction was made for, entry by entry; 0 where none is told.
    private(set) var accounts = SegmentedArray<UInt64>()
    package let keepsAccounts: Bool

    /// - Parameter keepsAccounts: whether ``accounts`` is filled, 8 bytes for each transaction.
    package init(keepsAccounts: Bool = false) {
        self.keepsAccounts = keepsAccounts
    }

    package var count: Int { entries.count }

    /// The entry of a number. For other modules, which would read the generic array unspecialized.
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

    /// Enters one copy of a transaction; the number of its entry.
    @discardableResult
    package mutating func enter(_ copy: TransactionCopy, in texts: borrowing TextDictionary) -> Int {
        guard !copy.isAlone else {
            append(copy)
            return entries.count - 1
        }
        if !isRoomy(slots.count) { growSlots() }
        let key = Key(copy)
        let hash = hash(of: key)
        let slot = slot(of: key, hash)
        guard slots[slot] == 0 else {
            let number = number(in: slots[slot])
            join(copy, into: number, in: texts)
            return number
        }
        append(copy)
        slots[slot] = tag(hash) | UInt32(entries.count)
        joined += 1
        return entries.count - 1
    }

    private mutating func append(_ copy: TransactionCopy) {
        entries.append(store(copy))
        if keepsAccounts { accounts.append(copy.account) }
    }

    private mutating func join(_ copy: TransactionCopy, into number: Int, in texts: borrowing TextDictionary) {
        guard !isRepeated(copy, of: entries[number]) else { return noteAccount(copy, of: number) }
        var joined = self.copy(number)
        joined.join(copy, in: texts)
        entries[number] = store(joined, over: entries[number].extra)
        noteAccount(copy, of: number)
    }

    private mutating func noteAccount(_ copy: TransactionCopy, of number: Int) {
        if keepsAccounts { accounts[number] = max(accounts[number], copy.account) }
    }

    /// Whether a copy tells just what an entry knows, as most copies do.
    private func isRepeated(_ copy: TransactionCopy, of entry: TransactionEntry) -> Bool {
        guard copy.extra == .none || entry.extra > 0 && copy.extra == extras[Int(entry.extra) - 1],
            copy.original == entry.original, copy.webOrder == entry.webOrder,
            UInt32(copy.product + 1) == entry.product, copy.answers == entry.answers,
            entry.marks.isSuperset(of: copy.marks), entry.quantity == Self.packed(copy.quantity), entry.quantity != 254
        else { return false }
        let instants = PackedInstants(
            purchase: copy.purchaseDate,
            expires: copy.expiresDate,
            originalPurchase: copy.originalPurchaseDate
        )
        return instants == entry.instants && !Self.needsExtra(copy) && facets[Int(entry.facet)] == copy.facet
    }

    // MARK: - Packing

    private static func packed(_ quantity: Int64) -> UInt8 {
        if quantity == TransactionEntry.unknown { return 255 }
        return (0..<254).contains(quantity) ? UInt8(quantity) : 254
    }

    /// Whether a copy has a quantity or a date that an entry has no room for.
    private static func needsExtra(_ copy: TransactionCopy) -> Bool {
        func isWide(_ date: Int64) -> Bool { date != TransactionEntry.unknown && !PackedInstants.fits(date) }
        return packed(copy.quantity) == 254 || isWide(copy.purchaseDate) || isWide(copy.expiresDate)
            || isWide(copy.originalPurchaseDate)
    }

    /// Packs a copy into an entry.
    ///
    /// - Parameter extra: the number of the extra, plus one, that the transaction has already.
    private mutating func store(_ copy: TransactionCopy, over extra: UInt32 = 0) -> TransactionEntry {
        var entry = TransactionEntry(identifier: copy.identifier)
        entry.original = copy.original
        entry.webOrder = copy.webOrder
        entry.instants = PackedInstants(
            purchase: copy.purchaseDate,
            expires: copy.expiresDate,
            originalPurchase: copy.originalPurchaseDate
        )
        entry.product = UInt32(copy.product + 1)
        entry.quantity = Self.packed(copy.quantity)
        entry.answers = copy.answers
        entry.marks = copy.marks
        entry.facet = number(of: copy.facet)
        entry.extra = extra
        guard extra > 0 || copy.extra != .none || Self.needsExtra(copy) else { return entry }
        var values = copy.extra
        if Self.needsExtra(copy) {
            values.quantity = copy.quantity
            values.purchaseDate = copy.purchaseDate
            values.expiresDate = copy.expiresDate
            values.originalPurchaseDate = copy.originalPurchaseDate
        }
        if extra > 0 {
            extras[Int(extra) - 1] = values
        } else {
            extras.append(values)
            entry.extra = UInt32(extras.count)
        }
        return entry
    }

    /// An entry unpacked.
    package func copy(_ number: Int) -> TransactionCopy {
        let entry = entries[number]
        var copy = TransactionCopy()
        copy.identifier = entry.identifier
        copy.original = entry.original
        copy.webOrder = entry.webOrder
        copy.purchaseDate = purchaseDate(of: entry)
        copy.expiresDate = expiresDate(of: entry)
        copy.originalPurchaseDate = originalPurchaseDate(of: entry)
        copy.quantity = quantity(of: entry) ?? TransactionEntry.unknown
        copy.product = Int32(entry.product) - 1
        copy.answers = entry.answers
        copy.marks = entry.marks
        copy.facet = facets[Int(entry.facet)]
        if keepsAccounts { copy.account = accounts[number] }
        guard entry.extra > 0 else { return copy }
        copy.extra = extras[Int(entry.extra) - 1]
        let unknown = TransactionEntry.unknown
        copy.extra.quantity = unknown
        (copy.extra.purchaseDate, copy.extra.expiresDate, copy.extra.originalPurchaseDate) = (unknown, unknown, unknown)
        return copy
    }

    /// What an entry has beside what most have; `nil` where that is nothing.
    func extra(of entry: TransactionEntry) -> TransactionExtra? {
        entry.extra == 0 ? nil : extras[Int(entry.extra) - 1]
    }

    /// When it was bought, in milliseconds; ``TransactionEntry/unknown`` where no copy tells.
    package func purchaseDate(of entry: TransactionEntry) -> Int64 {
        let date = entry.instants.purchase
        return date == PackedInstants.elsewhere ? extras[Int(entry.extra) - 1].purchaseDate : date
    }

    /// When its service ends, in milliseconds; ``TransactionEntry/unknown`` where no copy tells.
    func expiresDate(of entry: TransactionEntry) -> Int64 {
        let date = entry.instants.expires
        return date == PackedInstants.elsewhere ? extras[Int(entry.extra) - 1].expiresDate : date
    }

    private func originalPurchaseDate(of entry: TransactionEntry) -> Int64 {
        let date = entry.instants.originalPurchase
        return date == PackedInstants.elsewhere ? extras[Int(entry.extra) - 1].originalPurchaseDate : date
    }

    /// The number of units of an entry, where it is known.
    func quantity(of entry: TransactionEntry) -> Int64? {
        switch entry.quantity {
        case 255: nil
        case 254: extras[Int(entry.extra) - 1].quantity
        default: Int64(entry.quantity)
        }
    }

    // MARK: - Facets

    private var lastFacet: (facet: TransactionFacet, number: UInt32) = (TransactionFacet(), 0)

    private mutating func number(of facet: TransactionFacet) -> UInt32 {
        if lastFacet.facet == facet { return lastFacet.number }
        let number = facetNumbers[facet] ?? UInt32(facets.count)
        if number == facets.count {
            facets.append(facet)
            facetNumbers[facet] = number
        }
        lastFacet = (facet, number)
        return number
    }

    // MARK: - The index

    /// What identifies a transaction: its id, else its original id and line item.
    private struct Key {
        let identifier: Int64
        var original: Int64 = 0
        var webOrder: Int64 = 0

        init(_ entry: TransactionEntry) {
            self.init(entry.identifier, entry.original, entry.webOrder)
        }

        init(_ copy: TransactionCopy) {
            self.init(copy.identifier, copy.original, copy.webOrder)
        }

        /// Without an id, the other two are known.
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

    /// Where the search for an id begins.
    private func firstSlot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

    /// The bits of a slot that hold a number.
    private var numberMask: UInt32 { UInt32(truncatingIfNeeded: slots.count - 1) }

    /// What a slot holds above the number: bits of the hash that its place does not tell.
    private func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~numberMask }

    /// The number of the entry that a slot tells.
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

    /// Brings near what will be looked at for an id: the slot first, and in a second call, a while later, the entry. Both
    /// are somewhere in tables larger than the caches, and waiting for one after the other is most of what a copy costs.
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

    /// Whether so many slots are enough for one more entry: they are not too full, and the entry's number fits below the bits of
    /// the hash, also where thousands without a slot came before it.
    private func isRoomy(_ slotCount: Int) -> Bool { joined * 3 < slotCount * 2 && entries.count + 1 < slotCount }

    private mutating func growSlots() {
        var count = slots.count * 2
        while !isRoomy(count) { count *= 2 }
        slots = Array(repeating: 0, count: count)
        let mask = count - 1
        for number in 0..<entries.count where !entries[number].isAlone {
            let hash = hash(of: Key(entries[number]))
            // No two entries have one key, so the first place that is free is the one.
            var slot = firstSlot(hash)
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = tag(hash) | UInt32(number + 1)
        }
    }

    /// Gives back the memory of the index, after the last copy.
    mutating func dropIndex() {
        slots = []
        facetNumbers = [:]
    }

    /// Bytes that an entry takes, that of the index at its emptiest and of its place in an order among them.
    package static let bytesPerEntry = MemoryLayout<TransactionEntry>.stride + 12 + 4

    /// Bytes that the table takes, and those of an order of its entries.
    var footprint: Int {
        entries.count * (MemoryLayout<TransactionEntry>.stride + (keepsAccounts ? 12 : 4)) + slots.count * 4
            + extras.capacity * MemoryLayout<TransactionExtra>.stride
            + facets.count * 3 * MemoryLayout<TransactionFacet>.stride
    }
}
