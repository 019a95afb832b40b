import TillColumns
import TillCore
import TillRows
import TillThreads

/// Counts charges that Apple has given two original ids: billing events of production with the same line item, product,
/// purchase date and expiry.
///
/// They are in different chains. So the charges of all partitions are partitioned again, by their digests; of a ledger
/// in memory only the line items are compared first.
public struct SameLineItems: Sendable {
    /// The charges with several original ids.
    public private(set) var count = 0
    private var shared: (any SharedSales)?

    /// Starts without charges.
    public init() {}

    /// Looks for charges in a part of a ledger.
    public mutating func collect(_ part: borrowing SettledLedger) throws {
        guard let partitions = part.origin?.partitions else {
            count += part.sameLineItems()
            return
        }
        let shared = try self.shared ?? partitions.makeSharedSales()
        try shared.add(part.lineItems(), of: part)
        self.shared = shared
    }

    /// Compares the charges of all partitions, after the last one.
    public mutating func closeParts() throws {
        guard let shared else { return }
        self.shared = nil
        try shared.forEachGroup { lines, _, _ in count += LineItemSale.groupCount(&lines) }
    }
}

extension LineItemSale {
    /// The number of items that several sales have.
    fileprivate static func groupCount(_ sales: inout [LineItemSale]) -> Int {
        sales.sort { $0.item < $1.item }
        return sales.indices.count { index in
            index > 0 && sales[index - 1].item == sales[index].item
                && (index == 1 || sales[index - 2].item != sales[index].item)
        }
    }
}

extension SettledLedger {
    /// The number of charges that several chains have, in a ledger that is completely in memory.
    fileprivate func sameLineItems() -> Int {
        let bucketCount = BucketedNumbers.bucketCount(for: table.count, size: BillingEvents.bucketSize)
        let products = ProductCache(rules, texts: texts)
        let buckets = BucketedNumbers(among: table.ranges(for: jobs), bucketCount: bucketCount, products) {
            number,
            products in hasLineItem(number, &products) ? table.entries[number].webOrder : nil
        }
        let width = min(jobs, buckets.bucketCount)
        let counts = concurrentMap(width, width: width) { first in
            var count = 0
            var items: [(item: Int64, number: UInt32)] = []
            for bucket in stride(from: first, to: buckets.bucketCount, by: width) {
                items.removeAll(keepingCapacity: true)
                for number in buckets[bucket] { items.append((table.entries[Int(number)].webOrder, number)) }
                items.sort { $0.item < $1.item }
                var repeated: [LineItemSale] = []
                for index in items.indices {
                    let isRepeated =
                        index > 0 && items[index - 1].item == items[index].item
                        || index + 1 < items.count && items[index + 1].item == items[index].item
                    if isRepeated { repeated.append(charge(Int(items[index].number))) }
                }
                count += LineItemSale.groupCount(&repeated)
            }
            return count
        }
        return counts.reduce(0, +)
    }

    /// The charges of a partition that have a line item.
    fileprivate func lineItems() -> [LineItemSale] {
        var products = ProductCache(rules, texts: texts)
        return (0..<table.count).compactMap { hasLineItem($0, &products) ? charge($0) : nil }
    }

    /// Whether a transaction is the sale of a charge that has a line item of production.
    private func hasLineItem(_ number: Int, _ products: inout ProductCache) -> Bool {
        let entry = table.entries[number]
        guard entry.webOrder != TransactionEntry.unknown else { return false }
        let shared = table.sharedValues[Int(entry.shared)]
        return shared[.environment] == Word.production.rawValue && environments.words.contains("production")
            && shared[.ownership] != Word.familyShared.rawValue
            && BillingEvents.isSubscription(entry, table, products.type(of: entry.product))
            && !isRestoredCharge(number)
    }

    /// The line item, the product, the purchase date and the expiry of a charge, in a form that is comparable across
    /// parts.
    private func charge(_ number: Int) -> LineItemSale {
        let entry = table.entries[number]
        var digest = fingerprint(ofIdentifier: entry.webOrder)
        let product = entry.product == 0 ? 0 : texts.withBytes(of: Int(entry.product) - 1, TextDictionary.fingerprint)
        let dates = [table.purchaseDate(of: entry), table.expiresDate(of: entry)]
        for word in [product] + dates.map({ UInt128(UInt64(bitPattern: $0)) }) {
            digest = (digest ^ word) &* 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
            digest ^= digest >> 64
        }
        return LineItemSale(item: digest, identifier: TransactionEntry.unknown)
    }
}
