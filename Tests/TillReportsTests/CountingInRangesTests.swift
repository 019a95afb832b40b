import Testing
import TillCore
import TillLedger
import TillRows
import TillTestSupport

@testable import TillReports

@Suite("Counting ranges of transactions on several threads")
struct CountingInRangesTests {
    /// A report in every format, or the error.
    private static func answers(
        _ report: String,
        _ rows: Rows,
        _ rules: LedgerRules,
        jobs: Int,
        rangeSize: Int
    ) throws -> [String] {
        let ledger = rows.settled(rules: rules, needs: ReportRegistry.needs(of: report), jobs: jobs)
        var sums = try #require(ReportSums(named: report, rules))
        do {
            try sums.count(ledger, by: .init(smallestRange: rangeSize, sumsEach: .max, mostRanges: .max))
            let document = try ReportRegistry.document(of: sums, ledger, input: ClosedPartialTests.input)
            return try ClosedPartialTests.texts(document)
        } catch let error as Finding {
            return [error.description]
        }
    }

    /// - Parameter isError: whether the report ends with an error.
    private static func expectSame(
        _ report: String,
        _ rows: Rows,
        _ rules: LedgerRules,
        isError: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try answers(report, rows, rules, jobs: 1, rangeSize: .max)
        #expect(expected.count == (isError ? 1 : ClosedPartialTests.formats.count), sourceLocation: sourceLocation)
        for (jobs, rangeSize) in [(2, .max), (2, 1), (3, 1), (16, 7), (500, 1)] {
            let found = try answers(report, rows, rules, jobs: jobs, rangeSize: rangeSize)
            #expect(found == expected, "\(report), \(jobs) threads", sourceLocation: sourceLocation)
        }
    }

    @Test("Every report is that of one thread", arguments: Seeds.some(of: ClosedPartialTests.seeds))
    func isTheSame(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = ClosedPartialTests.rows(&generator)
        let rules = try ClosedPartialTests.rules(&generator)
        try Self.expectSame("all", rows, rules)
        try Self.expectSame("journal", rows, rules)
    }

    @Test("A closed partial has the same bytes", arguments: Seeds.some(of: ClosedPartialTests.seeds))
    func writesTheSame(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rows = ClosedPartialTests.rows(&generator)
        // The newest first, so that most sales of other threads are earned long before.
        rows.transactions.sort { $0[.purchaseDate]?.number ?? 0 > $1[.purchaseDate]?.number ?? 0 }
        var rules = try ClosedPartialTests.rules(&generator)
        rules.share = generator.pick([nil, 0])
        // One batch: each would number its texts in another order.
        let batch = rows.batch()
        var bytes: [[UInt8]] = []
        for jobs in [1, 2, 3, 7] {
            var ledger = Ledger(period: rules.period, keepsAppVersions: true, needs: ReportRegistry.needs(of: "all"))
            ledger.update(with: batch)
            let settled = ledger.settle(rules, jobs: jobs)
            var sums = try #require(ReportSums(named: "all", rules))
            try sums.count(settled, by: .init(smallestRange: 1, sumsEach: .max, mostRanges: .max))
            bytes.append(try ClosedPartialTests.blocks(settled, sums).flatMap(\.bytes))
        }
        #expect(bytes.allSatisfy { $0 == bytes[0] })
    }

    @Test("Instants near the limits of their integers, which a closed partial refuses, are counted")
    func takesAnyInstant() throws {
        let instants: [Int64] = [.min + 1, .min / 2, -1, 1_700_000_000_000, .max / 2 + 1, .max - 1]
        let rows = instants.enumerated().map { number, instant -> Row<TransactionColumn> in
            [
                .transactionID: .text("\(number + 1)"), .productID: "pro", .quantity: 1,
                .purchaseDate: .number(instant), .price: 1990, .currency: "XXX",
            ]
        }
        try Self.expectSame("revenue", Rows(transactions: rows), LedgerRules())
    }

    @Test("Transactions of many groups are counted together, with the same result")
    func countsManyGroupsTogether() throws {
        let rows = (1...40).map { number -> Row<TransactionColumn> in
            [.transactionID: .text("\(number)"), .productID: .text("p\(number)"), .price: 1990, .currency: "USD"]
        }
        let answers = try [(jobs: 1, sumsEach: 4), (8, 4), (8, .max)].map { jobs, sumsEach in
            let ledger = Rows(transactions: rows).settled(jobs: jobs)
            var sums = try #require(ReportSums(named: "revenue", LedgerRules()))
            try sums.count(ledger, by: .init(smallestRange: 2, sumsEach: sumsEach, mostRanges: .max))
            let document = try ReportRegistry.document(of: sums, ledger, input: ClosedPartialTests.input)
            return try ClosedPartialTests.texts(document)
        }
        #expect(answers.allSatisfy { $0 == answers[0] })
    }

    @Test("Units that only together are too many end it with the same error")
    func endsTheSame() throws {
        let rows = (1...6).map { number -> Row<TransactionColumn> in
            [
                .transactionID: .text("\(number)"), .productID: .text("p\(number)"),
                .quantity: .number(number == 3 || number == 5 ? Int64.max / 2 + 1 : 1),
            ]
        }
        let transactions = Rows(transactions: rows)
        try Self.expectSame("revenue", transactions, LedgerRules(), isError: true)
        let answers = try Self.answers("revenue", transactions, LedgerRules(), jobs: 6, rangeSize: 1)
        #expect(answers.first?.contains("the units of p5") == true)
    }
}
