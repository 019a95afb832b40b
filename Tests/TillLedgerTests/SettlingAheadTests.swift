import Testing
import TillCore
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
    private static func outcome(_ ledger: borrowing SettledLedger, ahead: Bool) -> (given: [String], end: String) {
        var given: [String] = []
        do {
            let coverageCounts = try ledger.forEachTransaction(ahead: ahead) { given.append("\($0)") }
            return (given, "\(coverageCounts)")
        } catch {
            return (given, "\(error)")
        }
    }

    @Test("The caller is given the same transactions in the same order", arguments: [0, 1, 8191, 12_288, 30_001])
    func givesTheSame(count: Int) {
        let ledger = Rows(transactions: Self.rows(count * 3)).settled()
        let (plain, ahead) = (Self.outcome(ledger, ahead: false), Self.outcome(ledger, ahead: true))
        #expect(plain.given == ahead.given)
        #expect(plain.end == ahead.end)
        #expect(plain.given.isEmpty == (count == 0))
    }

    @Test("An amount that no integer holds ends it with the same error")
    func endsTheSame() {
        var rows = Self.rows(60_000)
        for index in [30_003, 45_000] { rows[index][.quantity] = .number(Int64.max) }
        let ledger = Rows(transactions: rows).settled()
        let (plain, ahead) = (Self.outcome(ledger, ahead: false), Self.outcome(ledger, ahead: true))
        #expect(plain.end == ahead.end)
        #expect(plain.end.contains("ledger.overflow"))
    }
}
