import Testing
import TillCore
import TillLedger
import TillPricing
import TillReports
import TillRows
import TillStorage
import TillTestSupport

@Suite("Ledgers of parts of the documents")
struct LedgerMergeTests {
    static let seeds: ClosedRange<UInt64> = 1...60
    /// Ways in which the documents of each seed are split.
    static let splits = 5

    private static let needs = ReportRegistry.needs(of: ReportRegistry.everything)

    private static func rows(_ generator: inout SplitMix64) -> Rows {
        Rows(
            transactions: RandomRows.transactions(80, from: &generator),
            documents: RandomRows.documents(60, from: &generator),
            events: RandomRows.events(200, from: &generator),
            renewals: RandomRows.renewals(10, from: &generator)
        )
    }

    private static func ledger(
        _ rows: Rows,
        rules: LedgerRules = LedgerRules(),
        _ generator: inout SplitMix64
    ) -> Ledger {
        var ledger = Ledger(
            period: rules.period,
            keepsAppVersions: rules.keys?.contains(.appVersion) == true,
            needs: needs
        )
        let words = ["pro", "gold", "USD", "a", "zz", "1a", "nothing", "com.example.b", "store"]
        ledger.update(with: rows.batch(knowing: Array(words.shuffled(using: &generator).prefix(4))))
        return ledger
    }

    /// The ledger after it has been written and read again.
    private static func copied(_ ledger: borrowing Ledger) throws -> Ledger {
        var copy = Ledger(needs: needs)
        try read(blocks(of: ledger), into: &copy)
        return copy
    }

    private static func read(_ blocks: [(PartialBlock, [UInt8])], into ledger: inout Ledger) throws {
        var decoder = PartialDecoder()
        for (block, bytes) in blocks { try decoder.decode(block, bytes.span.bytes, offset: 0, into: &ledger) }
        try decoder.finish(offset: 0)
    }

    private static func blocks(of ledger: borrowing Ledger) -> [(PartialBlock, [UInt8])] {
        var blocks: [(PartialBlock, [UInt8])] = []
        ledger.encode { blocks.append(($0, $1)) }
        return blocks
    }

    /// Deals the rows out to `count` parts in random order; some parts may get none.
    private static func split(_ rows: Rows, into count: Int, _ generator: inout SplitMix64) -> [Rows] {
        var parts = Array(repeating: Rows(), count: count)
        func deal<Column>(_ rows: [Row<Column>], _ table: WritableKeyPath<Rows, [Row<Column>]>) {
            for row in rows.shuffled(using: &generator) {
                parts[Int.random(in: 0..<count, using: &generator)][keyPath: table].append(row)
            }
        }
        deal(rows.transactions, \.transactions)
        deal(rows.documents, \.documents)
        deal(rows.events, \.events)
        deal(rows.renewals, \.renewals)
        return parts
    }

    /// Joins parts in the shape of a random tree; some on the way are written and read again.
    private static func join(
        _ parts: ArraySlice<Rows>,
        _ rules: LedgerRules,
        _ generator: inout SplitMix64
    ) throws -> Ledger {
        guard parts.count > 1, let first = parts.indices.first else {
            let leaf = ledger(parts.first ?? Rows(), rules: rules, &generator)
            return Bool.random(using: &generator) ? try copied(leaf) : leaf
        }
        let cut = Int.random(in: first + 1..<parts.endIndex, using: &generator)
        var left = try join(parts[..<cut], rules, &generator)
        let right = try join(parts[cut...], rules, &generator)
        if Bool.random(using: &generator) {
            left.merge(right)
        } else {
            try read(blocks(of: right), into: &left)
        }
        return Bool.random(using: &generator) ? try copied(left) : left
    }

    @Test(
        "However the documents are split and the parts are joined, every report is the same",
        arguments: Seeds.some(of: seeds)
    )
    func isOfNoConsequence(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = Self.rows(&generator)
        let dating: LedgerRules.RefundDating = generator.pick([.refund, .purchase])
        var rules = LedgerRules(refundDating: dating, prices: try PriceList(rows: RandomRows.prices))
        rules.period = generator.pick([nil, try BookingCalendar.usual.month("2026-03")])
        rules.keys = generator.pick([nil, [.day, .appVersion, .currency], [.storefront, .saleKind]])
        let expected = try jsonAndText("all", rows.settled(rules: rules, needs: Self.needs))
        for _ in 0..<Self.splits {
            let count = Int.random(in: 1...9, using: &generator)
            let parts = Self.split(rows, into: count, &generator)
            let joined = try Self.join(parts[...], rules, &generator).settle(rules)
            let found = try jsonAndText("all", joined)
            #expect(difference(found, expected) == "")
        }
    }

