import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillRender
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Estimated proceeds")
struct ProceedsTests {
    private static let prices = """
        product_id,territory,currency,price,commission,tax_rate,tax_included
        vat,*,EUR,9.99,0.30,0.19,
        small,*,JPY,980,0.15,0.10,
        us,*,USD,4.95,0.15,0.0825,false

        """

    /// Some carry a price of their own, in thousandths of a dollar; some are refunded.
    private static func sale(_ id: Int, from generator: inout SplitMix64) -> Row<TransactionColumn> {
        var sale: Row<TransactionColumn> = [.transactionID: "\(id)", .environment: "production"]
        sale[.productID] = generator.pick(["vat", "small", "us"])
        sale[.purchaseDate] = generator.pick(["2026-03-02", "2026-04-30"])
        if generator.once(in: 2) {
            sale[.price] = .number(.random(in: 0...9999, using: &generator))
            sale[.currency] = "USD"
        }
        if generator.once(in: 4) { sale[.cancellationDate] = "2026-05-01" }
        return sale
    }

    @Test(
        "In every row and total, tax, commission and proceeds add up to the net",
        arguments: Seeds.some(of: UInt64(1)...40)
    )
    func addUp(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let sales = (1...60).map { Self.sale($0, from: &generator) }
        var rules = LedgerRules(prices: try PriceList(csv: Array(Self.prices.utf8), name: "prices.csv"))
        rules.commission = .random(in: 1...999_999, using: &generator)
        rules.rounding = generator.pick(Rounding.allCases)
        let ledger = Rows(transactions: sales).settled(rules: rules)
        let input = InputSummary(documents: 60, accepted: 60, rejected: 0, bytes: 1)
        let report = try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
        for name in ["revenue", "totals"] {
            let rows = try Self.amounts(of: report.section(name))
            #expect(rows.count >= 3)
            for row in rows { #expect(row[0] == row[1] + row[2] + row[3]) }
        }
    }

    /// The amounts of each row, net first, then what it is made of.
    private static func amounts(of section: Section) throws -> [[Int128]] {
        let names = ["net", "tax", "commission", "proceeds"]
        let places = try names.map { try section.place(of: $0) }
        return try section.rows().map { row in
            try places.map { place in
                let amount: Money? = if case .money(let money) = row[place] { money } else { nil }
                return try #require(amount).millionths
            }
        }
    }

    @Test("A table that is cut to fit keeps the proceeds")
    func keepsProceeds() throws {
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .productID: "us", .purchaseDate: "2026-03-02", .price: 4950, .currency: "USD",
            .environment: "production",
        ]
        var rules = LedgerRules()
        rules.commission = 300_000
        rules.hasNoTax = true
        let ledger = Rows(transactions: [sale]).settled(rules: rules)
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        let report = try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
        let text = String(decoding: TableRenderer().render(report, options: RenderOptions(width: 60)), as: UTF8.self)
        #expect(text.contains("Left out to fit 60 columns: "))
        #expect(text.contains(" 3.46\n"))
    }

    @Test("A sale that carries its price takes what Apple keeps from a row in another currency, where its own has none")
    func feesOfAnotherCurrency() throws {
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .productID: "vat", .purchaseDate: "2026-01-01", .price: 11_900, .currency: "USD",
        ]
        let rules = LedgerRules(prices: try PriceList(csv: Array(Self.prices.utf8), name: "prices.csv"))
        let text = try json("revenue", Rows(transactions: [sale]), rules: rules)
        let expected = #""tax":1.90,"without_tax":10.00,"commission":3.00,"proceeds":7.00"#
        // In the row, the total and the summary.
        #expect(text.split(separator: expected).count == 4)
    }

    @Test("Half a cent of commission is not earned and kept at once")
    func tie() throws {
        // 70 % of 4.95 is 3.465, which is 3.46; the commission is what is left.
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .purchaseDate: "2026-01-01", .price: 4950, .currency: "USD",
        ]
        var rules = LedgerRules()
        rules.commission = 300_000
        rules.hasNoTax = true
        let text = try json("revenue", Rows(transactions: [sale]), rules: rules)
        let expected = #""tax":0.00,"without_tax":4.95,"commission":1.49,"proceeds":3.46"#
        // In the row, the total and the summary.
        #expect(text.split(separator: expected).count == 4)
    }
}
