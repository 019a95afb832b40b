import Testing
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Duplicates of a transaction")
struct DuplicatesTests {
    /// A column with two values, the larger one second.
    static let fields: [(TransactionColumn, RowValue, RowValue)] = [
        (.environment, "sandbox", "production"),
        (.bundleID, "com.example.a", "com.example.b"),
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
        (.purchaseDate, "1969-12-31T23:59:58.999Z", "1970-01-01"),
        (.purchaseDate, "2109-05-15T07:35:11.000Z", "4001-01-01"),
        (.expiresDate, "2026-03-01", "2026-04-01"),
        (.originalPurchaseDate, "2026-02-28T23:59:59.999Z", "2026-03-02"),
        (.isTrial, false, true),
        (.isIntro, false, true),
        (.price, 0, 1),
        (.currency, "EUR", "USD"),
    ]
    /// The same for columns in which duplicates may differ without a conflict.
    static let otherFields: [(TransactionColumn, RowValue, RowValue)] = [
        (.productType, "consumable", "non_consumable"),
        (.isUpgraded, false, true),
        (.storefront, "DEU", "USA"),
        (.offerID, "A", "a"),
        (.offerType, 1, 2),
        (.purchaseDate, "2026-03-01", "2026-03-01T00:00:01Z"),
        (.expiresDate, "2026-03-01", "2026-03-01T00:00:00.999Z"),
        (.originalPurchaseDate, "2026-03-01", "2026-03-02"),
    ]

    @Test("Known beats null in every field, whichever comes first", arguments: fields + otherFields)
    func knownBeatsNull(_ column: TransactionColumn, _ value: RowValue, _: RowValue) {
        let poor: Row<TransactionColumn> = [.transactionID: "1000"]
        var rich = poor
        rich[column] = value
        #expect(kept([poor, rich]) == [JoinedRow(row: rich)])
        #expect(kept([rich, poor]) == [JoinedRow(row: rich)])
    }

    /// Two rows of one transaction that differ in one column.
    private static func duplicates(
        _ column: TransactionColumn,
        _ small: RowValue,
        _ large: RowValue
    ) -> (Row<TransactionColumn>, Row<TransactionColumn>) {
        (
            [.transactionID: "1000", column: small],
            [.transactionID: "1000", column: large]
        )
    }

    @Test("Where two known values differ, the larger wins and the transaction is in conflict", arguments: fields)
    func largerWins(_ column: TransactionColumn, _ small: RowValue, _ large: RowValue) {
        let (first, second) = Self.duplicates(column, small, large)
        let expected = [JoinedRow(row: second, hasConflict: true)]
        #expect(kept([first, second]) == expected)
        #expect(kept([second, first]) == expected)
        #expect(kept([second, first, second, first]) == expected)
    }

    @Test("What is no fact of the sale, and dates that are near, differ without a conflict", arguments: otherFields)
    func noConflict(_ column: TransactionColumn, _ small: RowValue, _ large: RowValue) {
        let (first, second) = Self.duplicates(column, small, large)
        #expect(kept([first, second]) == [JoinedRow(row: second)])
        #expect(kept([second, first, second, first]) == [JoinedRow(row: second)])
    }

