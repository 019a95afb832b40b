import Testing
import TillColumns
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("The ledger against a second implementation")
struct LedgerModelTests {
    static let seeds: ClosedRange<UInt64> = 1...120

    // MARK: Duplicates

    private static func isLocal(_ row: Row<TransactionColumn>) -> Bool {
        ["xcode", "local_testing"].contains(row[.environment]?.text)
    }

    /// What identifies a row; `nil` for one that is never joined.
    private static func identity(_ row: Row<TransactionColumn>) -> [RowValue]? {
        if isLocal(row) { return nil }
        if let identifier = row[.transactionID] { return [identifier] }
        guard let original = row[.originalTransactionID], let line = row[.webOrderLineItemID] else { return nil }
        return [original, line]
    }

    /// A row as the ledger reads it: an id of 0 is none, and what its source cannot know is not known.
    private static func read(_ row: Row<TransactionColumn>) -> Row<TransactionColumn> {
        var read = row
        let identifiers: [TransactionColumn] = [
            .transactionID, .originalTransactionID, .webOrderLineItemID, .appTransactionID,
        ]
        for column in identifiers
        where row[column]?.text == "0" {
            read[column] = nil
        }
        if !(0...100_000).contains(row[.refundPercentage]?.number ?? 0) { read[.refundPercentage] = nil }
        if row[.isTrial] == true { read[.isIntro] = nil }
        let isRestored =
            read[.transactionID] != nil && read[.originalTransactionID] != nil
            && read[.transactionID] != read[.originalTransactionID]
            && row[.expiresDate] == nil && row[.productType]?.text != "auto_renewable"
        if isRestored { read[.originalPurchaseDate] = nil }
        return read
    }

    /// Columns that travel together, as one value each; the facts of the sale first.
    private static let facts: [[TransactionColumn]] = [
        [.environment], [.bundleID], [.productID], [.quantity], [.originalTransactionID], [.webOrderLineItemID],
        [.purchaseDate], [.originalPurchaseDate], [.expiresDate], [.isTrial], [.isIntro], [.ownershipType],
        [.price, .currency],
    ]
    private static let otherValues: [[TransactionColumn]] = [
        [.productType], [.storefront], [.offerID, .offerType], [.appTransactionID], [.subscriptionGroupID],
    ]
    /// One value too, which any document may tell.
    private static let cancellation: [TransactionColumn] = [.cancellationDate, .cancellationReason, .refundPercentage]

    private static func rank(_ row: Row<TransactionColumn>) -> Int {
        switch row[.trust]?.text {
        case "trusted": 2
        case "unanchored": 1
        default: 0
        }
    }

    private static func isSmaller(_ left: RowValue, _ right: RowValue, _ column: TransactionColumn) -> Bool {
        if let left = left.number, let right = right.number { return left < right }
        let environments = ["local_testing", "xcode", "sandbox", "production"]
        if column == .environment {
            let ranks = [left, right].map { environments.firstIndex(of: $0.text ?? "") ?? -1 }
            if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
        }
        let (first, second) = (Array((left.text ?? "").utf8), Array((right.text ?? "").utf8))
        if column.type == .identifier, first.count != second.count { return first.count < second.count }
        return first.lexicographicallyPrecedes(second)
    }

    private static func isSmaller(_ left: [RowValue?], _ right: [RowValue?], _ columns: [TransactionColumn]) -> Bool {
        let isComplete = [left, right].map { !$0.contains(nil) }
        if isComplete[0] != isComplete[1] { return isComplete[1] }
        for (index, column) in columns.enumerated() where left[index] != right[index] {
            guard let mine = left[index], let theirs = right[index] else { return left[index] == nil }
            return isSmaller(mine, theirs, column)
        }
        return false
    }

    /// Whether some of the values of a fact contradict each other.
    private static func isConflict(_ values: Set<[RowValue?]>, _ columns: [TransactionColumn]) -> Bool {
        let dates = values.compactMap { $0[0]?.number }
        switch columns[0] {
        case .purchaseDate, .expiresDate:
            return (dates.max() ?? 0) - (dates.min() ?? 0) > 1000
        case .originalPurchaseDate:
            return (dates.max() ?? 0) - (dates.min() ?? 0) > 24 * 60 * 60 * 1000
        default: return values.count > 1
        }
    }

