import Foundation
import Testing
import TillTestSupport

/// Damages good documents at random, from a fixed seed. The reader must account for every byte and must not crash.
@Suite("Damaged payloads and notifications")
struct SignedMutationTests {
    private static let seed: UInt64 = 20_260_815
    /// The time that each test takes, unless one round over its documents takes longer.
    private static let budget = Duration.seconds(2)

    private static func corpus() -> [[UInt8]] {
        var texts = WrapperTests.wrappings.map(\.1) + PairTests.pairs + JWSFormatTests.wrappings.map(\.1)
        texts += NotificationV1Tests.places.map { #"{"notification_type":"X","auto_renew_status":"true",\#($0)}"# }
        texts += JWSFormatTests.rejected.map(\.0) + NotificationV2Tests.rejected.map(\.0)
        return texts.map { Array($0.utf8) }
    }

    @Test("A damaged document is accepted or rejected, and a rejected one leaves no rows")
    func losesNothing() {
        checkDamaged(Self.corpus())
    }

    @Test("A damaged published document is accepted or rejected, and a rejected one leaves no rows", .needsVectors)
    func losesNothingOfPublished() throws {
        let corpus = try SignedVectorTests.facts.get().keys.sorted().map { name in
            Array(try Fixtures.bytes(Fixtures.vectors.appending(path: name)).prefix(6000))
        }
        try #require(!corpus.isEmpty)
        checkDamaged(corpus)
    }

    private func checkDamaged(_ corpus: [[UInt8]]) {
        var random = Generator(state: Self.seed)
        let start = ContinuousClock.now
        var round = 0
        // Each document is damaged at least once, and more often while the budget lasts.
        while round < corpus.count || round < 20_000 && ContinuousClock.now - start < Self.budget {
            let bytes = random.damage(corpus[round % corpus.count])
            let reading = SignedReading(bytes)
            let what = "seed \(Self.seed), round \(round)"
            #expect(reading.consumed == bytes.count, "\(what)")
            #expect(reading.documents.count + reading.events.count == reading.accepted, "\(what)")
            #expect(reading.rejects.allSatisfy { !$0.code.isEmpty && $0.offset >= 0 }, "\(what)")
            let documents = Set(reading.documents.compactMap { $0["document"] })
            let rows = reading.transactions + reading.renewals
            #expect(rows.allSatisfy { documents.contains($0["document"] ?? "") && $0["kind"] != nil }, "\(what)")
            #expect(rows.allSatisfy { $0["trust"] != nil }, "\(what)")
            round += 1
        }
    }

    @Test("A stream that is cut anywhere gives the same rows and the same rejects")
    func isTheSameInChunks() {
        let texts =
            WrapperTests.wrappings.map(\.1).filter { $0.utf8.count < 400 } + PairTests.pairs
            + NotificationV2Tests.rejected.prefix(6).map(\.0) + JWSFormatTests.rejected.suffix(6).map(\.0)
        let bytes = Array(texts.joined(separator: "\n").utf8)
        var whole = SignedReading(bytes)
        whole.texts = []
        #expect(whole.accepted > 10 && whole.rejects.count > 5)
        for cut in stride(from: 0, through: bytes.count, by: 13) {
            var pieces = SignedReading(bytes, cutAt: cut)
            pieces.texts = []
            #expect(pieces == whole, "cut at \(cut)")
        }
    }

    /// SplitMix64: the same numbers on every machine.
    private struct Generator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((bits ^ bits >> 31) % UInt64(bound))
        }

        /// Makes one to four random changes: a byte is changed, removed or doubled, or up to 40 bytes are removed.
        mutating func damage(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0...below(4) where !bytes.isEmpty {
                let index = below(bytes.count)
                switch below(6) {
                case 0: bytes[index] = UInt8(below(256))
                case 1: bytes[index] = Array("{}[]\",:.0-\\".utf8)[below(11)]
                case 2: bytes.remove(at: index)
                case 3: bytes.insert(bytes[index], at: index)
                case 4: bytes[index] ^= 1 << UInt8(below(8))
                default: bytes.removeSubrange(index..<min(bytes.count, index + 1 + below(40)))
                }
            }
            return bytes
        }
    }
}
