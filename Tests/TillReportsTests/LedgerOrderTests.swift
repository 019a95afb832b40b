import Testing
import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@Suite("The order of rows and the cut of batches")
struct LedgerOrderTests {
    static let seeds: ClosedRange<UInt64> = 1...40

    /// The same rows in random order and in random batches, whose dictionaries know other texts first.
    private static func ledger(_ rows: Rows, _ rules: LedgerRules, _ generator: inout SplitMix64) -> SettledLedger {
        var rest = Rows(
            transactions: rows.transactions.shuffled(using: &generator),
            documents: rows.documents.shuffled(using: &generator),
            events: rows.events.shuffled(using: &generator)
        )
        let words = ["pro", "gold", "USD", "a", "zz", "1a", "nothing", "com.example.b", "store"]
        var ledger = Ledger(needs: .failures)
        while !(rest.transactions.isEmpty && rest.documents.isEmpty && rest.events.isEmpty) {
            let part = Rows(
                transactions: cut(&rest.transactions, &generator),
                documents: cut(&rest.documents, &generator),
                events: cut(&rest.events, &generator)
            )
            ledger.update(with: part.batch(knowing: Array(words.shuffled(using: &generator).prefix(4))))
        }
        return ledger.settle(rules)
    }

    private static func cut<Element>(_ rows: inout [Element], _ generator: inout SplitMix64) -> [Element] {
        let count = Int.random(in: 0...rows.count, using: &generator)
        defer { rows.removeFirst(count) }
        return Array(rows.prefix(count))
    }

    /// Every settled transaction as a text, sorted, and every report.
    private static func answers(_ ledger: borrowing SettledLedger) throws -> (transactions: [String], reports: String) {
        var transactions: [(Int?, String)] = []
        try ledger.forEachTransaction { transaction in
            let price = transaction.price.map { "\($0.decimalText) \($0.currency)" } ?? "–"
            let facts = [transaction.isSubscription, transaction.isConsumable, transaction.isFamilyShared]
            let dates = [transaction.purchaseDate, transaction.refundDate].map { $0?.description ?? "–" }
            transactions.append(
                (transaction.product, "\(transaction.kind) \(facts) ×\(transaction.units) \(price) \(dates)")
            )
        }
        var texts: [String] = []
        for (product, text) in transactions {
            texts.append((product.map { code in ledger.text(of: code) } ?? "–") + " " + text)
        }
        return (texts.sorted(), try json("all", ledger))
    }

    @Test("Neither the order of rows nor the cut of batches changes an answer", arguments: Seeds.some(of: seeds))
    func isOfNoConsequence(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = Rows(
            transactions: RandomRows.transactions(80, from: &generator),
            documents: RandomRows.documents(60, from: &generator),
            events: RandomRows.events(240, from: &generator)
        )
        let dating: LedgerRules.RefundDating = generator.pick([.refund, .purchase])
        let rules = LedgerRules(refundDating: dating, prices: try PriceList(rows: RandomRows.prices))

        let expected = try Self.answers(rows.settled(rules: rules))
        for _ in 0..<4 {
            let found = try Self.answers(Self.ledger(rows, rules, &generator))
            #expect(found.transactions == expected.transactions)
            #expect(found.reports == expected.reports)
        }
    }

    @Test("The random rows meet: there are refunds, restores, conflicts of price and of month")
    func isNotVacuous() throws {
        var reports: [String] = []
        for seed in Self.seeds {
            var generator = SplitMix64(seed: seed)
            let rows = Rows(
                transactions: RandomRows.transactions(80, from: &generator),
                documents: RandomRows.documents(60, from: &generator),
                events: RandomRows.events(240, from: &generator)
            )
            reports.append(try json("all", rows, rules: LedgerRules(prices: PriceList(rows: RandomRows.prices))))
        }
        #expect(reports.filter { $0.contains("\"refunded_transactions\":1") }.count > 20)
        #expect(reports.filter { !$0.contains("\"subscription_restores\":0") }.count > 20)
        #expect(reports.filter { $0.contains("\"currency\":\"JPY\"") }.count > 20)
        #expect(reports.filter { $0.contains("\"month\":\"1969-12\"") }.count > 20)
    }
}
