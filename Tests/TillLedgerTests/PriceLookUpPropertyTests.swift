import Testing
import TillCore
import TillLedger
import TillTestSupport

@Suite("Price look-up against a naive scan")
struct PriceLookUpPropertyTests {
    static let seeds: ClosedRange<UInt64> = 1...400

    /// A row of a random list, in months since 2020.
    private struct Row {
        let territory: String
        let currency: String
        let price: Int
        let from: Int?
        let to: Int?

        var csv: String {
            let cells = ["a", territory, currency, "\(price)", from.map(Self.day) ?? "", to.map(Self.day) ?? ""]
            return cells.joined(separator: ",") + "\n"
        }

        private static func day(_ month: Int) -> String {
            String(PriceLookUpPropertyTests.instant(month).description.prefix(10))
        }

        func isInEffect(_ month: Int) -> Bool {
            from ?? .min <= month && month < to ?? .max
        }

        func isOfSamePlace(as other: Row) -> Bool {
            territory == other.territory && (territory != "*" || currency == other.currency)
        }

        func contradicts(_ other: Row) -> Bool {
            guard isOfSamePlace(as: other) else { return false }
            let (older, newer) = from ?? .min <= other.from ?? .min ? (self, other) : (other, self)
            return from == other.from || older.to.map { $0 > newer.from ?? .min } ?? false
        }

        init(from generator: inout SplitMix64) {
            territory = ["*", "US", "DE"].randomElement(using: &generator) ?? "*"
            currency = ["EUR", "USD"].randomElement(using: &generator) ?? "EUR"
            price = .random(in: 1...3, using: &generator)
            let start: Int? = Bool.random(using: &generator) ? nil : .random(in: 0..<24, using: &generator)
            from = start
            let months = Int.random(in: 1..<25, using: &generator)
            to = months < 9 ? (start ?? 0) + months : nil
        }
    }

    /// The rule as it is written, one pass over all rows for each step.
    private static func naive(_ rows: [Row], month: Int, storefront: String?, currency: String?) -> Row? {
        let inEffect = rows.filter { $0.isInEffect(month) }
        let holding = inEffect.filter { row in
            !inEffect.contains { $0.isOfSamePlace(as: row) && $0.from ?? .min > row.from ?? .min }
        }
        if let exact = holding.first(where: { $0.territory == storefront }) { return exact }
        let worldwide = holding.filter { $0.territory == "*" }
        if let own = worldwide.first(where: { $0.currency == currency }) { return own }
        func common(_ rows: [Row]) -> Row? {
            rows.allSatisfy { ($0.currency, $0.price) == (rows[0].currency, rows[0].price) } ? rows.first : nil
        }
        if storefront == nil {
            if let own = common(holding.filter { $0.currency == currency }) { return own }
            guard Set(holding.map(\.currency)).count == 1 else { return nil }
        }
        return common(worldwide) ?? (storefront == nil ? common(holding) : nil)
    }

    @Test("Lists without contradictions are accepted, and priced as the rule says", arguments: seeds)
    func agrees(seed: UInt64) throws {
        let rows = Self.rows(seed: seed)
        let csv = "product_id,territory,currency,price,effective_from,effective_to\n" + rows.map(\.csv).joined()

        let list = try? PriceList(csv: Array(csv.utf8), name: "prices.csv")
        #expect((list != nil) == Self.isSound(rows))
        guard let prices = list?.prices(for: "a") else { return }

        for month in 0..<34 {
            for storefront in [nil, "US", "DE", "FR"] {
                for currency in [nil, "USD", "EUR", "GBP"] {
                    let expected = Self.naive(rows, month: month, storefront: storefront, currency: currency)
                    let found = prices.price(
                        at: Self.instant(month),
                        storefront: storefront,
                        currency: currency.flatMap { CurrencyCode($0) },
                        bundleID: nil,
                        offerID: nil
                    )
                    #expect(found?.price == expected.map { Int64($0.price) * 1_000_000 })
                    #expect(found?.currency.description == expected?.currency)
                }
            }
        }
    }

    @Test("The generator makes enough sound lists for the comparison to mean something")
    func isNotVacuous() {
        let sound = Self.seeds.filter { Self.isSound(Self.rows(seed: $0)) }
        #expect((100...350).contains(sound.count))
    }

    private static func rows(seed: UInt64) -> [Row] {
        var generator = SplitMix64(seed: seed)
        return (0..<Int.random(in: 1...6, using: &generator)).map { _ in Row(from: &generator) }
    }

    private static func isSound(_ rows: [Row]) -> Bool {
        rows.indices.allSatisfy { index in
            rows[..<index].allSatisfy { !$0.contradicts(rows[index]) }
        }
    }

    private static func instant(_ month: Int) -> Timestamp {
        let date = CivilDate(year: 2020 + month / 12, month: month % 12 + 1, day: 1)
        return Timestamp(milliseconds: Int64(date.daysSinceEpoch) * Timestamp.millisecondsPerDay)
    }
}
