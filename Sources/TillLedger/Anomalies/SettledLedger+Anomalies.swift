import TillColumns
import TillCore
import TillRows

/// A byte for each counted transaction, for the anomaly report.
public struct SaleNotes: Sendable {
    private struct Mark: OptionSet {
        let rawValue: UInt8
        static let isSale = Mark(rawValue: 1)
        /// A product that can be bought only once, or renews, and so identifies App Store accounts.
        static let isLasting = Mark(rawValue: 2)
        static let isConsumable = Mark(rawValue: 4)
    }

    private var marks: [Mark] = []
    /// The number of the first transaction that has a mark.
    private var start = 0

    /// Starts without notes; the first noted transaction may have any number.
    public init() {}

    /// Notes a transaction. Their numbers must ascend.
    public mutating func note(_ transaction: SettledTransaction) {
        var mark: Mark = []
        if transaction.isConsumable { mark.insert(.isConsumable) }
        if transaction.isSale { mark.insert(.isSale) }
        if transaction.isSubscription, !transaction.isConsumable { mark.insert(.isLasting) }
        if marks.isEmpty { start = transaction.number }
        extend(to: transaction.number)
        marks.append(mark)
    }

    /// Joins the notes of transactions with larger numbers.
    public mutating func join(_ others: SaleNotes) {
        guard !others.marks.isEmpty else { return }
        if marks.isEmpty { start = others.start }
        extend(to: others.start)
        marks += others.marks
    }

    /// Marks the transactions before a number that have no mark yet: they are not counted.
    private mutating func extend(to number: Int) {
        // No input can cause a failure here: a ledger numbers its transactions itself, and passes them in the order of
        // their numbers.
        precondition(number >= start + marks.count, "transactions are noted in the order of their numbers")
        while start + marks.count < number { marks.append([]) }
    }

    private func numbers(of mark: Mark) -> some Sequence<Int> {
        marks.indices.lazy.filter { marks[$0].contains(mark) }.map { start + $0 }
    }

    /// Numbers of sales.
    package var sales: some Sequence<Int> { numbers(of: .isSale) }

    /// Numbers of consumables, by the catalogue.
    var consumables: some Sequence<Int> { numbers(of: .isConsumable) }

    /// Whether a sale is of a subscription.
    func isLasting(_ number: Int) -> Bool { marks[number - start].contains(.isLasting) }
}

extension SettledLedger {
    /// Finds the anomalies in a ledger that is completely in memory.
    public func anomalies(among notes: SaleNotes) throws -> AnomalyFindings {
        var collector = AnomalyCollector()
        try collector.collect(self, notes)
        return try collector.finish()
    }

    /// Notes the anomalies of one transaction or one chain.
    func judge(_ notes: SaleNotes, _ odd: inout OddTransactions) {
        for number in 0..<table.count { judge(table.entries[number], &odd) }
        let unknown = TransactionEntry.unknown
        for number in notes.consumables {
            let entry = table.entries[number]
            guard entry.original != entry.identifier, entry.original != unknown, entry.identifier != unknown else {
                continue
            }
            odd.add(.consumableOriginal, entry.identifier)
        }
        forEachRepeated(among: notes) { entry in
            let expiresDate = table.expiresDate(of: entry)
            guard expiresDate != unknown, entry.original != unknown else { return nil }
            return (entry.original, table.purchaseDate(of: entry), expiresDate)
        } body: {
            odd.add(.sameCharge, $0)
        }
    }

    private func judge(_ entry: TransactionEntry, _ odd: inout OddTransactions) {
        let identifier = entry.identifier
        if table.hasConflict(entry) {
            odd.add(.conflictingCopies, identifier)
            for column in entry.marks.conflictingColumns { odd.add(conflict: column.name, identifier) }
            if table.changes(of: entry).contains(.cancellation) {
                odd.add(conflict: TransactionColumn.cancellationDate.name, identifier)
            }
        }
        if entry.marks.contains(.originalAfterPurchase) { odd.add(.originalAfterPurchase, identifier) }
        if entry.marks.contains(.observedBeforePurchase) { odd.add(.observedBeforePurchase, identifier) }
        if table.quantity(of: entry) ?? 0 > Anomaly.largestQuantity { odd.add(.largeQuantity, identifier) }
        let (unknown, purchaseDate) = (TransactionEntry.unknown, table.purchaseDate(of: entry))
        guard purchaseDate != unknown else { return }
        let expiresDate = table.expiresDate(of: entry)
        if expiresDate != unknown, expiresDate < purchaseDate { odd.add(.expiresBeforePurchase, identifier) }
        let cancelled = table.cancellation(of: entry).date(reversed: table.rare(.refundReversed, of: entry))
        if cancelled != unknown, cancelled < purchaseDate { odd.add(.refundBeforePurchase, identifier) }
    }

