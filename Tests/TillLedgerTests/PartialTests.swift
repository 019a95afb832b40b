import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillStorage

@Suite("Partials")
struct PartialTests {
    private static func blocks(of ledger: borrowing Ledger) -> [(block: PartialBlock, bytes: [UInt8])] {
        var blocks: [(block: PartialBlock, bytes: [UInt8])] = []
        ledger.encode { blocks.append(($0, $1)) }
        return blocks
    }

    private static func ledger(_ rows: Rows, needs: LedgerNeeds = .failures) -> Ledger {
        var ledger = Ledger(needs: needs)
        ledger.update(with: rows.batch())
        return ledger
    }

    private static func read(
        _ blocks: [(block: PartialBlock, bytes: [UInt8])],
        needs: LedgerNeeds = .failures
    ) throws -> Ledger {
        var ledger = Ledger(needs: needs)
        var decoder = PartialDecoder()
        var offset = 0
        for (block, bytes) in blocks {
            try decoder.decode(block, bytes.span.bytes, offset: offset, into: &ledger)
            offset += bytes.count
        }
        try decoder.finish(offset: offset)
        return ledger
    }

    @Test("Every field of a transaction comes back", arguments: DuplicatesTests.fields)
    func fields(_ column: TransactionColumn, _ small: RowValue, _ large: RowValue) throws {
        for value in [small, large] {
            var row: Row<TransactionColumn> = [.transactionID: "1000"]
            row[column] = value
            let ledger = try Self.read(Self.blocks(of: Self.ledger(Rows(transactions: [row]))))
            #expect(ledger.transactions.rows(ledger.texts) == [JoinedRow(row: row)])
        }
    }

    @Test(
        "Transactions of every shape come back, conflicts and accounts with them",
        arguments: Seeds.some(of: UInt64(1)...20)
    )
    func transactions(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let needs: LedgerNeeds = [.failures, .incidents, .anomalies, .subscriptions]
        let rows = Rows(transactions: RandomRows.transactions(120, from: &generator))
        let ledger = Self.ledger(rows, needs: needs)
        let copy = try Self.read(Self.blocks(of: ledger), needs: needs)
        #expect(copy.transactions.rows(copy.texts) == ledger.transactions.rows(ledger.texts))
        for number in 0..<ledger.transactions.count {
            #expect(copy.transactions.entries[number].marks == ledger.transactions.entries[number].marks)
            #expect(copy.transactions.entries[number].answers == ledger.transactions.entries[number].answers)
            #expect(copy.transactions.accounts[number] == ledger.transactions.accounts[number])
        }
    }

    @Test("What a partial must write has not grown: a new field has to be written by TransactionRecord and the like")
    func sizes() {
        #expect(MemoryLayout<TransactionEntry>.size == 56)
        #expect(MemoryLayout<SharedValues>.size == 24)
        #expect(MemoryLayout<RareValues>.size == 184)
        #expect(Mirror(reflecting: Cancellation()).children.count == 4)
        #expect(Mirror(reflecting: Cancellation.Statements()).children.count == 3)
        #expect(Mirror(reflecting: SubscriptionState.Renewal()).children.count == 2)
        #expect(MemoryLayout<EntryNumbers>.size + MemoryLayout<RareNumbers>.size == 8 * NumberAttribute.allCases.count)
        #expect(MemoryLayout<SharedCodes>.size == 4 * CodeAttribute.shared.count)
        #expect(MemoryLayout<RareCodes>.size == 4 * CodeAttribute.rare.count)
        #expect(Mirror(reflecting: EventTally.Lines()).children.count == EventTally.Lines.all.count)
        #expect(Mirror(reflecting: VerificationTally()).children.count == 5)
        #expect(Mirror(reflecting: EventTally()).children.count == 9)
        #expect(Mirror(reflecting: TrustTally()).children.count == TrustTally.all.count)
        #expect(Mirror(reflecting: ReadingCounts()).children.count == ReadingCounts.all.count)
        #expect(Mirror(reflecting: InstantBounds()).children.count == 2)
        #expect(Mirror(reflecting: SubscriptionState()).children.count == 2)
    }

    @Test("Unread values and odd ids of documents add up, in a partial too")
    func readingCounts() throws {
        var ledger = Ledger()
        var expected = ReadingCounts()
        for (unread, oddIDs) in [(1, 20), (300, 4000)] {
            var batch = Rows().batch()
            (batch.reading.unread, batch.reading.oddIDs) = (unread, oddIDs)
            expected.add(batch.reading)
            ledger.update(with: batch)
        }
        #expect(ledger.reading == expected && expected.oddIDs == 4020)
        #expect(try Self.read(Self.blocks(of: ledger), needs: []).reading == expected)
        #expect(ledger.copied().reading == expected)
        #expect(ledger.settle(LedgerRules()).reading == expected)
    }

