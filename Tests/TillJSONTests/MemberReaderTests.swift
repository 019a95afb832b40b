import CKernels
import Testing
import TillTestSupport

@testable import TillJSON

@Suite("Reading members by their keys")
struct MemberReaderTests {
    private static let keys = ["ts", "event", "quantity", "error", "thirty_bytes_is_all_a_key_has_", "id", "left"]

    /// What an object told: the last value with each key, what was left to the caller in its order, and where it ended
    /// or what is wrong with it.
    struct Reading: Equatable {
        var values: [String: String] = [:]
        var unread: [String] = []
        var end: Int?
        var sawNewline = false
        var error: String?
    }

    private static func reader() -> MemberReader {
        MemberReader(keys) { keys[$0] == "left" }
    }

    private static func read(_ text: JSONText, with reader: inout MemberReader, asking number: Int? = nil) -> Reading {
        var cursor = JSONCursor(text.bytes.span.bytes, limit: text.limit)
        var reading = Reading()
        let match = number.flatMap { reader.match($0, at: cursor) }
        do {
            try reader.enter(&cursor, match: match)
            while let number = try reader.nextUnread(in: &cursor) {
                reading.unread.append("\(keys[number]) \(cursor.position)")
                try cursor.skipValue()
            }
            reading.end = cursor.position
            reading.sawNewline = cursor.sawNewline
            if cursor.depth != 0 { reading.error = "depth \(cursor.depth)" }
            for number in keys.indices {
                guard let token = reader[number] else { continue }
                reading.values[keys[number]] = "\(token.kind) \(token.start)..<\(token.end) \(token.hasEscapes)"
            }
        } catch {
            reading.error = "\(error) after \(reader.latest.map { keys[$0] } ?? "–")"
        }
        return reading
    }

    /// The same, told by reading member by member.
    private static func expected(_ text: JSONText) -> Reading {
        var cursor = JSONCursor(text.bytes.span.bytes, limit: text.limit)
        var reading = Reading()
        var latest: String?
        do {
            try cursor.expect(0x7B)
            var isFirst = true
            while try cursor.nextMember(isFirst: &isFirst) {
                let key = try cursor.string()
                try cursor.expect(0x3A)
                var bytes: [UInt8] = []
                cursor.appendText(of: key, to: &bytes)
                latest = keys.first { $0.utf8.elementsEqual(bytes) }
                if let latest { reading.values[latest] = nil }
                let start = cursor.position
                if latest == "left" {
                    reading.unread.append("left \(start)")
                    try cursor.skipValue()
                    continue
                }
                let token = try cursor.token()
                if token.isContainer {
                    if let latest { reading.unread.append("\(latest) \(cursor.position)") }
                    try cursor.skipContainer()
                } else if let latest {
                    reading.values[latest] = "\(token.kind) \(token.start)..<\(token.end) \(token.hasEscapes)"
                }
            }
            reading.end = cursor.position
            reading.sawNewline = cursor.sawNewline
        } catch {
            reading.error = "\(error) after \(latest ?? "–")"
            reading.values = [:]
        }
        return reading
    }

    /// An object of some of the keys and others, in the order and with the white space of `style`.
    private static func object(_ random: inout SplitMix64, style: Int) -> String {
        let space = ["", "", "", " ", "\n "][style % 5]
        let names = keys + ["strange", "é", "\\u0069d"]
        let members = (0..<random.below(12)).map { index in
            let name = random.once(in: 6) ? names[random.below(names.count)] : names[(index + style) % names.count]
            return "\"\(name)\"\(space):\(space)\(RandomJSON.value(&random, digits: random.below(30)))"
        }
        return "{\(space)" + members.joined(separator: ",\(space)") + "\(space)}"
    }

