import Testing
import TillCore
import TillReference
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("Documents about subscriptions")
struct SubscriptionDataTests {
    private static func charge(
        _ id: String,
        of chain: String,
        _ start: RowValue,
        _ end: RowValue?
    ) -> Row<TransactionColumn> {
        var row: Row<TransactionColumn> = [
            .transactionID: .text(id), .originalTransactionID: .text(chain), .productID: "gold",
            .productType: "auto_renewable", .purchaseDate: start, .price: 1000, .currency: "USD",
        ]
        row[.expiresDate] = end
        return row
    }

    private static func history(_ rows: Rows, rules: LedgerRules = LedgerRules()) throws -> SubscriptionHistory {
        let ledger = rows.settled(rules: rules, needs: .subscriptions)
        var sales = SubscriptionSales()
        try ledger.forEachTransaction { sales.see($0) }
        var history = SubscriptionHistory(asOf: nil)
        try ledger.countSubscriptions(sales, in: &history) { _ in .month }
        history.finish()
        return history
    }

    private static func total(_ history: SubscriptionHistory, _ count: KeyPath<SubscriptionHistory.Flow, Int>) -> Int {
        history.flows.values.reduce(0) { $0 + $1[keyPath: count] }
    }

    private static let coins: Row<TransactionColumn> = [
        .transactionID: "9", .productID: "coins", .purchaseDate: "2026-01-01",
    ]

    /// The original purchase, and whether the chain began before the first row of 1 January.
    static let originals: [(RowValue?, Bool)] = [
        (nil, false), ("2022-08-08", true), ("2025-12-31T23:59:59Z", true), ("2026-01-01", false),
        ("2026-01-19", false),
        // Later than the purchase, as in the sandbox.
        ("2026-03-01", false),
    ]

    @Test("A chain that began before the first row of the input is neither new nor of a cohort", arguments: originals)
    func startedBefore(_ original: RowValue?, _ isEarlier: Bool) throws {
        var renewal = Self.charge("2", of: "1", "2026-01-20", "2026-02-20").with([.observedAt: "2026-03-01"])
        renewal[.originalPurchaseDate] = original
        let history = try Self.history(Rows(transactions: [renewal, Self.coins]))
        #expect(Self.total(history, \.new) == (isEarlier ? 0 : 1))
        #expect(Self.total(history, \.startedBefore) == (isEarlier ? 1 : 0))
        #expect(history.retention.isEmpty == isEarlier)
        #expect(history.flows.values.map(\.activeAtEnd).max() == 1)
    }

    @Test("The seconds between an original purchase and its purchase do not make the first row an older chain")
    func seconds() throws {
        let first = Self.charge("1", of: "1", "2026-01-20T00:00:09Z", "2026-02-20").with([
            .originalPurchaseDate: "2026-01-20"
        ])
        #expect(Self.total(try Self.history(Rows(transactions: [first])), \.new) == 1)
    }

    /// When the chain was seen last, whether by a renewal state, and whether its end of 20 February was seen.
    static let sightings: [(RowValue?, Bool, Bool)] = [
        (nil, false, false), ("2026-01-20", false, false), ("2026-02-19", false, false), ("2026-02-20", false, true),
        ("2026-03-01", false, true), ("2026-03-01", true, true), ("2026-02-01", true, false),
    ]

    @Test("An end of service that no document of the chain was observed after is unobserved", arguments: sightings)
    func unobserved(_ seen: RowValue?, _ isRenewal: Bool, _ isObserved: Bool) throws {
        var charge = Self.charge("1", of: "1", "2026-01-20", "2026-02-20")
        if !isRenewal { charge[.observedAt] = seen }
        var renewal: Row<RenewalColumn> = [.originalTransactionID: "1"]
        renewal[.observedAt] = seen
        let other = Self.coins.with([.observedAt: "2026-04-01"])
        let history = try Self.history(Rows(transactions: [charge, other], renewals: isRenewal ? [renewal] : []))
        #expect(Self.total(history, \.expired) == (isObserved ? 1 : 0))
        #expect(Self.total(history, \.unobserved) == (isObserved ? 0 : 1))
        #expect(history.active == 0)
    }

    @Test("A later purchase and a cancellation show that service ended")
    func shownEnds() throws {
        let cancelled = Self.charge("1", of: "1", "2026-01-20", "2026-03-20").with([.cancellationDate: "2026-02-01"])
        let lapsed = [
            Self.charge("2", of: "2", "2026-01-02", "2026-02-02"),
            Self.charge("3", of: "2", "2026-03-05", "2026-07-05"),
        ]
        let history = try Self.history(Rows(transactions: [cancelled] + lapsed))
        #expect(Self.total(history, \.expired) == 2 && Self.total(history, \.unobserved) == 0)
    }

