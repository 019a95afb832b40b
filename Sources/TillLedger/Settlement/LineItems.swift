import CKernels
import TillColumns
import TillRows

/// Which subscription transactions are the same charge on another device.
///
/// Apple gives each charge of a subscription one `web_order_line_item_id`, and each device that shows it a transaction
/// id of its own. Of all transactions with one (original id, line item) the sale is the one with the smallest
/// (purchase date, transaction id); the others are restores. A row without a line item stands for itself.
struct LineItems: Sendable {
    /// Entries that are restores, bit by number.
    private var restores: [UInt64]
    private static let autoRenewable = Int32(Word.autoRenewable.rawValue)

    init(_ table: borrowing TransactionTable, texts: borrowing TextDictionary, _ products: inout ProductCache) {
        restores = Array(repeating: 0, count: (table.count + 63) / 64)
        // Room for an eighth of them all to be charges of their own, which is little where none is, and grows twice where half are.
        var slots: [UInt32] = Array(repeating: 0, count: Self.slotCount(for: table.count / 4))
        var used = 0
        for number in 0..<table.count {
            let ahead = number + Self.prefetchDistance
            if ahead < table.count, table.entries[ahead].webOrder != TransactionEntry.unknown {
                let slot = Self.firstSlot(of: table.entries[ahead], among: slots.count)
                slots.withUnsafeBufferPointer { if let base = $0.baseAddress { till_prefetch(base + slot) } }
            }
            let entry = table.entries[number]
            guard entry.webOrder != TransactionEntry.unknown, !entry.flags.contains(.isAlone),
                Self.isSubscription(entry, table.facets[Int(entry.facet)], products.type(of: entry.product))
            else { continue }
            if used * 2 >= slots.count { Self.grow(&slots, table) }
            let slot = Self.slot(of: entry, in: slots, table)
            guard slots[slot] > 0 else {
                slots[slot] = UInt32(number + 1)
                used += 1
                continue
            }
            let other = Int(slots[slot]) - 1
            let isEarlier = Self.precedes(entry, table.entries[other], in: texts)
            if isEarlier { slots[slot] = UInt32(number + 1) }
            mark(isEarlier ? other : number)
        }
    }

    func isRestore(_ number: Int) -> Bool {
        restores[number / 64] >> UInt64(number % 64) & 1 == 1
    }

    /// Whether a transaction is one of a subscription: it expires, or its receipt or the price list says that it
    /// renews. What the list calls a consumable is none, whatever the receipt says.
    static func isSubscription(_ entry: TransactionEntry, _ facet: TransactionFacet, _ type: ProductType?) -> Bool {
        switch type {
        case .consumable: false
        case .autoRenewable: true
        case .nonConsumable, .nonRenewing, nil:
            entry.expiresDate != TransactionEntry.unknown || facet.productType == autoRenewable
        }
    }

    /// Transactions between asking for a slot and looking at it.
    private static let prefetchDistance = 16

    private static func slotCount(for count: Int) -> Int {
        1 << max(10, Int.bitWidth - (max(1, count) - 1).leadingZeroBitCount)
    }

    private mutating func mark(_ number: Int) {
        restores[number / 64] |= 1 << UInt64(number % 64)
    }

    private static func slot(
        of entry: TransactionEntry,
        in slots: borrowing [UInt32],
        _ table: borrowing TransactionTable
    ) -> Int {
        let mask = slots.count - 1
        var slot = firstSlot(of: entry, among: slots.count)
        while slots[slot] > 0 {
            let other = table.entries[Int(slots[slot]) - 1]
            if other.webOrder == entry.webOrder, other.chain == entry.chain { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private static func firstSlot(of entry: TransactionEntry, among count: Int) -> Int {
        let key = UInt64(bitPattern: entry.chain) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: entry.webOrder)
        let product = key.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return Int(truncatingIfNeeded: product.high ^ product.low) & (count - 1)
    }

    private static func grow(_ slots: inout [UInt32], _ table: borrowing TransactionTable) {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for number in old where number > 0 {
            // No two of them are the same charge, so the first place that is free is the one.
            var slot = firstSlot(of: table.entries[Int(number) - 1], among: slots.count)
            while slots[slot] > 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = number
        }
    }

    private static func precedes(
        _ left: TransactionEntry,
        _ right: TransactionEntry,
        in texts: borrowing TextDictionary
    ) -> Bool {
        // A date that is not known comes last.
        let (leftDate, rightDate) = (date(left), date(right))
        if leftDate != rightDate { return leftDate < rightDate }
        return Identifier(word: left.identifier).precedes(Identifier(word: right.identifier), in: texts)
    }

    private static func date(_ entry: TransactionEntry) -> Int64 {
        entry.purchaseDate == TransactionEntry.unknown ? .max : entry.purchaseDate
    }
}
