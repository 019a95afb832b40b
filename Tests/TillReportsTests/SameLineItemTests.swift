import Testing
import TillCore
import TillLedger
import TillRows
import TillTestSupport

@testable import TillReports

@Suite("Charges under two original ids")
struct SameLineItemTests {
    private static func charge(_ id: String, of chain: String, _ item: RowValue = "9950") -> Row<TransactionColumn> {
        [
            .transactionID: .text(id), .originalTransactionID: .text(chain), .productID: "pro",
            .environment: "production",
            .productType: "auto_renewable", .webOrderLineItemID: item, .purchaseDate: "2026-02-20",
            .expiresDate: "2026-03-20",
            .price: 9990, .currency: "USD",
        ]
    }

    private static let first = charge("4950", of: "4950")
    private static let again = charge("4951", of: "4900")

    /// Rows, and the number of charges with several original ids.
    static let cases: [([Row<TransactionColumn>], Int)] = [
        ([first, again], 1), ([first, again, charge("4952", of: "4800")], 1),
        ([first, again, charge("5", of: "5", "77"), charge("6", of: "6", "77")], 2),
        // A restore is the same billing event, and one event is no case.
        ([again, charge("4960", of: "4900")], 0),
        ([first, again.with([.productID: "other"])], 0), ([first, again.with([.purchaseDate: "2026-02-21"])], 0),
        ([first, again.with([.expiresDate: "2026-03-21"])], 0),
        ([first, again.with([.webOrderLineItemID: "9951"])], 0),
        ([first, again.with([.environment: "sandbox"])], 0),
        ([first, again.with([.ownershipType: "family_shared"])], 0),
        ([charge("1", of: "1", "0"), charge("2", of: "2", "0")], 0),
        ([charge("1", of: "1", "a"), charge("2", of: "2", "a")], 1),
    ]

    @Test("Sales with one line item, product, purchase date and expiry are one case of the exception", arguments: cases)
    func counts(_ rows: [Row<TransactionColumn>], _ count: Int) throws {
        for name in ["revenue", "subscriptions", "all"] {
            let rules = LedgerRules()
            for jobs in [1, 3] {
                let ledger = Rows(transactions: rows).settled(
                    rules: rules,
                    needs: ReportRegistry.needs(of: name),
                    jobs: jobs
                )
                var sums = try #require(ReportSums(named: name, rules))
                try sums.count(ledger)
                #expect(sums.lineItems.count == count)
            }
        }
    }
}
