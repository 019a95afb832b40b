import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

@Suite("The second year of a subscription")
struct PaidServiceTests {
    /// A charge of chain 1, from one day to another, counted from the first of January 2025.
    private static func charge(_ id: Int, _ from: Int, _ until: Int, chain: Int = 1) -> Row<TransactionColumn> {
        func day(_ number: Int) -> RowValue {
            .number(Timestamp("2025-01-01").milliseconds + Int64(number) * Timestamp.millisecondsPerDay)
        }
        return [
            .transactionID: .text("\(id)"), .originalTransactionID: .text("\(chain)"), .productID: "gold",
            .purchaseDate: day(from), .expiresDate: day(until), .price: 9_990, .currency: "USD",
        ]
    }

    /// The commission of each transaction in percent, by id: 30 in the first year, 15 after it.
    private static func rates(_ rows: [Row<TransactionColumn>], catalogue: Catalogue? = nil) throws -> [Int: Int64] {
        var rules = LedgerRules()
        rules.commission = 300_000
        rules.secondYearRate = 150_000
        rules.catalogue = catalogue
        var rates: [[Int: Int64]] = []
        for rows in [rows, rows.reversed()] {
            var ledger = Ledger(keepsSubscriptionGroups: true)
            ledger.update(with: Rows(transactions: rows).batch())
            let settled = ledger.settle(rules)
            let ids = settled.table.rows(settled.texts).map { Int($0.row[.transactionID]?.text ?? "") ?? 0 }
            var found: [Int: Int64] = [:]
            try settled.forEachTransaction { found[ids[$0.number]] = ($0.fees.commission ?? -10_000) / 10_000 }
            rates.append(found)
        }
        #expect(rates[0] == rates[1])
        return rates[0]
    }

    /// Twelve months of 30 or 31 days, 365 in all, the first of them from a day on; ids from `first` on.
    private static func year(from start: Int, id first: Int = 1) -> [Row<TransactionColumn>] {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var day = start
        return lengths.enumerated().map { index, length in
            defer { day += length }
            return charge(first + index, day, day + length)
        }
    }

    @Test("After 365 days of paid service the second year's rate applies")
    func year() throws {
        let rates = try Self.rates(Self.year(from: 0) + [Self.charge(13, 365, 396)])
        #expect((1...12).allSatisfy { rates[$0] == 30 })
        #expect(rates[13] == 15)
        // A renewal that was bought ten seconds before the month was over, and 364 days of weeks.
        var early = Self.charge(13, 365, 396)
        early[.purchaseDate] = .number((early[.purchaseDate]?.number ?? 0) - 10_000)
        #expect(try Self.rates(Self.year(from: 0) + [early])[13] == 15)
        let weeks = (0...53).map { Self.charge($0 + 1, $0 * 7, $0 * 7 + 7) }
        let weekly = try Self.rates(weeks)
        #expect(weekly[53] == 30 && weekly[54] == 15)
    }

    @Test("A lapse of 60 days adds nothing, and one of more begins the count anew", arguments: [(60, 15), (61, 30)])
    func lapses(_ days: Int, _ rate: Int64) throws {
        let rows = Self.year(from: 0).dropLast() + [Self.charge(12, 334 + days, 365 + days)]
        let next = Self.charge(13, 365 + days, 396 + days)
        #expect(try Self.rates(Array(rows) + [next])[13] == rate)
    }

    @Test("Trials, family sharing, restores and free periods have no paid day; a trial is no lapse")
    func unpaid() throws {
        let last = Self.charge(13, 365, 396)
        let year = Self.year(from: 0)
        for change: Row<TransactionColumn> in [[.isTrial: true], [.ownershipType: "family_shared"], [.price: 0]] {
            #expect(try Self.rates([year[0].with(change)] + year.dropFirst() + [last])[13] == 30)
        }
        // The same month once more, on another device.
        let line: Row<TransactionColumn> = [.webOrderLineItemID: "77"]
        let restore = year[11].with(line).with([.transactionID: "99"])
        #expect(try Self.rates(year.dropLast(2) + [year[11].with(line), restore, last])[13] == 30)
        // 70 days of trial between two months.
        let trial = Self.charge(50, 365, 435).with([.isTrial: true])
        #expect(try Self.rates(year + [trial, Self.charge(51, 435, 465)])[51] == 15)
        #expect(try Self.rates(year + [Self.charge(51, 435, 465)])[51] == 30)
    }