    /// All duplicates of one transaction, joined.
    private static func join(_ duplicates: [Row<TransactionColumn>]) -> JoinedRow {
        var joined = JoinedRow(row: [:])
        joined.row[.transactionID] = duplicates[0][.transactionID]
        for (columns, isFact) in facts.map({ ($0, true) }) + otherValues.map({ ($0, false) }) {
            let known = duplicates.filter { row in columns.contains { row[$0] != nil } }
            guard let best = known.map(rank).max() else { continue }
            func value(_ row: Row<TransactionColumn>) -> [RowValue?] { columns.map { row[$0] } }
            let chosen = known.filter { rank($0) == best }.map(value).max { isSmaller($0, $1, columns) }
            for (column, value) in zip(columns, chosen ?? []) { joined.row[column] = value }
            guard isFact, isConflict(Set(known.map(value)), columns) else { continue }
            joined.hasConflict = true
            if Set(known.map(rank)).count > 1 { joined.isChangedByLessTrusted = true }
        }
        func largest(_ column: TransactionColumn) -> RowValue? {
            duplicates.compactMap { $0[column]?.number }.max().map { .number($0) }
        }
        for column: TransactionColumn in [.refundReversedAt, .isUpgraded] { joined.row[column] = largest(column) }
        let cancellations = duplicates.map { row in cancellation.map { row[$0] } }
        let last = cancellations.max { isSmaller($0, $1, cancellation) }
        for (column, value) in zip(cancellation, last ?? []) { joined.row[column] = value }
        // A date in whole seconds, and complete values, are compared between documents of different trust.
        let known = duplicates.filter { row in cancellation.contains { row[$0] != nil } }
        func second(_ row: Row<TransactionColumn>) -> Int64? {
            row[.cancellationDate]?.number?.dividedFloor(by: 1000)
        }
        let complete = known.filter { row in cancellation.allSatisfy { row[$0] != nil } }
        let values = complete.map { row in
            [second(row), row[.cancellationReason]?.number, row[.refundPercentage]?.number]
        }
        let differ = Set(known.compactMap(second)).count > 1 || Set(values).count > 1
        if differ, Set(known.map(rank)).count > 1 { joined.isChangedByLessTrusted = true }
        joined.row[.observedAt] = duplicates.filter { $0[.cancellationDate] != nil }
            .compactMap { $0[.observedAt]?.number ?? $0[.cancellationDate]?.number }.max().map { .number($0) }
        return joined
    }

    private static func joined(_ rows: [Row<TransactionColumn>]) -> [JoinedRow] {
        let rows = rows.map(read)
        let named = Dictionary(grouping: rows.filter { identity($0) != nil }, by: identity)
        return rows.filter { identity($0) == nil }.map { join([$0]) } + named.values.map { join($0) }
    }