    @Test("Dates that are near to a third between them, but not to each other, are in conflict in any order")
    func nearDates() {
        let rows: [Row<TransactionColumn>] = ["00.000", "00.700", "01.400"].map {
            [.transactionID: "1", .purchaseDate: .text("2026-03-01T00:00:\($0)Z")]
        }
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            #expect(kept(order.map { rows[$0] }) == [JoinedRow(row: rows[2], hasConflict: true)])
        }
        #expect(kept(Array(rows[..<2])) == [JoinedRow(row: rows[1])])
    }

    @Test("A price and its currency are one value: 9.99 USD and 160 JPY never become 160 USD")
    func priceAndCurrency() {
        let row: Row<TransactionColumn> = [.transactionID: "1"]
        let dollars = row.with([.price: 9990, .currency: "USD"])
        let yen = row.with([.price: 160_000, .currency: "JPY"])
        #expect(kept([dollars, yen]) == [JoinedRow(row: yen, hasConflict: true)])
        #expect(kept([yen, dollars]) == [JoinedRow(row: yen, hasConflict: true)])
        // Half a price is less than a whole one.
        #expect(kept([dollars, row.with([.price: 99_990])]).map(\.row) == [dollars])
        #expect(kept([row.with([.currency: "ZZZ"]), dollars]).map(\.row) == [dollars])
    }

    @Test("A part of a price that a duplicate lacks is no conflict, and one that differs is, in any order")
    func partsOfPrices() {
        let row: Row<TransactionColumn> = [.transactionID: "1"]
        let (whole, price) = (row.with([.price: 9990, .currency: "USD"]), row.with([.price: 9990]))
        let (dollars, euros) = (row.with([.currency: "USD"]), row.with([.currency: "EUR"]))
        let cases: [([Row<TransactionColumn>], Bool)] = [
            ([whole, price], false), ([whole, dollars], false), ([price, dollars], false),
            ([price, dollars, whole], false),
            ([price, euros, whole], true), ([price, row.with([.price: 5]), dollars], true), ([whole, euros], true),
        ]
        for (rows, isConflict) in cases {
            for order in [rows, rows.reversed(), rows.shuffled()] {
                #expect(kept(order).map(\.hasConflict) == [isConflict], "\(order)")
            }
            let signed = [rows[0].with([.trust: "trusted"])] + rows.dropFirst()
            #expect(kept(signed).map(\.hasConflict) == [isConflict], "\(signed)")
        }
    }

    @Test("An unsigned duplicate that agrees with the value that counts changes nothing")
    func agreesWithCounted() {
        let row: Row<TransactionColumn> = [.transactionID: "1", .purchaseDate: "2026-03-02", .trust: "trusted"]
        let earlier = row.with([.purchaseDate: "2026-03-01"])
        let (same, other) = (row.with([.trust: "unsigned"]), earlier.with([.trust: "unsigned"]))
        for (unsigned, isChanged) in [([same], false), ([other], true), ([same, other], true)] {
            for order in [[row, earlier] + unsigned, unsigned + [earlier, row], [row] + unsigned + [earlier]] {
                let joined = kept(order)
                #expect(joined.map(\.hasConflict) == [true] && joined.map(\.isChangedByLessTrusted) == [isChanged])
            }
        }
        // It becomes the less trusted one of them.
        let unanchored = row.with([.trust: "unanchored"])
        #expect(kept([same, unanchored, earlier]).map(\.isChangedByLessTrusted) == [true])
    }

    @Test("An unsigned upgrade never undoes a signed refund, and counts as changed")
    func upgradesOfDifferentTrust() {
        let refund: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01", .observedAt: "2026-03-02", .trust: "trusted",
        ]
        let upgrade = refund.with([.isUpgraded: true, .trust: "unsigned"])
        for signed in [refund, refund.with([.isUpgraded: false])] {
            for unsigned in [upgrade, upgrade.without(.cancellationDate)] {
                for order in [[signed, unsigned], [unsigned, signed], [unsigned, signed, unsigned]] {
                    let joined = kept(order)
                    #expect(joined.map { $0.row[.isUpgraded] } == [signed[.isUpgraded]])
                    #expect(joined.map(\.isChangedByLessTrusted) == [true], "\(order)")
                }
            }
        }
        // Signed copies explain their own cancellation, and so does an unsigned one where no signed one shows any.
        let own = refund.with([.isUpgraded: true])
        #expect(kept([refund, own]).map { $0.row[.isUpgraded] } == [true])
        let silent = refund.without(.cancellationDate)
        #expect(kept([silent, upgrade]) == [JoinedRow(row: upgrade.without(.trust))])
    }

    @Test("An offer and its type are one value")
    func offerAndType() {
        let row: Row<TransactionColumn> = [.transactionID: "1"]
        let whole = row.with([.offerID: "a", .offerType: 1])
        #expect(kept([whole, row.with([.offerID: "z"])]) == [JoinedRow(row: whole)])
        #expect(kept([row.with([.offerType: 3]), whole]) == [JoinedRow(row: whole)])
    }

    @Test("A signed value counts before an unsigned one, in every field", arguments: fields)
    func trusted(_ column: TransactionColumn, _ small: RowValue, _ large: RowValue) {
        for (signed, unsigned) in [(small, large), (large, small)] {
            var trusted: Row<TransactionColumn> = [.transactionID: "1000", .trust: "trusted"]
            var plain: Row<TransactionColumn> = [.transactionID: "1000", .trust: "unsigned"]
            trusted[column] = signed
            plain[column] = unsigned
            var row: Row<TransactionColumn> = [.transactionID: "1000"]
            row[column] = signed
            let expected = [JoinedRow(row: row, hasConflict: true, isChangedByLessTrusted: true)]
            #expect(kept([trusted, plain]) == expected)
            #expect(kept([plain, trusted, plain]) == expected)
            // An anchor is less than Apple's root and more than none.
            let unanchored = plain.with([.trust: "unanchored"])
            #expect(kept([unanchored, trusted]) == expected)
            #expect(
                kept([trusted.with([.trust: "unchecked"]), unanchored, plain]).map(\.row) == [
                    row.with([column: unsigned])
                ]
            )
            // Where the signed duplicate has no value, that of any other counts.
            let silent: Row<TransactionColumn> = [.transactionID: "1000", .trust: "trusted"]
            #expect(kept([silent, plain]) == [JoinedRow(row: row.with([column: unsigned]))])
        }
    }

    @Test("A cancellation counts whatever the trust of the duplicate that has it")
    func cancellationOfAnyTrust() {
        let signed: Row<TransactionColumn> = [.transactionID: "1", .isUpgraded: false, .trust: "trusted"]
        let news: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01", .observedAt: "2026-03-02", .isUpgraded: true,
            .trust: "unsigned",
        ]
        var row = news
        row[.trust] = nil
        #expect(kept([signed, news]) == [JoinedRow(row: row)])
        #expect(kept([news, signed]) == [JoinedRow(row: row)])
    }

    @Test("A cancellation that differs in a less trusted duplicate counts as changed, one of the same trust does not")
    func cancellationsOfDifferentTrust() {
        let row: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01T00:00:00.250Z", .observedAt: "2026-03-09",
        ]
        let signed = row.with([.trust: "trusted"])
        let second = row.with([.cancellationDate: "2026-03-01T00:00:00Z"])
        let later = row.with([.cancellationDate: "2026-04-01"])
        let whole = row.with([.cancellationReason: 0, .refundPercentage: 100_000])
        let part = whole.with([.refundPercentage: 1])
        let cases: [([Row<TransactionColumn>], Bool)] = [
            ([signed, second], false), ([signed, later], true), ([row, later], false), ([signed, row, whole], false),
            ([whole.with([.trust: "trusted"]), part], true), ([whole, part], false), ([signed, whole, part], true),
            ([signed, later.without(.cancellationDate)], false), ([part.with([.trust: "trusted"]), row], false),
            ([signed, part], true),
        ]
        for (rows, isChanged) in cases {
            for order in [rows, rows.reversed()] {
                let joined = kept(order)
                #expect(joined.map(\.isChangedByLessTrusted) == [isChanged], "\(order)")
                #expect(joined.map(\.hasConflict) == [false])
            }
        }
    }

    @Test("A trial says nothing of an introductory price, so no duplicate contradicts it")
    func trials() {
        let response: Row<TransactionColumn> = [.transactionID: "1", .isTrial: true, .isIntro: false]
        let signed: Row<TransactionColumn> = [.transactionID: "1", .isTrial: true, .isIntro: true]
        #expect(kept([response, signed]) == [JoinedRow(row: [.transactionID: "1", .isTrial: true])])
    }

    @Test("The date of a restored product is not that of its original purchase")
    func restoredProducts() {
        let row: Row<TransactionColumn> = [.transactionID: "2", .originalTransactionID: "1"]
        let rows = ["2026-01-01", "2026-03-01"].map { row.with([.originalPurchaseDate: .text($0)]) }
        #expect(kept(rows) == [JoinedRow(row: row)])
    }

    @Test("Equal duplicates are one transaction without a conflict", arguments: fields)
    func equalDuplicates(_ column: TransactionColumn, _ value: RowValue, _: RowValue) {
        var row: Row<TransactionColumn> = [.transactionID: "1000"]
        row[column] = value
        #expect(kept([row, row, row]) == [JoinedRow(row: row)])
    }

    @Test("The earliest date of one refund counts, and the newest document with it")
    func cancellations() {
        let early: Row<TransactionColumn> = [
            .transactionID: "1", .cancellationDate: "2026-03-01", .observedAt: "2026-03-09",
            .refundReversedAt: "2026-03-20",
        ]
        let seenLater = early.with([.observedAt: "2026-03-10", .refundReversedAt: "2026-03-21"])
        #expect(kept([early, seenLater]) == [JoinedRow(row: seenLater)])
        let cancelledLater = early.with([.cancellationDate: "2026-03-02"])
        #expect(kept([cancelledLater, early]) == [JoinedRow(row: early)])
        // A reversal between the two makes the later one another refund.
        let again = early.with([.cancellationDate: "2026-04-02", .observedAt: "2026-04-03"])
        #expect(kept([again, early, again]).map(\.row) == [again])
    }

    @Test("The largest percentage counts, with the earliest date and the smallest reason of those with it or with none")
    func percentages() {
        func row(_ date: RowValue, _ reason: RowValue?, _ percentage: RowValue?) -> Row<TransactionColumn> {
            var row: Row<TransactionColumn> = [.transactionID: "1", .cancellationDate: date, .observedAt: "2026-06-01"]
            (row[.cancellationReason], row[.refundPercentage]) = (reason, percentage)
            return row
        }
        let (half, plain) = (row("2026-03-02", 1, 50_000), row("2026-03-05", nil, nil))
        let (whole, late) = (row("2026-04-01", 1, 100_000), row("2026-05-01", 0, 100_000))
        let cases: [([Row<TransactionColumn>], Row<TransactionColumn>)] = [
            ([half, plain], half), ([half, whole], whole), ([whole, late], row("2026-04-01", 0, 100_000)),
            ([half, plain, whole, late], row("2026-03-05", 0, 100_000)),
            ([plain, whole], row("2026-03-05", 1, 100_000)),
        ]
        for (rows, expected) in cases {
            for order in [rows, rows.reversed(), rows + rows, rows.shuffled()] {
                #expect(kept(order) == [JoinedRow(row: expected)], "\(order)")
            }
        }
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
        [.originalTransactionID: "1", .productID: "pro"],
        [.webOrderLineItemID: "1", .productID: "pro"],
        [.transactionID: "77", .environment: "xcode"],
        [.transactionID: "77", .environment: "local_testing"],
        [.environment: "production"],
    ]

    @Test("Rows of Xcode and of local testing, and rows whose id is missing or 0, are never joined", arguments: alone)
    func neverJoined(_ row: Row<TransactionColumn>) {
        #expect(kept([row, row, row]) == [JoinedRow(row: row), JoinedRow(row: row), JoinedRow(row: row)])
    }

    @Test("Rows without an id are joined by their original id and line item")
    func joinedByLineItem() {
        let row: Row<TransactionColumn> = [.originalTransactionID: "1", .webOrderLineItemID: "50"]
        let rows = [
            row.with([.productID: "pro"]), row.with([.quantity: 2]), row.with([.webOrderLineItemID: "51"]),
            row.with([.originalTransactionID: "2"]), row.with([.transactionID: "0", .bundleID: "a"]),
        ]
        let joined = row.with([.productID: "pro", .quantity: 2, .bundleID: "a"])
        #expect(kept(rows).map(\.row) == [joined, rows[2], rows[3]])
        #expect(kept([row, row.with([.environment: "xcode"]), row.with([.environment: "xcode"])]).count == 3)
    }

    @Test("An id of 0 names nothing, whatever column it stands in")
    func zero() {
        let row: Row<TransactionColumn> = [
            .transactionID: "0", .originalTransactionID: "0", .webOrderLineItemID: "0", .productID: "pro",
        ]
        #expect(kept([row, row]).map(\.row) == [[.productID: "pro"], [.productID: "pro"]])
        let named = row.with([.transactionID: "7"])
        #expect(kept([named, named]).map(\.row) == [[.transactionID: "7", .productID: "pro"]])
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
        // A word that is not Apple's is an unknown environment.
        #expect(kept([sandbox, other]) == [JoinedRow(row: sandbox)])
        #expect(kept([other]) == [JoinedRow(row: unknown)])
    }

    @Test("Ids that are no plain numbers are names of their own")
    func textualIDs() {
        let ids = ["7", "07", "7a", "7A", " 7", "-7", "9223372036854775807", "9223372036854775808"]
        let rows: [Row<TransactionColumn>] = ids.map { [.transactionID: .text($0)] }
        #expect(kept(rows + rows.reversed()).map { $0.row[.transactionID]?.text } == ids)
    }

    @Test("Many transactions, each with a duplicate, are joined one by one")
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

    @Test("Duplicates are joined after any number of rows that have none", arguments: [4_000, 5_000, 20_000])
    func joinsBehindLoneRows(count: Int) {
        var rows: [Row<TransactionColumn>] = (0..<count).map { _ in [.transactionID: "5", .environment: "xcode"] }
        for id in 100..<110 { rows += Array(repeating: [.transactionID: .text("\(id)")], count: 3) }
        var ledger = Ledger()
        ledger.update(with: Rows(transactions: rows).batch())
        #expect(ledger.uniqueCount == count + 10)
    }
}