    @Test("Any copy of a transaction may be the newest document of its chain, and merging keeps it")
    func merges() throws {
        let charge = Self.charge("1", of: "1", "2026-01-20", "2026-02-20")
        let rows = ["2026-01-20", "2026-03-01", "2026-02-01"].map { charge.with([.observedAt: .text($0)]) }
        var ledger = Ledger(needs: .subscriptions)
        for row in rows {
            var part = Ledger(needs: .subscriptions)
            part.update(with: Rows(transactions: [row]).batch())
            ledger.merge(part)
        }
        #expect(ledger.transactions.values(0).observed == Timestamp("2026-03-01").milliseconds)
    }

    @Test("A document dated more than a year after the newest purchase does not decide up to when data are known")
    func clockAhead() throws {
        let charge = Self.charge("1", of: "1", "2026-01-20", "2099-02-20").with([.observedAt: "2026-01-21"])
        func asOf(_ times: [RowValue]) throws -> (Timestamp?, Int) {
            let documents = times.map { time -> Row<DocumentColumn> in [.kind: "verify", .observedAt: time] }
            let rows = Rows(transactions: [charge], documents: documents)
            let history = try Self.history(rows)
            let ledger = rows.settled(needs: .subscriptions)
            return (history.asOf, ledger.documentsAhead(of: try #require(history.asOf)))
        }
        #expect(try asOf(["2027-01-21T23:00:00Z"]) == (Timestamp("2027-01-21T23:00:00Z"), 0))
        #expect(try asOf(["2027-01-22"]) == (Timestamp("2026-01-21"), 1))
        #expect(try asOf(["2099-01-01", "2026-05-05", "2099-01-01", "2031-01-01"]) == (Timestamp("2026-05-05"), 3))
        #expect(try asOf(["2031-01-01", "2026-05-05"]) == (Timestamp("2026-05-05"), 1))
    }

    @Test("The days of documents are the same in any order, and a limit keeps the earliest")
    func manyDays() {
        var (days, other) = (DocumentDays(), DocumentDays())
        for day in Int64(0)..<140_000 {
            days.see(at: day * 86_400_000, documents: 1)
            other.see(at: (139_999 - day) * 86_400_000, documents: 1)
        }
        #expect(days.sorted.map(\.newest) == other.sorted.map(\.newest) && days.sorted.count == 65_536)
    }

    @Test("A product that does not renew is no subscription of the history, by the row or by the list")
    func nonRenewing() throws {
        let row = Self.charge("1", of: "1", "2026-01-20", "2026-07-20").with([.productType: "non_renewing"])
        #expect(try Self.history(Rows(transactions: [row])).chains == 0)
        let typed = try LedgerRules(prices: PriceList(rows: "gold,*,USD,9.99,,non_renewing\n"))
        #expect(
            try Self.history(Rows(transactions: [Self.charge("1", of: "1", "2026-01-20", "2026-07-20")]), rules: typed)
                .chains == 0
        )
        #expect(try settled([row])["1"]?.serviceEnd == Timestamp("2026-07-20"))
    }

    @Test("A charge without an expiry is served for the listed period, else its service has no known end")
    func listedPeriod() throws {
        let header = "product_id,currency,price,type,period\n"
        func end(_ period: String, from start: String) throws -> Timestamp? {
            let list = try PriceList(csv: Array((header + "gold,USD,1,auto_renewable,\(period)\n").utf8), name: "")
            let row = Self.charge("1", of: "1", .text(start), nil)
            let sale = try settled([row], rules: LedgerRules(prices: list))["1"]
            #expect(sale?.isWithoutExpiry == (sale?.serviceEnd == nil))
            return sale?.serviceEnd
        }
        #expect(try end("P1Y", from: "2026-01-01") == Timestamp("2027-01-01"))
        #expect(try end("P1M", from: "2026-01-31T10:00:00Z") == Timestamp("2026-02-28T10:00:00Z"))
        #expect(try end("P1W", from: "2026-12-30") == Timestamp("2027-01-06"))
        #expect(try end("", from: "2026-01-01") == nil)
        #expect(
            try settled([Self.charge("1", of: "1", "2026-01-01", nil).with([.isTrial: true])])["1"]?.isWithoutExpiry
                == false
        )
    }

    @Test("A refund before its purchase is booked with the purchase, to the second")
    func earlyRefund() throws {
        func refund(_ date: RowValue) throws -> (Timestamp?, Bool?) {
            let row: Row<TransactionColumn> = [
                .transactionID: "1", .purchaseDate: "2026-01-01T00:00:00.500Z", .cancellationDate: date,
            ]
            let sale = try settled([row])["1"]
            return (sale?.refundDate, sale?.isRefundEarly)
        }
        #expect(try refund("2025-12-20") == (Timestamp("2026-01-01T00:00:00.500Z"), true))
        #expect(try refund("2026-01-01") == (Timestamp("2026-01-01"), false))
        #expect(try refund("2026-01-02") == (Timestamp("2026-01-02"), false))
    }
}
