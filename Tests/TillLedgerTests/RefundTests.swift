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
}
