import Foundation
import Testing
import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@testable import TillReports
@testable import TillStorage

/// Deferral held against ``DeferralModel`` over random dumps.
@Suite("Deferral and a loop over days")
struct DeferralModelTests {
    static let seeds: Range<UInt64> = 0..<1000

    private static func model(_ generator: inout SplitMix64) -> DeferralModel {
        var model = DeferralModel(sales: [])
        if TimeZoneRules.hasDatabase {
            let names = ["GMT", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata"]
            model.zone = TimeZone(identifier: generator.pick(names)) ?? .gmt
        }
        model.isFiscal = generator.once(in: 3)
        model.isByPurchase = generator.once(in: 3)
        model.sales = (1...(1 + generator.below(12))).map { sale($0, &generator) }
        // 1 January 2026 is day 20,454.
        let first = 20_454 + generator.below(300)
        model.since = generator.pick([nil, nil, first])
        model.until = generator.pick([nil, nil, first + generator.below(100)])
        return model
    }

    private static func sale(_ id: Int, _ generator: inout SplitMix64) -> DeferralModel.Sale {
        func date(_ days: Range<Int>) -> Date {
            let day = Int.random(in: days, using: &generator)
            // Often just about midnight of one of the time zones.
            let hour = generator.pick([0, 7, 8, 12, 18, 22, 23])
            let second = generator.pick([0, 1, 1800, 3599])
            return Date(timeIntervalSince1970: Double((20_454 + day) * 86_400 + hour * 3600 + second))
        }
        func later(_ date: Date, _ days: Int) -> Date { date.addingTimeInterval(Double(days) * 86_400) }
        let price = generator.pick([nil, 0, 1, 5, 99, 999, 1999, 5999, 9999, 12_345, 99_999])
        let currency = generator.pick(["USD", "USD", "JPY", "KWD"])
        var sale = DeferralModel.Sale(
            id: id,
            product: generator.pick(["gold", "pro"]),
            currency: currency,
            price: price
        )
        let purchased = date(0..<400)
        if !generator.once(in: 12) { sale.purchased = purchased }
        if !generator.once(in: 4) {
            let length = generator.pick([-3, 0, 1, 2, 7, 28, 30, 31, 31, 61, 184, 365, 366, 366, 2500, 7000])
            sale.expires = later(purchased, length).addingTimeInterval(Double(generator.below(5) - 2) * 3600)
        }
        if generator.once(in: 3) {
            let refunded = later(purchased, generator.below(90) - 5)
            sale.refunded = refunded
            sale.refundPercent = generator.pick([nil, nil, 0, 15, 40, 50, 99, 100])
            if generator.once(in: 2) { sale.reversed = later(refunded, 1 + generator.below(60)) }
        }
        return sale
    }

    /// The documents of a sale: one that tells all, and perhaps an earlier one that does not know the refund yet.
    private static func rows(_ sale: DeferralModel.Sale, _ generator: inout SplitMix64) -> [Row<TransactionColumn>] {
        func cell(_ date: Date?) -> RowValue? { date.map { .number(Int64($0.timeIntervalSince1970 * 1000)) } }
        var row: Row<TransactionColumn> = [
            .transactionID: "\(sale.id)", .productID: .text(sale.product), .environment: "production",
            .currency: .text(sale.currency),
        ]
        let thousandths = ["JPY": 1000, "KWD": 1][sale.currency] ?? 10
        row[.price] = sale.price.map { .number(Int64($0 * thousandths)) }
        row[.purchaseDate] = cell(sale.purchased)
        row[.expiresDate] = cell(sale.expires)
        let early = row
        row[.cancellationDate] = cell(sale.refunded)
        row[.refundPercentage] = sale.refundPercent.map { .number(Int64($0 * 1000)) }
        row[.observedAt] = cell(sale.refunded)
        row[.refundReversedAt] = cell(sale.reversed)
        return generator.once(in: 2) ? [row] : [row, early]
    }

    private static func rules(_ model: DeferralModel) throws -> LedgerRules {
        var rules = LedgerRules(refundDating: model.isByPurchase ? .purchase : .refund)
        let zone = model.zone == .gmt ? TimeZoneRules.utc : try TimeZoneRules.ofDatabase(model.zone.identifier)
        rules.calendar = BookingCalendar(model.isFiscal ? .appleFiscal : .gregorian, zone: zone)
        guard model.since != nil || model.until != nil else { return rules }
        func name(_ day: Int?) -> String? { day.map { BookingCalendar.usual.name(of: Int64($0), by: .day) } }
        rules.period = try rules.calendar.period(since: name(model.since), until: name(model.until))
        return rules
    }

    /// The ledger of parts, each of which went to files and came back as a partial.
    private static func joined(
        _ rows: [Row<TransactionColumn>],
        _ rules: LedgerRules,
        _ generator: inout SplitMix64
    ) throws -> SettledLedger {
        func ledger() -> SpillingLedger {
            var allowance = MemoryAllowance(bytes: 0, store: MemoryStore())
            allowance.fewestPartitions = 3
            return SpillingLedger(Ledger(period: rules.period), allowance: allowance)
        }
        var parts: [[Row<TransactionColumn>]] = [[], [], []]
        for row in rows { parts[generator.below(3)].append(row) }
        var joined = ledger()
        for part in parts {
            var blocks: [(PartialBlock, [UInt8])] = []
            var piece = ledger()
            for row in part {
                piece.ledger.update(with: Rows(transactions: [row]).batch())
                if generator.once(in: 3) { try piece.spill() }
            }
            try piece.encode { blocks.append(($0, $1)) }
            var decoder = PartialDecoder()
            for (block, bytes) in blocks {
                try decoder.decode(block, bytes.span.bytes, offset: 0, into: &joined.ledger)
                try joined.spill(keepingTexts: true)
            }
            try decoder.finish(offset: 0)
        }
        return try joined.settle(rules)
    }

    @Test(
        "Rows and schedule are those of a loop over days, in one run, in parts and from files",
        arguments: Seeds.some(of: seeds)
    )
    func isTheModel(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let model = Self.model(&generator)
        let rules = try Self.rules(model)
        let rows = model.sales.flatMap { Self.rows($0, &generator) }.shuffled(using: &generator)
        let expected = model.texts()
        let found = try DeferredTexts(Rows(transactions: rows), rules)
        #expect(found.rows == expected.rows)
        #expect(found.schedule == expected.schedule)
        // Of a thousand seeds a fourth are enough; the first ones are run with every change.
        guard seed < Seeds.fixedCount || generator.once(in: 4) else { return }
        #expect(try DeferredTexts(Self.joined(rows, rules, &generator), rules) == found)
    }

    @Test(
        "The balance alone is the last closing balance, in one run and in parts",
        arguments: Seeds.some(of: UInt64(0)..<500)
    )
    func isTheBalance(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let model = Self.model(&generator)
        let rules = try Self.rules(model)
        let rows = model.sales.flatMap { Self.rows($0, &generator) }.shuffled(using: &generator)
        let ledger = try Self.joined(rows, rules, &generator)
        let expected = try Self.lastBalances(ledger, rules)
        var table = DeferredBalance.table(rules)
        try ledger.forEachPartition { part in try part.forEachTransaction { table.add($0) } }
        let balance = try DeferredBalance(of: table, rules, ledger)
        #expect(balance.amounts.filter { $0.value != 0 } == expected.amounts)
        #expect(expected.time == nil || balance.time == expected.time)
    }

    /// The balances other than 0 at the end of the last month, and its name if there is one.
    private static func lastBalances(
        _ ledger: borrowing SettledLedger,
        _ rules: LedgerRules
    ) throws -> (amounts: [CurrencyCode: Int128], time: String?) {
        var report = DeferredReport(rules)
        try ledger.forEachPartition { part in try part.forEachTransaction { report.update(with: $0) } }
        let statement = try report.statement(ledger)
        let totals = statement.totals.filter { $0.figures.closing != 0 }
        guard let last = statement.totals.last(where: { $0.time != nil })?.unit else { return ([:], nil) }
        let closing = totals.filter { $0.unit == last }
        let amounts = closing.reduce(into: [:]) { amounts, row in row.currency.map { amounts[$0] = row.figures.closing }
        }
        return (amounts, amounts.isEmpty ? nil : statement.calendar.name(of: last))
    }

    @Test("Billed and refunds are gross and refunds of the revenue report", arguments: Seeds.some(of: UInt64(0)..<200))
    func isRevenue(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let model = Self.model(&generator)
        let rules = try Self.rules(model)
        let rows = Rows(transactions: model.sales.flatMap { Self.rows($0, &generator) })
        #expect(
            try Self.amounts(of: "revenue", rows, rules, ["gross", "refunds"])
                == Self.amounts(of: "deferred", rows, rules, ["billed", "refunds"])
        )
    }

