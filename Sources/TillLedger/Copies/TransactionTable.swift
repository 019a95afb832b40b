import CKernels
import TillColumns
import TillRows

/// Every transaction once, with all that its copies tell.
///
///     slots   [ · | 3 | · | 1 | 2 | · | · | · ]     numbers of entries plus one, by hash of the id, under other bits of the hash
///     entries [ 1 ][ 2 ][ 3 ] …                     in order of arrival
///
/// A slot has more bits than numbers need as long as there are no billions of them. Those above hold a part of the hash, so that
/// only one entry, that of the id, is looked at: entries lie in memory that is slow to reach.
///
/// Copies are joined field by field: known beats not known, and where two known values differ the larger counts and
/// the transaction is marked. Every field is thus a maximum, every flag an OR; joining is commutative, associative and
/// idempotent, and the order in which documents arrive is of no consequence.
struct TransactionTable: ~Copyable {
    private(set) var entries = SegmentedArray<TransactionEntry>()
    private(set) var extras: [TransactionExtra] = []
    private(set) var facets: [TransactionFacet] = [TransactionFacet()]
    private var facetNumbers: [TransactionFacet: UInt32] = [TransactionFacet(): 0]
    private var slots: [UInt32] = Array(repeating: 0, count: 1 << 12)
    /// Drawn at random, so that nobody can choose ids that all meet in one slot.
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    private var joined = 0
    /// What stands for the account that each transaction was made for, entry by entry; 0 where none is told.
    private(set) var accounts = SegmentedArray<UInt64>()
    let keepsAccounts: Bool

    /// - Parameter keepsAccounts: whether ``accounts`` is filled, 8 bytes for each transaction.
    init(keepsAccounts: Bool = false) {
        self.keepsAccounts = keepsAccounts
    }

    var count: Int { entries.count }

    /// Enters one copy of a transaction; the number of its entry.
    @discardableResult
    mutating func enter(_ copy: TransactionCopy, in texts: borrowing TextDictionary) -> Int {
        guard !copy.entry.flags.contains(.isAlone) else {
            append(copy)
            return entries.count - 1
        }
        if !isRoomy(slots.count) { growSlots() }
        let hash = hash(of: copy.entry.identifier)
        let slot = slot(of: copy.entry.identifier, hash)
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
        var entry = copy.entry
        entry.facet = number(of: copy.facet)
        if let extra = copy.extra {
            extras.append(extra)
            entry.extra = UInt32(extras.count)
        }
        entries.append(entry)
        if keepsAccounts { accounts.append(copy.account) }
    }

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

