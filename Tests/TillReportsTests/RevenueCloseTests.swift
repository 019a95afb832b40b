import Testing
import TillCore
import TillLedger
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

@Suite("Revenue as the schedules of a close")
struct RevenueCloseTests: RevenueTesting {
    /// The rows of a schedule with some columns.
    private static func lines(_ name: String, _ columns: [String], _ document: ReportDocument) throws -> [String] {
        let section = try #require(document.closing().schedules.first { $0.section.name == name }).section
        let places = try columns.map(section.place(of:))
        return try section.rows().map { row in places.map { row[$0].plainText }.joined(separator: "|") }
    }

    private static let sold = ["transactions", "units", "gross", "refunds", "net"]

    private static let sales = [
        sale(1, "pro", "2026-02-01", 10_00), sale(2, "old", "2026-02-04", 5_00), sale(3, "pro", "2026-03-03", 20_00),
        sale(4, "pro", "2026-03-04", 8_00, "EUR"), sale(5, "gem", "2026-03-05", 4_00, refunded: "2026-03-06"),
        sale(6, "gem", "2026-03-07", nil),
    ]

    @Test("Products in the base currency are beside the month before; one that was sold only then has a row")
    func tellsProducts() throws {
        let document = try Self.document(Self.sales, Self.rules(month: "2026-03", rate: "1.60"))
        // pro: 20 / 1.60 + 8 = 20.50, before 10 / 1.25 = 8; old: 5 / 1.25 = 4 before. One gem has no price, so no sum of
        // gems is known.
        let products = ["product_id"] + Self.sold + ["refund_rate", "unpriced_units", "before", "change"]
        let lines = try Self.lines("products", products, document)
        #expect(
            lines == [
                "pro|2|2|20.50|0.00|20.50|0 of 20500000|0|8.00|12500000 of 8000000",
                "old|0|0|0.00|0.00|0.00|0 of 0|0|4.00|-4000000 of 4000000",
                "gem|2|2|–|–|–|–|1|0.00|–",
            ]
        )
        let refunds = ["product_id", "refunded_transactions", "refunds", "share", "gross", "refund_rate"]
        #expect(
            try Self.lines("refunds", refunds, document) == ["gem|1|–|–|–|–"]
        )
        // 24 dollars at 1 / 1.60 euros.
        let converted = ["converted_gross", "converted_refunds", "converted_net"]
        let currencies = ["currency"] + Self.sold + ["unpriced_units", "lowest_rate", "highest_rate"] + converted
        #expect(
            try Self.lines("currencies", currencies, document) == [
                "USD|2|2|24.00|4.00|20.00|0|0.6250|0.6250|15.00|2.50|12.50",
                "EUR|1|1|8.00|0.00|8.00|0|1.0000|1.0000|8.00|0.00|8.00", "–|1|1|–|–|–|1|–|–|–|–|–",
            ]
        )
    }

    @Test("Without a base currency each product has a row for each currency, and so has each month")
    func tellsCurrencies() throws {
        let document = try Self.document(Self.sales, Self.rules(month: nil))
        #expect(
            try Self.lines("products", ["product_id", "currency"] + Self.sold.prefix(4), document) == [
                "pro|USD|2|2|30.00|0.00", "old|USD|1|1|5.00|0.00", "gem|USD|1|1|4.00|4.00", "pro|EUR|1|1|8.00|0.00",
                "gem|–|1|1|–|–",
            ]
        )
        #expect(
            try Self.lines("months", ["month", "currency"] + Self.sold.prefix(3), document) == [
                "2026-02|USD|2|2|15.00", "2026-03|USD|2|2|24.00", "2026-03|EUR|1|1|8.00", "2026-03|–|1|1|–",
            ]
        )
    }

    /// The sums of additive columns of a table by currency, an empty text where the row has none.
    private static func sums(_ section: Section) throws -> [String: [String: Int128]] {
        var sums: [String: [String: Int128]] = [:]
        for row in try section.rows() {
            for (column, cell) in zip(section.columns, row) where column.isAdditive {
                switch cell {
                case .money(let money):
                    sums[column.name, default: [:]][money.currency.description, default: 0] += money.millionths
                case .count(let count): sums[column.name, default: [:]]["", default: 0] += Int128(count)
                default: break
                }
            }
        }
        return sums
    }

    @Test(
        "All schedules of random sales come to the same sums as the rows of the report",
        arguments: Seeds.some(of: 0..<30)
    )
    func comesToTheRows(_ seed: Int) throws {
        // Where a price or a rate is missing, sums are unknown, and only counts are the same.
        let isWhole = !seed.isMultiple(of: 3)
        var numbers = SplitMix64(seed: UInt64(seed))
        let sales = (0..<60).map { id in
            let isRefunded = Int.random(in: 0..<4, using: &numbers) == 0
            return Self.sale(
                id + 1,
                "p\(Int.random(in: 0..<5, using: &numbers))",
                "2026-0\(Int.random(in: 2...3, using: &numbers))-1\(Int.random(in: 0..<9, using: &numbers))",
                !isWhole && Int.random(in: 0..<9, using: &numbers) == 0
                    ? nil : Int64.random(in: 1...9_999, using: &numbers),
                ["USD", "EUR", isWhole ? "EUR" : "GBP"].randomElement(using: &numbers) ?? "USD",
                refunded: isRefunded ? "2026-03-2\(Int.random(in: 0..<9, using: &numbers))" : nil
            )
        }
        // Pounds have no rate; without a conversion they need none.
        let rules = try Self.rules(
            month: [nil, "2026-03"].randomElement(using: &numbers) ?? nil,
            rate: [nil, "1.07"].randomElement(using: &numbers) ?? nil
        )
        let document = try Self.document(sales, rules)
        let rows = try Self.sums(document.section("revenue"))
        let totals = try Self.sums(document.section("totals"))
        let isConverted = rules.conversion != nil
        // With the row Rounding, a table comes to the headline in the base currency, which is rounded once.
        var headline: [String: [String: Int128]] = [:]
        if isConverted {
            let converted = try document.section("converted")
            for (column, cell) in zip(converted.columns, try converted.record()) {
                guard case .money(let money) = cell else { continue }
                headline[column.name] = [money.currency.description: money.millionths]
            }
        }
        let schedules = document.closing().schedules
        #expect(Set(schedules.map(\.section.name)).isSuperset(of: ["products", "refunds", "currencies"]))
        for schedule in schedules {
            let sums = try Self.sums(schedule.section)
            switch schedule.section.name {
            case "products", "months":
                for name in ["gross", "refunds", "net"] where isWhole {
                    let sum = try headline[name] ?? #require(rows[name], "\(name)")
                    #expect(sums[name] == sum, "\(name)")
                }
                #expect(sums["transactions"] == rows["transactions"] && sums["units"] == rows["units"])
                #expect(sums["transactions"] != nil && sums["units"] != nil)
            case "refunds":
                let all = (headline["refunds"] ?? rows["refunds"] ?? [:]).filter { $0.value != 0 }
                if isWhole { #expect((sums["refunds"] ?? [:]).filter { $0.value != 0 } == all) }
                #expect(
                    sums["refunded_transactions", default: [:]]["", default: 0] == rows["refunded_transactions"]?[""]
                )
            case "currencies":
                for name in ["gross", "refunds", "net", "transactions"] {
                    let sum = try #require(rows[name], "\(name)")
                    #expect(sums[name] == sum, "\(name)")
                }
                // In the base currency a total is rounded once, and is not the sum of rounded rows.
                #expect(sums["converted_net"] == totals["converted_net"])
                if isWhole { #expect((sums["converted_net"] != nil) == isConverted) }
            default: break
            }
        }
    }
}

extension Cell {
    /// The value with its parts, unrounded.
    fileprivate var plainText: String {
        switch self {
        case .absent: "–"
        case .text(let text), .word(let text, _): text
        case .count(let count): String(count)
        case .money(let money): money.decimalText
        case .ratio(let part, let whole): "\(part) of \(whole)"
        case .code, .decimal, .instant, .list, .flag, .records: "?"
        }
    }
}
