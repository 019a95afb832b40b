import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillReports
import TillRows
import TillTestSupport

@Suite("Restatements of random histories, against a plain model")
struct RestatementModelTests {
    private static func history(_ generator: inout SplitMix64) -> RestatementModel {
        var model = RestatementModel()
        for id in 1...30 {
            let month = generator.pick([2, 3, 3, 3, 4])
            let refund: (month: Int, day: Int, share: Int?)? =
                generator.once(in: 3)
                ? (min(5, month + generator.pick([0, 1, 1])), 28, generator.pick([nil, 33_333, 50_000, 100_000])) : nil
            let isKnown = !generator.once(in: 4)
            model.sales.append(
                RestatementModel.Sale(
                    id: id,
                    product: generator.pick(["coins", "gold", "pro"]),
                    month: month,
                    day: 1 + Int(generator.below(28)),
                    quantity: 1 + Int(generator.below(3)),
                    paid: generator.pick([
                        nil, nil, (990, "USD"), (995, "USD"), (5, "USD"), (1005, "EUR"), (120_500, "JPY"),
                        (80_000, "JPY"),
                    ]),
                    isSandbox: generator.once(in: 6),
                    refund: refund,
                    isKnownThen: isKnown,
                    isRefundKnownThen: isKnown && generator.once(in: 2)
                )
            )
        }
        return model
    }

    private static func terms(_ generator: inout SplitMix64) -> RestatementModel.Terms {
        var prices: [String: (cents: Int, currency: String)] = ["coins": (generator.pick([99, 109, 129]), "USD")]
        prices["gold"] = generator.pick([(999, "EUR"), (899, "EUR"), (1099, "USD"), nil])
        prices["pro"] = generator.pick([nil, nil, (149, "USD")])
        var rates: [Int: [String: Int]] = [:]
        for month in 2...4 {
            rates[month] = ["USD": 1000 + Int(generator.below(300)), "JPY": 140_000 + Int(generator.below(30_000))]
        }
        return RestatementModel.Terms(
            prices: prices,
            rates: rates,
            isByPurchase: generator.once(in: 2),
            environments: generator.pick([["production"], ["production", "sandbox"]])
        )
    }

    private static func terms(_ model: RestatementModel.Terms, period: Period?) throws -> ClosedMonths.Terms {
        var list = ""
        for (product, price) in model.prices.sorted(by: { $0.key < $1.key }) {
            let cents = price.cents % 100
            list += "\(product),*,\(price.currency),\(price.cents / 100).\(cents < 10 ? "0" : "")\(cents),,\n"
        }
        var rules = LedgerRules(
            refundDating: model.isByPurchase ? .purchase : .refund,
            prices: try PriceList(rows: list)
        )
        rules.period = period
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        let euro = try #require(CurrencyCode("EUR"))
        for (month, quotes) in model.rates {
            for (code, thousandths) in quotes {
                let fraction = String(String(1000 + thousandths % 1000).dropFirst())
                let rate = try #require(ExchangeRates.rate("\(thousandths / 1000).\(fraction)"))
                let currency = try #require(CurrencyCode(code))
                let first = CivilDate(year: 2026, month: month, day: 1).daysSinceEpoch
                for day in 0..<28 { try rates.add(day: first + day, base: euro, quote: currency, rate: rate) }
            }
        }
        rules.conversion = Conversion(to: euro, rates: rates)
        return ClosedMonths.Terms(rules, EnvironmentFilter(model.environments))
    }

    private static let measures = [
        "transactions", "units", "gross", "refunded_transactions", "refunds", "unpriced_units", "converted_gross",
        "converted_refunds",
    ]

    /// Rows with a figure, by the text of their keys.
    private static func rows(_ json: JSONTree, _ table: String, _ keys: [String]) throws -> [String: [Int128]] {
        var rows: [String: [Int128]] = [:]
        for row in try #require(json[table]?.elements, "the report has no table \(table)") {
            let name = keys.map { row[$0]?.text ?? "null" }.joined(separator: "|")
            rows[name] = measures.prefix(table == "restated_transactions" ? 6 : 8).map { measure in
                row[measure]?.number.flatMap(RestatementAuditTests.millionths).map {
                    measure.contains("gross") || measure.contains("refunds") ? $0 : $0 / 1_000_000
                } ?? 0
            }
        }
        return rows.filter { $0.value.contains { $0 != 0 } }
    }

    @Test("Rows, transactions and causes are those of the model", arguments: Seeds.some(of: UInt64(1)...150))
    func isAsModelled(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let model = Self.history(&generator)
        let then = Self.terms(&generator)
        // Each of the terms changes or stays.
        let other = Self.terms(&generator)
        var now = then
        if generator.once(in: 2) { now.prices = other.prices }
        if generator.once(in: 2) { now.rates = other.rates }
        if generator.once(in: 2) { (now.isByPurchase, now.environments) = (other.isByPurchase, other.environments) }

        let march = try BookingCalendar.usual.month("2026-03")
        let period = generator.pick([nil, march])
        let before = Rows(transactions: model.sales.compactMap { $0.row(isThen: true) })
        let today = Rows(transactions: model.sales.compactMap { $0.row(isThen: false) }.shuffled(using: &generator))
        let thenTerms = try Self.terms(then, period: period)
        var nowTerms = try Self.terms(now, period: nil)
        func settled(_ rows: Rows, _ terms: ClosedMonths.Terms) -> SettledLedger {
            rows.settled(environments: terms.environments, rules: terms.rules)
        }
        nowTerms.rules.closed = try ClosedMonths(name: "then", then: thenTerms, now: nowTerms, [.prices, .rates]) {
            settled(before, $0)
        }
        let keys = ["month", "product_id", "currency"]

        // The closed report is as modelled, so that what is compared is the same.
        let text = try json("revenue", settled(before, thenTerms))
        let isClosed: (String) -> Bool
        let modelled = model.printed(then, isThen: true)
        let last = period == nil ? modelled.keys.map { $0.prefix(7) }.max() ?? "" : "2026-03"
        isClosed = { name in period == nil ? name.prefix(7) <= last : name.hasPrefix("2026-03") }
        #expect(
            try Self.rows(JSONTree(Array(text.utf8)), "revenue", keys)
                == modelled.filter { isClosed($0.key) && $0.value.contains { $0 != 0 } },
            "seed \(seed)"
        )

        let openMonth = (Int(last.suffix(2)) ?? 0) + 1
        let expected = model.restated(then: then, now: now, isClosed: isClosed, openMonth: openMonth)
        let report = try JSONTree(Array(json("revenue", settled(today, nowTerms)).utf8))
        let rows = try Self.rows(report, "restatement", keys + ["cause"])
        #expect(rows == expected.rows, "seed \(seed)")
        let sales = try Self.rows(report, "restated_transactions", ["transaction_id"] + keys + ["cause"])
        #expect(sales == expected.sales, "seed \(seed)")
        // Not a test of nothing.
        #expect(!expected.rows.isEmpty, "seed \(seed)")
    }
}
