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
    /// Looks for what is odd.
    ///
    /// Copies are judged in all environments, since a conflict about the environment itself takes a transaction out of
    /// the books; sales only where they are counted. Cost: a pass over the transactions and a sort of the sales.
    public func anomalies(among notes: SaleNotes) -> AnomalyFindings {
        var collector = AnomalyCollector()
        for number in 0..<table.count { judge(number, &collector) }
        for number in notes.consumables {
            let entry = table.entries[number]
            let unknown = TransactionEntry.unknown
            guard entry.original != entry.identifier, entry.original != unknown, entry.identifier != unknown else {
                continue
            }
            collector.add(.consumableOriginal, number)
        }
        collectRepeated(notes.sales, &collector)
        var findings = AnomalyFindings()
        for anomaly in Anomaly.allCases { findings.anomalies[anomaly] = count(collector.anomalies[anomaly] ?? []) }
        for (column, numbers) in collector.conflicts.sorted(by: { $0.key < $1.key }) {
            findings.conflicts.append((column, count(numbers)))
        }
        let accounts = accountAnomalies(notes)
        findings.accountCount = accounts.count
        findings.accounts = Array(accounts.prefix(AnomalyFindings.accountLimit))
        return findings
    }

    private func judge(_ number: Int, _ collector: inout AnomalyCollector) {
        let entry = table.entries[number]
        if entry.hasConflict {
            collector.add(.conflictingCopies, number)
            for column in entry.conflictingColumns { collector.conflicts[column, default: []].append(number) }
        }
        if entry.flags.contains(.originalAfterPurchase) { collector.add(.originalAfterPurchase, number) }
        if entry.marks.contains(.observedBeforePurchase) { collector.add(.observedBeforePurchase, number) }
        if table.quantity(entry) ?? 0 > Anomaly.largestQuantity { collector.add(.largeQuantity, number) }
        guard entry.purchaseDate != TransactionEntry.unknown else { return }
        if entry.expiresDate != TransactionEntry.unknown, entry.expiresDate < entry.purchaseDate {
            collector.add(.expiresBeforePurchase, number)
        }
        if entry.extra > 0, let cancelled = table.extras[Int(entry.extra) - 1].cancellationDate,
            cancelled < entry.purchaseDate
        {
            collector.add(.refundBeforePurchase, number)
        }
    }

    private func collectRepeated(_ sales: [Int], _ collector: inout AnomalyCollector) {
        let unknown = TransactionEntry.unknown
        let withLine = sales.filter { table.entries[$0].webOrder != unknown && table.entries[$0].webOrder != 0 }
        forEachRun(of: withLine.map { (table.entries[$0].webOrder, 0, 0, $0) }) { collector.add(.sameLineItem, $0) }
        let withoutLine = sales.filter { number in
            let entry = table.entries[number]
            return entry.webOrder == unknown && entry.expiresDate != unknown && entry.original != unknown
        }
        forEachRun(
            of: withoutLine.map { number in
                let entry = table.entries[number]
                return (entry.original, entry.purchaseDate, entry.expiresDate, number)
            }
        ) { collector.add(.sameCharge, $0) }
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

    private func accountAnomalies(_ notes: SaleNotes) -> [AccountAnomaly] {
        guard table.keepsAccounts else { return [] }
        var sales: [AccountSale] = []
        for (number, isLasting) in zip(notes.sales, notes.isLasting) where table.accounts[number] != 0 {
            let entry = table.entries[number]
            let type = table.facets[Int(entry.facet)].productType
            let isOnce = isLasting || type == Word.nonConsumable.rawValue
            sales.append(
                AccountSale(
                    account: table.accounts[number],
                    chain: chain(of: number),
                    product: isOnce ? Int32(entry.product) : 0,
                    date: entry.purchaseDate,
                    number: number
                )
            )
        }
        sales.sort { ($0.account, $0.chain, $0.date) < ($1.account, $1.chain, $1.date) }
        var found: [(account: UInt64, anomaly: AccountAnomaly)] = []
        for run in sales.chunks(where: { $0.account == $1.account }) {
            if let anomaly = anomaly(of: sales[run]) { found.append((sales[run.lowerBound].account, anomaly)) }
        }
        return found.sorted { left, right in
            let (mine, other) = (left.anomaly, right.anomaly)
            if mine.storeAccounts != other.storeAccounts { return mine.storeAccounts > other.storeAccounts }
            return mine.chains != other.chains ? mine.chains > other.chains : left.account < right.account
        }.map(\.anomaly)
    }

    /// What is odd about the sales of one account, sorted by chain and date; `nil` where nothing is.
    private func anomaly(of sales: ArraySlice<AccountSale>) -> AccountAnomaly? {
        var anomaly = AccountAnomaly()
        var products: [Int32: Int] = [:]
        var starts: [Int64] = []
        var ofChain: Set<Int32> = []
        var previous: Int64?
        for sale in sales {
            if sale.date != TransactionEntry.unknown {
                anomaly.first = min(anomaly.first, sale.date)
                anomaly.last = max(anomaly.last, sale.date)
            }
            if sale.chain != previous {
                previous = sale.chain
                ofChain.removeAll(keepingCapacity: true)
                anomaly.chains += 1
                if sale.date != TransactionEntry.unknown { starts.append(sale.date) }
            }
            // A chain can hold several products, each of which counts once.
            if sale.product > 0, ofChain.insert(sale.product).inserted { products[sale.product, default: 0] += 1 }
        }
        anomaly.storeAccounts = max(1, products.values.max() ?? 1)
        anomaly.mostInDay = Self.mostInDay(starts.sorted())
        guard anomaly.storeAccounts > 1 || anomaly.mostInDay >= AccountAnomaly.burst else { return nil }
        anomaly.examples = examples(of: sales.map(\.number))
        return anomaly
    }

    private static func mostInDay(_ sorted: [Int64]) -> Int {
        var (first, most) = (0, 0)
        for (index, date) in sorted.enumerated() {
            while date.subtractingReportingOverflow(sorted[first]).overflow
                || date - sorted[first] >= Timestamp.millisecondsPerDay
            {
                first += 1
            }
            most = max(most, index - first + 1)
        }
        return most
    }

    // MARK: Examples

    private func count(_ numbers: [Int]) -> AnomalyCount {
        AnomalyCount(transactions: numbers.count, examples: examples(of: numbers))
    }

    private func examples(of numbers: [Int]) -> [String] {
        var ids: [Identifier] = []
        for number in numbers where table.entries[number].identifier != TransactionEntry.unknown {
            let id = Identifier(word: table.entries[number].identifier)
            // Most come in no better than the worst of those that are kept.
            if ids.count == AnomalyFindings.exampleCount, let last = ids.last, !id.precedes(last, in: texts) {
                continue
            }
            guard !ids.contains(id) else { continue }
            let place = ids.firstIndex { id.precedes($0, in: texts) } ?? ids.count
            ids.insert(id, at: place)
            if ids.count > AnomalyFindings.exampleCount { ids.removeLast() }
        }
        return ids.map { $0.text(in: texts) }
    }
}

private struct AccountSale {
    var account: UInt64
    var chain: Int64
    /// The product's number in entries; 0 for one that can be bought again.
    var product: Int32
    var date: Int64
    var number: Int
}

private struct AnomalyCollector {
    var anomalies: [Anomaly: [Int]] = [:]
    var conflicts: [String: [Int]] = [:]

    mutating func add(_ anomaly: Anomaly, _ number: Int) { anomalies[anomaly, default: []].append(number) }
}

extension Array {
    /// Ranges of neighbours of which `belongs` holds.
    fileprivate func chunks(where belongs: (Element, Element) -> Bool) -> [Range<Int>] {
        var chunks: [Range<Int>] = []
        var start = 0
        for index in indices where index + 1 == count || !belongs(self[index], self[index + 1]) {
            chunks.append(start..<index + 1)
            start = index + 1
        }
        return chunks
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
