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
        if row[.cancellationDate] == nil { (read[.cancellationReason], read[.refundPercentage]) = (nil, nil) }
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
        case .price: return columns.indices.contains { part in Set(values.compactMap { $0[part] }).count > 1 }
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
            for (lesser, rows) in Dictionary(grouping: known, by: rank) where lesser < best {
                let values = Set(rows.map(value))
                let differs = values.contains { isConflict([$0, chosen ?? []], columns) }
                if differs || isConflict(values, columns) { joined.isChangedByLessTrusted = true }
            }
        }
        func largest(_ column: TransactionColumn) -> RowValue? {
            duplicates.compactMap { $0[column]?.number }.max().map { .number($0) }
        }
        joined.row[.refundReversedAt] = largest(.refundReversedAt)
        joinCancellations(of: duplicates, &joined)
        joined.row[.observedAt] = duplicates.filter { $0[.cancellationDate] != nil }
            .compactMap { $0[.observedAt]?.number ?? $0[.cancellationDate]?.number }.max().map { .number($0) }
        return joined
    }

    /// The cancellation that counts of rows with one: the date, the reason and the percentage.
    private static func cancellation(
        _ rows: [Row<TransactionColumn>],
        reversed: Int64
    ) -> (date: Int64, reason: Int64?, percentage: Int64?)? {
        let shown = rows.filter { $0[.cancellationDate] != nil }
        let percentage = shown.compactMap { $0[.refundPercentage]?.number }.max()
        let counted = shown.filter { $0[.refundPercentage] == nil || $0[.refundPercentage]?.number == percentage }
        let dates = counted.compactMap { $0[.cancellationDate]?.number }
        guard let earliest = dates.min(), let latest = dates.max() else { return nil }
        let isAnother = earliest < reversed && reversed < latest
        let reason = counted.compactMap { $0[.cancellationReason]?.number }.min()
        return (isAnother ? latest : earliest, reason, percentage)
    }

    private static func joinCancellations(of duplicates: [Row<TransactionColumn>], _ joined: inout JoinedRow) {
        let reversed = joined.row[.refundReversedAt]?.number ?? .min
        let ranks = Dictionary(grouping: duplicates, by: rank).sorted { $0.key > $1.key }
        func isUpgraded(_ rows: [Row<TransactionColumn>]) -> Int64? {
            rows.compactMap { $0[.isUpgraded]?.number }.max()
        }
        func cancels(_ rows: [Row<TransactionColumn>]) -> Bool {
            rows.contains { $0[.cancellationDate] != nil } || isUpgraded(rows) == 1
        }
        let upgrade = ranks.first { cancels($0.value) } ?? ranks.first { isUpgraded($0.value) != nil }
        let counted = upgrade.flatMap { isUpgraded($0.value) }
        joined.row[.isUpgraded] = counted.map { .number($0) }
        for (lesser, rows) in ranks where lesser < upgrade?.key ?? 0 && cancels(rows) {
            if isUpgraded(rows) ?? counted ?? 0 != counted ?? 0 { joined.isChangedByLessTrusted = true }
        }
        guard let shown = ranks.first(where: { $0.value.contains { $0[.cancellationDate] != nil } }),
            let value = cancellation(shown.value, reversed: reversed)
        else { return }
        joined.row[.cancellationDate] = .number(value.date)
        joined.row[.cancellationReason] = value.reason.map { .number($0) }
        joined.row[.refundPercentage] = value.percentage.map { .number($0) }
        for (lesser, rows) in ranks where lesser < shown.key {
            let seconds = rows.compactMap { $0[.cancellationDate]?.number?.dividedFloor(by: 1000) }
            guard !seconds.isEmpty else { continue }
            let shares = Set(rows.compactMap { $0[.refundPercentage]?.number })
            let reason = rows.compactMap { $0[.cancellationReason]?.number }.min()
            let isOtherReason = reason != nil && value.reason != nil && reason != value.reason
            let isOtherShare = !shares.isEmpty && shares != [value.percentage ?? 100_000]
            if shares.count > 1 || isOtherShare || isOtherReason || Set(seconds) != [value.date.dividedFloor(by: 1000)]
            {
                joined.isChangedByLessTrusted = true
            }
        }
    }

    /// The duplicates of each transaction.
    private static func duplicates(among rows: [Row<TransactionColumn>]) -> [[Row<TransactionColumn>]] {
        let rows = rows.map(read)
        let named = Dictionary(grouping: rows.filter { identity($0) != nil }, by: identity)
        return rows.filter { identity($0) == nil }.map { [$0] } + named.values
    }

    private static func joined(_ rows: [Row<TransactionColumn>]) -> [JoinedRow] { duplicates(among: rows).map(join) }

    /// The most trusted duplicates that show a cancellation.
    private static func cancelled(_ duplicates: [Row<TransactionColumn>]) -> [Row<TransactionColumn>] {
        let shown = duplicates.filter { $0[.cancellationDate] != nil }
        let best = shown.map(rank).max()
        return shown.filter { rank($0) == best }
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
        /// The cancellations of each row.
        let cancelled: [[Row<TransactionColumn>]]
        let consumables: Set<String> = ["coins"]
        let renewables: Set<String> = ["gold"]

        init(_ rows: [Row<TransactionColumn>]) {
            let duplicates = LedgerModelTests.duplicates(among: rows)
            self.rows = duplicates.map { LedgerModelTests.join($0).row }
            cancelled = duplicates.map(LedgerModelTests.cancelled)
        }

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
        private func refund(_ numbers: [Int], ofSale sale: Int) -> String {
            let rows = numbers.map { self.rows[$0] }
            let refunded = numbers.filter { Self.isRefund(self.rows[$0]) }
            let refunds = refunded.flatMap { cancelled[$0] }
            let reversal = rows.compactMap { $0[.refundReversedAt]?.number }.max() ?? .min
            guard let refund = LedgerModelTests.cancellation(refunds, reversed: reversal) else {
                return rows.contains { $0[.isUpgraded] == true } ? "unquantified" : "none"
            }
            let purchase = self.rows[sale][.purchaseDate]?.number ?? .min
            let isEarly = refund.date.dividedFloor(by: 1000) < purchase.dividedFloor(by: 1000)
            let seen = refunded.compactMap { self.rows[$0][.observedAt]?.number }.max() ?? .min
            return "\(isEarly ? purchase : refund.date) \(refund.percentage ?? -1)"
                + (reversal > seen ? " until \(reversal)" : "")
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
                let refund = refund(chargeOfSale[number] ?? duplicates(ofSale: number), ofSale: number)
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
        let model = Model(rows)
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
