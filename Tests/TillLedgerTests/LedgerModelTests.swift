import Testing
import TillColumns
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("The ledger against a second implementation")
struct LedgerModelTests {
    static let seeds: ClosedRange<UInt64> = 1...120

    // MARK: Copies

    private static func isAlone(_ row: Row<TransactionColumn>) -> Bool {
        let environment = row[.environment]?.text
        let isLocal = environment == "xcode" || environment == "local_testing"
        return isLocal || row[.transactionID] == nil || row[.transactionID]?.text == "0"
    }

    /// Columns that copies may contradict each other in.
    private static let joinedColumns: [TransactionColumn] = [
        .originalTransactionID, .webOrderLineItemID, .purchaseDate, .expiresDate, .productID, .quantity, .isTrial,
        .isIntro, .isUpgraded, .environment, .bundleID, .productType, .ownershipType, .cancellationDate, .price,
        .currency, .storefront, .offerID,
    ]

    private static func larger(_ left: RowValue, _ right: RowValue, _ column: TransactionColumn) -> RowValue {
        if let left = left.number, let right = right.number { return .number(max(left, right)) }
        let (first, second) = (Array((left.text ?? "").utf8), Array((right.text ?? "").utf8))
        if column.type == .identifier, first.count != second.count { return first.count < second.count ? right : left }
        return first.lexicographicallyPrecedes(second) ? right : left
    }

    /// All copies of one transaction, joined.
    private static func join(_ copies: [Row<TransactionColumn>]) -> JoinedRow {
        var joined = JoinedRow(row: [:])
        joined.row[.transactionID] = copies[0][.transactionID]
        for column in joinedColumns {
            let values = Set(copies.compactMap { $0[column] })
            joined.row[column] = values.reduce(values.first) { best, value in best.map { larger($0, value, column) } }
            if values.count > 1 { joined.hasConflict = true }
        }
        let cancelled = copies.filter { $0[.cancellationDate] != nil }
        joined.row[.observedAt] = cancelled.compactMap { $0[.observedAt]?.number ?? $0[.cancellationDate]?.number }
            .max().map { .number($0) }
        joined.row[.refundReversedAt] = copies.compactMap { $0[.refundReversedAt]?.number }.max().map { .number($0) }
        return joined
    }

    private static func joined(_ rows: [Row<TransactionColumn>]) -> [JoinedRow] {
        let named = Dictionary(grouping: rows.filter { !isAlone($0) }) { $0[.transactionID] }
        return rows.filter(isAlone).map { join([$0]) } + named.values.map { join($0) }
    }

    private static func counted(_ rows: [JoinedRow]) -> [JoinedRow: Int] {
        rows.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test("Copies are joined as the rule says, field by field", arguments: seeds)
    func joins(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(.random(in: 1...60, using: &generator), from: &generator)
        #expect(Self.counted(kept(rows)) == Self.counted(Self.joined(rows)))
    }

    @Test("Entering every copy once more changes nothing", arguments: seeds)
    func idempotent(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(40, from: &generator).filter { !Self.isAlone($0) }
        let again = (rows + rows).shuffled(using: &generator)
        #expect(Set(kept(again)) == Set(kept(rows)))
        #expect(kept(rows + rows) == kept(rows))
    }

    @Test("Joining what was joined is joining the copies", arguments: seeds)
    func associative(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(40, from: &generator).filter { !Self.isAlone($0) }
        let cut = Int.random(in: 0...rows.count, using: &generator)
        let halves = [rows[..<cut], rows[cut...]].flatMap { kept(Array($0)).map(\.row) }
        // A conflict within a half is not in its rows; everything else is.
        #expect(Set(kept(halves).map(\.row)) == Set(kept(rows).map(\.row)))
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

        private func chain(_ row: Row<TransactionColumn>) -> RowValue? {
            row[.originalTransactionID] ?? row[.transactionID]
        }

        private func precedes(_ left: Row<TransactionColumn>, _ right: Row<TransactionColumn>) -> Bool {
            let (first, second) = (left[.purchaseDate]?.number ?? .max, right[.purchaseDate]?.number ?? .max)
            if first != second { return first < second }
            guard let first = left[.transactionID], let second = right[.transactionID], first != second else {
                return false
            }
            return LedgerModelTests.larger(first, second, .transactionID) == second
        }

        private func kind(_ row: Row<TransactionColumn>) -> TransactionKind {
            if isConsumable(row) { return .purchase }
            let isNamed = row[.transactionID] != nil && row[.originalTransactionID] != nil
            let differs = isNamed && row[.originalTransactionID] != row[.transactionID]
            guard isSubscription(row) else { return differs ? .restore : .purchase }
            let isRestore =
                row[.webOrderLineItemID] != nil && !isAlone(row)
                && rows.contains { other in
                    !isAlone(other) && isSubscription(other) && chain(other) == chain(row)
                        && other[.webOrderLineItemID] == row[.webOrderLineItemID] && precedes(other, row)
                }
            return isRestore ? .restore : differs ? .renewal : .purchase
        }

        private func refund(_ row: Row<TransactionColumn>) -> Int64? {
            guard let date = row[.cancellationDate]?.number, row[.isUpgraded] != true else { return nil }
            let seen = row[.observedAt]?.number ?? date
            return row[.refundReversedAt]?.number ?? .min > seen ? nil : date
        }

        /// One line for each transaction that is booked.
        func lines() -> [String] {
            rows.filter { [nil, "production"].contains($0[.environment]?.text) }.map { row in
                let isFamily = row[.ownershipType]?.text == "family_shared"
                let kind = kind(row)
                return "\(kind) \(row[.productID]?.text ?? "–") \(max(1, row[.quantity]?.number ?? 1))"
                    + " \(row[.purchaseDate]?.number ?? 0) \(refund(row) ?? 0) \(kind != .restore && !isFamily)"
            }
            .sorted()
        }
    }

    @Test("Kinds, units, refunds and sales are as the rules say", arguments: seeds)
    func settles(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = RandomRows.transactions(60, from: &generator)
        let prices = try PriceList(rows: "coins,*,USD,0.99,,consumable\ngold,*,USD,9.99,0.49,auto_renewable\n")
        let ledger = Rows.settled(rows.map { Rows(transactions: [$0]) }, rules: LedgerRules(prices: prices))
        var products: [Int: String] = [:]
        for code in 0..<ledger.texts.count { products[code] = ledger.text(of: code) }
        var lines: [String] = []
        try ledger.forEachTransaction { transaction in
            let product = transaction.product.flatMap { products[$0] }
            lines.append(
                "\(transaction.kind) \(product ?? "–") \(transaction.units)"
                    + " \(transaction.purchaseDate?.milliseconds ?? 0) \(transaction.refundDate?.milliseconds ?? 0)"
                    + " \(transaction.isSale)"
            )
        }
        let model = Model(rows: Self.joined(rows).map(\.row), consumables: ["coins"], renewables: ["gold"])
        #expect(lines.sorted() == model.lines())
    }
}
