import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Refunds")
struct RefundTests {
    private static let cancelled: Row<TransactionColumn> = [
        .transactionID: "1", .purchaseDate: "2026-01-01", .cancellationDate: "2026-03-05T06:07:08Z",
        .observedAt: "2026-03-09",
    ]

    private static func refundDate(_ rows: [Row<TransactionColumn>]) throws -> String? {
        let date = try #require(try settled(rows)["1"]).refundDate?.description
        #expect(try settled(rows.reversed())["1"]?.refundDate?.description == date)
        return date
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

    @Test("A cancellation by an upgrade is no refund, whichever copy says so")
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
