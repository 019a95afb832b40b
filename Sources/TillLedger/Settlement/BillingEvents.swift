import CKernels
import TillColumns
import TillPricing
import TillRows
import TillThreads

/// Finds subscription transactions that are the same charge on different devices.
///
/// Apple gives each charge of a subscription one `web_order_line_item_id`, and a separate transaction id on each
/// device. The billing event of a row is (original id, line item); without a line item it is (original id, purchase
/// date, expiry), for which the purchase date must be known. The sale of an event is the first of its bookable rows by
/// (purchase date, transaction id), unknown ones last; the others are restores. A row that is not bookable, of the
/// sandbox or shared by a family member, has no part in this.
///
/// A product bought once has one billing event, its original id: the transaction with that id is the sale. Others of
/// its chain are restores, which may also have a refund.
struct BillingEvents: Sendable {
    /// Entries that are restores, bit by number.
    private var restores: [UInt64]
    /// The refund data of sales whose event has restores with refund data, by the sale's number.
    private var refunds: [UInt32: RefundDetails] = [:]
    private static let autoRenewable = Int32(Word.autoRenewable.rawValue)

    /// - Parameters:
    ///   - isBookable: whether rows with the shared values of a number can be booked.
    ///   - jobs: the number of threads that may work on it.
    init(
        _ table: borrowing TransactionTable,
        texts: borrowing TextDictionary,
        isBookable: [Bool],
        _ products: ProductCache,
        jobs: Int
    ) {
        let ranges = table.ranges(for: jobs)
        // The rows of a billing event are of one chain, and so in one bucket.
        let bucketCount = BucketedNumbers.bucketCount(for: table.count, size: Self.bucketSize)
        let buckets = BucketedNumbers(among: ranges, bucketCount: bucketCount, products) { number, products in
            let entry = table.entries[number]
            guard entry.chain != TransactionEntry.unknown, isBookable[Int(entry.shared)],
                Self.isSubscription(entry, table, products.type(of: entry.product))
            else { return nil }
            return entry.chain
        }
        let width = min(jobs, buckets.bucketCount)
        let parts = concurrentMap(width, width: width) { first in
            BillingEvents(of: stride(from: first, to: buckets.bucketCount, by: width), buckets, table, texts: texts)
        }
        self = parts[0]
        for part in parts.dropFirst() {
            for index in restores.indices { restores[index] |= part.restores[index] }
            refunds.merge(part.refunds) { known, _ in known }
        }
        collectRefundsOfRestores(in: table, ranges, isBookable: isBookable, products)
    }

    /// Rows of a bucket, on average. With its slots, a bucket fits the caches.
    static let bucketSize = 1024

    /// The charges of subscriptions in some buckets.
    private init(
        of bucketNumbers: some Sequence<Int>,
        _ buckets: BucketedNumbers,
        _ table: borrowing TransactionTable,
        texts: borrowing TextDictionary
    ) {
        restores = Array(repeating: 0, count: (table.count + 63) / 64)
        var slots: [UInt32] = []
        for bucket in bucketNumbers { enter(buckets[bucket], table, texts: texts, &slots) }
    }

