import Testing
import TillCore
import TillLedger
import TillPricing
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

@Suite("Converted deferral")
struct DeferredConversionTests {
    private static func conversion(_ rates: [(day: String, rate: String)]) throws -> Conversion {
        var table = ExchangeRates()
        table.begin(source: "rates.csv")
        let (euro, dollar) = (try #require(CurrencyCode("EUR")), try #require(CurrencyCode("USD")))
        for (day, text) in rates {
            let day = Int(Timestamp(day).milliseconds / Timestamp.millisecondsPerDay)
            try table.add(day: day, base: euro, quote: dollar, rate: #require(ExchangeRates.rate(text)))
        }
        return Conversion(to: euro, rates: table)
    }

    private static func statement(_ sales: [Row<TransactionColumn>], _ rules: LedgerRules) throws -> DeferralStatement {
        let ledger = Rows(transactions: sales).settled(rules: rules)
        var report = DeferredReport(rules)
        try ledger.forEachTransaction { report.update(with: $0) }
        return try report.statement(ledger)
    }

    private static func cents(_ figures: DeferredFigures) -> [Int128] {
        [figures.opening, figures.billed, figures.refunds, figures.earned, figures.closing].map { $0 / 10_000 }
    }

    /// 30 days of 1.00 from 16 March, refunded on 5 April.
    private static let refunded: Row<TransactionColumn> = [
        .transactionID: "1", .productID: "pro", .purchaseDate: "2026-03-16", .expiresDate: "2026-04-15",
        .environment: "production", .price: 30_000, .currency: "USD", .cancellationDate: "2026-04-05",
    ]

    @Test("A balance is carried at the rate of its sale, and earned is the remainder")
    func saleRate() throws {
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-16", "1.2"), ("2026-04-03", "1.1")])
        let statement = try Self.statement([Self.refunded], rules)
        // At 1.2: billed 30.00 → 25.00; closing 14.00 → 11.67; earned 25.00 - 11.67 = 13.33. The refund takes the rate
        // of the purchase: 25.00, and earned is 11.67 - 25.00 = -13.33.
        let converted = statement.rows.compactMap(\.converted)
        #expect(converted.map { Self.cents($0.figures) } == [[0, 2500, 0, 1333, 1167], [1167, 0, 2500, -1333, 0]])
        #expect(statement.convertedTotals.count == 2)
        // By the rates of the months, the refund is one of 30.00 / 1.1 = 27.27, and the difference of the rates is in
        // what was earned.
        rules.conversion?.dateRule = .monthEnd
        rules.conversion?.longestGap = 60
        let monthly = try Self.statement([Self.refunded], rules).rows.compactMap(\.converted)
        #expect(monthly.map { Self.cents($0.figures) } == [[0, 2500, 0, 1333, 1167], [1167, 0, 2727, -1560, 0]])
    }

    @Test("The schedule of a currency turns exactly its converted closing balance into revenue")
    func schedule() throws {
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-16", "1.2")])
        // 90 days of 1/3 from 16 March: 16 days are 5.33; 24.67 / 1.2 = 20.56 are deferred. After April 46 days, 15.33,
        // are earned: 14.67 → 12.22 are left; after May 77, 25.67: 4.33 → 3.61.
        let sale = Self.refunded.with([.expiresDate: "2026-06-14", .cancellationDate: "2026-03-15"])
        var kept = sale
        kept[.cancellationDate] = nil
        let statement = try Self.statement([kept], rules)
        #expect(statement.rows.first?.converted.map { Self.cents($0.figures) } == [0, 2500, 0, 444, 2056])
        #expect(statement.schedule.map { ($0.converted ?? 0) / 10_000 } == [834, 861, 361])
    }

    @Test("What has no rate is in no converted figure and is listed")
    func unconverted() throws {
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-16", "1.2")])
        let late = Self.refunded.with([
            .transactionID: "2", .purchaseDate: "2026-04-05", .cancellationDate: "2026-04-06",
        ])
        let statement = try Self.statement([Self.refunded, late], rules)
        let converted = statement.rows.compactMap(\.converted)
        #expect(converted.map { Self.cents($0.figures) } == [[0, 2500, 0, 1333, 1167], [1167, 0, 2500, -1333, 0]])
        // Its sale and its refund.
        #expect(converted.map(\.unconverted) == [0, 2])
        let missing = try #require(statement.rates?.unconverted)
        #expect(missing.map { [$0.bookings, Int64($0.billed), Int64($0.refunds)] } == [[2, 30_000_000, 30_000_000]])
        rules.conversion?.gapRule = .fail
        #expect(throws: Finding.self) { try Self.statement([Self.refunded, late], rules) }
    }

    @Test("What is earned in a month without a sale is not known either, where the sale has no rate")
    func unconvertedLater() throws {
        var rules = LedgerRules()
        rules.conversion = try Self.conversion([("2026-03-16", "1.2")])
        let sale = Self.refunded.with([.currency: "TWD", .cancellationDate: "2027-01-01"])
        let rows = try Self.statement([sale], rules).rows
        #expect(rows.count >= 2 && rows.allSatisfy { $0.converted?.isKnown == false })
        #expect(rows.compactMap(\.converted).map(\.unconverted).prefix(2) == [1, 0])
    }

    @Test(
        "Converted rows, totals and schedules add up, and billed and refunds are those of the revenue report",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func addsUp(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rules = LedgerRules(refundDating: generator.pick([.refund, .purchase]))
        let days = (0..<12).map { "2026-\($0 < 9 ? "0" : "")\($0 + 1)-01" }
        rules.conversion = try Self.conversion(days.map { ($0, "1.\(100 + generator.below(899))") })
        rules.conversion?.longestGap = 31
        rules.conversion?.dateRule = generator.pick(Conversion.DateRule.allCases)
        rules.rounding = generator.pick(Rounding.allCases)
        let sales = (1...20).map { id -> Row<TransactionColumn> in
            let start = 20_454 + Int64(generator.below(200))
            func day(_ later: Int) -> RowValue { .number((start + Int64(later)) * Timestamp.millisecondsPerDay) }
            var sale = Self.refunded.with([
                .transactionID: "\(id)", .purchaseDate: day(0), .expiresDate: day(generator.pick([7, 31, 366])),
                .price: .number(Int64(generator.below(9999)) * 10),
            ])
            sale[.cancellationDate] = generator.once(in: 3) ? day(generator.below(60)) : nil
            return sale
        }
        // The statement checks its identities itself.
        let statement = try Self.statement(sales, rules)
        let text = try json("revenue", Rows(transactions: sales), rules: rules)
        let booked = statement.rows.filter { $0.figures.billed != 0 || $0.figures.refunds != 0 }
        #expect(!booked.isEmpty)
        for row in booked {
            let figures = try #require(row.converted?.figures)
            let currency = try #require(rules.conversion?.base)
            let (billed, refunds) = (
                Money(millionths: figures.billed, currency: currency).decimalText,
                Money(millionths: figures.refunds, currency: currency).decimalText
            )
            let line = text.split(separator: "\n").first { $0.contains("\"month\":\"\(row.time ?? "")\"") }
            #expect(line?.contains("\"converted_gross\":\(billed),\"converted_refunds\":\(refunds),") == true)
        }
    }

    @Test("A row is explained by the movements of its transactions, which add up to it")
    func explanation() throws {
        let other = Self.refunded.with([.transactionID: "2", .purchaseDate: "2026-04-16", .expiresDate: "2026-05-16"])
        var kept = other
        kept[.cancellationDate] = nil
        let gone = Self.refunded.with([.transactionID: "3", .purchaseDate: "2025-01-01", .expiresDate: "2025-02-01"])
        var past = gone
        past[.cancellationDate] = nil
        let ledger = Rows(transactions: [Self.refunded, kept, past]).settled(needs: .provenance)
        let selection = try Selection("month=2026-04,product_id=pro,currency=USD")
        #expect(DeferredExplanation.namesTime(selection))
        #expect(try !DeferredExplanation.namesTime(Selection("product_id=pro")))
        let document = try Self.explanation(of: selection, ledger)
        // As the rows of the report: the first is refunded in April, 15 of the 30 days of the second lie in it, the
        // third is over.
        #expect(
            try Self.amounts("transactions", document) == [
                Self.money([1400, 0, 3000, -1600, 0]), Self.money([0, 3000, 0, 1500, 1500]),
            ]
        )
        #expect(try Self.amounts("totals", document) == [Self.money([1400, 3000, 3000, -100, 1500])])
    }

    @Test("The totals of an explanation are rounded as the row is")
    func roundedExplanation() throws {
        // 10.001 and 10.002; 15 of 30 days are earned in April.
        var sale = Self.refunded.with([.purchaseDate: "2026-04-16", .expiresDate: "2026-05-16"])
        sale[.cancellationDate] = nil
        let sales = [1, 2].map { id in sale.with([.transactionID: .text("\(id)"), .price: .number(10_000 + id)]) }
        let rows = Rows(transactions: sales)
        let selection = try Selection("month=2026-04,product_id=pro,currency=USD")
        let document = try Self.explanation(of: selection, rows.settled(needs: .provenance))
        #expect(try Self.amounts("totals", document) == [Self.money([0, 2000, 0, 1000, 1000])])
        let figures = try #require(try Self.statement(sales, LedgerRules()).rows.first?.figures)
        #expect(Self.cents(figures) == [0, 2000, 0, 1000, 1000])
    }

    private static func explanation(
        of selection: Selection,
        _ ledger: borrowing SettledLedger
    ) throws -> ReportDocument {
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        return try DeferredExplanation.document(of: selection, in: ledger, input: input)
    }

    /// The last five columns of a table.
    private static func amounts(_ name: String, _ document: ReportDocument) throws -> [[String]] {
        try document.rows(of: name).map { cells in cells.suffix(5).map { "\($0)" } }
    }

    private static func money(_ cents: [Int]) throws -> [String] {
        let currency = try #require(CurrencyCode("USD"))
        return cents.map {
            "\(TillReportModel.Cell.money(Money(millionths: Int128($0) * 10_000, currency: currency)))"
        }
    }
}
