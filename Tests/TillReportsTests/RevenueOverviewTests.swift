import Testing
import TillCore
import TillLedger
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

@Suite("What people read of revenue")
struct RevenueOverviewTests: RevenueTesting {
    /// The titles of a section and its rows as people read them.
    private static func table(
        _ name: String,
        _ sales: [Row<TransactionColumn>],
        _ rules: LedgerRules
    ) throws -> [String] {
        let section = try document(sales, rules).section(name)
        return try [section.columns.map(\.title).joined(separator: "|")]
            + section.rows().map { $0.map(\.displayText).joined(separator: "|") }
    }

    /// 25 products in March, of which p25 brings most; p1 and one that is gone sold in February.
    private static let many =
        (1...25).map { sale($0, "p\($0)", "2026-03-02", Int64($0) * 100) } + [
            sale(30, "p1", "2026-02-01", 400), sale(31, "gone", "2026-02-01", 600),
            sale(32, "p25", "2026-02-05", 5_000), sale(33, "p25", "2026-03-09", 980, "EUR"),
        ]

    @Test("The largest products, the others and all, beside the period before")
    func products() throws {
        let lines = try Self.table("products", Self.many, Self.rules(month: "2026-03"))
        // USD: 1 + … + 25 = 325, of which p14 to p25 are 234. February: 4 + 6 + 50. The others are p1 to p13 and the one
        // gone.
        try #require(lines.count == 1 + 14 + 1)
        #expect(
            [0, 1, 2, 12, 13, 14].map { lines[$0] } == [
                "Product|Currency|Paid|Sales|February 2026|Change %", "p25|USD|1|25.00|50.00|-50.00 %",
                "p24|USD|1|24.00|0.00|–", "p14|USD|1|14.00|0.00|–", "14 other products|USD|13|91.00|10.00|810.00 %",
                "Total|USD|25|325.00|60.00|441.67 %",
            ]
        )
        #expect(lines[15] == "p25|EUR|1|9.80|0.00|–")
    }

    @Test("In the base currency there is one row a product, and a table of currencies with the rates that were used")
    func base() throws {
        let sales = [
            Self.sale(1, "a", "2026-03-02", 1_500), Self.sale(2, "a", "2026-03-03", 700, "EUR"),
            Self.sale(3, "b", "2026-03-04", 300), Self.sale(4, "a", "2026-02-01", 1_250),
        ]
        // 15.00 / 1.50 + 7.00 = 17.00; 3.00 / 1.50; February 12.50 / 1.25 = 10.00.
        let rules = try Self.rules(month: "2026-03", rate: "1.50")
        #expect(
            try Self.table("products", sales, rules) == [
                "Product|Paid|Sales (EUR)|February 2026|Change %", "a|2|17.00|10.00|70.00 %", "b|1|2.00|0.00|–",
                "Total|3|19.00|10.00|90.00 %",
            ]
        )
        #expect(
            try Self.table("currencies", sales, rules) == [
                "Currency|Paid|Sales|FX rate: day of purchase|Sales (EUR)", "USD|2|18.00|0.6666|12.00",
                "EUR|1|7.00|1.0000|7.00", "Total|3|–|–|19.00",
            ]
        )
        let all = try Self.rules(month: nil, rate: "1.50")
        #expect(try Self.table("currencies", sales, all)[1] == "USD|3|30.50|0.6666–0.8000|22.00")
        #expect(
            try Self.table("months", sales, all) == [
                "Month|Paid|Sales before refunds (EUR)|Refunds (EUR)|Customer sales (EUR)",
                "2026-02|1|10.00|0.00|10.00",
                "2026-03 (to date)|3|19.00|0.00|19.00", "Total|4|29.00|0.00|29.00",
            ]
        )
    }

    @Test("A month is complete when there is data of a later day")
    func lastMonth() throws {
        let sales = [Self.sale(1, "a", "2026-02-01", 100), Self.sale(2, "a", "2026-03-31T23:59:59Z", 100)]
        #expect(
            try Self.table("months", sales, LedgerRules()) == [
                "Month|Currency|Paid|Sales before refunds|Refunds|Customer sales", "2026-02|USD|1|1.00|0.00|1.00",
                "2026-03 (to date)|USD|1|1.00|0.00|1.00", "Total|USD|2|2.00|0.00|2.00",
            ]
        )
        let later = try Self.table("months", sales + [Self.sale(3, "a", "2026-04-01", 100)], LedgerRules())
        #expect(later[2].hasPrefix("2026-03|") && later[3].hasPrefix("2026-04 (to date)|"))
        #expect(try !Self.document(sales, Self.rules(month: "2026-03")).hasSection("months"))
    }

    @Test("Compared, the largest change comes first", arguments: [nil, "2026-03"])
    func compared(_ month: String?) throws {
        var rules = try Self.rules(month: month)
        rules.completeDay = rules.calendar.lastDay(before: Timestamp("2026-04-01"))
        rules.comparison = .month
        let sales = [
            Self.sale(1, "a", "2026-02-01", 1_000), Self.sale(2, "a", "2026-03-02", 1_100),
            Self.sale(3, "b", "2026-02-02", 900), Self.sale(4, "c", "2026-03-02", 200),
        ]
        #expect(
            try Self.table("comparison_products", sales, rules) == [
                "Product|Currency|March 2026|February 2026|Change|Change %", "b|USD|0.00|9.00|-9.00|-100.00 %",
                "c|USD|2.00|0.00|2.00|–", "a|USD|11.00|10.00|1.00|10.00 %",
            ]
        )
        #expect(try !Self.document(sales, rules).hasSection("products"))
        // Of a currency without sales now, too.
        let yen = Self.sale(5, "d", "2026-02-03", 10_000, "JPY")
        #expect(try Self.table("comparison_products", sales + [yen], rules).last == "d|JPY|0|100|-100|-100.00 %")
        // Nothing is known of March 2025.
        rules.comparison = .year
        #expect(try Self.table("comparison_products", sales, rules)[1] == "a|USD|11.00|–|–|–")
        // Without a price of February, nothing is compared with it.
        rules.comparison = .month
        let unpriced = Self.sale(6, "c", "2026-02-05", nil)
        #expect(try Self.table("comparison_products", sales + [unpriced], rules)[1] == "a|USD|11.00|–|–|–")
    }

    @Test("Who chooses the keys reads the rows by them, and programs read the same as ever")
    func audience() throws {
        var rules = try Self.rules(month: "2026-03")
        #expect(try Self.document(Self.many, rules).sections.first { $0.name == "revenue" }?.role == .detail)
        let options = RenderOptions()
        for renderer in [JSONRenderer(), NDJSONRenderer(), CSVRenderer()] as [any PiecewiseRenderer] {
            let text = String(
                decoding: try renderer.render(try Self.document(Self.many, rules), options: options),
                as: UTF8.self
            )
            #expect(!text.contains("other products") && !text.contains("\"products\"") && text.contains("p24"))
        }
        let table = TableRenderer()
        let short = String(decoding: table.render(try Self.document(Self.many, rules), options: options), as: UTF8.self)
        #expect(short.contains("More: --detail (By month, product and currency: 26 rows"))
        let all = RenderOptions(showsDetail: true)
        let long = String(decoding: table.render(try Self.document(Self.many, rules), options: all), as: UTF8.self)
        #expect(!long.contains("More:") && long.contains("2026-03  p1 "))
        rules.keys = [.productID]
        let document = try Self.document(Self.many, rules)
        #expect(document.sections.allSatisfy { $0.role != .overview })
        #expect(document.sections.first { $0.name == "revenue" }?.role == .figures)
    }

    static let decimals: [(UInt128, UInt128, String)] = [
        (1, 1, "1.0000"), (1, 150, "0.006666"), (8_702, 10_000, "0.8702"), (1_300, 1, "1300.0000"),
        (1, 3_000_000_000, "0.00000000"),
        (.max, 1, "100000000000000000000.0000"), (2, 3, "0.6666"),
    ]

    @Test("Rates have four decimals, small ones four digits", arguments: decimals)
    func rates(_ numerator: UInt128, _ denominator: UInt128, _ text: String) throws {
        #expect(RateDecimal(try #require(Ratio(numerator, denominator))).text == text)
    }
}