    @Test("Joining is commutative", arguments: Seeds.some(of: seeds))
    func commutes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let parts = Self.split(Self.rows(&generator), into: 2, &generator)
        var forth = Self.ledger(parts[0], &generator)
        forth.merge(Self.ledger(parts[1], &generator))
        var back = Self.ledger(parts[1], &generator)
        back.merge(Self.ledger(parts[0], &generator))
        let (left, right) = (try json("all", forth.settle(LedgerRules())), try json("all", back.settle(LedgerRules())))
        #expect(difference(left, right) == "")
    }

    @Test("A transaction that both parts know counts once; rows of both are counted")
    func isIdempotent() throws {
        var generator = SplitMix64(seed: 7)
        // Rows that are never joined are another transaction each time.
        let known = RandomRows.transactions(200, from: &generator).filter { row in
            ![nil, "0", "00"].contains(row[.transactionID]?.text)
                && !["xcode", "local_testing"].contains(row[.environment]?.text)
        }
        let rows = Rows(transactions: known)
        var twice = Self.ledger(rows, &generator)
        let once = twice.uniqueCount
        twice.merge(Self.ledger(rows, &generator))
        #expect(twice.uniqueCount == once)
        #expect(twice.rowCount == 2 * known.count)
        let settled = twice.settle(LedgerRules())
        let lines = try json("revenue", settled).split(separator: "\n")
        let expected = try json("revenue", rows).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("{\"month\"") } == expected.filter { $0.hasPrefix("{\"month\"") })
        #expect(expected.contains { $0.hasPrefix("{\"month\"") })
    }

    @Test("A ledger that was read from a partial is written as the same bytes")
    func isStable() throws {
        var generator = SplitMix64(seed: 3)
        var rows = Self.rows(&generator)
        rows.documents.append([.kind: "verify", .status: 0, .pairKey: "undated"])
        let ledger = Self.ledger(rows, &generator)
        let first = Self.blocks(of: ledger)
        let copy = try Self.copied(ledger)
        let second = Self.blocks(of: copy)
        #expect(first.map(\.0) == second.map(\.0))
        for (left, right) in zip(first, second) { #expect(left.1 == right.1, "\(left.0)") }
        // Examples are of documents, which these rows do not have; FailureExamplesTests has them.
        #expect(
            Set(first.map(\.0)) == Set(PartialBlock.allCases.filter { $0.isPart(of: .open) }).subtracting([.examples])
        )
    }

    @Test("A success in one part settles no 21007 that came later in another")
    func answeredBefore() throws {
        var generator = SplitMix64(seed: 1)
        func response(_ status: Int64, _ day: String) -> Rows {
            Rows(documents: [[.kind: "verify", .status: .number(status), .pairKey: "a", .loggedAt: .text(day)]])
        }
        var ledger = try Self.copied(Self.ledger(response(21_007, "2026-03-02"), &generator))
        ledger.merge(try Self.copied(Self.ledger(response(0, "2026-03-01"), &generator)))
        let text = try json("failures", ledger.settle(LedgerRules()))
        #expect(
            text.contains("\"verifications\":2,\"verification_failure_rate\":0.5,\"paired_21007\":0,")
        )
    }

    @Test("A 21007 in one part and its success in another are one verification")
    func pairsAcrossParts() throws {
        var generator = SplitMix64(seed: 1)
        let routed = Rows(documents: [
            [.kind: "verify", .status: 21_007, .environment: "production", .pairKey: "a"],
            [.kind: "verify", .status: 21_007, .environment: "production", .pairKey: "b"],
        ])
        let answered = Rows(documents: [[.kind: "verify", .status: 0, .environment: "sandbox", .pairKey: "a"]])
        var ledger = try Self.copied(Self.ledger(routed, &generator))
        ledger.merge(try Self.copied(Self.ledger(answered, &generator)))
        let text = try json("failures", ledger.settle(LedgerRules()))
        #expect(text.contains("{\"domain\":\"verifyReceipt\",\"code\":21007,\"class\":\"routing\",\"count\":1,"))
        #expect(
            text.contains("\"verifications\":2,\"verification_failure_rate\":0.5,\"paired_21007\":1,")
        )
    }
}
