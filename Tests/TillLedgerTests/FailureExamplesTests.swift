import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillStorage

@Suite("Examples of failures")
struct FailureExamplesTests {
    /// The codes of some documents of a source, which follow one another.
    private struct Chunk {
        var source: String
        var firstDocument: Int
        var codes: [Int64]
    }

    private static func batch(_ codes: [Int64], firstLine: Int?) -> RowBatch {
        let events = codes.enumerated().map { ordinal, code -> Row<EventColumn> in
            [
                .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: .number(code),
                .document: .number(Int64(ordinal)),
            ]
        }
        var batch = Rows(events: events).batch()
        // The rows are there already; this only sets their lines.
        for row in codes.indices { batch.endDocument(from: batch.mark(), ordinal: row, line: row) }
        batch.firstLine = firstLine
        return batch
    }

    private static func ledger(_ chunks: [Chunk]) -> Ledger {
        var ledger = Ledger(needs: [.failures, .examples])
        for chunk in chunks {
            // Two header lines stand before the first document.
            let batch = batch(chunk.codes, firstLine: chunk.firstDocument + 2)
            ledger.update(with: batch, source: chunk.source, firstDocument: chunk.firstDocument)
        }
        return ledger
    }

    private static func examples(_ ledger: consuming Ledger, _ limit: Int = 10) -> [FailureKey: [RecordPlace]] {
        ledger.settle(LedgerRules()).failureExamples(limit)
    }

    private static func key(_ code: Int64) -> FailureKey { FailureKey(domain: "SKErrorDomain", code: code) }

    /// Codes 0 and 1 in turn in two sources of thirty documents, cut into chunks.
    private static func chunks(of size: Int) -> [Chunk] {
        ["b.ndjson", "a.ndjson"].flatMap { source in
            stride(from: 0, to: 30, by: size).map { start in
                let codes = (start..<min(start + size, 30)).map { Int64($0 % 2) }
                return Chunk(source: source, firstDocument: start + 1, codes: codes)
            }
        }
    }

    @Test("The smallest places are kept, with their lines, whatever the order and the cut", arguments: [1, 4, 30])
    func smallest(size: Int) {
        let expected = (0..<10).map { RecordPlace(source: "a.ndjson", document: 2 * $0 + 1, line: 2 * $0 + 3) }
        let chunks = Self.chunks(of: size)
        for order in [chunks, chunks.reversed()] {
            let examples = Self.examples(Self.ledger(order))
            #expect(examples[Self.key(0)] == expected)
            #expect(examples[Self.key(1)]?.first == RecordPlace(source: "a.ndjson", document: 2, line: 4))
            #expect(Self.examples(Self.ledger(order), 3)[Self.key(0)] == Array(expected.prefix(3)))
        }
    }

    @Test("Parts that were read apart and written down give the same", arguments: 1...5 as ClosedRange<UInt64>)
    func partials(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let chunks = Self.chunks(of: 7).shuffled(using: &generator)
        let cut = Int.random(in: 0...chunks.count, using: &generator)
        var joined = Ledger(needs: [.failures, .examples])
        for part in [chunks[..<cut], chunks[cut...]] {
            var decoder = PartialDecoder()
            var blocks: [(PartialBlock, [UInt8])] = []
            Self.ledger(Array(part)).encode { blocks.append(($0, $1)) }
            for (block, bytes) in blocks {
                try decoder.decode(block, bytes.span.bytes, offset: 0, into: &joined)
            }
            try decoder.finish(offset: 0)
        }
        let whole = Self.examples(Self.ledger(chunks))
        #expect(Self.examples(joined.copied()) == whole)
        var merged = Self.ledger(Array(chunks[cut...]))
        merged.merge(Self.ledger(Array(chunks[..<cut])))
        #expect(Self.examples(merged) == whole)
    }

    @Test("A place that comes twice is one")
    func twice() {
        let chunk = Chunk(source: "a", firstDocument: 1, codes: [0, 0])
        #expect(Self.examples(Self.ledger([chunk, chunk]))[Self.key(0)]?.map(\.document) == [1, 2])
    }

    @Test("Only a 21007 that no success follows is an example")
    func routed() {
        func response(_ status: Int64, _ pairKey: RowValue?, _ document: Int64) -> Row<DocumentColumn> {
            var row: Row<DocumentColumn> = [.kind: "verify", .status: .number(status), .document: .number(document)]
            if let pairKey { row[.pairKey] = pairKey }
            return row
        }
        var ledger = Ledger(needs: [.failures, .examples])
        let rows = Rows(documents: [
            response(21_007, "a", 0), response(21_007, "b", 1), response(0, "a", 2), response(21_007, nil, 3),
        ])
        ledger.update(with: rows.batch(), source: "log", firstDocument: 10)
        let examples = Self.examples(ledger)
        let expected = [11, 13].map { RecordPlace(source: "log", document: $0, line: nil) }
        #expect(examples == [FailureKey(domain: "verifyReceipt", code: 21_007): expected])
    }

    @Test("The last 21007 of a request is an example unless a success followed it", arguments: [false, true])
    func routedAgain(isWritten: Bool) throws {
        func response(_ status: Int64, _ day: String, _ document: Int64) -> Row<DocumentColumn> {
            [
                .kind: "verify", .status: .number(status), .pairKey: "a", .loggedAt: .text(day),
                .document: .number(document),
            ]
        }
        let rows = [
            response(21_007, "2026-03-01", 0), response(0, "2026-03-02", 1), response(21_007, "2026-03-03", 2),
            response(21_007, "2026-03-03", 3),
        ]
        for order in [rows, rows.reversed()] {
            var ledger = Ledger(needs: [.failures, .examples])
            for row in order {
                var part = Ledger(needs: [.failures, .examples])
                part.update(with: Rows(documents: [row]).batch(), source: "log", firstDocument: 1)
                guard isWritten else {
                    ledger.merge(part)
                    continue
                }
                var decoder = PartialDecoder()
                var blocks: [(PartialBlock, [UInt8])] = []
                part.encode { blocks.append(($0, $1)) }
                for (block, bytes) in blocks {
                    try decoder.decode(block, bytes.span.bytes, offset: 0, into: &ledger)
                }
                try decoder.finish(offset: 0)
            }
            let expected = [RecordPlace(source: "log", document: 3, line: nil)]
            #expect(Self.examples(ledger) == [FailureKey(domain: "verifyReceipt", code: 21_007): expected])
        }
    }

    @Test("Stored rows have their own source and document")
    func stored() {
        let rows = Rows(events: [
            [
                .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: .number(0), .source: "day-1.ndjson",
                .document: .number(42),
            ]
        ])
        var ledger = Ledger(needs: [.failures, .examples])
        ledger.update(with: rows.batch(), source: "rows/events.parquet", firstDocument: 7)
        let expected = [RecordPlace(source: "day-1.ndjson", document: 42, line: nil)]
        #expect(Self.examples(ledger)[Self.key(0)] == expected)
    }

    @Test("Without the need for examples none is kept")
    func unneeded() {
        var ledger = Ledger(needs: .failures)
        ledger.update(with: Self.batch([0], firstLine: 1), source: "a", firstDocument: 1)
        #expect(Self.examples(ledger).isEmpty)
    }
}
