import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillRows
import TillTestSupport

@Suite("Prices against a second implementation")
struct PricingModelTests {
    static let seeds: ClosedRange<UInt64> = 1...60
    /// Lists of each seed, and sales of each list.
    private static let (listCount, saleCount) = (80, 16)

    private static func list(of model: PricingModel) throws -> PriceList {
        try PriceList(
            csv: Array((PricingModel.ListRow.header + model.rows.map(\.csv).joined()).utf8),
            name: "prices.csv",
            defaultTerritory: model.defaultTerritory.flatMap { Territory($0) }
        )
    }

    @Test(
        "Lists without contradictions are accepted, and each sale is worth what the rule says",
        arguments: Seeds.some(of: seeds)
    )
    func agrees(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var sound = 0
        for _ in 0..<Self.listCount {
            let model = PricingModel(from: &generator)
            let list = try? Self.list(of: model)
            #expect((list != nil) == model.isSound)
            guard let list else { continue }
            sound += 1
            let sales = (0..<Self.saleCount).flatMap { _ in
                let sale = PricingModel.Sale(from: &generator)
                // The ledger remembers the price of the first one, which the others may not have.
                return [sale] + (0..<3).map { _ in sale.atAnotherTime(from: &generator) }
            }
            let rows = sales.enumerated().map { $1.row(id: $0 + 1) }
            let found = try settled(rows, rules: LedgerRules(prices: list))
            for (number, sale) in sales.enumerated() {
                let price = found["\(number + 1)"]?.price
                let text = price.map { "\($0.millionths / Money.millionthsPerUnit) \($0.currency)" }
                let expected = model.worth(sale)
                guard text != expected else { continue }
                let rows = model.rows.map(\.csv).joined()
                Issue.record(
                    "\(text ?? "–") and not \(expected ?? "–"): \(sale)\n\(rows)default \(model.defaultTerritory ?? "–")"
                )
            }
        }
        #expect(sound > Self.listCount / 4)
    }

    @Test("The generator makes enough sound lists, and sales of every kind with and without a price")
    func isNotVacuous() {
        var generator = SplitMix64(seed: 1)
        var lists = 0
        var counts: [String: Int] = [:]
        for _ in 0..<1500 {
            let model = PricingModel(from: &generator)
            guard model.isSound else { continue }
            lists += 1
            for _ in 0..<Self.saleCount {
                let sale = PricingModel.Sale(from: &generator)
                let kind = sale.isTrial ? "trial" : sale.isIntro ? "intro" : sale.offerID != nil ? "offer" : "usual"
                let fact = sale.ownPrice != nil ? "own" : sale.month == nil ? "undated" : "dated"
                let place = sale.territory != nil ? "there" : model.defaultTerritory != nil ? "default" : "nowhere"
                let currency = sale.currency == nil ? "" : " currency"
                counts[
                    "\(kind) \(fact) \(place)\(currency) \(model.worth(sale) == nil ? "unpriced" : "priced")",
                    default: 0
                ] += 1
            }
        }
        #expect((800...1300).contains(lists))
        // Of each kind at each place: with a currency and without, dated and not, priced and not; with a price of its
        // own, which with a currency is always priced. So is a trial that has a currency, dated or not.
        #expect(counts.count == 4 * 3 * (2 * 2 * 2 + 3) - 3 * 2)
        #expect(counts.values.allSatisfy { $0 >= 3 })
    }
}
