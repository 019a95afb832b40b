import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("Refunds")
struct RefundTests {
    private static let cancelled: Row<TransactionColumn> = [
        .transactionID: "1", .purchaseDate: "2026-01-01", .cancellationDate: "2026-03-05T06:07:08Z",
        .observedAt: "2026-03-09",
    ]

    /// When transaction 1 was refunded, where the refund stands.
    private static func refundDate(_ rows: [Row<TransactionColumn>]) throws -> String? {
        let transaction = try #require(try settled(rows)["1"])
        let reversed = try #require(try settled(rows.reversed())["1"])
        #expect(reversed.refundDate == transaction.refundDate)
        #expect(reversed.refundReversalDate == transaction.refundReversalDate)
        return transaction.isRefunded ? transaction.refundDate?.description : nil
    }

    @Test("A cancellation is a refund, at its own instant")
    func refund() throws {
        #expect(try Self.refundDate([Self.cancelled]) == "2026-03-05T06:07:08Z")
    }

    @Test("A cancellation once seen stays, though newer documents lack it")
    func stays() throws {
        let newer: Row<TransactionColumn> = [.transactionID: "1", .observedAt: "2026-06-01"]
        #expect(try Self.refundDate([Self.cancelled, newer]) == "2026-03-05T06:07:08Z")
    }

    @Test("A cancellation by an upgrade is no refund, whichever duplicate has it")
    func upgrades() throws {
        #expect(try Self.refundDate([Self.cancelled.with([.isUpgraded: true])]) == nil)
        #expect(try Self.refundDate([Self.cancelled, [.transactionID: "1", .isUpgraded: true]]) == nil)
        #expect(try Self.refundDate([Self.cancelled.with([.isUpgraded: false])]) == "2026-03-05T06:07:08Z")
    }

    /// When a reversal was signed, and whether the refund of 9 March still counts.
    static let reversals = [
        ("2026-03-08", true), ("2026-03-09", true), ("2026-03-09T00:00:00.001Z", false), ("2026-04-01", false),
    ]

    @Test("A reversal counts if signed after the newest document that shows the refund", arguments: reversals)
    func reverses(_ signed: String, _ isRefund: Bool) throws {
        let reversal: Row<TransactionColumn> = [.transactionID: "1", .refundReversedAt: .text(signed)]
        let older = Self.cancelled.with([.observedAt: "2026-03-06"])
        #expect(try Self.refundDate([Self.cancelled, reversal, older]) == (isRefund ? "2026-03-05T06:07:08Z" : nil))
    }

