import Foundation
import Testing
import TillInput
import TillLedger
import TillReceipts
import TillRows
import TillStorage
import TillTestSupport

@Suite("Cells that a report does not want")
struct WantedCellsTests {
    /// The ledger of a stream, encoded as in a partial report, and its rejects.
    private static func result(of bytes: [UInt8], wanted: RowBatch.Wanted) -> (ledger: [[UInt8]], rejects: [String]) {
        var reader = DocumentReader()
        var rows = RowBatch()
        rows.wanted = wanted
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        let summary = reader.read(
            padded.span.bytes,
            limit: bytes.count,
            streamOffset: 0,
            isFinal: true,
            into: &rows
        )
        var ledger = Ledger(environments: .booked, keepsAppVersions: true, needs: [.anomalies, .subscriptions])
        ledger.update(with: rows)
        var blocks: [[UInt8]] = []
        // Texts are numbered by first appearance, so the blocks are equal only if both ledgers met the texts in the
        // same order.
        ledger.encode { blocks.append([UInt8($1.count & 0xFF)] + $1) }
        return (blocks, summary.rejects.map { "\($0.ordinal) \($0.offset) \($0.diagnostic)" })
    }

    @Test("Leaving them out changes neither the counts nor the rejects of the samples")
    func countsTheSame() throws {
        try checkFiles(below: Fixtures.samples)
    }

    @Test("Leaving them out changes neither the counts nor the rejects of published receipts", .needsVectors)
    func countsPublishedTheSame() throws {
        try checkFiles(below: Fixtures.vectors)
    }

    private func checkFiles(below folder: URL) throws {
        let files = Fixtures.files(below: folder)
        try #require(!files.isEmpty)
        for file in files {
            let bytes = try Fixtures.bytes(file)
            let (all, some) = (Self.result(of: bytes, wanted: .everything), Self.result(of: bytes, wanted: .numbers))
            #expect(all.ledger == some.ledger, "\(file.lastPathComponent)")
            #expect(all.rejects == some.rejects, "\(file.lastPathComponent)")
        }
    }

    @Test("A repeated member without a value does not change the counts of a failure")
    func countsRepeatedMembersTheSame() {
        let failure = #""error":{"domain":"SKErrorDomain","code":0},"app_version":"1.2","product_id":"coins""#
        for again in [#""event":null"#, #""event":"""#, #""app_version":null"#, #""event":"purchased""#] {
            let text = #"{"ts":"2026-03-02T10:16:02Z","event":"failed",\#(failure),\#(again)}"#
            let all = Self.result(of: Array(text.utf8), wanted: .everything)
            let some = Self.result(of: Array(text.utf8), wanted: .numbers)
            #expect(all.ledger == some.ledger && all.rejects == some.rejects, "\(again)")
        }
    }

    @Test("Leaving them out changes neither the counts nor the rejects of mutated events")
    func countsMutationsTheSame() throws {
        let files = Fixtures.files(below: Fixtures.samples.appending(path: "events"))
        let bytes = try files.flatMap { try Fixtures.bytes($0).prefix(20_000) }
        try #require(!bytes.isEmpty)
        for seed in Seeds.some(of: UInt64(1)...150) {
            var generator = SplitMix64(seed: seed)
            var mutated = bytes
            for _ in 0..<20 { mutated = generator.mutation(of: mutated) }
            let all = Self.result(of: mutated, wanted: .everything)
            let some = Self.result(of: mutated, wanted: .numbers)
            #expect(all.ledger == some.ledger && all.rejects == some.rejects, "seed \(seed)")
        }
    }
}
