import Testing
import TillTestSupport

@testable import TillJSON

@Suite("Reading objects that look alike")
struct ObjectReaderTests {
    enum Key: String, CaseIterable {
        case quantity, product, transaction, original, date
        case passed
        case flag, price

        var isRead: Bool { self != .passed }
    }

    /// What an object told: the members that are asked for, where it ended, or what is wrong with it.
    struct Reading: Equatable {
        var members: [String] = []
        var end: Int?
        var sawNewline = false
        var error: String?
    }

    private static func reader(readsUnknown: Bool = false) -> ObjectReader<Key> {
        ObjectReader(KeyTable(), reading: \.isRead, readsUnknown: readsUnknown)
    }

    private static func read(
        _ text: JSONText,
        with reader: inout ObjectReader<Key>,
        readsUnknown: Bool = false
    ) -> Reading {
        var cursor = JSONCursor(text.bytes.span.bytes, limit: text.limit)
        var reading = Reading()
        do {
            var walk = try reader.enter(&cursor)
            while let number = try reader.next(&walk, in: &cursor) {
                guard number < 0 ? readsUnknown : reader[number].isRead else {
                    try reader.skipValue(&walk, in: &cursor)
                    continue
                }
                let token = try reader.token(&walk, in: &cursor)
                if token.isContainer { try cursor.skipContainer() }
                let end = token.isContainer ? cursor.position : token.end
                let value = "\(token.kind) \(token.start)..<\(end) \(token.hasEscapes)"
                reading.members.append("\(number < 0 ? "unknown" : reader[number].rawValue): \(value)")
            }
            reading.end = cursor.position
            reading.sawNewline = cursor.sawNewline
            if cursor.depth != 0 { reading.error = "depth \(cursor.depth)" }
        } catch {
            reading.error = "\(error)"
        }
        return reading
    }

    /// A program that writes objects: which members in which order, between what, and how long their values are.
    private struct Program {
        var keys: [String]
        var space: String
        var digits: Int

        init(_ random: inout SplitMix64) {
            let all = Key.allCases.map(\.rawValue) + ["strange", "é", "\\u0064ate"]
            keys = (0..<random.below(12)).map { _ in all[random.below(all.count)] }
            space = ["", "", "", " ", "\n  "][random.below(5)]
            digits = 1 + random.below(20)
        }

        func object(_ random: inout SplitMix64) -> String {
            let members = keys.map { "\"\($0)\"\(space):\(space)\(RandomJSON.value(&random, digits: digits))" }
            return "{\(space)" + members.joined(separator: ",\(space)") + "\(space)}"
        }
    }

    @Test(
        "What a reader tells does not depend on what it has read before",
        arguments: Seeds.some(of: UInt64(1)...24),
        [false, true]
    )
    func forgetsNothingAndInventsNothing(seed: UInt64, readsUnknown: Bool) {
        var random = SplitMix64(seed: seed)
        let programs = (0..<4).map { _ in Program(&random) }
        var experienced = Self.reader(readsUnknown: readsUnknown)
        for _ in 0..<600 {
            var text = Array(programs[random.below(programs.count)].object(&random).utf8)
            // Some are cut, some damaged, and of some only a byte of the text between the values is another.
            if random.once(in: 8) { text[random.below(text.count)] = UInt8(truncatingIfNeeded: random.next()) }
            if random.once(in: 16) { text.removeLast(random.below(text.count)) }
            if random.once(in: 4) { text += Array("\n{\"quantity\":1}".utf8) }
            let padded = JSONText(text)
            var fresh = Self.reader(readsUnknown: readsUnknown)
            let expected = Self.read(padded, with: &fresh, readsUnknown: readsUnknown)
            let found = Self.read(padded, with: &experienced, readsUnknown: readsUnknown)
            #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("Every byte of an object that fits, changed to fifty others, is read as by one who has seen none")
    func seesEveryChange() {
        let texts = ["123456789012345", "223456789012346"].map { digits in
            #"{"quantity":1,"product":"coins.\#(digits.hasPrefix("1") ? "1" : "20")","transaction":"\#(digits)","passed":"\#(digits)","flag":null}"#
        }
        var experienced = Self.reader()
        for text in texts + texts { _ = Self.read(JSONText(text), with: &experienced) }
        #expect(experienced.templates.clock > 0)
        let text = Array(texts[0].utf8)
        for index in text.indices {
            for byte in stride(from: UInt8(index % 5), to: 250, by: 5) {
                var changed = text
                changed[index] = byte
                let padded = JSONText(changed)
                var (copy, fresh) = (experienced, Self.reader())
                #expect(Self.read(padded, with: &copy) == Self.read(padded, with: &fresh), "\(index): \(byte)")
            }
        }
    }

    @Test("Objects of a dump fit after the first few, also where their kinds take turns")
    func fits() {
        var reader = Self.reader()
        for index in 0..<1000 {
            let tail = [#","flag":"true"}"#, #","date":"2026-01-01","flag":"false"}"#, #","price":{"a":1}}"#][index % 3]
            let text =
                #"{"quantity":"1","product":"coins.\#(index)","transaction":"17070831141\#(1000 + index)""# + tail
            _ = Self.read(JSONText(text), with: &reader)
        }
        #expect(reader.templates.clock > 950)
    }

    @Test("Where hardly any two objects are alike, a reader stops trying, and begins again later")
    func rests() {
        var reader = Self.reader()
        func object(_ keys: [String]) -> JSONText {
            JSONText("{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}")
        }
        for index in 0..<300 { _ = Self.read(object(["k\(index)", "quantity", "l\(index)"]), with: &reader) }
        let before = reader.templates.clock
        for _ in 0..<100 { _ = Self.read(object(["quantity", "product"]), with: &reader) }
        #expect(reader.templates.clock == before)
        for _ in 0..<6000 { _ = Self.read(object(["quantity", "product"]), with: &reader) }
        #expect(reader.templates.clock > before + 1000)
    }
}