    @Test("A number of up to 64 bits comes back; one byte more is too large")
    func numbers() throws {
        for value: UInt64 in [0, 1, 127, 128, 300, 1 << 56, .max - 1, .max] {
            var writer = PartialWriter()
            writer.write(number: value)
            writer.write(difference: Int64(bitPattern: value))
            var cursor = PartialCursor(writer.bytes.span.bytes, base: 0)
            #expect(try cursor.number() == value)
            #expect(try cursor.difference() == Int64(bitPattern: value))
            try cursor.finish()
        }
        let tooLarge = Array(repeating: UInt8(0xFF), count: 9) + [0x02]
        let error = try #require(throws: Finding.self) {
            var cursor = PartialCursor(tooLarge.span.bytes, base: 7)
            _ = try cursor.number()
        }
        #expect(error.code == "partial.too-large")
        #expect(error.offset == 7)
    }

    /// Payloads that break a rule: the block, its bytes, the code and the offset in it.
    static let broken: [(PartialBlock, [UInt8], String, Int)] = [
        (.texts, [], "partial.truncated", 0),
        (.texts, [2, 1, 0x61], "partial.truncated", 3),
        (.texts, [1, 5, 0x61], "partial.truncated", 1),
        (.texts, [2, 1, 0x61, 1, 0x61], "partial.value", 3),
        (.texts, [1, 1, 0x61, 0], "partial.trailing", 3),
        (.texts, [0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "partial.truncated", 0),
        (.sharedValues, [1, 1, 0, 0, 0, 0, 0], "partial.value", 1),
        (.transactions, [1, 0, 0, 0, 0], "partial.value", 1),
        (.transactions, [200, 1, 0, 0, 0, 0], "partial.truncated", 0),
        (.counters, [1, 2, 3], "partial.truncated", 3),
        (.counters, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "partial.value", 0),
        (.failures, [7], "partial.value", 0),
        (.failures, [0, 2], "partial.value", 1),
        (.failures, [0, 0, 0], "partial.value", 2),
        (.pairs, [0, 1, 2, 3], "partial.truncated", 1),
        (.pairs, [2, 0], "partial.value", 0),
        (.answers, [1, 1] + Array(repeating: 7, count: 16), "partial.truncated", 1),
        (.examples, [1, 4, 0, 0, 0, 0, 0], "partial.value", 1),
        (.cells, [0, 2], "partial.value", 1),
        (.cells, [0, 0, 0, 0, 0, 9], "partial.truncated", 5),
        (.cells, [0, 0, 0, 0, 0, 0, 0, 0, 1, 99, 0, 0], "partial.value", 9),
        (.cells, [0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0, 0], "partial.value", 9),
        (.routed, [1], "partial.truncated", 0),
        (.attempts, [3, 0], "partial.value", 0),
        (.attempts, [0, 1, 1], "partial.truncated", 1),
        (.grace, [1, 1, 0, 0], "partial.value", 1), (.grace, [1, 1, 1], "partial.truncated", 0),
        (.outcomes, [1] + Array(repeating: 7, count: 16) + [5, 0], "partial.value", 17),
        (.outcomes, [1, 2, 3], "partial.truncated", 0),
        (.purchases, [1, 1, 1], "partial.value", 1),
        (.purchases, [1, 2, 0], "partial.value", 2),
        (.purchases, [1, 2, 8], "partial.value", 2),
        (.purchases, [1, 2, 4, 5, 0], "partial.value", 3),
        (.purchases, [1, 2, 7, 0], "partial.truncated", 4),
        (.purchases, [2, 2, 1, 4], "partial.truncated", 0),
        (.purchases, [1, 2, 4], "partial.truncated", 3),
    ]

    @Test("A broken block is an error with its code and offset", arguments: broken)
    func refuses(_ block: PartialBlock, _ bytes: [UInt8], _ code: String, _ offset: Int) throws {
        let error = try #require(throws: Finding.self) { _ = try Self.read([(block, bytes)]) }
        #expect(error.code == code, "\(error)")
        #expect(error.offset == offset, "\(error)")
    }

    @Test("Without a block of counters, or with two, it is no partial")
    func counters() throws {
        let blocks = Self.blocks(of: Self.ledger(Rows(transactions: [[.transactionID: "1"]])))
        let none = try #require(throws: Finding.self) {
            _ = try Self.read(blocks.filter { $0.block != .counters })
        }
        #expect(none.code == "partial.missing-block")
        let two = try #require(throws: Finding.self) {
            _ = try Self.read(blocks + blocks.filter { $0.block == .counters })
        }
        #expect(two.code == "partial.block")
    }

    @Test(
        "A block cut anywhere is an error, and bytes changed anywhere never crash",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func mutations(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let needs: LedgerNeeds = [.failures, .incidents, .anomalies, .subscriptions]
        let rows = Rows(
            transactions: RandomRows.transactions(25, from: &generator),
            documents: RandomRows.documents(25, from: &generator),
            events: RandomRows.events(40, from: &generator),
            renewals: RandomRows.renewals(5, from: &generator)
        )
        let blocks = Self.blocks(of: Self.ledger(rows, needs: needs))
        for (number, block) in blocks.enumerated() {
            for length in stride(from: 0, to: block.bytes.count, by: max(1, block.bytes.count / 60)) {
                var cut = Array(blocks[...number])
                cut[number].bytes = Array(block.bytes[..<length])
                #expect(throws: Finding.self) { _ = try Self.read(cut, needs: needs) }
            }
        }
        var survivors = 0
        for _ in 0..<400 {
            var changed = blocks
            let number = Int.random(in: 0..<changed.count, using: &generator)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<changed[number].bytes.count, using: &generator)
                changed[number].bytes[place] = generator.pick([
                    0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator),
                ])
            }
            do {
                let settled = try Self.read(changed, needs: needs).settle(LedgerRules())
                // What can be read must be countable, too.
                _ = try? settled.forEachTransaction { _ in }
                _ = (try settled.findIncidents(), settled.failureRates, try settled.anomalies(among: SaleNotes()))
                survivors += 1
            } catch is Finding {
                continue
            }
        }
        #expect(survivors > 50)
    }
}