    @Test(
        "Objects tell what they tell member by member, whatever was read before",
        arguments: Seeds.some(of: UInt64(1)...24)
    )
    func asMemberByMember(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var experienced = Self.reader()
        for _ in 0..<600 {
            var text = Array(Self.object(&random, style: Int(seed) + random.below(2)).utf8)
            if random.once(in: 6) { text[random.below(text.count)] = UInt8(truncatingIfNeeded: random.next()) }
            if random.once(in: 12) { text.removeLast(random.below(text.count)) }
            // A run leaves the last bytes of a text to others, so most objects have something behind them.
            if !random.once(in: 4) { text += Array(repeating: 0x20, count: 1 + random.below(160)) }
            let padded = JSONText(text)
            var fresh = Self.reader()
            let expected = Self.expected(padded)
            #expect(Self.read(padded, with: &fresh) == expected, "\(String(decoding: text, as: UTF8.self))")
            // Whether it was asked for a member first is of no consequence.
            let number = random.once(in: 2) ? random.below(Self.keys.count) : nil
            let found = Self.read(padded, with: &experienced, asking: number)
            #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("Every byte of an event, changed to fifty others, is read as member by member")
    func seesEveryChange() {
        let text =
            #"{"ts":"2026-03-02T10:16:02.001Z","event":"failed","quantity":1,"id":null,"strange":2,"error":{"id":1}}"#
        var experienced = Self.reader()
        let original = Array(text.utf8) + Array(repeating: 0x20, count: 120)
        for _ in 0..<3 { _ = Self.read(JSONText(original), with: &experienced) }
        for index in text.utf8.indices.map({ text.utf8.distance(from: text.startIndex, to: $0) }) {
            for byte in stride(from: UInt8(index % 5), to: 250, by: 5) {
                var changed = original
                changed[index] = byte
                let padded = JSONText(changed)
                for number in [nil, 1] {
                    var copy = experienced
                    #expect(
                        Self.read(padded, with: &copy, asking: number) == Self.expected(padded),
                        "\(index): \(byte)"
                    )
                }
            }
        }
    }

    @Test(
        "A member without a value is an error, whatever stands in its place",
        arguments: [
            #"{"ts":"1","event":"x","id":}"#, #"{"ts":"1","event":"x","id":,"quantity":1}"#,
            #"{"ts":"1","event":"x","error":,"id":"1"}"#, #"{"ts":"1","event":"x","id":,"quantity":,"error":{}}"#,
            #"{"ts":"1","event":"x","left":}"#,
            #"{"ts":"1","event":"x","quantity":]}"#, #"{"ts":"1","event":"x","quantity":,"error":{}}"#,
            #"{"ts":"1","event":"x","id":"#,
        ]
    )
    func valueIsMissing(_ text: String) {
        var reader = Self.reader()
        let before =
            #"{"ts":"1","event":"x","id":"2","quantity":1,"error":{},"left":1}"# + String(repeating: " ", count: 120)
        _ = Self.read(JSONText(before), with: &reader)
        for padding in [0, 120] {
            let padded = JSONText(text + String(repeating: " ", count: padding))
            for number in [nil, 1] {
                var copy = reader
                let found = Self.read(padded, with: &copy, asking: number)
                #expect(found.error != nil && found == Self.expected(padded))
            }
        }
    }

    @Test("An object matches by a member as long as the keys before it are in the table, and the cursor stays")
    func matchesByMember() {
        let padding = String(repeating: " ", count: 120)
        let cases: [(String, Bool)] = [
            (#"{"ts":"1","event":"x"}"#, true), (#"{"ts":"1","event":"x","quantity":"#, true),
            (#"{"ts":"1","strange":1,"event":"x"}"#, false), (#"{"ts":"1"}"#, false), (#"{"event":{}}"#, false),
            ("[]", false), ("{}", false), (#" {"event":1}"#, false),
        ]
        var reader = Self.reader()
        _ = Self.read(JSONText(#"{"ts":"1","event":"x","quantity":1}"# + padding), with: &reader)
        for (text, isMatch) in cases {
            let padded = JSONText(text + padding)
            let cursor = JSONCursor(padded.bytes.span.bytes, limit: padded.limit)
            var copy = reader
            #expect((copy.match(1, at: cursor) != nil) == isMatch, "\(text)")
            #expect(cursor.position == 0 && cursor.depth == 0)
            if !isMatch {
                // The next object does not see any member of it.
                let other = JSONText(#"{"id":"7"}"# + padding)
                #expect(Self.read(other, with: &copy) == Self.expected(other), "\(text)")
            }
        }
    }

    @Test("Runs end alike on every processor", arguments: Seeds.some(of: UInt64(1)...8))
    func runsAlike(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let names = KeyNames(Self.keys)
        for _ in 0..<2000 {
            var text = Array(Self.object(&random, style: 0).utf8) + Array(repeating: 0x20, count: random.below(200))
            if random.once(in: 2) { text[random.below(text.count)] = UInt8(truncatingIfNeeded: random.next()) }
            let limit = text.count
            text += Array(repeating: 0, count: JSONCursor.padding)
            var runs: [[Int]] = []
            for kernel in [till_member_run, till_member_run_baseline] {
                var values = Array(repeating: till_member(), count: Self.keys.count)
                var run = till_run()
                (run.position, run.previous, run.stops, run.is_first) = (1, -1, 1 << 6, true)
                text.withUnsafeBytes { kernel($0.baseAddress, limit, names.entries, names.followers, &values, &run) }
                let flags = [run.is_first, run.is_on_value, run.is_over].map { $0 ? 1 : 0 }
                let found = Self.keys.indices.filter { run.present >> UInt64($0) & 1 == 1 }.flatMap {
                    [$0, Int(values[$0].kind), Int(values[$0].start), Int(values[$0].end)]
                }
                runs.append([run.position, Int(run.previous)] + flags + found)
            }
            #expect(runs[0] == runs[1], "\(String(decoding: text, as: UTF8.self))")
        }
    }
}