    private static func counted(_ rows: [JoinedRow]) -> [JoinedRow: Int] {
        rows.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test("Duplicates are joined as the rule says, field by field", arguments: Seeds.some(of: seeds))
    func joins(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(.random(in: 1...60, using: &generator), from: &generator)
        #expect(Self.counted(kept(rows)) == Self.counted(Self.joined(rows)))
    }

    @Test("Entering every duplicate once more changes nothing", arguments: Seeds.some(of: seeds))
    func idempotent(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(40, from: &generator).filter { Self.identity(Self.read($0)) != nil }
        let again = (rows + rows).shuffled(using: &generator)
        #expect(!rows.isEmpty)
        #expect(Set(kept(again)) == Set(kept(rows)))
        #expect(kept(rows + rows) == kept(rows))
    }

    @Test("Joining joined rows gives the same as joining all duplicates, in any tree", arguments: Seeds.some(of: seeds))
    func associative(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(60, from: &generator)
        var ledgers = rows.map { row in
            var ledger = Ledger(keepsSubscriptionGroups: true)
            ledger.update(with: Rows(transactions: [row]).batch())
            return LedgerBox(ledger)
        }
        while ledgers.count > 1 {
            let first = ledgers.remove(at: Int.random(in: ledgers.indices, using: &generator))
            ledgers[Int.random(in: ledgers.indices, using: &generator)].ledger.merge(first.ledger)
        }
        let merged = ledgers[0].ledger.transactions.rows(ledgers[0].ledger.texts)
        #expect(Self.counted(merged) == Self.counted(Self.joined(rows)))
    }

    // MARK: Kinds, refunds, sales

    private struct Model {
        let rows: [Row<TransactionColumn>]
        let consumables: Set<String>
        let renewables: Set<String>

        private func isConsumable(_ row: Row<TransactionColumn>) -> Bool {
            row[.productID]?.text.map(consumables.contains) ?? false
        }

        private func isSubscription(_ row: Row<TransactionColumn>) -> Bool {
            guard !isConsumable(row) else { return false }
            let isRenewable = row[.productID]?.text.map(renewables.contains) ?? false
            return isRenewable || row[.expiresDate] != nil || row[.productType]?.text == "auto_renewable"
        }

        private func isBookable(_ row: Row<TransactionColumn>) -> Bool {
            [nil, "production"].contains(row[.environment]?.text) && row[.ownershipType]?.text != "family_shared"
        }

        /// The charge that a row is of, where it is one of a subscription and has enough values.
        private func billingEvent(_ row: Row<TransactionColumn>) -> [RowValue?]? {
            guard isSubscription(row), let chain = row[.originalTransactionID] ?? row[.transactionID] else {
                return nil
            }
            if let line = row[.webOrderLineItemID] { return [chain, line] }
            guard let purchase = row[.purchaseDate] else { return nil }
            return [chain, purchase, row[.expiresDate]]
        }

        /// The bookable rows of each charge, its sale first.
        private var charges: [[Int]] {
            let numbers = rows.indices.filter { isBookable(rows[$0]) && billingEvent(rows[$0]) != nil }
            return Dictionary(grouping: numbers) { billingEvent(rows[$0]) }.values.map { charge in
                charge.sorted { precedes(rows[$0], rows[$1]) }
            }
        }

        private func precedes(_ left: Row<TransactionColumn>, _ right: Row<TransactionColumn>) -> Bool {
            let (first, second) = (left[.purchaseDate]?.number ?? .max, right[.purchaseDate]?.number ?? .max)
            if first != second { return first < second }
            guard let first = left[.transactionID] else { return false }
            guard let second = right[.transactionID] else { return true }
            return LedgerModelTests.isSmaller(first, second, .transactionID)
        }

        private func kind(_ number: Int, _ restores: Set<Int>) -> TransactionKind {
            let row = rows[number]
            if isConsumable(row) { return .purchase }
            let isNamed = row[.transactionID] != nil && row[.originalTransactionID] != nil
            let differs = isNamed && row[.originalTransactionID] != row[.transactionID]
            guard isSubscription(row) else { return differs ? .restore : .purchase }
            return restores.contains(number) ? .restore : differs ? .renewal : .purchase
        }

        private static func isRefund(_ row: Row<TransactionColumn>) -> Bool {
            if row[.cancellationDate] == nil { return false }
            return row[.isUpgraded] != true || row[.refundPercentage] != nil
        }

        /// When a sale was refunded, how much of it, and when that was reversed, from all rows of its charge.
        private func refund(_ numbers: [Int]) -> String {
            let rows = numbers.map { self.rows[$0] }
            let refunds = rows.filter(Self.isRefund)
            func isSmaller(_ left: Row<TransactionColumn>, _ right: Row<TransactionColumn>) -> Bool {
                let parts = [left, right].map { row in LedgerModelTests.cancellation.map { row[$0] } }
                return LedgerModelTests.isSmaller(parts[0], parts[1], LedgerModelTests.cancellation)
            }
            let last: Row<TransactionColumn>? = refunds.max(by: isSmaller)
            guard let last, let date = last[.cancellationDate]?.number else {
                return rows.contains { $0[.isUpgraded] == true } ? "unquantified" : "none"
            }
            let seen = refunds.compactMap { $0[.observedAt]?.number }.max() ?? .min
            let reversal = rows.compactMap { $0[.refundReversedAt]?.number }.max() ?? .min
            let share = last[.refundPercentage]?.number ?? -1
            return "\(date) \(share)" + (reversal > seen ? " until \(reversal)" : "")
        }

        /// The bookable rows of a product that was bought once: the sale and those of other ids.
        private func duplicates(ofSale number: Int) -> [Int] {
            let sale = rows[number]
            guard let identifier = sale[.transactionID], !isSubscription(sale), !isConsumable(sale), isBookable(sale),
                sale[.originalTransactionID] ?? identifier == identifier
            else { return [number] }
            return rows.indices.filter { other in
                let row = rows[other]
                let isOther = row[.transactionID] != nil && row[.originalTransactionID] == identifier
                return other == number || isOther && isBookable(row) && !isSubscription(row) && !isConsumable(row)
            }
        }

        /// One line for each transaction that is booked.
        func lines() -> [String] {
            let charges = charges
            let restores = Set(charges.flatMap { $0.dropFirst() })
            let chargeOfSale = Dictionary(uniqueKeysWithValues: charges.map { ($0[0], $0) })
            let booked = rows.indices.filter { [nil, "production"].contains(rows[$0][.environment]?.text) }
            return booked.map { number in
                let row = rows[number]
                let isFamily = row[.ownershipType]?.text == "family_shared"
                let kind = kind(number, restores)
                let refund = refund(chargeOfSale[number] ?? duplicates(ofSale: number))
                let refunds = kind == .restore ? "" : " \(refund)"
                return "\(kind) \(row[.productID]?.text ?? "–") \(max(1, row[.quantity]?.number ?? 1))"
                    + " \(row[.purchaseDate]?.number ?? 0)\(refunds) \(kind != .restore && !isFamily)"
            }
            .sorted()
        }
    }

    private static func refund(of transaction: SettledTransaction) -> String {
        guard let date = transaction.refundDate else {
            return transaction.isUnquantifiedUpgrade ? "unquantified" : "none"
        }
        let reversal = transaction.refundReversalDate.map { " until \($0.milliseconds)" } ?? ""
        return "\(date.milliseconds) \(transaction.refundPercentage ?? -1)" + reversal
    }

    @Test("Kinds, units, refunds and sales are as the rules say", arguments: Seeds.some(of: seeds))
    func settles(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        // Which of several rows without ids is the sale of their charge depends on all that they say, which the model
        // does without: at most one row has none.
        let random = RandomRows.transactions(60, from: &generator)
        let named = random.filter { ![nil, "0"].contains($0[.transactionID]?.text) }
        let rows = named + random.filter { [nil, "0"].contains($0[.transactionID]?.text) }.prefix(1)
        let prices = try PriceList(rows: "coins,*,USD,0.99,,consumable\ngold,*,USD,9.99,0.49,auto_renewable\n")
        let lines = try Self.lines(
            Rows.settled(rows.map { Rows(transactions: [$0]) }, rules: LedgerRules(prices: prices))
        )
        let model = Model(rows: Self.joined(rows).map(\.row), consumables: ["coins"], renewables: ["gold"])
        #expect(!lines.isEmpty && lines == model.lines())
    }

    /// What is known of each transaction, in an order of its own.
    private static func lines(_ ledger: borrowing SettledLedger) throws -> [String] {
        var products: [Int: String] = [:]
        for code in 0..<ledger.texts.count { products[code] = ledger.text(of: code) }
        var lines: [String] = []
        try ledger.forEachTransaction { transaction in
            let product = transaction.product.flatMap { products[$0] }
            let refund = refund(of: transaction)
            lines.append(
                "\(transaction.kind) \(product ?? "–") \(transaction.units)"
                    + " \(transaction.purchaseDate?.milliseconds ?? 0)"
                    + (transaction.kind == .restore ? "" : " \(refund)")
                    + " \(transaction.isSale)"
            )
        }
        return lines.sorted()
    }

    /// A charge is looked for among some thousand transactions. With few of them, that is among all.
    @Test(
        "As many copies of some rows, with ids of their own, are as many times the same",
        arguments: Seeds.some(of: UInt64(1)...12)
    )
    func copies(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(60, from: &generator).filter {
            ![nil, "0"].contains($0[.transactionID]?.text)
        }
        let rules = LedgerRules(
            prices: try PriceList(rows: "coins,*,USD,0.99,,consumable\ngold,*,USD,9.99,0.49,auto_renewable\n")
        )
        let batch = Rows(transactions: rows)
        let lines = try Self.lines(batch.settled(rules: rules))
        #expect(!lines.isEmpty)
        let count = 400
        let copies = (0..<count).flatMap { copy in
            rows.map { row in
                var row = row
                for column: TransactionColumn in [.transactionID, .originalTransactionID, .webOrderLineItemID] {
                    guard let id = row[column]?.text, id != "0" else { continue }
                    row[column] = .text("\(1000 + copy)\(id)")
                }
                return row
            }
        }
        let expected = lines.flatMap { repeatElement($0, count: count) }
        for jobs in [1, 3] {
            let ledger = Rows(transactions: copies.shuffled(using: &generator)).settled(rules: rules, jobs: jobs)
            #expect(BucketedNumbers.bucketCount(for: ledger.table.count, size: BillingEvents.bucketSize) > 3)
            #expect(try Self.lines(ledger) == expected)
        }
    }
}

/// A ledger in a list.
private final class LedgerBox {
    var ledger: Ledger

    init(_ ledger: consuming Ledger) {
        self.ledger = ledger
    }
}
