import Testing
import TillCore
import TillLedger
import TillPricing
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Converted revenue")
struct ConvertedRevenueTests {
    private static let currencies = ["USD", "JPY", "GBP", "KWD", "CHF", "EUR", "TWD"]

    /// Rates with endless fractions for all but the last currency, which stays unconverted.
    private static func conversion(from generator: inout SplitMix64) throws -> Conversion {
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        let euro = try #require(CurrencyCode("EUR"))
        for code in currencies.dropLast() where code != "EUR" {
            for day in 20_500...20_880 {
                let rate = "\(1 + generator.below(150)).\(1000 + generator.below(9000))"
                try rates.add(
                    day: day,
                    base: euro,
                    quote: #require(CurrencyCode(code)),
                    rate: #require(ExchangeRates.rate(rate))
                )
            }
        }
        return Conversion(to: euro, rates: rates)
    }

    private static func sale(_ id: Int, from generator: inout SplitMix64) -> Row<TransactionColumn> {
        let bought = 20_500 + Int64(generator.below(300))
        var sale: Row<TransactionColumn> = [
            .transactionID: "\(id)", .environment: "production", .productID: .text("product\(generator.below(11))"),
            .purchaseDate: .text(Timestamp(milliseconds: bought * Timestamp.millisecondsPerDay).description),
            .price: .number(.random(in: 0...99_999, using: &generator)), .currency: .text(generator.pick(currencies)),
        ]
        if generator.once(in: 4) {
            let refunded = bought + Int64(generator.below(80))
            sale[.cancellationDate] =
                .text(Timestamp(milliseconds: refunded * Timestamp.millisecondsPerDay).description)
        }
        return sale
    }

