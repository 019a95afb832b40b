import Testing
import TillCore
import TillLedger
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

@Suite("The charts of a period of revenue")
struct RevenueCourseTests: RevenueTesting {
    private static func charts(_ section: String, _ document: ReportDocument) -> [Chart] {
        document.sections.first { $0.name == section }?.charts ?? []
    }

    private static func month(_ text: String) throws -> Period { try BookingCalendar.usual.month(text) }

    private static func money(_ cents: Int128, _ currency: String = "USD") -> Cell {
        CurrencyCode(currency).map { .money(Money(millionths: cents * 10_000, currency: $0)) } ?? .absent
    }

    // MARK: Hand-worked

    @Test("Thirteen months, those before the first record unknown, those without a sale 0, the last one marked")
    func months() throws {
        let sales = [
            Self.sale(1, "pro", "2025-05-20", 1_000), Self.sale(2, "pro", "2025-07-31T23:59:59.999Z", 300),
            Self.sale(3, "gem", "2026-03-01", 700), Self.sale(4, "pro", "2026-04-01", 9_900),
            // Refunded in December.
            Self.sale(5, "gem", "2025-11-20", 200).with([.cancellationDate: "2025-12-02"]),
        ]
        let charts = Self.charts("course", try Self.document(sales, Self.rules(Self.month("2026-03"))))
        let chart = try #require(charts.first)
        #expect(charts.count == 1 && chart.kind == .stackedColumns && chart.current == 12 && chart.unfinished == nil)
        #expect(chart.title == "Customer sales by month, USD (13 months, March 2026 marked)")
        #expect(
            chart.categories
                == [
                    "2025-03", "2025-04", "2025-05", "2025-06", "2025-07", "2025-08", "2025-09", "2025-10", "2025-11",
                    "2025-12", "2026-01", "2026-02", "2026-03",
                ].map(Cell.text)
        )
        let cents: [Int128] = [1_000, 0, 300, 0, 0, 0, 200, -200, 0, 0, 700]
        #expect(chart.series.map(\.values) == [[.absent, .absent] + cents.map { Self.money($0) }])
        #expect(chart.notes == ["Not known: 2025-03 to 2025-04, before the first record"])
    }

    @Test("A month that the input does not cover to its end is told, and one without a sale before has no chart")
    func edges() throws {
        let sales = [Self.sale(1, "pro", "2026-02-20", 1_000), Self.sale(2, "pro", "2026-03-09", 300)]
        var rules = try Self.rules(Self.month("2026-03"))
        rules.completeDay = nil
        let chart = Self.charts("course", try Self.document(sales, rules)).first
        #expect(chart?.unfinished == 12 && chart?.notes.last == "2026-03 is to date")
        for month in ["2026-02", "2026-04"] {
            rules.period = try Self.month(month)
            #expect(Self.charts("course", try Self.document(sales, rules)).isEmpty)
        }
        for period in [nil, Period(from: Timestamp("2026-02-01"), until: Timestamp("2026-04-01"))] {
            #expect(Self.charts("course", try Self.document(sales, Self.rules(period))).isEmpty)
        }
    }

    @Test("A day and a week have the twelve before them")
    func daysAndWeeks() throws {
        let sales = [Self.sale(1, "pro", "2026-02-27", 100), Self.sale(2, "pro", "2026-03-04", 300)]
        let day = Period(from: Timestamp("2026-03-04"), until: Timestamp("2026-03-05"))
        let days = try #require(Self.charts("course", try Self.document(sales, Self.rules(day))).first)
        #expect(days.categories.first == .text("2026-02-20") && days.categories.last == .text("2026-03-04"))
        #expect(
            days.series[0].values == Array(repeating: .absent, count: 7)
                + [100, 0, 0, 0, 0, 300].map { Self.money($0) }
        )
        // From Monday to Sunday.
        let week = Period(from: Timestamp("2026-03-02"), until: Timestamp("2026-03-09"))
        let weeks = try #require(Self.charts("course", try Self.document(sales, Self.rules(week))).first)
        #expect(
            weeks.title == "Customer sales by week, USD (13 weeks, 2026-W10 marked)"
                && weeks.categories.last == .text("2026-W10")
        )
        #expect(weeks.series[0].values.suffix(2) == [Self.money(100), Self.money(300)])
    }

    @Test("Of several currencies each has a panel, that with most sales first")
    func currencies() throws {
        let sales = [
            Self.sale(1, "pro", "2026-02-20", 1_000), Self.sale(2, "pro", "2026-03-09", 300),
            Self.sale(3, "pro", "2026-03-09", 500, "EUR"), Self.sale(4, "pro", "2026-03-31", 500, "EUR"),
        ]
        let chart = try #require(
            Self.charts("course", try Self.document(sales, Self.rules(Self.month("2026-03")))).first
        )
        #expect(chart.kind == .panels && chart.series.map(\.title) == ["EUR", "USD"])
        #expect(chart.series[0].values.suffix(2) == [Self.money(0, "EUR"), Self.money(1_000, "EUR")])
        #expect(chart.series[1].values.suffix(2) == [Self.money(1_000), Self.money(300)])
    }

    @Test("Months whose amounts have no rate are unknown in the base currency")
    func withoutRates() throws {
        let sales = [
            Self.sale(1, "pro", "2026-01-20", 1_000), Self.sale(2, "pro", "2026-02-20", 1_000),
            Self.sale(3, "pro", "2026-03-31", 300),
        ]
        let rules = try Self.rules(Self.month("2026-03"), euros: [("2026-01-20", "1.25"), ("2026-03-31", "1.5")])
        let chart = try #require(Self.charts("course", try Self.document(sales, rules)).first)
        #expect(chart.title == "Customer sales by month, EUR (13 months, March 2026 marked)")
        #expect(chart.series[0].values.suffix(3) == [Self.money(800, "EUR"), .absent, Self.money(200, "EUR")])
        #expect(chart.notes.last == "Not known, since amounts lack a price or a rate: 2026-02")
    }

    /// 25 products in March; February had another one.
    private static let many =
        (1...25).map { sale($0, "p\($0)", "2026-03-02", Int64($0) * 100) } + [
            sale(30, "p1", "2026-02-01", 400), sale(31, "gone", "2026-02-01", 600),
            sale(32, "p25", "2026-02-05", 5_000), sale(33, "p25", "2026-03-09", 980, "EUR"),
            sale(34, "p24", "2026-03-09", 980, "EUR"),
        ]

    @Test("The bars of products are the rows of their table, in each currency")
    func bars() throws {
        let document = try Self.document(Self.many, Self.rules(Self.month("2026-03")))
        let (rows, charts) = (try document.rows(of: "products"), Self.charts("products", document))
        #expect(charts.map(\.title) == ["Customer sales by product, USD", "Customer sales by product, EUR"])
        for (chart, currency) in zip(charts, ["USD", "EUR"]) {
            let own = rows.filter { $0[1] == .text(currency) && $0[0].displayText != "Total" }
            #expect(chart.kind == .bars && chart.repeatsRows)
            #expect(chart.categories.map(\.displayText) == own.map { $0[0].displayText })
            #expect(chart.series.map(\.values) == [own.map { $0[3] }])
        }
        #expect(charts.map(\.rest) == [12, nil])
        #expect(charts.first?.series[0].values.last == Self.money(9_100))
    }

    @Test("A bridge begins and ends with the printed figures, and its steps lead from one to the other")
    func bridge() throws {
        var rules = try Self.rules(Self.month("2026-03"))
        rules.comparison = .month
        let document = try Self.document(Self.many, rules)
        let charts = Self.charts("comparison_products", document)
        #expect(charts.map(\.kind) == [.waterfall, .waterfall])
        let chart = try #require(charts.first)
        #expect(chart.title == "From February 2026 to March 2026, customer sales in USD")
        // p25 25 − 50, p24 to p17; p1 1 − 4, gone −6 and p2 to p16 together: −9 + 2 + … + 16 = 126.
        let names = ["p25"] + (18...24).reversed().map { "p\($0)" }
        #expect(chart.categories == (["February 2026"] + names + ["18 other products", "March 2026"]).map(Cell.text))
        let changes: [Int128] = [-2_500] + (18...24).reversed().map { Int128($0) * 100 } + [14_300]
        #expect(chart.series[0].values == ([6_000] + changes + [32_500]).map { Self.money($0) })
        #expect(try document.rows(of: "totals").contains { $0.contains(Self.money(32_500)) })
        // Without the earlier period nothing is known of changes.
        rules.period = try Self.month("2026-02")
        #expect(Self.charts("comparison_products", try Self.document(Self.many, rules)).isEmpty)
    }

    // MARK: Against the reports of the months

    private static func random(_ generator: inout SplitMix64) -> [Row<TransactionColumn>] {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (1...90).map { id in
            let (month, day) = (Int.random(in: 0..<20, using: &generator), Int.random(in: 1...28, using: &generator))
            func date(_ month: Int, _ day: Int) -> String { "\(2024 + month / 12)-\(two(month % 12 + 1))-\(two(day))" }
            let row = sale(
                id,
                generator.pick(["a", "b", "c"]),
                date(month, day),
                Int64.random(in: 1...9_999, using: &generator),
                generator.pick(["USD", "USD", "EUR"])
            )
            guard Int.random(in: 0..<4, using: &generator) == 0 else { return row }
            return row.with([.cancellationDate: .text(date(month + Int.random(in: 0...2, using: &generator), 28))])
        }
    }

    /// The net that the report of a month prints in a currency; absent where it says that amounts have no rate.
    private static func printedNet(
        _ document: ReportDocument,
        _ currency: String,
        isConverted: Bool
    ) throws -> Cell {
        guard isConverted else {
            let totals = try document.section("totals")
            let net = try totals.place(of: "net")
            return try totals.rows().first { $0[0] == .text(currency) }?[net] ?? money(0, currency)
        }
        let section = try document.section("converted")
        let cells = try section.record()
        let isKnown = try cells[section.place(of: "unconverted_transactions")] == .count(0)
        let net = try section.place(of: "net")
        return isKnown ? cells[net] : .absent
    }

    @Test(
        "Every month of the course has the digits of its own report, however the sales are split",
        arguments: Seeds.some(of: UInt64(1)...30)
    )
    func againstOwnReports(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sales = Self.random(&generator)
        let isConverted = seed.isMultiple(of: 2)
        // Some months have no rate near enough.
        let rates = (0..<20).filter { _ in Int.random(in: 0..<6, using: &generator) > 0 }.flatMap { month in
            [1, 15].map { day in
                (
                    "\(2024 + month / 12)-\(month % 12 < 9 ? "0" : "")\(month % 12 + 1)-\(day == 1 ? "01" : "15")",
                    "1.1\(month % 10)7"
                )
            }
        }
        func rules(_ month: String) throws -> LedgerRules {
            var rules = try Self.rules(Self.month(month), euros: isConverted ? rates : nil)
            rules.conversion?.longestGap = 16
            return rules
        }
        let asked = "2025-0\(Int.random(in: 1...8, using: &generator))"
        let settled = Rows(transactions: sales).settled(rules: try rules(asked), needs: RevenueReport.needs)
        let chart = try #require(Self.charts("course", try Self.document(settled)).first)
        let first = sales.compactMap { $0[.purchaseDate]?.text }.min() ?? ""
        #expect(chart.categories.count == 13 && !chart.series.isEmpty)
        var known = 0
        for (index, category) in chart.categories.enumerated() {
            let month = category.displayText
            let own = try Self.document(sales, rules(month))
            for series in chart.series {
                let currency = isConverted ? "EUR" : series.title == "Customer sales" ? "USD" : series.title
                var printed = Cell.absent
                if month >= first.prefix(7) {
                    printed = try Self.printedNet(own, currency, isConverted: isConverted)
                }
                // The month of the report shows what its rates know, as the report itself does.
                if index == chart.current, printed == .absent { continue }
                #expect(series.values[index] == printed, "\(month) \(currency)")
                known += printed == .absent ? 0 : 1
            }
        }
        #expect(known > 0, "no month has a net that is known")
        let parts = Rows.settled(
            [Rows(transactions: Array(sales.dropFirst(40))), Rows(transactions: Array(sales.prefix(60)))],
            rules: try rules(asked),
            needs: RevenueReport.needs
        )
        #expect(Self.charts("course", try Self.document(parts)) == [chart])
    }

    @Test("The columns of all months are the net of their table", arguments: Seeds.some(of: UInt64(1)...10))
    func againstTable(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sales = Self.random(&generator)
        let document = try Self.document(sales, Self.rules(nil))
        let table = try document.rows(of: "months")
        var found = 0
        let chart = try #require(Self.charts("months", document).first)
        for series in chart.series {
            #expect(series.values.count == chart.categories.count)
            for (category, value) in zip(chart.categories, series.values) {
                let row = table.first { row in
                    // `2025-08 (to date)`
                    guard case .text(let name) = row[0], case .text(let month) = category else { return false }
                    return name.hasPrefix(month) && row[1] == .text(series.title)
                }
                #expect(row.map { $0[5] } ?? Self.money(0, series.title) == value)
                found += row == nil ? 0 : 1
            }
        }
        #expect(found > 0, "no column is a row of the table")
    }
}
