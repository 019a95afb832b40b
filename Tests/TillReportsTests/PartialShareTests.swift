import Testing
import TillCore
import TillLedger
import TillReports
import TillRows
import TillStorage
import TillTestSupport

/// The way of a report on a cluster, in memory: parts of any documents, shares by transaction, shares by chain, sums,
/// shares by account, the report.
@Suite("Shares of partials")
struct PartialShareTests {
    private typealias Blocks = ClosedPartialTests.Blocks

    /// Rows dealt out at random: copies of a transaction, and transactions of a chain, come to several parts.
    private static func parts(_ rows: Rows, count: Int, _ generator: inout SplitMix64) -> [Rows] {
        var parts = Array(repeating: Rows(), count: count)
        for row in rows.transactions { parts[generator.below(count)].transactions.append(row) }
        for row in rows.documents { parts[generator.below(count)].documents.append(row) }
        for row in rows.events { parts[generator.below(count)].events.append(row) }
        for row in rows.renewals { parts[generator.below(count)].renewals.append(row) }
        return parts
    }

    private static func shares(_ ledger: borrowing Ledger, by key: ShareKey, count: Int) -> [Blocks] {
        var shares = LedgerShares(ledger, by: key, count: count)
        return (0..<count).map { share in
            var blocks: Blocks = []
            shares.encode(share, of: ledger) { blocks.append(($0, $1)) }
            return blocks
        }
    }

    /// The ledger of open partials.
    private static func joined(_ partials: [Blocks], needs: LedgerNeeds) throws -> Ledger {
        var ledger = Ledger(needs: needs)
        for partial in partials {
            var decoder = PartialDecoder()
            for block in partial {
                try decoder.decode(block.kind, block.bytes.span.bytes, offset: 0, into: &ledger)
            }
            try decoder.finish(offset: 0)
        }
        return ledger
    }

    /// The partials of one number, of all that were divided.
    private static func transposed(_ divided: [[Blocks]], count: Int) -> [[Blocks]] {
        (0..<count).map { share in divided.map { $0[share] } }
    }

    @Test(
        "However documents are split, shares joined step by step are the report of one run, in every format",
        arguments: ClosedPartialTests.reports,
        Seeds.some(of: ClosedPartialTests.seeds)
    )
    func areTheWhole(report: String, seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = ClosedPartialTests.rows(&generator)
        var rules = try ClosedPartialTests.rules(&generator)
        let needs = ReportRegistry.needs(of: report)
        let whole = rows.settled(rules: rules, needs: needs)
        let expected = try ClosedPartialTests.texts(
            ReportRegistry.document(named: report, of: whole, input: ClosedPartialTests.input)
        )
        let partRules = try ClosedPartialTests.rules(rules, ofPartsOf: rows)
        for count in [1, 2, 7] {
            let parts = Self.parts(rows, count: 1 + generator.below(5), &generator)
            let byTransaction = parts.map { part in
                Self.shares(Rows.ledger([part], rules: rules, needs: needs), by: .transactions, count: count)
            }
            let byChain = try Self.transposed(byTransaction, count: count).map { partials in
                Self.shares(try Self.joined(partials, needs: needs), by: .chains, count: count)
            }
            rules = partRules
            let closed = try Self.transposed(byChain, count: count).enumerated().map { share, partials in
                var rules = rules
                rules.share = share
                let settled = try Self.joined(partials, needs: needs).settle(rules)
                var sums = try #require(ReportSums(named: report, settled.rules))
                try sums.count(settled)
                return try (0..<count).map { number in
                    let nothing = Ledger(needs: needs).settle(rules)
                    let kept = sums.share(number, of: count, settled.rules)
                    if number == 0 { return try ClosedPartialTests.blocks(settled, kept) }
                    return try ClosedPartialTests.blocks(nothing, kept)
                }
            }
            rules.newest = nil
            let compared = try Self.transposed(closed, count: count).map { partials in
                try ClosedPartialTests.joining(partials, report, rules) { ledger, sums in
                    try ClosedPartialTests.blocks(ledger, sums)
                }
            }
            let found = try ClosedPartialTests.joining(compared, report, rules) { ledger, sums in
                try ClosedPartialTests.texts(
                    ReportRegistry.document(of: sums, ledger, input: ClosedPartialTests.input)
                )
            }
            for (format, pair) in zip(ClosedPartialTests.formats, zip(found, expected)) {
                #expect(difference(pair.0, pair.1) == "", "\(count) shares, \(format)")
            }
        }
    }

    @Test("Sales of one account in several chains are compared once all shares of the account are there")
    func accountsMeet() throws {
        func sale(_ id: String) -> Row<TransactionColumn> {
            [
                .transactionID: .text(id), .productID: "gold", .productType: "non_consumable",
                .purchaseDate: "2026-03-01", .accountToken: "an account", .webOrderLineItemID: "77",
            ]
        }
        func found(_ divided: Bool) throws -> [String] {
            let partials = try ["1", "2"].enumerated().map { share, id in
                var rules = LedgerRules()
                if divided { rules.share = share }
                let ledger = Rows(transactions: [sale(id)]).settled(rules: rules, needs: .anomalies)
                var sums = try #require(ReportSums(named: "anomalies", rules))
                try sums.count(ledger)
                return try ClosedPartialTests.blocks(ledger, sums.share(0, of: 1, rules))
            }
            return try ClosedPartialTests.joining(partials, "anomalies", LedgerRules()) { ledger, sums in
                try ClosedPartialTests.texts(
                    ReportRegistry.document(of: sums, ledger, input: ClosedPartialTests.input)
                )
            }
        }
        let whole = Rows(transactions: [sale("1"), sale("2")]).settled(rules: LedgerRules(), needs: .anomalies)
        let expected = try ClosedPartialTests.texts(
            ReportRegistry.document(named: "anomalies", of: whole, input: ClosedPartialTests.input)
        )
        #expect(try found(true) == expected)
        #expect(try found(false) != expected)
    }
}
