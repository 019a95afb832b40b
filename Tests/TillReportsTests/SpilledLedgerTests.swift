import Testing
import TillCore
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing
@testable import TillReports
@testable import TillStorage

@Suite("Ledgers that do not fit their memory")
struct SpilledLedgerTests {
    static let seeds: ClosedRange<UInt64> = 1...60

    private static func rows(_ generator: inout SplitMix64) -> Rows {
        // Each with a place of its own, as every row of a document has: rows without an id are listed in that order.
        let transactions = RandomRows.transactions(120, from: &generator).enumerated().map { number, row in
            row.with([.document: .number(Int64(number / 3)), .row: .number(Int64(number % 3 + 1))])
        }
        return Rows(
            transactions: transactions,
            documents: RandomRows.documents(60, from: &generator),
            events: RandomRows.events(200, from: &generator),
            renewals: RandomRows.renewals(10, from: &generator)
        )
    }

    private static func rules(_ generator: inout SplitMix64) throws -> LedgerRules {
        let dating: LedgerRules.RefundDating = generator.pick([.refund, .purchase])
        var rules = LedgerRules(refundDating: dating, prices: try PriceList(rows: RandomRows.prices))
        rules.period = generator.pick([nil, try BookingCalendar.usual.month("2026-03")])
        rules.keys = generator.pick([
            nil, [.day, .appVersion, .currency], [.storefront, .saleKind],
            [.hour, .appVersion, .osVersion, .storefront],
        ])
        rules.comparison = generator.pick([nil, .month])
        rules.exampleCount = generator.pick([0, 2, 10])
        return rules
    }

    /// - Parameter spillsFailures: whether failures are spilled, few as they are.
    private static func ledger(
        _ rules: LedgerRules,
        needs: LedgerNeeds,
        parts: Int?,
        spillsFailures: Bool = false
    ) -> SpillingLedger {
        var allowance = parts.map { _ in MemoryAllowance(bytes: 0, store: MemoryStore()) }
        allowance?.fewestPartitions = parts ?? 1
        // Then every partition by id with some rows is divided again.
        if parts ?? 1 > 1 { allowance?.mostPartitionBytes = 500 }
        if spillsFailures { allowance?.mostFailures = 0 }
        let ledger = Ledger(
            period: rules.period,
            keepsAppVersions: rules.keys?.contains(.appVersion) == true,
            needs: needs
        )
        return SpillingLedger(ledger, allowance: allowance)
    }

    /// Feeds rows in batches, and spills after some of them.
    private static func feed(
        _ rows: Rows,
        to ledger: inout SpillingLedger,
        batches: Int,
        _ generator: inout SplitMix64
    ) throws {
        var rest = rows
        func cut<Element>(_ rows: inout [Element], _ batch: Int) -> [Element] {
            let count = batch == 0 ? rows.count : Int.random(in: 0...rows.count, using: &generator)
            defer { rows.removeFirst(count) }
            return Array(rows.prefix(count))
        }
        for batch in (0..<batches).reversed() {
            let part = Rows(
                transactions: cut(&rest.transactions, batch),
                documents: cut(&rest.documents, batch),
                events: cut(&rest.events, batch),
                renewals: cut(&rest.renewals, batch)
            )
            // Two sources in turn; documents of one go on where they were.
            ledger.ledger.update(
                with: part.batch(),
                source: "\(batch % 2).ndjson",
                firstDocument: 1000 * (batches - batch)
            )
            if batch == 1 || Bool.random(using: &generator) { try ledger.spill() }
        }
    }

    @Test(
        "Every report is the same, whenever what was read is spilled, in however many parts",
        arguments: Seeds.some(of: seeds)
    )
    func isOfNoConsequence(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (rows, rules) = (Self.rows(&generator), try Self.rules(&generator))
        let needs = ReportRegistry.needs(of: ReportRegistry.everything)
        let expected = try json("all", rows.settled(rules: rules, needs: needs))
        for parts in [1, 2, 7, 64] {
            var ledger = Self.ledger(rules, needs: needs, parts: parts, spillsFailures: parts > 1)
            try Self.feed(rows, to: &ledger, batches: Int.random(in: 2...9, using: &generator), &generator)
            let settled = try ledger.settle(rules)
            #expect(settled.partitions?.transactionPartitions ?? 0 >= parts)
            let found = try json("all", settled)
            #expect(difference(found, expected) == "", "\(parts) parts")
        }
    }