    /// Calls `body` with the id of every sale that has a `key` in common with another sale.
    private func forEachRepeated(
        among notes: SaleNotes,
        key: (TransactionEntry) -> (Int64, Int64, Int64)?,
        body: (Int64) -> Void
    ) {
        var keys: [(key: (Int64, Int64, Int64), number: Int)] = []
        for bucket in KeyBucket.all(of: notes.sales.count { key(table.entries[$0]) != nil }) {
            keys.removeAll(keepingCapacity: true)
            for number in notes.sales {
                if let key = key(table.entries[number]), bucket.contains(key.0) { keys.append((key, number)) }
            }
            keys.sort { $0.key < $1.key }
            for index in keys.indices {
                let isRepeated =
                    index > 0 && keys[index - 1].key == keys[index].key
                    || index + 1 < keys.count && keys[index + 1].key == keys[index].key
                if isRepeated { body(table.entries[keys[index].number].identifier) }
            }
        }
    }

    /// Words of the ids of sales whose line item another sale has too.
    func repeatedLines(among notes: SaleNotes) -> [Int64] {
        var repeated: [Int64] = []
        forEachRepeated(among: notes) { entry in
            entry.webOrder == TransactionEntry.unknown || entry.webOrder == 0 ? nil : (entry.webOrder, 0, 0)
        } body: {
            repeated.append($0)
        }
        return repeated
    }

    /// The line item of a sale, in a form that is comparable across parts.
    package func lineItemSale(_ number: Int) -> LineItemSale? {
        let entry = table.entries[number]
        guard entry.webOrder != TransactionEntry.unknown, entry.webOrder != 0 else { return nil }
        return LineItemSale(item: fingerprint(ofIdentifier: entry.webOrder), identifier: entry.identifier)
    }

    /// A value for an id that is the same in every dictionary: the number, or a hash of the text.
    func fingerprint(ofIdentifier word: Int64) -> UInt128 {
        guard let code = Identifier(word: word).code else { return UInt128(word) }
        return texts.withBytes(of: code, TextDictionary.fingerprint)
    }

    /// The sales of a bucket that were made for accounts of the seller.
    package func accountSales(among notes: SaleNotes, in bucket: KeyBucket) -> [AccountSale] {
        guard table.keepsAccounts else { return [] }
        var sales: [AccountSale] = []
        for number in notes.sales {
            let account = table.accounts[number]
            guard account != 0, bucket.contains(Int64(bitPattern: account)) else { continue }
            let entry = table.entries[number]
            let type = table.sharedValues[Int(entry.shared)][.productType]
            let isOnce = notes.isLasting(number) || type == Word.nonConsumable.rawValue
            var sale = AccountSale(account: account, chain: chainFingerprint(of: entry, number: number))
            let appTransaction = table.rare(.appTransaction, of: entry)
            if appTransaction != TransactionEntry.unknown {
                sale.appTransaction = fingerprint(ofIdentifier: appTransaction)
            }
            sale.product = isOnce ? Int32(entry.product) : 0
            sale.date = table.purchaseDate(of: entry)
            sale.identifier = entry.identifier
            sales.append(sale)
        }
        return sales
    }

    /// Buckets of ``accountSales(among:in:)`` of some thousands each.
    package func accountBuckets(of notes: SaleNotes) -> [KeyBucket] {
        table.keepsAccounts ? KeyBucket.all(of: notes.sales.count { table.accounts[$0] != 0 }) : []
    }

    private func chainFingerprint(of entry: TransactionEntry, number: Int) -> UInt128 {
        guard entry.chain == TransactionEntry.unknown else { return fingerprint(ofIdentifier: entry.chain) }
        // A separate chain, also across parts and shares.
        let place = UInt128(rules.share ?? 0) << 96 | UInt128(origin?.number ?? 0) << 64
        return UInt128(1) << 127 | place | UInt128(number)
    }
}
