import Testing
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Copies of a transaction")
struct CopiesTests {
    /// A column with two values, the larger one second.
    static let fields: [(TransactionColumn, RowValue, RowValue)] = [
        (.environment, "production", "sandbox"),
        (.bundleID, "com.example.a", "com.example.b"),
        (.productType, "consumable", "non_consumable"),
        (.productID, "coins", "pro"),
        (.ownershipType, "family_shared", "purchased"),
        (.quantity, 2, 10),
        (.quantity, -300, -3),
        (.quantity, 253, 254),
        (.quantity, 300, 70_000_000_000),
        (.originalTransactionID, "999", "1000"),
        (.originalTransactionID, "zz", "100"),
        (.originalTransactionID, "00", "0A"),
        (.webOrderLineItemID, "9", "10"),
        (.purchaseDate, "1969-12-31T23:59:59Z", "1970-01-01"),
        (.expiresDate, "2026-03-01", "2026-04-01"),
        (.isTrial, false, true),
        (.isIntro, false, true),
        (.isUpgraded, false, true),
        (.price, -1, 0),
        (.currency, "EUR", "USD"),
        (.storefront, "DEU", "USA"),
        (.offerID, "A", "a"),
    ]

    @Test("Known beats null in every field, whichever comes first", arguments: fields)
    func knownBeatsNull(_ column: TransactionColumn, _ value: RowValue, _: RowValue) {
        let poor: Row<TransactionColumn> = [.transactionID: "1000"]
        var rich = poor
        rich[column] = value
        #expect(kept([poor, rich]) == [JoinedRow(row: rich)])
        #expect(kept([rich, poor]) == [JoinedRow(row: rich)])
    }

    @Test("Where two known values differ, the larger wins and the transaction is in conflict", arguments: fields)
    func largerWins(_ column: TransactionColumn, _ small: RowValue, _ large: RowValue) {
        var first: Row<TransactionColumn> = [.transactionID: "1000"]
        var second = first
        first[column] = small
        second[column] = large
        let expected = [JoinedRow(row: second, hasConflict: true)]
        #expect(kept([first, second]) == expected)
        #expect(kept([second, first]) == expected)
        #expect(kept([second, first, second, first]) == expected)
    }

    @Test("Equal copies are one transaction without a conflict", arguments: fields)
    func equalCopies(_ column: TransactionColumn, _ value: RowValue, _: RowValue) {
        var row: Row<TransactionColumn> = [.transactionID: "1000"]
        row[column] = value
        #expect(kept([row, row, row]) == [JoinedRow(row: row)])
    }

    @Test("Cancellations differ with a conflict; when they were seen and reversed, without one")
    func cancellations() {
        let early: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01", .observedAt: "2026-03-09",
            .refundReversedAt: "2026-03-20",
        ]
        let seenLater = early.with([.observedAt: "2026-03-10", .refundReversedAt: "2026-03-21"])
        #expect(kept([early, seenLater]) == [JoinedRow(row: seenLater)])
        let cancelledLater = early.with([.cancellationDate: "2026-03-02"])
        #expect(kept([cancelledLater, early]) == [JoinedRow(row: cancelledLater, hasConflict: true)])
    }

    @Test("A document without a cancellation says nothing about when one was seen")
    func seenOnlyWithCancellation() {
        let cancelled: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01", .observedAt: "2026-03-09",
        ]
        let newer: Row<TransactionColumn> = [.transactionID: "1", .observedAt: "2026-03-30"]
        #expect(kept([cancelled, newer]) == [JoinedRow(row: cancelled)])
        #expect(kept([newer, cancelled]) == [JoinedRow(row: cancelled)])
    }

    @Test("A cancellation in a document without an instant was seen when it happened")
    func cancellationWithoutInstant() {
        let row: Row<TransactionColumn> = [.transactionID: "1", .cancellationDate: "2026-03-01"]
        #expect(kept([row]) == [JoinedRow(row: row.with([.observedAt: "2026-03-01"]))])
    }

    static let alone: [Row<TransactionColumn>] = [
        [.productID: "pro"],
        [.transactionID: "0", .productID: "pro"],
        [.transactionID: "0", .environment: "xcode"],
        [.transactionID: "77", .environment: "xcode"],
        [.transactionID: "77", .environment: "local_testing"],
        [.environment: "production"],
    ]

    @Test("Rows of Xcode and of local testing, and rows whose id is missing or 0, are never joined", arguments: alone)
    func neverJoined(_ row: Row<TransactionColumn>) {
        #expect(kept([row, row, row]) == [JoinedRow(row: row), JoinedRow(row: row), JoinedRow(row: row)])
    }

    @Test("A row that is never joined leaves the others of its id alone")
    func aloneAmongOthers() {
        let known: Row<TransactionColumn> = [.transactionID: "77", .productID: "pro"]
        let local: Row<TransactionColumn> = [.transactionID: "77", .environment: "xcode", .productID: "coins"]
        #expect(kept([local, known, local, known]).map(\.row) == [local, known, local])
    }

    @Test("Production, sandbox and rows of unknown environment share one id space")
    func oneIDSpace() {
        let unknown: Row<TransactionColumn> = [.transactionID: "77"]
        let sandbox: Row<TransactionColumn> = [.transactionID: "77", .environment: "sandbox"]
        let other: Row<TransactionColumn> = [.transactionID: "77", .environment: "somewhere"]
        #expect(kept([unknown, sandbox]) == [JoinedRow(row: sandbox)])
        #expect(kept([sandbox, other]) == [JoinedRow(row: other, hasConflict: true)])
    }

    @Test("Ids that are no plain numbers are names of their own")
    func textualIDs() {
        let ids = ["7", "07", "7a", "7A", " 7", "-7", "9223372036854775807", "9223372036854775808"]
        let rows: [Row<TransactionColumn>] = ids.map { [.transactionID: .text($0)] }
        #expect(kept(rows + rows.reversed()).map { $0.row[.transactionID]?.text } == ids)
    }

    @Test("Many transactions, each with a copy, are joined one by one")
    func many() {
        let rows = (1...20_000).map { number -> Row<TransactionColumn> in
            [.transactionID: "\(number % 10_000 + 1)", .quantity: .number(Int64(number))]
        }
        var ledger = Ledger()
        ledger.update(with: Rows(transactions: rows).batch())
        #expect(ledger.rowCount == 20_000)
        #expect(ledger.uniqueCount == 10_000)
        let quantities = ledger.transactions.rows(ledger.texts).compactMap { $0.row[.quantity]?.number }
        #expect(quantities.sorted() == Array(10_001...20_000))
    }

    @Test("An entry takes 56 bytes")
    func stride() {
        #expect(MemoryLayout<TransactionEntry>.stride == 56)
    }

    @Test("Copies are joined behind any number of rows that never are", arguments: [4_000, 5_000, 20_000])
    func joinsBehindLoneRows(count: Int) {
        var rows: [Row<TransactionColumn>] = (0..<count).map { _ in [.transactionID: "5", .environment: "xcode"] }
        for id in 100..<110 { rows += Array(repeating: [.transactionID: .text("\(id)")], count: 3) }
        var ledger = Ledger()
        ledger.update(with: Rows(transactions: rows).batch())
        #expect(ledger.uniqueCount == count + 10)
    }
}
