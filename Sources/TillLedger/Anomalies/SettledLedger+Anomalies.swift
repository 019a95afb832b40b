import TillColumns
import TillCore
import TillRows

/// What the anomaly report notes of the transactions that are counted.
public struct SaleNotes: Sendable {
    /// Numbers of sales.
    var sales: [Int] = []
    /// Of those, products that can be bought once only or renew, and so tell App Store accounts apart.
    var isLasting: [Bool] = []
    /// Numbers of consumables, by the catalogue.
    var consumables: [Int] = []

    public init() {}

    public mutating func note(_ transaction: SettledTransaction) {
        if transaction.isConsumable { consumables.append(transaction.number) }
        guard transaction.isSale else { return }
        sales.append(transaction.number)
        isLasting.append(transaction.isSubscription && !transaction.isConsumable)
    }
}

extension SettledLedger {
    /// Looks for what is odd in a ledger that is all in memory.
    public func anomalies(among notes: SaleNotes) throws -> AnomalyFindings {
        var collector = AnomalyCollector()
        try collector.collect(self, notes)
        return try collector.finish()
    }

    /// Notes what one transaction or one chain tells.
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
        let withoutLine = notes.sales.filter { number in
            let entry = table.entries[number]
            return entry.webOrder == unknown && entry.expiresDate != unknown && entry.original != unknown
        }
        forEachRun(
            of: withoutLine.map { number in
                let entry = table.entries[number]
                return (entry.original, entry.purchaseDate, entry.expiresDate, number)
            }
        ) { odd.add(.sameCharge, table.entries[$0].identifier) }
    }

    private func judge(_ entry: TransactionEntry, _ odd: inout OddTransactions) {
        let identifier = entry.identifier
        if entry.hasConflict {
            odd.add(.conflictingCopies, identifier)
            for column in entry.conflictingColumns { odd.add(conflict: column, identifier) }
        }
        if entry.flags.contains(.originalAfterPurchase) { odd.add(.originalAfterPurchase, identifier) }
        if entry.marks.contains(.observedBeforePurchase) { odd.add(.observedBeforePurchase, identifier) }
        if table.quantity(entry) ?? 0 > Anomaly.largestQuantity { odd.add(.largeQuantity, identifier) }
        guard entry.purchaseDate != TransactionEntry.unknown else { return }
        if entry.expiresDate != TransactionEntry.unknown, entry.expiresDate < entry.purchaseDate {
            odd.add(.expiresBeforePurchase, identifier)
        }
        if entry.extra > 0, let cancelled = table.extras[Int(entry.extra) - 1].cancellationDate,
            cancelled < entry.purchaseDate
        {
            odd.add(.refundBeforePurchase, identifier)
        }
    }

    /// Calls `body` with every number whose first three words another number has too.
    private func forEachRun(of keys: [(Int64, Int64, Int64, Int)], _ body: (Int) -> Void) {
        let sorted = keys.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
        for (index, key) in sorted.enumerated() {
            func equals(_ other: Int) -> Bool {
                sorted.indices.contains(other)
                    && (sorted[other].0, sorted[other].1, sorted[other].2)
                        == (key.0, key.1, key.2)
            }
            if equals(index - 1) || equals(index + 1) { body(key.3) }
        }
    }

    /// Words of the ids of sales whose line item another sale has too.
    func repeatedLines(among sales: [Int]) -> [Int64] {
        let unknown = TransactionEntry.unknown
        let withLine = sales.filter { table.entries[$0].webOrder != unknown && table.entries[$0].webOrder != 0 }
        var repeated: [Int64] = []
        forEachRun(of: withLine.map { (table.entries[$0].webOrder, 0, 0, $0) }) {
            repeated.append(table.entries[$0].identifier)
        }
        return repeated
    }

    /// The line item of a sale, told so that it can be compared with those of other parts.
    func line(of number: Int) -> AnomalyNotes.Line? {
        let entry = table.entries[number]
        guard entry.webOrder != TransactionEntry.unknown, entry.webOrder != 0 else { return nil }
        return AnomalyNotes.Line(item: fingerprint(ofIdentifier: entry.webOrder), identifier: entry.identifier)
    }

    /// What stands for an id in every dictionary: the number that it is, or what stands for its text.
    private func fingerprint(ofIdentifier word: Int64) -> UInt128 {
        guard let code = Identifier(word: word).code else { return UInt128(word) }
        return texts.withBytes(of: code, TextDictionary.fingerprint)
    }

    /// Sales made for accounts of the seller.
    func accountSales(among notes: SaleNotes) -> [AccountSale] {
        guard table.keepsAccounts else { return [] }
        var sales: [AccountSale] = []
        for (number, isLasting) in zip(notes.sales, notes.isLasting) where table.accounts[number] != 0 {
            let entry = table.entries[number]
            let type = table.facets[Int(entry.facet)].productType
            let isOnce = isLasting || type == Word.nonConsumable.rawValue
            sales.append(
                AccountSale(
                    account: table.accounts[number],
                    chain: chainFingerprint(of: entry, number: number),
                    product: isOnce ? Int32(entry.product) : 0,
                    date: entry.purchaseDate,
                    identifier: entry.identifier
                )
            )
        }
        return sales
    }

    private func chainFingerprint(of entry: TransactionEntry, number: Int) -> UInt128 {
        guard entry.chain == TransactionEntry.unknown else { return fingerprint(ofIdentifier: entry.chain) }
        // A chain of its own, also beside those of other parts.
        return UInt128(1) << 127 | UInt128(partNumber) << 64 | UInt128(number)
    }
}

extension TransactionEntry {
    /// Names of the columns in which copies differ.
    fileprivate var conflictingColumns: [String] {
        var names: [String] = []
        for (bit, column) in TransactionMarks.columns.enumerated() where marks.rawValue >> UInt16(bit) & 1 == 1 {
            names.append(column.name)
        }
        for (flag, column) in [
            (Flags.isTrial, TransactionColumn.isTrial), (.isIntro, .isIntro), (.isUpgraded, .isUpgraded),
        ]
        where flags.contains(flag) && flags.contains(flag.answer(0)) {
            names.append(column.name)
        }
        return names
    }
}