    /// Finds the restores of one bucket.
    ///
    /// - Parameter slots: memory for its index.
    private mutating func enter(
        _ numbers: ArraySlice<UInt32>,
        _ table: borrowing TransactionTable,
        texts: borrowing TextDictionary,
        _ slots: inout [UInt32]
    ) {
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(0, count: Self.slotCount(for: numbers.count)))
        var hasRestores = false
        for index in numbers.indices {
            let ahead = index + Self.prefetchDistance
            if ahead < numbers.endIndex { till_prefetch(table.entries.address(of: Int(numbers[ahead]))) }
            let number = Int(numbers[index])
            guard let event = Event(of: table.entries[number], in: table) else { continue }
            let slot = Self.slot(of: event, in: slots, table)
            guard slots[slot] > 0 else {
                slots[slot] = UInt32(number + 1)
                continue
            }
            let other = Int(slots[slot]) - 1
            let isEarlier = table.precedes(number, other, in: texts)
            if isEarlier { slots[slot] = UInt32(number + 1) }
            mark(isEarlier ? other : number)
            hasRestores = true
        }
        if hasRestores { collectRefunds(of: numbers, table, slots) }
    }

    func isRestore(_ number: Int) -> Bool {
        restores[number / 64] >> UInt64(number % 64) & 1 == 1
    }

    /// The refund data from all rows of a sale's billing event; `nil` if the sale's own data is complete.
    func refund(ofSale number: Int) -> RefundDetails? { refunds.isEmpty ? nil : refunds[UInt32(number)] }

    /// Whether a transaction is of a subscription: it expires, or it is of a renewing type by its receipt or the price
    /// list. A consumable by the list is not, whatever the receipt says.
    static func isSubscription(
        _ entry: TransactionEntry,
        _ table: borrowing TransactionTable,
        _ type: ProductType?
    ) -> Bool {
        switch type {
        case .consumable: false
        case .autoRenewable: true
        case .nonConsumable, .nonRenewing, nil:
            entry.instants.knowsExpiry || table.sharedValues[Int(entry.shared)][.productType] == autoRenewable
        }
    }

    private mutating func mark(_ number: Int) {
        restores[number / 64] |= 1 << UInt64(number % 64)
    }

    /// Joins the refund data of the restores of a bucket with the data of their sales.
    private mutating func collectRefunds(
        of numbers: ArraySlice<UInt32>,
        _ table: borrowing TransactionTable,
        _ slots: borrowing [UInt32]
    ) {
        for number in numbers where isRestore(Int(number)) {
            let entry = table.entries[Int(number)]
            guard let details = RefundDetails(of: entry, in: table), let event = Event(of: entry, in: table) else {
                continue
            }
            let sale = slots[Self.slot(of: event, in: slots, table)] - 1
            let known = refunds[sale] ?? RefundDetails(of: table.entries[Int(sale)], in: table)
            refunds[sale] = known?.joined(with: details) ?? details
        }
    }

    /// Joins the refund data of restores of products bought once with the data of their sales.
    ///
    /// - Parameter ranges: the numbers of all transactions, each range for one thread.
    private mutating func collectRefundsOfRestores(
        in table: borrowing TransactionTable,
        _ ranges: [Range<Int>],
        isBookable: [Bool],
        _ products: ProductCache
    ) {
        func isBoughtOnce(_ entry: TransactionEntry, _ products: inout ProductCache) -> Bool {
            let type = products.type(of: entry.product)
            return isBookable[Int(entry.shared)] && type != .consumable && !Self.isSubscription(entry, table, type)
        }
        let found = concurrentMap(ranges.count, width: ranges.count) { part in
            var products = products
            var restored: [Int64: RefundDetails] = [:]
            for number in ranges[part] {
                let entry = table.entries[number]
                guard let details = RefundDetails(ofRestore: entry, in: table), isBoughtOnce(entry, &products) else {
                    continue
                }
                restored[entry.original] = restored[entry.original]?.joined(with: details) ?? details
            }
            return restored
        }
        let restored = found.dropFirst().reduce(into: found[0]) { all, part in
            all.merge(part) { $0.joined(with: $1) }
        }
        guard !restored.isEmpty else { return }
        let sales = concurrentMap(ranges.count, width: ranges.count) { part in
            var products = products
            var sales: [UInt32: RefundDetails] = [:]
            for number in ranges[part] {
                let entry = table.entries[number]
                guard entry.identifier == entry.chain, let details = restored[entry.identifier],
                    isBoughtOnce(entry, &products)
                else { continue }
                sales[UInt32(number)] = RefundDetails(of: entry, in: table)?.joined(with: details) ?? details
            }
            return sales
        }
        for part in sales { refunds.merge(part) { $1 } }
    }

    // MARK: - The index

    /// The key of a charge.
    private struct Event: Equatable {
        let chain: Int64
        /// The line item, or the date of the purchase.
        let first: Int64
        /// The expiry if there is no line item, else a number that is not a date.
        let second: Int64

        private static let noDate = TransactionEntry.unknown + 1

        init?(of entry: TransactionEntry, in table: borrowing TransactionTable) {
            let unknown = TransactionEntry.unknown
            guard entry.chain != unknown else { return nil }
            chain = entry.chain
            if entry.webOrder != unknown {
                (first, second) = (entry.webOrder, Self.noDate)
            } else {
                (first, second) = (table.purchaseDate(of: entry), table.expiresDate(of: entry))
                if first == unknown { return nil }
            }
        }

        /// Drawn for each run, so that input cannot aim its charges at one slot.
        private static let multiplier = UInt64.random(in: .min ... .max) | 1

        private static func mix(_ word: Int64) -> Int64 {
            let product = UInt64(bitPattern: word).multipliedFullWidth(by: multiplier)
            return Int64(bitPattern: product.high ^ product.low)
        }

        func firstSlot(among count: Int) -> Int {
            Int(Self.mix(Self.mix(Self.mix(chain) ^ first) ^ second)) & (count - 1)
        }
    }

    /// Transactions between the prefetch of an entry and its use.
    private static let prefetchDistance = 16

    /// A power of two, of which `count` charges fill at most half.
    private static func slotCount(for count: Int) -> Int { 1 << (Int.bitWidth - (2 * count).leadingZeroBitCount) }

    private static func slot(
        of event: Event,
        in slots: borrowing [UInt32],
        _ table: borrowing TransactionTable
    ) -> Int {
        let mask = slots.count - 1
        var slot = event.firstSlot(among: slots.count)
        while slots[slot] > 0, Event(of: table.entries[Int(slots[slot]) - 1], in: table) != event {
            slot = (slot + 1) & mask
        }
        return slot
    }
}