    @Test(
        "A reversal without a rate is one booking more, and what is not known is null",
        arguments: ["revenue", "deferred"]
    )
    func countsReversals(_ report: String) throws {
        var generator = SplitMix64(seed: 1)
        var rules = LedgerRules()
        rules.conversion = try Self.conversion(from: &generator)
        rules.period = Period(from: Timestamp("2026-03-01"), until: Timestamp("2026-04-01"))
        rules.completeDay = BookingCalendar.usual.lastDay(before: Timestamp("2026-04-01"))
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .environment: "production", .productID: "coins", .price: 9990, .currency: "TWD",
            .purchaseDate: "2026-01-06", .cancellationDate: "2026-02-09", .observedAt: "2026-02-09",
            .refundReversedAt: "2026-03-09",
        ]
        let other: Row<TransactionColumn> = [
            .transactionID: "2", .environment: "production", .productID: "coins", .price: 4990, .currency: "TWD",
            .purchaseDate: "2026-03-11",
        ]
        for (sales, count) in [([sale], 1), ([other], 1), ([sale, other], 2)] {
            let text = try json(report, Rows(transactions: sales), rules: rules)
            #expect(text.contains(#""unconverted_transactions":\#(count)}"#), "\(text)")
            #expect(text.contains(#"{"name":"unconverted","count":\#(count)"#), "\(text)")
            #expect(text.contains(#"null,"unconverted_transactions""#) && !text.contains(#""net":0.00,"known_net"#))
        }
    }

    @Test(
        "Rows and months of the chart add up to the total of converted money and the rounding difference",
        arguments: Seeds.some(of: UInt64(1)...40)
    )
    func addsUp(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rules = LedgerRules()
        rules.conversion = try Self.conversion(from: &generator)
        rules.conversion?.dateRule = generator.pick(Conversion.DateRule.allCases)
        rules.rounding = generator.pick(Rounding.allCases)
        rules.refundDating = generator.once(in: 2) ? .refund : .purchase
        rules.commission = .random(in: 1...999_999, using: &generator)
        rules.hasNoTax = true
        rules.keys = generator.pick([nil, [.month], [.month, .productID], [.month, .day]])
        // A missing rate would leave all sums unknown.
        let sales = (1...400).map { Self.sale($0, from: &generator) }.filter { $0[.currency] != "TWD" }
        let report = try #require(
            try ReportRegistry.document(
                named: "revenue",
                of: Rows(transactions: sales).settled(rules: rules),
                input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            )
        )
        let (revenue, totals) = (try report.section("revenue"), try report.section("totals"))
        let all = try report.section("converted")

        for measure in ["gross", "refunds", "net"] {
            let total = try Self.amount(measure, ofRecord: all)
            let residual = try Self.amount("residual_\(measure)", ofRecord: all)
            #expect(try Self.sum("converted_\(measure)", of: revenue) == total + residual)
        }
        // Proceeds are whole cents of each sale, so in their own currency no sum of them is rounded.
        #expect(
            try Self.sums("proceeds", of: revenue, by: "currency") == Self.sums("proceeds", of: totals, by: "currency")
        )

        let charts = report.sections.flatMap(\.charts)
        let chart = try #require(charts.first { $0.title == "Customer sales by month, EUR" })
        let months = try Self.sums("converted_net", of: revenue, by: "month")
        #expect(chart.categories.count > 1 && !chart.series.isEmpty)
        for (place, category) in chart.categories.enumerated() {
            let drawn = chart.series.compactMap { Self.amount($0.values[place]) }.reduce(0, +)
            let listed = months[category, default: 0]
            #expect(drawn == listed)
        }
        let listed = months.values.reduce(0, +)
        let net = try Self.amount("net", ofRecord: all) + Self.amount("residual_net", ofRecord: all)
        #expect(listed == net)
    }

    @Test("The total of converted money and of its parts is the same whatever the rows are")
    func hasOneTotal() throws {
        var generator = SplitMix64(seed: 7)
        var rules = LedgerRules()
        rules.conversion = try Self.conversion(from: &generator)
        rules.commission = 300_000
        var none: [RateSchedule.Contradiction] = []
        rules.taxes = RateSchedule([RateSchedule.Row(line: 1, rate: 190_000)], reporting: &none)
        // A missing rate would leave the parts unknown.
        let sales = (1...200).map { Self.sale($0, from: &generator) }.filter { $0[.currency] != "TWD" }
        // All in one row but for the currency, and in a row for each day and product.
        let totals = try [[GroupKey.environment], [.day, .productID]].map { keys in
            rules.keys = keys
            let report = try #require(
                try ReportRegistry.document(
                    named: "revenue",
                    of: Rows(transactions: sales).settled(rules: rules),
                    input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
                )
            )
            let all = try report.section("converted")
            return try ["gross", "refunds", "net", "tax", "without_tax", "commission", "proceeds"].map { measure in
                let total = try Self.amount(measure, ofRecord: all)
                let residual = try Self.amount("residual_\(measure)", ofRecord: all)
                #expect(try Self.sum("converted_\(measure)", of: report.section("revenue")) == total + residual)
                return total
            }
        }
        #expect(totals[0] == totals[1] && totals[0].allSatisfy { $0 > 0 })
    }

    private static func amount(_ cell: Cell) -> Int128? {
        guard case .money(let money) = cell else { return nil }
        return money.millionths
    }

    private static func amount(_ measure: String, ofRecord section: Section) throws -> Int128 {
        let cell = try section.record()[section.place(of: measure)]
        return try #require(amount(cell), "\(measure) is not known")
    }

    private static func sum(_ measure: String, of section: Section) throws -> Int128 {
        try sums(measure, of: section, by: measure).values.reduce(0, +)
    }

    private static func sums(_ measure: String, of section: Section, by key: String) throws -> [Cell: Int128] {
        let (place, keyPlace) = (try section.place(of: measure), try section.place(of: key))
        return try section.rows().reduce(into: [:]) { sums, row in
            sums[row[keyPlace], default: 0] += amount(row[place]) ?? 0
        }
    }
}
