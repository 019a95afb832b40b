import Testing
import TillCore
import TillPricing
import TillReference
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Settling ahead of the caller")
struct SettlingAheadTests {
    /// Transactions of a few products and environments, whose duplicates differ now and then.
    private static func rows(_ count: Int) -> [Row<TransactionColumn>] {
        (0..<count).map { index in
            var row: Row<TransactionColumn> = [
                .transactionID: .text("\(1_000 + index / 3 * 2)"), .productID: .text("p\(index % 7)"),
                .environment: .text(index % 11 == 5 ? "sandbox" : "production"),
                .purchaseDate: .number(Int64(1_700_000_000_000 + index * 60_000)), .quantity: .number(1),
            ]
            if index % 5 == 0 { row[.price] = .number(990) }
            if index % 5 == 0 { row[.currency] = "USD" }
            return row
        }
    }

    /// What was given, in its order, and the coverageCounts or the error.
    private static func outcome(_ ledger: borrowing SettledLedger) -> (given: [String], end: String) {
        var given: [String] = []
        do {
            let coverageCounts = try ledger.forEachTransaction { given.append("\($0)") }
            return (given, "\(coverageCounts)")
        } catch {
            return (given, "\(error)")
        }
    }

    @Test("The caller is given the same transactions in the same order", arguments: [0, 1, 8191, 12_288, 30_001])
    func givesTheSame(count: Int) {
        let rows = Rows(transactions: Self.rows(count * 3))
        let (plain, ahead) = (Self.outcome(rows.settled()), Self.outcome(rows.settled(jobs: 2)))
        #expect(plain.given == ahead.given)
        #expect(plain.end == ahead.end)
        #expect(plain.given.isEmpty == (count == 0))
    }

    /// Charges of subscriptions, shown by several devices, and products bought once and restored; some are refunded.
    private static func chains(_ count: Int, seed: UInt64) -> [Row<TransactionColumn>] {
        var numbers = SplitMix64(seed: seed)
        return (0..<count).map { index in
            let chain = Int.random(in: 1...count / 8, using: &numbers)
            let charge = Int.random(in: 0...2, using: &numbers)
            var row: Row<TransactionColumn> = [
                .transactionID: .text("\(9_000_000 + index)"), .originalTransactionID: .text("\(9_000_000 + chain)"),
                .productID: "pro", .environment: "production",
                .purchaseDate: .number(
                    1_700_000_000_000 + Int64(charge) * 2_592_000_000 + Int64.random(in: 0...9, using: &numbers)
                ),
            ]
            if chain % 4 > 0 {
                row[.expiresDate] = .number(1_702_600_000_000 + Int64(charge) * 2_592_000_000)
                if chain % 2 == 0 { row[.webOrderLineItemID] = .text("\(chain * 10 + charge)") }
            }
            if Int.random(in: 0...9, using: &numbers) == 0 { row[.ownershipType] = "family_shared" }
            if Int.random(in: 0...9, using: &numbers) == 0 {
                row[.cancellationDate] = .number(1_703_000_000_000 + Int64(index))
            }
            return row
        }
    }

    @Test("Several threads find the same restores, refunds and beginnings as one", arguments: [2, 3, 8])
    func findsTheSameEvents(jobs: Int) throws {
        // Who subscribed before the second row begins keeps the price of the first.
        let prices = """
            product_id,territory,currency,price,effective_from,preserved_from
            pro,*,USD,1.99,,
            pro,*,USD,2.99,2023-11-14T22:13:20.004Z,2023-11-14T22:13:20.004Z

            """
        let rules = LedgerRules(prices: try PriceList(csv: Array(prices.utf8), name: "prices.csv"))
        let rows = Rows(transactions: Self.chains(17_000, seed: UInt64(jobs)))
        let one = rows.settled(rules: rules)
        let several = rows.settled(rules: rules, jobs: jobs)
        #expect(one.table.ranges(for: jobs).count == min(jobs, 4))
        let outcomes = (Self.outcome(one), Self.outcome(several))
        #expect(outcomes.0.given == outcomes.1.given)
        #expect(outcomes.0.end == outcomes.1.end)
        #expect(outcomes.0.given.contains { $0.contains("restore") })
        for price in ["1990000", "2990000"] { #expect(outcomes.0.given.contains { $0.contains(price) }) }
    }

    @Test("An amount that no integer holds ends it with the same error")
    func endsTheSame() {
        var rows = Self.rows(60_000)
        for index in [30_003, 45_000] { rows[index][.quantity] = .number(Int64.max) }
        let all = Rows(transactions: rows)
        let (plain, ahead) = (Self.outcome(all.settled()), Self.outcome(all.settled(jobs: 2)))
        #expect(plain.end == ahead.end)
        #expect(plain.end.contains("ledger.overflow"))
    }
}