extension TransactionTable {
    /// Whether a row comes before another of its billing event: by purchase date, then by id, unknown ones last. Rows
    /// with equal date and id, which are never joined, are ordered by their other cells.
    fileprivate func precedes(_ left: Int, _ right: Int, in texts: borrowing TextDictionary) -> Bool {
        let (first, second) = (entries[left], entries[right])
        let unknown = TransactionEntry.unknown
        let dates = (purchaseDate(of: first), purchaseDate(of: second))
        if dates.0 != dates.1 { return dates.1 == unknown || dates.0 != unknown && dates.0 < dates.1 }
        if first.identifier != second.identifier {
            if first.identifier == unknown || second.identifier == unknown { return second.identifier == unknown }
            return Identifier(word: first.identifier).precedes(Identifier(word: second.identifier), in: texts)
        }
        return values(left).describesLess(than: values(right), in: texts)
    }
}

extension TransactionValues {
    /// An order of rows by all values that reports show.
    fileprivate func describesLess(than other: TransactionValues, in texts: borrowing TextDictionary) -> Bool {
        func differs(_ attribute: CodeAttribute) -> Bool { self[attribute] != other[attribute] }
        let firstTexts: [CodeAttribute] = [.product, .currency, .storefront, .offerID]
        if let attribute = (firstTexts + CodeAttribute.texts).first(where: differs) {
            let (mine, theirs) = (self[attribute], other[attribute])
            return mine < 0 || theirs >= 0 && texts.precedes(Int(mine), Int(theirs))
        }
        let numbers: [NumberAttribute] = [.quantity, .price, .expiresDate]
        for attribute in numbers where self[attribute] != other[attribute] { return self[attribute] < other[attribute] }
        if differs(.offerType) { return self[.offerType] < other[.offerType] }
        func cancellation(_ values: TransactionValues) -> (Int32, Int32, Int64) {
            let cancellation = values.rare.cancellation
            return (cancellation.reason, cancellation.percentage, cancellation.date(reversed: TransactionEntry.unknown))
        }
        if cancellation(self) != cancellation(other) { return cancellation(self) < cancellation(other) }
        if answers != other.answers { return answers.rawValue < other.answers.rawValue }
        let last: [NumberAttribute] = [.refundReversed, .webOrder, .originalPurchaseDate]
        for attribute in last where self[attribute] != other[attribute] { return self[attribute] < other[attribute] }
        return false
    }
}
