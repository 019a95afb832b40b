import Foundation
import Testing
import TillCore
import TillJSON
import TillTestSupport

@Suite("JSON against Foundation")
struct JSONPropertyTests {
    static let seeds: ClosedRange<UInt64> = 1...40

    /// Writes random JSON with all the freedom that the grammar leaves.
    private struct Writer {
        var random: SplitMix64
        var text: [UInt8] = []

        mutating func value(depth: Int) {
            space()
            switch random.below(depth > 5 ? 5 : 8) {
            case 0: text += random.pick(["true", "false", "null"]).utf8
            case 1, 2: number()
            case 3, 4: string()
            case 5: list("[", "]") { $0.value(depth: depth + 1) }
            default:
                list("{", "}") { writer in
                    writer.space()
                    writer.string()
                    writer.space()
                    writer.text.append(UInt8(ascii: ":"))
                    writer.value(depth: depth + 1)
                }
            }
            space()
        }

        private mutating func list(_ open: String, _ close: String, _ member: (inout Writer) -> Void) {
            text += open.utf8
            for index in 0..<random.below(5) {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                member(&self)
            }
            space()
            text += close.utf8
        }

        private mutating func number() {
            if random.once(in: 3) { text.append(UInt8(ascii: "-")) }
            text += random.pick(["0", "7", "42", "1594755400000", "900000000000000001"]).utf8
            if random.once(in: 3) { text += random.pick([".0", ".5", ".125"]).utf8 }
            if random.once(in: 4) { text += random.pick(["e1", "E+2", "e-3", "E0"]).utf8 }
        }

        private mutating func string() {
            let pieces = [
                "a", "product_id", " ", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00",
                "\u{7F}",
            ]
            text.append(0x22)
            for _ in 0..<random.below(8) { text += random.pick(pieces).utf8 }
            text.append(0x22)
        }

        private mutating func space() {
            while random.once(in: 4) { text.append(random.pick([0x20, 0x09, 0x0A, 0x0D])) }
        }
    }

    private static func document(_ random: inout SplitMix64) -> [UInt8] {
        var writer = Writer(random: random)
        writer.value(depth: 0)
        random = writer.random
        return writer.text
    }

    private static func foundationAccepts(_ text: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text), options: [.fragmentsAllowed])) != nil
    }

    @Test("Valid texts are accepted by both", arguments: Seeds.some(of: seeds))
    func acceptsValid(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let text = Self.document(&random)
            #expect(JSONText(text).error == nil, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
            #expect(Self.foundationAccepts(text), "seed \(seed): \(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test(
        "Damaged texts are judged alike by both, and alike by skipping and by tokens",
        arguments: Seeds.some(of: seeds)
    )
    func agreesOnDamage(_ seed: UInt64) {
        var random = SplitMix64(seed: seed ^ 0xDA3A6E)
        var compared = 0
        for _ in 0..<150 {
            let text = random.mutation(of: Self.document(&random))
            let error = JSONText(text).error
            let what =
                "seed \(seed), \(error.map { "\($0)" } ?? "accepted"): \(String(decoding: text, as: UTF8.self).debugDescription)"
            #expect(JSONText(text).errorByTokens == error, "\(what)")
            guard !Self.differs(text, error) else { continue }
            #expect(Self.foundationAccepts(text) == (error == nil), "\(what)")
            compared += 1
        }
        #expect(compared > 75, "seed \(seed)")
    }

    /// Where Foundation reads something else than RFC 8259: other encodings, told by zero bytes or a byte order mark,
    /// halves of surrogate pairs, and numbers that no `Double` holds.
    private static func differs(_ text: [UInt8], _ error: Finding?) -> Bool {
        if text.contains(0) || text.first ?? 0 >= 0xEF { return true }
        if error == nil, String(decoding: text, as: UTF8.self).contains(/[eE]\+?[0-9]{3}/) { return true }
        // Foundation refuses some halves and replaces others.
        guard error == nil || error?.defect == .jsonEscape else { return false }
        return String(decoding: text, as: UTF8.self).lowercased().contains("\\ud")
    }
}