    private func slot(of identifier: Int64, _ hash: UInt64) -> Int {
        let (mask, tag) = (slots.count - 1, tag(hash))
        var slot = firstSlot(hash)
        while slots[slot] != 0 {
            let found = slots[slot]
            if found & ~numberMask == tag, entries[number(in: found)].identifier == identifier { break }
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
        for number in 0..<entries.count where !entries[number].flags.contains(.isAlone) {
            let hash = hash(of: entries[number].identifier)
            // No two entries have one id, so the first place that is free is the one.
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
    static let bytesPerEntry = MemoryLayout<TransactionEntry>.stride + 12 + 4

    /// Bytes that the table takes, and those of an order of its entries.
    var footprint: Int {
        entries.count * (MemoryLayout<TransactionEntry>.stride + (keepsAccounts ? 12 : 4)) + slots.count * 4
            + extras.capacity * MemoryLayout<TransactionExtra>.stride
            + facets.count * 3 * MemoryLayout<TransactionFacet>.stride
    }

    // MARK: Joining

    private mutating func join(_ copy: TransactionCopy, into number: Int, in texts: borrowing TextDictionary) {
        let old = entries[number]
        let new = copy.entry
        var merged = old
        var marks = old.marks.union(new.marks)
        merged.original = Self.largerIdentifier(old.original, new.original, in: texts, .original, &marks)
        merged.webOrder = Self.largerIdentifier(old.webOrder, new.webOrder, in: texts, .webOrder, &marks)
        merged.purchaseDate = Self.largerDate(old.purchaseDate, new.purchaseDate, .purchaseDate, &marks)
        merged.expiresDate = Self.largerDate(old.expiresDate, new.expiresDate, .expiresDate, &marks)
        let product = Self.largerText(Int32(old.product) - 1, Int32(new.product) - 1, in: texts, .product, &marks)
        merged.product = UInt32(product + 1)
        merged.flags.formUnion(new.flags)
        // Before the extras are joined, where a large quantity lies.
        let quantity = Self.larger(self.quantity(old), copy.quantity, .quantity, &marks)

        let oldFacet = facets[Int(old.facet)]
        if oldFacet != copy.facet {
            merged.facet = self.number(of: Self.join(oldFacet, copy.facet, in: texts, &marks))
        }
        if old.extra > 0 || copy.extra != nil {
            let oldExtra = old.extra > 0 ? extras[Int(old.extra) - 1] : TransactionExtra()
            let extra = Self.join(oldExtra, copy.extra ?? TransactionExtra(), in: texts, &marks)
            if old.extra > 0 {
                extras[Int(old.extra) - 1] = extra
            } else {
                extras.append(extra)
                merged.extra = UInt32(extras.count)
            }
        }
        if let quantity { setQuantity(quantity, of: &merged) }
        merged.marks = marks
        entries[number] = merged
        if keepsAccounts { accounts[number] = max(accounts[number], copy.account) }
    }

    private mutating func setQuantity(_ quantity: Int64, of entry: inout TransactionEntry) {
        guard !(0..<254).contains(quantity) else {
            entry.quantity = UInt8(quantity)
            return
        }
        entry.quantity = 254
        extras[Int(entry.extra) - 1].quantity = quantity
    }

    /// The number of units of an entry, where it is known.
    func quantity(_ entry: TransactionEntry) -> Int64? {
        switch entry.quantity {
        case 255: nil
        case 254: extras[Int(entry.extra) - 1].quantity
        default: Int64(entry.quantity)
        }
    }

    private static func join(
        _ old: TransactionFacet,
        _ new: TransactionFacet,
        in texts: borrowing TextDictionary,
        _ marks: inout TransactionMarks
    ) -> TransactionFacet {
        var merged = TransactionFacet()
        merged.environment = largerText(old.environment, new.environment, in: texts, .environment, &marks)
        merged.bundleID = largerText(old.bundleID, new.bundleID, in: texts, .bundleID, &marks)
        merged.productType = largerText(old.productType, new.productType, in: texts, .productType, &marks)
        merged.ownership = largerText(old.ownership, new.ownership, in: texts, .ownership, &marks)
        // The same transaction in a receipt of a later version is no conflict.
        merged.appVersion = largerText(old.appVersion, new.appVersion, in: texts, [], &marks)
        return merged
    }

    private static func join(
        _ old: TransactionExtra,
        _ new: TransactionExtra,
        in texts: borrowing TextDictionary,
        _ marks: inout TransactionMarks
    ) -> TransactionExtra {
        var merged = TransactionExtra()
        // The quantity has been compared, where it was small too.
        merged.quantity = larger(old.quantity, new.quantity, [], &marks)
        merged.cancellationDate = larger(old.cancellationDate, new.cancellationDate, .cancellationDate, &marks)
        // When something was seen differs from document to document; that is no conflict.
        merged.cancellationSeen = larger(old.cancellationSeen, new.cancellationSeen, [], &marks)
        merged.refundReversed = larger(old.refundReversed, new.refundReversed, [], &marks)
        merged.price = larger(old.price, new.price, .price, &marks)
        merged.currency = largerText(old.currency, new.currency, in: texts, .currency, &marks)
        merged.storefront = largerText(old.storefront, new.storefront, in: texts, .storefront, &marks)
        merged.offerID = largerText(old.offerID, new.offerID, in: texts, .offerID, &marks)
        return merged
    }

    private static func larger(
        _ left: Int64?,
        _ right: Int64?,
        _ field: TransactionMarks,
        _ marks: inout TransactionMarks
    ) -> Int64? {
        guard let left else { return right }
        guard let right else { return left }
        if left != right { marks.formUnion(field) }
        return max(left, right)
    }

    private static func largerDate(
        _ left: Int64,
        _ right: Int64,
        _ field: TransactionMarks,
        _ marks: inout TransactionMarks
    ) -> Int64 {
        if left == right { return left }
        if left != TransactionEntry.unknown, right != TransactionEntry.unknown { marks.formUnion(field) }
        return max(left, right)
    }

    private static func largerIdentifier(
        _ left: Int64,
        _ right: Int64,
        in texts: borrowing TextDictionary,
        _ field: TransactionMarks,
        _ marks: inout TransactionMarks
    ) -> Int64 {
        if left == right || right == TransactionEntry.unknown { return left }
        if left == TransactionEntry.unknown { return right }
        marks.formUnion(field)
        return Identifier(word: left).precedes(Identifier(word: right), in: texts) ? right : left
    }

    private static func largerText(
        _ left: Int32,
        _ right: Int32,
        in texts: borrowing TextDictionary,
        _ field: TransactionMarks,
        _ marks: inout TransactionMarks
    ) -> Int32 {
        if left == right || right < 0 { return left }
        if left < 0 { return right }
        marks.formUnion(field)
        return texts.precedes(Int(left), Int(right)) ? right : left
    }
}

/// One row on its way into the table.
struct TransactionCopy {
    var entry: TransactionEntry
    var facet = TransactionFacet()
    var extra: TransactionExtra?
    /// What stands for the account, 0 where none is told.
    var account: UInt64 = 0

    var quantity: Int64? {
        switch entry.quantity {
        case 255: nil
        case 254: extra?.quantity
        default: Int64(entry.quantity)
        }
    }

    mutating func set(quantity: Int64) {
        guard !(0..<254).contains(quantity) else {
            entry.quantity = UInt8(quantity)
            return
        }
        entry.quantity = 254
        extra = extra ?? TransactionExtra()
        extra?.quantity = quantity
    }
}
