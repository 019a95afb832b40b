import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("Kinds of transactions")
struct KindTests {
    private static func kinds(
        _ rows: [Row<TransactionColumn>],
        prices: String? = nil
    ) throws -> [String: TransactionKind] {
        let rules = LedgerRules(prices: try prices.map { try PriceList(rows: $0) })
        let forwards = try settled(rows, rules: rules).mapValues(\.kind)
        #expect(try settled(rows.reversed(), rules: rules).mapValues(\.kind) == forwards)
        return forwards
    }

    @Test("Equal ids are a purchase, differing ids of what is no subscription a restore")
    func oneTimeProducts() throws {
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1", .originalTransactionID: "1"],
            [.transactionID: "2", .originalTransactionID: "1"],
            [.transactionID: "3"],
            [.transactionID: "4", .originalTransactionID: "x"],
        ]
        #expect(try Self.kinds(rows) == ["1": .purchase, "2": .restore, "3": .purchase, "4": .restore])
    }

    @Test("A subscription row with differing ids and a line item of its own is a renewal")
    func renewals() throws {
        let row: Row<TransactionColumn> = [.originalTransactionID: "1", .expiresDate: "2026-04-01"]
        let rows = [
            row.with([.transactionID: "1", .webOrderLineItemID: "50"]),
            row.with([.transactionID: "2", .webOrderLineItemID: "51"]),
            row.with([.transactionID: "3", .webOrderLineItemID: "52"]),
        ]
        #expect(try Self.kinds(rows) == ["1": .purchase, "2": .renewal, "3": .renewal])
        #expect(try Self.kinds([rows[1]]) == ["2": .renewal])
    }

    @Test("A row of an auto-renewable type is one of a subscription though it never expires")
    func typeOfReceipt() throws {
        let row: Row<TransactionColumn> = [.originalTransactionID: "1", .webOrderLineItemID: "50"]
        let rows = [
            row.with([.transactionID: "2", .productType: "auto_renewable"]),
            row.with([.transactionID: "3", .productType: "auto_renewable"]),
        ]
        #expect(try Self.kinds(rows) == ["2": .renewal, "3": .restore])
    }

    @Test("A row of an auto-renewable product of the price list is one of a subscription though it never expires")
    func typeOfPriceList() throws {
        let row: Row<TransactionColumn> = [.originalTransactionID: "1", .webOrderLineItemID: "50", .productID: "gold"]
        let rows = [row.with([.transactionID: "2"]), row.with([.transactionID: "3"])]
        #expect(try Self.kinds(rows) == ["2": .restore, "3": .restore])
        let prices = "gold,*,USD,4.99,,auto_renewable\n"
        #expect(try Self.kinds(rows, prices: prices) == ["2": .renewal, "3": .restore])
    }

    /// Two rows of one line item; the sale first.
    static let pairs: [(Row<TransactionColumn>, Row<TransactionColumn>)] = [
        (
            [.transactionID: "9", .purchaseDate: "2026-03-01"],
            [.transactionID: "8", .purchaseDate: "2026-03-01T00:00:00.001Z"]
        ),
        ([.transactionID: "8", .purchaseDate: "2026-03-01"], [.transactionID: "9", .purchaseDate: "2026-03-01"]),
        ([.transactionID: "99", .purchaseDate: "2026-03-01"], [.transactionID: "100", .purchaseDate: "2026-03-01"]),
        ([.transactionID: "zz", .purchaseDate: "2026-03-01"], [.transactionID: "100", .purchaseDate: "2026-03-01"]),
        ([.transactionID: "100", .purchaseDate: "2026-03-01"], [.transactionID: "1a0", .purchaseDate: "2026-03-01"]),
        ([.transactionID: "9", .purchaseDate: "1969-12-31"], [.transactionID: "8", .purchaseDate: "1970-01-01"]),
        ([.transactionID: "9", .purchaseDate: "2026-03-01"], [.transactionID: "8"]),
        ([.transactionID: "8"], [.transactionID: "9"]),
    ]

    @Test("Of one line item the smaller (purchase date, id) is the sale, the other a restore", arguments: pairs)
    func lineItems(_ sale: Row<TransactionColumn>, _ restore: Row<TransactionColumn>) throws {
        let line: Row<TransactionColumn> = [
            .originalTransactionID: "1", .webOrderLineItemID: "50", .expiresDate: "2026-04-01",
        ]
        let (first, second) = (try #require(sale[.transactionID]?.text), try #require(restore[.transactionID]?.text))
        #expect(try Self.kinds([line.with(sale), line.with(restore)]) == [first: .renewal, second: .restore])
    }

    @Test("Of many rows of one line item all but one are restores")
    func manyDevices() throws {
        let rows = (1...9).map { number -> Row<TransactionColumn> in
            [
                .transactionID: "\(number)", .originalTransactionID: "1", .webOrderLineItemID: "50",
                .expiresDate: "2026-04-01", .purchaseDate: .number(Int64(number * 7 % 10)),
            ]
        }
        let kinds = try Self.kinds(rows)
        #expect(kinds.filter { $0.value == .restore }.count == 8)
        #expect(kinds["3"] == .renewal)
    }

    @Test("The line item of a first purchase makes it a purchase and the same charge on another device a restore")
    func restoredPurchase() throws {
        let line: Row<TransactionColumn> = [.webOrderLineItemID: "50", .expiresDate: "2026-04-01"]
        let rows = [
            line.with([.transactionID: "1"]),
            line.with([.transactionID: "2", .originalTransactionID: "1"]),
        ]
        #expect(try Self.kinds(rows) == ["1": .purchase, "2": .restore])
    }

    @Test("The same line item under another original id is another sale")
    func otherChain() throws {
        let line: Row<TransactionColumn> = [.webOrderLineItemID: "50", .expiresDate: "2026-04-01"]
        let rows = [
            line.with([.transactionID: "2", .originalTransactionID: "1"]),
            line.with([.transactionID: "3", .originalTransactionID: "x1"]),
        ]
        #expect(try Self.kinds(rows) == ["2": .renewal, "3": .renewal])
    }

    @Test("Without a line item a charge is known by its chain, its purchase date and its expiry")
    func withoutLineItem() throws {
        let row: Row<TransactionColumn> = [
            .originalTransactionID: "1", .purchaseDate: "2026-03-01", .expiresDate: "2026-04-01",
        ]
        let rows = [
            row.with([.transactionID: "3"]), row.with([.transactionID: "2"]),
            row.with([.transactionID: "4", .expiresDate: "2026-05-01"]),
            row.with([.transactionID: "5", .purchaseDate: "2026-03-02"]),
            row.with([.transactionID: "6", .originalTransactionID: "9"]),
            row.with([.transactionID: "7", .webOrderLineItemID: "50"]),
        ]
        #expect(
            try Self.kinds(rows)
                == ["2": .renewal, "3": .restore, "4": .renewal, "5": .renewal, "6": .renewal, "7": .renewal]
        )
    }

    @Test("Without a line item and without a purchase date a row is of no charge that another could be of")
    func withoutPurchaseDate() throws {
        let row: Row<TransactionColumn> = [.originalTransactionID: "1", .expiresDate: "2026-04-01"]
        let rows = [row.with([.transactionID: "2"]), row.with([.transactionID: "3"])]
        #expect(try Self.kinds(rows) == ["2": .renewal, "3": .renewal])
    }

    /// What is not booked, of the same charge as a row that is.
    static let unbooked: [Row<TransactionColumn>] = [
        [.environment: "sandbox"], [.environment: "xcode"], [.ownershipType: "family_shared"],
    ]

    @Test("A row that is not booked never makes a booked one a restore", arguments: unbooked)
    func unbookedRows(_ other: Row<TransactionColumn>) throws {
        let line: Row<TransactionColumn> = [
            .originalTransactionID: "1", .webOrderLineItemID: "50", .productType: "auto_renewable",
        ]
        let hidden = line.with([.transactionID: "1", .purchaseDate: "2026-01-01"]).with(other)
        let sale = line.with([.transactionID: "2", .purchaseDate: "2026-01-02"])
        #expect(try Self.kinds([hidden, sale])["2"] == .renewal)
    }

    @Test("A sandbox duplicate does not take a production sale out of the books")
    func sandboxCopy() throws {
        let row: Row<TransactionColumn> = [.transactionID: "1", .purchaseDate: "2026-01-01"]
        let rows = [row.with([.environment: "production"]), row.with([.environment: "sandbox"])]
        #expect(try Self.kinds(rows) == ["1": .purchase])
    }

    @Test("Of rows of one charge without ids one is a sale, whichever comes first")
    func withoutIDs() throws {
        let row: Row<TransactionColumn> = [
            .originalTransactionID: "1", .purchaseDate: "2026-03-01", .expiresDate: "2026-04-01",
        ]
        let rows = [row.with([.price: 990, .currency: "USD"]), row.with([.price: 1990, .currency: "USD"]), row]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]] {
            var sales: [Money?] = []
            try Rows(transactions: order.map { rows[$0] }).settled().forEachTransaction {
                if $0.isSale { sales.append($0.price) }
            }
            #expect(sales == [nil])
        }
    }

    @Test("The line item of a row that is no subscription is ignored")
    func lineItemOfOneTimeProduct() throws {
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1", .webOrderLineItemID: "50"],
            [.transactionID: "2", .originalTransactionID: "2", .webOrderLineItemID: "50"],
        ]
        #expect(try Self.kinds(rows) == ["1": .purchase, "2": .purchase])
    }

    @Test("A consumable of the price list never restores; what the receipt calls one does")
    func consumables() throws {
        let row: Row<TransactionColumn> = [.productID: "coins", .productType: "consumable"]
        let rows = [row.with([.transactionID: "2", .originalTransactionID: "1"])]
        #expect(try Self.kinds(rows) == ["2": .restore])
        #expect(try Self.kinds(rows, prices: "coins,*,USD,0.99,,consumable\n") == ["2": .purchase])
    }

    @Test("A consumable of the price list never restores even if its rows expire")
    func expiringConsumables() throws {
        let row: Row<TransactionColumn> = [
            .productID: "coins", .originalTransactionID: "1", .webOrderLineItemID: "50", .expiresDate: "2026-04-01",
        ]
        let rows = [row.with([.transactionID: "1"]), row.with([.transactionID: "2"])]
        #expect(try Self.kinds(rows, prices: "coins,*,USD,0.99,,consumable\n") == ["1": .purchase, "2": .purchase])
    }

    @Test("Purchases and renewals are sales unless they are family shared; restores are none")
    func sales() throws {
        let rows: [Row<TransactionColumn>] = [
            [.transactionID: "1"],
            [.transactionID: "2", .ownershipType: "purchased"],
            [.transactionID: "3", .ownershipType: "family_shared"],
            [.transactionID: "4", .originalTransactionID: "1"],
            [.transactionID: "5", .originalTransactionID: "1", .expiresDate: "2026-04-01"],
        ]
        let sales = try settled(rows).mapValues(\.isSale)
        #expect(sales == ["1": true, "2": true, "3": false, "4": false, "5": true])
    }

    @Test("Only transactions of the requested environments are settled")
    func environments() throws {
        let rows = ["production", "sandbox", "xcode", "local_testing", "elsewhere"].enumerated().map { index, word in
            [.transactionID: "\(index + 1)", .environment: .text(word)] as Row<TransactionColumn>
        }
        let all = rows + [[.transactionID: "6"]]
        func ids(_ filter: EnvironmentFilter) throws -> [String] {
            try settled(all, environments: filter).keys.sorted()
        }
        #expect(try ids(.booked) == ["1", "5", "6"])
        #expect(try ids(EnvironmentFilter(["production"])) == ["1"])
        #expect(try ids(EnvironmentFilter(["unknown"])) == ["5", "6"])
        #expect(try ids(EnvironmentFilter(["sandbox", "xcode", "local_testing"])) == ["2", "3", "4"])
        #expect(try ids(EnvironmentFilter(["elsewhere"])) == [])
    }
}
