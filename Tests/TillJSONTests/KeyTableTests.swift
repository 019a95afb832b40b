import Testing
import TillCore
import TillJSON

@Suite("Tables of keys")
struct KeyTableTests {
    enum Key: String, CaseIterable {
        case a, b
        case seven = "seven77"
        case eight = "eight888"
        case nine = "nine99999"
        case sixteen = "sixteen_sixteen_"
        case longest = "thirty_bytes_is_all_a_key_has_"
        case longestSibling = "thirty_bytes_is_all_a_key_hasX"
    }

    /// The keys in the order of `text`, which is read with a table used before; `?` for one that is not in it.
    private static func keys(_ texts: [String]) throws -> [[String]] {
        var table = KeyTable<Key>()
        return try texts.map { text in
            let padded = JSONText(text)
            var cursor = JSONCursor(padded.bytes.span.bytes, limit: padded.limit)
            try cursor.expect(0x7B)
            var found: [String] = []
            var isFirst = true
            var previous = KeyTable<Key>.start
            while true {
                let number = try table.next(in: &cursor, after: previous, isFirst: &isFirst)
                if number == KeyTable<Key>.end { break }
                found.append(number == KeyTable<Key>.unknown ? "?" : table[number].rawValue)
                if number != KeyTable<Key>.unknown {
                    previous = number
                    if table.name(number) != table[number].rawValue { found.append("not \(table.name(number))") }
                }
                try cursor.skipValue()
            }
            return found
        }
    }

    @Test("Keys of every length are found in any order, however often the order changes")
    func findsKeys() throws {
        let names = Key.allCases.map(\.rawValue)
        let orders = [
            names, names.reversed(), names, Array(names[4...] + names[..<4]), ["b", "b", "a", "a"], [], ["a"],
        ]
        let texts = orders.map { "{" + $0.map { "\"\($0)\":1" }.joined(separator: ",") + "}" }
        #expect(try Self.keys(texts + texts) == orders + orders)
    }

    @Test("White space around a key, its colon and its comma makes no difference")
    func passesOverWhiteSpace() throws {
        let text = "{ \"a\" : 1 ,\n\"b\":2, \"eight888\" :3\t}"
        #expect(try Self.keys([text, text]) == [["a", "b", "eight888"], ["a", "b", "eight888"]])
    }

    @Test("A key with escapes is the key that it spells")
    func undoesEscapes() throws {
        let text = #"{"\u0061":1,"eigh\u0074888":2,"\ud83d\ude00":3,"b\u0000":4}"#
        #expect(try Self.keys([text, text]) == [["a", "eight888", "?", "?"], ["a", "eight888", "?", "?"]])
    }

    @Test("Beginnings, continuations and neighbours of a key are other keys")
    func comparesWholeKeys() throws {
        let text =
            #"{"":1,"aa":1,"eight88":1,"eight8888":1,"thirty_bytes_is_all_a_key_has":1,"é":1,"A":1,"seven77 ":1}"#
        #expect(try Self.keys([text]) == [Array(repeating: "?", count: 8)])
    }

    @Test("A colon that is missing is an error, for keys that were guessed as for others")
    func asksForColons() throws {
        for (text, offset) in [(#"{"a"1}"#, 4), (#"{"a","b":1}"#, 4), (#"{"zz" 1}"#, 6), (#"{"a"}"#, 4)] {
            let error = try #require(throws: Finding.self) { try Self.keys([text]) }
            #expect(error == Finding(.jsonSyntax, at: offset))
        }
        for text in [#"{"a"#, #"{"a""#, "{", #"{"a":1,"#, #"{"a":1,"b"#] {
            let error = try #require(throws: Finding.self) { try Self.keys([text]) }
            #expect(error == Finding(.jsonTruncated, at: text.utf8.count))
        }
    }
}
