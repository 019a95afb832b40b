import Foundation
import Testing
import TillTestSupport

/// Damages good documents at random, from a fixed seed. The reader must account for every byte and must not crash.
@Suite("Damaged documents")
struct MutationTests {
    private static let seed: UInt64 = 20_260_302
    /// Bytes that each test reads. Debug builds read about 3 MB/s, and the suite should stay below ten seconds.
    private static let byteBudget = 6_000_000

    /// The files below `folder`: small ones whole, large ones in pieces.
    private static func corpus(below folder: URL) throws -> [(name: String, bytes: [UInt8])] {
        var corpus: [(name: String, bytes: [UInt8])] = []
        for file in Fixtures.files(below: folder)
        where file.pathExtension != "md" && file.lastPathComponent != "facts.json" {
            let bytes = try Fixtures.bytes(file)
            for start in stride(from: 0, to: bytes.count, by: max(20_000, bytes.count / 3)) {
                let piece = Array(bytes[start..<min(start + 20_000, bytes.count)])
                corpus.append(("\(file.lastPathComponent) from \(start)", piece))
            }
        }
        return corpus
    }

    @Test("A damaged document is accepted or rejected, whole or in chunks, and every byte is accounted for")
    func losesNothing() throws {
        var corpus = try Self.corpus(below: Fixtures.samples)
        corpus.append(("mixed stream", DripFeedTests.mixed))
        for size in [1, 30, 1000] { corpus.append(("BER in \(size)", ReceiptDER.sample().ber(fragments: size))) }
        checkDamaged(corpus)
    }

    @Test("A damaged published receipt is accepted or rejected, and every byte is accounted for", .needsVectors)
    func losesNothingOfPublished() throws {
        checkDamaged(try Self.corpus(below: Fixtures.vectors))
    }

    private func checkDamaged(_ corpus: [(name: String, bytes: [UInt8])]) {
        var random = SplitMix64(seed: Self.seed)
        var readBytes = 0
        var round = 0
        while readBytes < Self.byteBudget {
            let (name, bytes) = corpus[round % corpus.count]
            let damaged = random.mutation(of: bytes)
            let what = "seed \(Self.seed), round \(round), \(name)"
            let reading = Reading(damaged)
            check(reading, damaged, what)
            if round % 4 == 0 {
                let cut = random.below(damaged.count + 1)
                #expect(Reading(damaged, cutAt: cut) == reading, "\(what), cut at \(cut)")
                readBytes += damaged.count
            }
            readBytes += damaged.count + 200
            round += 1
        }
        #expect(round > corpus.count)
    }

    private func check(_ reading: Reading, _ bytes: [UInt8], _ what: String) {
        #expect(reading.consumed == bytes.count, "\(what)")
        #expect(reading.lines == bytes.count { $0 == 0x0A }, "\(what)")
        #expect(reading.documentCount == reading.accepted + reading.rejects.count, "\(what)")
        // An accepted document has one row of documents or one of events. A rejected document has no row.
        let rows = reading.documents + reading.events
        #expect(rows.count == reading.accepted, "\(what)")
        let rejected = Set(reading.rejects.map { "\($0.document)" })
        let all = rows + reading.transactions + reading.renewals
        #expect(all.allSatisfy { !rejected.contains($0["document"] ?? "") }, "\(what)")
        for reject in reading.rejects {
            #expect(reject.length > 0 && reject.offset + reject.length <= bytes.count, "\(what)")
            #expect(reject.raw == Array(bytes[reject.offset..<reject.offset + reject.length]), "\(what)")
            #expect(reject.innerOffset >= 0 && !reject.code.isEmpty, "\(what)")
        }
        for (reject, next) in zip(reading.rejects, reading.rejects.dropFirst()) {
            // Several rejects may name the same text, if it also holds an accepted document.
            let isSame = reject.offset == next.offset && reject.length == next.length
            #expect(isSame || reject.offset + reject.length <= next.offset, "\(what)")
            #expect(reject.document < next.document, "\(what)")
        }
    }
}
