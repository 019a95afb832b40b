import TillColumns
import TillRows

/// Every transaction once, with all that its copies tell.
///
///     slots   [ · | 3 | · | 1 | 2 | · | · | · ]     numbers of entries plus one, by hash of the id
///     entries [ 1 ][ 2 ][ 3 ] …                     in order of arrival
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
    private var joined = 0

    init() {}

    var count: Int { entries.count }

    /// Enters one copy of a transaction.
    mutating func enter(_ copy: TransactionCopy, in texts: borrowing TextDictionary) {
        guard !copy.entry.flags.contains(.isAlone) else { return append(copy) }
        if joined * 3 >= slots.count * 2 { growSlots() }
        let slot = self.slot(of: copy.entry.identifier)
        guard slots[slot] == 0 else { return join(copy, into: Int(slots[slot]) - 1, in: texts) }
        append(copy)
        slots[slot] = UInt32(entries.count)
        joined += 1
    }

    private mutating func append(_ copy: TransactionCopy) {
        var entry = copy.entry
        entry.facet = number(of: copy.facet)
        if let extra = copy.extra {
            extras.append(extra)
            entry.extra = UInt32(extras.count)
        }
        entries.append(entry)
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

    private func slot(of identifier: Int64) -> Int {
        let mask = slots.count - 1
        let product = UInt64(bitPattern: identifier).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while slots[slot] != 0, entries[Int(slots[slot]) - 1].identifier != identifier { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func growSlots() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for number in 0..<entries.count where !entries[number].flags.contains(.isAlone) {
            slots[slot(of: entries[number].identifier)] = UInt32(number + 1)
        }
    }

    /// Gives back the memory of the index, after the last copy.
    mutating func dropIndex() {
        slots = []
        facetNumbers = [:]
    }

    // MARK: Joining

    private mutating func join(_ copy: TransactionCopy, into number: Int, in texts: borrowing TextDictionary) {
        let old = entries[number]
        let new = copy.entry
        var merged = old
        var conflict = false
        merged.original = Self.largerIdentifier(old.original, new.original, in: texts, &conflict)
        merged.webOrder = Self.largerIdentifier(old.webOrder, new.webOrder, in: texts, &conflict)
        merged.purchaseDate = Self.larger(old.purchaseDate, new.purchaseDate, unknown: .min, &conflict)
        merged.expiresDate = Self.larger(old.expiresDate, new.expiresDate, unknown: .min, &conflict)
        let product = Self.largerText(Int32(old.product) - 1, Int32(new.product) - 1, in: texts, &conflict)
        merged.product = UInt32(product + 1)
        merged.flags.formUnion(new.flags)
        if merged.flags.isContradictory { conflict = true }
        // Before the extras are joined, where a large quantity lies.
        let quantity = Self.larger(self.quantity(old), copy.quantity, &conflict)

        let oldFacet = facets[Int(old.facet)]
        if oldFacet != copy.facet {
            var facet = TransactionFacet()
            facet.environment = Self.largerText(oldFacet.environment, copy.facet.environment, in: texts, &conflict)
            facet.bundleID = Self.largerText(oldFacet.bundleID, copy.facet.bundleID, in: texts, &conflict)
            facet.productType = Self.largerText(oldFacet.productType, copy.facet.productType, in: texts, &conflict)
            facet.ownership = Self.largerText(oldFacet.ownership, copy.facet.ownership, in: texts, &conflict)
            // The same transaction in a receipt of a later version is no conflict.
            var isCounted = false
            facet.appVersion = Self.largerText(oldFacet.appVersion, copy.facet.appVersion, in: texts, &isCounted)
            merged.facet = self.number(of: facet)
        }
        if old.extra > 0 || copy.extra != nil {
            let oldExtra = old.extra > 0 ? extras[Int(old.extra) - 1] : TransactionExtra()
            let extra = Self.join(oldExtra, copy.extra ?? TransactionExtra(), in: texts, &conflict)
            if old.extra > 0 {
                extras[Int(old.extra) - 1] = extra
            } else {
                extras.append(extra)
                merged.extra = UInt32(extras.count)
            }
        }
        if let quantity { setQuantity(quantity, of: &merged) }
        if conflict { merged.flags.insert(.hasConflict) }
        entries[number] = merged
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
        _ old: TransactionExtra,
        _ new: TransactionExtra,
        in texts: borrowing TextDictionary,
        _ conflict: inout Bool
    ) -> TransactionExtra {
        var merged = TransactionExtra()
        var isCounted = false
        merged.quantity = larger(old.quantity, new.quantity, &isCounted)
        merged.cancellationDate = larger(old.cancellationDate, new.cancellationDate, &conflict)
        // When something was seen differs from document to document; that is no conflict.
        merged.cancellationSeen = larger(old.cancellationSeen, new.cancellationSeen, &isCounted)
        merged.refundReversed = larger(old.refundReversed, new.refundReversed, &isCounted)
        merged.price = larger(old.price, new.price, &conflict)
        merged.currency = largerText(old.currency, new.currency, in: texts, &conflict)
        merged.storefront = largerText(old.storefront, new.storefront, in: texts, &conflict)
        merged.offerID = largerText(old.offerID, new.offerID, in: texts, &conflict)
        return merged
    }

    private static func larger(_ left: Int64?, _ right: Int64?, _ conflict: inout Bool) -> Int64? {
        guard let left else { return right }
        guard let right else { return left }
        if left != right { conflict = true }
        return max(left, right)
    }

    private static func larger(_ left: Int64, _ right: Int64, unknown: Int64, _ conflict: inout Bool) -> Int64 {
        if left == right { return left }
        if left != unknown, right != unknown { conflict = true }
        return max(left, right)
    }

    private static func largerIdentifier(
        _ left: Int64,
        _ right: Int64,
        in texts: borrowing TextDictionary,
        _ conflict: inout Bool
    ) -> Int64 {
        if left == right || right == TransactionEntry.unknown { return left }
        if left == TransactionEntry.unknown { return right }
        conflict = true
        return Identifier(word: left).precedes(Identifier(word: right), in: texts) ? right : left
    }

    private static func largerText(
        _ left: Int32,
        _ right: Int32,
        in texts: borrowing TextDictionary,
        _ conflict: inout Bool
    ) -> Int32 {
        if left == right || right < 0 { return left }
        if left < 0 { return right }
        conflict = true
        return texts.precedes(Int(left), Int(right)) ? right : left
    }
}

/// One row on its way into the table.
struct TransactionCopy {
    var entry: TransactionEntry
    var facet = TransactionFacet()
    var extra: TransactionExtra?

    var quantity: Int64? {
        switch entry.quantity {
        case 255: nil
        case 254: extra?.quantity
        default: Int64(entry.quantity)
        }
    }
}