    /// The two amounts of each row by month, product and currency, without rows in which both are 0.
    private static func amounts(
        of report: String,
        _ rows: Rows,
        _ rules: LedgerRules,
        _ names: [String]
    ) throws -> [String: [Double]] {
        let text = try json(report, rows, rules: rules)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let table = try #require(object?[report] as? [[String: Any]])
        var amounts: [String: [Double]] = [:]
        for row in table {
            let key = ["month", "product_id", "currency"].map { row[$0] as? String ?? "null" }.joined(separator: " ")
            // Amounts that are not known are null.
            let values = try names.map { name in
                let value = try #require(row[name], "a row of \(report) has no \(name)")
                return (value as? NSNumber)?.doubleValue ?? 0
            }
            if values != [0, 0] { amounts[key] = values }
        }
        return amounts
    }

    @Test("The random sales have balances, refunds in them, reversals, long services and schedules")
    func isNotVacuous() throws {
        var (rows, schedules): ([String], [String]) = ([], [])
        var (reversals, longSales) = (0, 0)
        for seed in 0..<UInt64(200) {
            var generator = SplitMix64(seed: seed)
            let model = Self.model(&generator)
            let texts = model.texts()
            rows += texts.rows
            schedules += texts.schedule
            reversals += model.sales.count { $0.reversed != nil }
            longSales += model.sales.count { sale in
                guard let purchased = sale.purchased, let expires = sale.expires else { return false }
                return expires.timeIntervalSince(purchased) > 2000 * 86_400
            }
        }
        #expect(rows.count { !$0.contains(": 0.00 ") && !$0.contains(": 0 ") } > 500)
        #expect(rows.count { $0.contains("- -") } > 50)
        #expect(schedules.count > 1000)
        #expect(schedules.contains { $0.contains("later") })
        #expect(reversals > 50)
        #expect(longSales > 50)
    }
}