    @Test("A refund and an upgrade end the service of their charge, and a reversed refund does not")
    func cancelled() throws {
        let year = Self.year(from: 0)
        let last = Self.charge(13, 365, 396)
        let cancelled = year[3].with([.cancellationDate: year[3][.purchaseDate] ?? 0])
        func rate(_ row: Row<TransactionColumn>) throws -> Int64? {
            try Self.rates(year.filter { $0[.transactionID] != row[.transactionID] } + [row, last])[13]
        }
        #expect(try rate(cancelled) == 30)
        #expect(try rate(cancelled.with([.isUpgraded: true])) == 30)
        #expect(try rate(cancelled.with([.refundReversedAt: "2026-01-01"])) == 15)
        #expect(try rate(cancelled.with([.isUpgraded: true, .refundReversedAt: "2026-01-01"])) == 15)
    }

    @Test(
        "A group is told by the row, else by another row of the chain and product, else by the catalogue, else it is the product"
    )
    func groups() throws {
        let half = Self.year(from: 0).prefix(6).map { $0.with([.productID: "silver"]) }
        let rest = Self.year(from: 0).dropFirst(6) + [Self.charge(13, 365, 396)]
        #expect(try Self.rates(half + rest)[13] == 30)
        let told =
            [half[0].with([.subscriptionGroupID: "20"])] + half.dropFirst()
            + rest.map { $0.with([.subscriptionGroupID: "20"]) }
        #expect(try Self.rates(told)[13] == 15)
        #expect(try Self.rates(half.map { $0.with([.subscriptionGroupID: "21"]) } + told.suffix(rest.count))[13] == 30)
        var catalogue = Catalogue()
        try catalogue.add(Catalogue.Entry(group: "20"), for: "silver")
        try catalogue.add(Catalogue.Entry(group: "20"), for: "gold")
        #expect(try Self.rates(half + rest, catalogue: catalogue)[13] == 15)
        // Another customer begins anew.
        let stranger = Self.charge(40, 365, 396, chain: 40)
        #expect(try Self.rates(Self.year(from: 0) + [stranger])[40] == 30)
    }

    @Test("The rate of the second year never raises the one that holds otherwise, and it goes with a refund too")
    func never() throws {
        let rows = Self.year(from: 0) + [Self.charge(13, 365, 396)]
        var rules = LedgerRules()
        rules.commission = 120_000
        rules.secondYearRate = 150_000
        let ledger = Rows(transactions: rows).settled(rules: rules)
        var commissions: [Int64?] = []
        try ledger.forEachTransaction { commissions.append($0.fees.commission) }
        #expect(commissions == Array(repeating: 120_000, count: rows.count))
    }

    /// Of one chain the charges of the second year, by the set of its paid days.
    private static func model(_ charges: [(id: Int, from: Int, until: Int, isTrial: Bool)]) -> Set<Int> {
        var second: Set<Int> = []
        let sorted = charges.sorted { ($0.from, $0.until) < ($1.from, $1.until) }
        for (index, charge) in sorted.enumerated() where !charge.isTrial {
            var paid: Set<Int> = []
            var end = sorted[0].from
            for (place, other) in sorted[...index].enumerated() {
                if other.from - end > 60 { paid = [] }
                guard place < index else { break }
                end = max(end, other.until)
                let last = min(other.until, sorted[place + 1].from)
                if !other.isTrial, last > other.from { paid.formUnion(other.from..<last) }
            }
            if paid.count >= 365 { second.insert(charge.id) }
        }
        return second
    }

    @Test("Random chains are judged as a search day by day judges them", arguments: Seeds.some(of: UInt64(1)...80))
    func randomChains(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rows: [Row<TransactionColumn>] = []
        var expected: Set<Int> = []
        for chain in 1...4 {
            var day = generator.below(40)
            var charges: [(id: Int, from: Int, until: Int, isTrial: Bool)] = []
            for number in 0..<generator.below(16) {
                let length = generator.pick([7, 30, 31, 90, 180, 365])
                charges.append((chain * 100 + number, day, day + length, generator.once(in: 6)))
                day += generator.pick([length, length, length, length - 3, length + 20, length + 60, length + 61])
            }
            expected.formUnion(Self.model(charges))
            rows += charges.map { charge in
                Self.charge(charge.id, charge.from, charge.until, chain: chain).with([
                    .isTrial: charge.isTrial ? true : false
                ])
            }
        }
        // The seeds that every run has are not of first years alone.
        #expect(seed > Seeds.fixedCount || !expected.isEmpty)
        let rates = try Self.rates(rows.shuffled(using: &generator))
        #expect(Set(rates.filter { $0.value == 15 }.keys) == expected)
    }
}