    @Test("A reversed refund keeps its date and has the date of the reversal")
    func keepsDates() throws {
        let rows = [Self.cancelled, [.transactionID: "1", .refundReversedAt: "2026-04-01"]]
        let transaction = try #require(try settled(rows)["1"])
        #expect(transaction.refundDate == Timestamp("2026-03-05T06:07:08Z"))
        #expect(transaction.refundReversalDate == Timestamp("2026-04-01"))
        var rules = LedgerRules()
        #expect(rules.refundEntries(of: transaction).map(\.sign) == [1, -1])
        #expect(
            rules.refundEntries(of: transaction).map(\.date) == [
                transaction.refundDate, transaction.refundReversalDate,
            ]
        )
        rules.refundDating = .purchase
        #expect(rules.refundEntries(of: transaction).isEmpty)
    }

    @Test("A refund that only a restore of the charge shows is the sale's")
    func refundOfRestore() throws {
        let line: Row<TransactionColumn> = [
            .originalTransactionID: "1", .webOrderLineItemID: "50", .expiresDate: "2026-02-01",
        ]
        let sale = line.with([.transactionID: "1", .purchaseDate: "2026-01-01"])
        let restore = line.with(Self.cancelled).with([.transactionID: "2", .purchaseDate: "2026-01-02"])
        #expect(try Self.refundDate([sale, restore]) == "2026-03-05T06:07:08Z")
        #expect(try Self.refundDate([sale, restore.with([.isUpgraded: true])]) == nil)
        #expect(try Self.refundDate([sale, restore.with([.environment: "sandbox"])]) == nil)
        #expect(try Self.refundDate([sale, restore.with([.ownershipType: "family_shared"])]) == nil)
        #expect(try Self.refundDate([sale.with([.refundReversedAt: "2026-04-01"]), restore]) == nil)
        #expect(try Self.refundDate([sale.with([.refundReversedAt: "2026-03-09"]), restore]) != nil)
    }

    @Test("A refund that only a restore of a product shows is that of the sale")
    func refundOfRestoredProduct() throws {
        let sale: Row<TransactionColumn> = [.transactionID: "1", .purchaseDate: "2026-01-01", .productID: "pro"]
        let restore = Self.cancelled.with([.transactionID: "2", .originalTransactionID: "1", .productID: "pro"])
        #expect(try Self.refundDate([sale, restore]) == "2026-03-05T06:07:08Z")
        #expect(try Self.refundDate([sale, restore.with([.ownershipType: "family_shared"])]) == nil)
        #expect(try Self.refundDate([sale, restore.with([.originalTransactionID: "3"])]) == nil)
        let prices = try PriceList(rows: "pro,*,USD,0.99,,consumable\n")
        #expect(try settled([sale, restore], rules: LedgerRules(prices: prices))["1"]?.refundDate == nil)
    }

    @Test("A document newer than the reversal that shows the refund again makes it one")
    func refundedAgain() throws {
        let reversal: Row<TransactionColumn> = [.transactionID: "1", .refundReversedAt: "2026-04-01"]
        let again = Self.cancelled.with([.observedAt: "2026-05-01"])
        #expect(try Self.refundDate([Self.cancelled, reversal, again]) == "2026-03-05T06:07:08Z")
    }

    @Test("A reversal without a refund is nothing")
    func onlyReversed() throws {
        #expect(try Self.refundDate([[.transactionID: "1", .refundReversedAt: "2026-04-01"]]) == nil)
    }

    // MARK: Shares of the price

    private static let gold = cancelled.with([.price: 9_990, .currency: "USD"])

    /// What was refunded of 9.99 dollars, in millionths; `nil` where nothing was.
    private static func refunded(_ rows: [Row<TransactionColumn>]) throws -> Int64? {
        let transaction = try #require(try settled(rows)["1"])
        let reversed = try #require(try settled(rows.reversed())["1"])
        #expect(reversed.refundAmount == transaction.refundAmount)
        return transaction.refundAmount.map { Int64($0.millionths) }
    }

    static let percentages: [(Int64?, Int64)] = [
        // 9.99 × 0.33333 = 3.3299667; 9.99 × 0.5 = 4.995, half to even
        (nil, 9_990_000), (33_333, 3_330_000), (50_000, 5_000_000), (0, 0), (100_000, 9_990_000),
        // Apple's percentages end at 100 percent; one that cannot be is as good as none.
        (100_001, 9_990_000), (-1, 9_990_000),
    ]

    @Test("A percentage scales the refund, and without one all of the price is refunded", arguments: percentages)
    func scales(_ percentage: Int64?, _ millionths: Int64) throws {
        var row = Self.gold
        row[.refundPercentage] = percentage.map { .number($0) }
        #expect(try Self.refunded([row]) == millionths)
    }

    @Test("The largest percentage counts, with the earliest date of the copies with it or with none")
    func travelTogether() throws {
        let half = Self.gold.with([.cancellationReason: 1, .refundPercentage: 50_000])
        // A response has no percentage; of one refund its earlier date counts.
        let response = Self.gold.with([.cancellationReason: 1, .cancellationDate: "2026-03-06"])
        #expect(try Self.refunded([half, response]) == 5_000_000)
        #expect(try Self.refundDate([half, response]) == "2026-03-05T06:07:08Z")
        let later = half.with([.cancellationDate: "2026-03-06", .refundPercentage: 10_000])
        #expect(try Self.refunded([half, later]) == 5_000_000)
        let larger = half.with([.cancellationDate: "2026-03-06", .refundPercentage: 60_000])
        #expect(try Self.refunded([half, larger]) == 5_990_000)
        #expect(try Self.refundDate([half, larger]) == "2026-03-06T00:00:00Z")
        #expect(try Self.refundDate([half, larger, Self.gold]) == "2026-03-05T06:07:08Z")
    }

    @Test("A refund after a reversal is another refund, and one that is dated anew stays where it was booked")
    func datedAnew() throws {
        let late = Self.gold.with([.cancellationDate: "2026-05-12", .observedAt: "2026-05-13"])
        #expect(try Self.refundDate([Self.gold, late]) == "2026-03-05T06:07:08Z")
        let reversal: Row<TransactionColumn> = [.transactionID: "1", .refundReversedAt: "2026-04-01"]
        #expect(try Self.refundDate([Self.gold, reversal, late]) == "2026-05-12T00:00:00Z")
        #expect(try Self.refundDate([Self.gold, reversal.with([.refundReversedAt: "2026-05-20"]), late]) == nil)
    }

    @Test("An upgrade is refunded as far as a percentage says, and is not quantified without one")
    func quantifiesUpgrades() throws {
        let upgrade = Self.gold.with([.isUpgraded: true])
        #expect(try Self.refunded([upgrade]) == nil)
        #expect(try Self.refunded([upgrade.with([.refundPercentage: 25_000])]) == 2_500_000)
        #expect(try Self.refunded([upgrade.with([.refundPercentage: 200_000])]) == nil)
        #expect(try Self.refunded([upgrade, Self.gold.with([.refundPercentage: 25_000])]) == 2_500_000)
        let undated = Self.gold.without(.cancellationDate).with([.isUpgraded: true])
        let unquantified: [([Row<TransactionColumn>], Bool)] = [
            ([upgrade], true), ([upgrade.with([.refundPercentage: 25_000])], false), ([Self.gold], false),
            ([undated], true), ([undated.with([.refundPercentage: 25_000])], true),
        ]
        for (rows, isUnquantified) in unquantified {
            #expect(try settled(rows)["1"]?.isUnquantifiedUpgrade == isUnquantified)
        }
    }

    @Test(
        "An upgrade that only a restore of the charge shows ends the service of the sale, whatever else the restore tells"
    )
    func upgradesOfRestores() throws {
        let line: Row<TransactionColumn> = [
            .originalTransactionID: "1", .webOrderLineItemID: "50", .expiresDate: "2026-02-01",
        ]
        let sale = line.with([.transactionID: "1", .purchaseDate: "2026-01-01"])
        let restore = line.with(Self.cancelled).with([.transactionID: "2", .purchaseDate: "2026-01-02"])
        for rows in [[sale, restore.with([.isUpgraded: true])], [sale.with(Self.cancelled).with([.isUpgraded: true])]] {
            let number = try #require(try settled(rows)["1"]?.number)
            let ledger = Rows(transactions: rows).settled(environments: .booked, rules: LedgerRules())
            #expect(ledger.refundDetails(of: number)?.upgradeDate == Timestamp("2026-03-05T06:07:08Z"))
        }
        // Of a product that was bought once, the flag alone counts.
        let product = Self.gold.without(.cancellationDate)
        let other = product.with([.transactionID: "2", .originalTransactionID: "1", .isUpgraded: true])
        for row in [other, other.with([.storefront: "USA"])] {
            #expect(
                try settled([product.with([.originalTransactionID: "1"]), row])["1"]?.isUnquantifiedUpgrade == true
            )
        }
    }

    @Test("A percentage that another transaction of the charge tells holds for the sale")
    func sharesOfCharges() throws {
        let sale = Self.gold.without(.cancellationDate).with([.webOrderLineItemID: "5", .expiresDate: "2026-02-01"])
        let restore = sale.with([
            .transactionID: "2", .originalTransactionID: "1", .purchaseDate: "2026-01-02",
            .cancellationDate: "2026-03-05", .refundPercentage: 10_000,
        ])
        // 9.99 × 0.1 = 0.999
        #expect(try Self.refunded([sale, restore]) == 1_000_000)
        #expect(try Self.refunded([sale, restore.with([.isUpgraded: true])]) == 1_000_000)
        let upgraded = restore.without(.refundPercentage).with([.isUpgraded: true])
        #expect(try settled([sale, upgraded])["1"]?.isUnquantifiedUpgrade == true)
    }
}