    @Test("A part of a report that was spilled merges into the same report", arguments: Seeds.some(of: seeds))
    func partial(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (rows, rules) = (Self.rows(&generator), try Self.rules(&generator))
        let needs = ReportRegistry.needs(of: ReportRegistry.everything)
        let whole = rows.settled(rules: rules, needs: needs)
        let unique = whole.uniqueCount
        let expected = try json("all", whole)
        var ledger = Self.ledger(rules, needs: needs, parts: 3, spillsFailures: seed.isMultiple(of: 2))
        try Self.feed(rows, to: &ledger, batches: 4, &generator)
        var blocks: [(PartialBlock, [UInt8])] = []
        try ledger.encode { blocks.append(($0, $1)) }
        #expect(ledger.uniqueCount == unique)
        // Joined, what was read is spilled again, while its texts must stay.
        for spills in [false, true] {
            var joined = Self.ledger(rules, needs: needs, parts: 3, spillsFailures: true)
            var decoder = PartialDecoder()
            for (block, bytes) in blocks {
                try decoder.decode(block, bytes.span.bytes, offset: 0, into: &joined.ledger)
                if spills { try joined.spill(keepingTexts: true) }
            }
            try decoder.finish(offset: 0)
            #expect(difference(try json("all", joined.settle(rules)), expected) == "")
        }
    }

    @Test("A figure is explained by the same transactions and documents", arguments: Seeds.some(of: seeds))
    func explanation(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (rows, rules) = (Self.rows(&generator), try Self.rules(&generator))
        let selection = try Selection(
            generator.pick(["currency=USD", "product_id=pro", "original_transaction_id=1", "transaction_id=0"])
        )
        let feeding = generator
        var texts: [String] = []
        for parts in [nil, 1, 16] {
            // The same batches each time, since mentions are listed in the order of the input.
            generator = feeding
            var ledger = Self.ledger(rules, needs: .provenance, parts: parts)
            try Self.feed(rows, to: &ledger, batches: 6, &generator)
            let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            let document = try Explanation.document(of: selection, in: ledger.settle(rules), input: input)
            let cells = document.sections.map { "\($0)".replacing("TillReportModel.", with: "\n") }
            texts.append(cells.joined(separator: "\n"))
        }
        #expect(difference(texts[1], texts[0]) == "")
        #expect(difference(texts[2], texts[0]) == "")
    }

    @Test("A ledger spills by itself what is more than allowed, and keeps no texts of it")
    func spills() throws {
        let store = MemoryStore()
        var ledger = SpillingLedger(Ledger(), allowance: MemoryAllowance(bytes: MemoryAllowance.smallest, store: store))
        var largest = 0
        for batch in 0..<40 {
            let rows = (0..<1000).map { row -> Row<TransactionColumn> in
                [.transactionID: .text("id-\(batch * 900 + row)"), .productID: "pro", .purchaseDate: "2026-03-01"]
            }
            ledger.ledger.update(with: Rows(transactions: rows).batch())
            try ledger.spillIfNeeded()
            largest = max(largest, ledger.ledger.footprint)
        }
        #expect(store.fileCount == 1)
        #expect(largest <= MemoryAllowance.smallest)
        let settled = try ledger.settle(LedgerRules())
        #expect(settled.uniqueCount == 39 * 900 + 1000)
        #expect(settled.partitions?.transactionPartitions ?? 0 > 4)
        #expect(try json("revenue", settled).contains("\"transactions\":36100,"))
    }

    @Test("Distinct failures are spilled as transactions are, and are listed in the same order as any others")
    func spillsFailures() throws {
        let store = MemoryStore()
        let rows = (0..<40).map { batch in
            (0..<1000).map { row -> Row<EventColumn> in
                let code = batch * 900 + row
                return [
                    .event: "failed", .at: "2026-03-01T10:00:00Z", .errorDomain: .text("Domain\(code % 700)"),
                    .errorCode: .number(Int64(code)), .appVersion: .text("1.\(code)"),
                ]
            }
        }
        let allowance = MemoryAllowance(bytes: MemoryAllowance.smallest, store: store)
        var ledger = SpillingLedger(Ledger(needs: .failures), allowance: allowance)
        var largest = 0
        for batch in rows {
            ledger.ledger.update(with: Rows(events: batch).batch())
            try ledger.spillIfNeeded()
            largest = max(largest, ledger.ledger.footprint)
        }
        #expect(largest <= MemoryAllowance.smallest)
        let settled = try ledger.settle(LedgerRules())
        #expect((settled.partitions as? SpilledPartitions)?.failureBytes ?? 0 > 0)
        let expected = try json("failures", Rows(events: Array(rows.joined())).settled())
        #expect(difference(try json("failures", settled), expected) == "")
    }

    @Test("What fits stays in memory, and no file is made")
    func fits() throws {
        let store = MemoryStore()
        var generator = SplitMix64(seed: 1)
        var ledger = SpillingLedger(Ledger(), allowance: MemoryAllowance(bytes: MemoryAllowance.smallest, store: store))
        ledger.ledger.update(with: Self.rows(&generator).batch())
        try ledger.spillIfNeeded()
        let settled = try ledger.settle(LedgerRules())
        #expect(store.fileCount == 0)
        #expect(settled.uniqueCount > 0)
    }
}
