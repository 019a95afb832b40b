import Testing
import TillTestSupport

/// A bracket between documents opens an array or begins a line of text.
@Suite("Brackets between documents")
struct BracketTests {
    private static let status = #"{"status":21003}"#

    /// Lines that begin with a bracket and are text.
    static let text = [
        "[Purchases] - DEBUG: hello", #"["a", "b"] foo"#, "[INFO] {\"status\":0}", "[2026-01-02 10:00:00] x",
        "[1] foo", "[214][main] foo", "[null] foo", "[] foo", "[true]x", "[\"a\"\"b\"]", "[\"a\" b]", "[1 2]", "[01]",
        "[-]", "[1.]", "[1e]", "[+1]", "[nul]", "[nulls]", "[,x]", "[[INFO]]", "[[\"a\"] foo]", "[[1],[2]] foo",
        "[<plist/>", "[MIIT", "[x", "[\"a\\\"] foo", "[:]", "[}]", "[ [1] \t] \r x", "[1]{\"status\":0}",
        "[\"a\"]\"b\"",
        "[" + String(repeating: "1", count: 65) + "]",
    ]

    @Test("A bracket without JSON behind it begins a line of text, which is one reject to the byte", arguments: text)
    func keepsText(_ line: String) {
        let stream = "\(Self.status)\n\(line)\n\(Self.status)\n"
        let reading = Reading(stream)
        #expect(reading.rejects.map { String(decoding: $0.raw, as: UTF8.self) } == [line])
        #expect(reading.rejects.map(\.offset) == [Self.status.utf8.count + 1])
        #expect(reading.rejects.map(\.line) == [2])
        #expect(reading.accepted == 2 && reading.openBrackets == 0)
        for step in 1...stream.utf8.count { #expect(Reading(stream, step: step) == reading, "step \(step)") }
    }

    /// Arrays, the number of documents in them, and the brackets that stay open.
    static let arrays: [(String, Int, Int)] = {
        let receipt = ReceiptDER.sample().base64
        return [
            ("[[\(status)]]", 1, 0), ("[\(status),\n\(status)]", 2, 0), ("[\n\(status)\n,\(status)]", 2, 0),
            ("[\"\(receipt)\", \"\(receipt)\"]", 2, 0), ("[\n\"\(receipt)\"\n,\"\(receipt)\"\n]", 2, 0),
            ("[\"\(receipt)\"]", 1, 0), ("[\"\(receipt)\"] ] \n\(status)", 2, -1), ("[\"\(receipt)\",\(status)]", 2, 0),
            ("[\"\(receipt)\"],\(status)", 2, 0), ("[ [ ], [\"\(receipt)\"]\t]\r\n", 1, 0), ("[]", 0, 0), ("[[", 0, 2),
            ("[ ]\(status)", 1, 0),
            ("[\(status)] [\(status)]", 2, 0), ("[{\"a\":1}]", 1, 0), ("[\"\(receipt)\"", 1, 1),
            (String(repeating: "[", count: 40) + "\"\(receipt)\"", 1, 40),
        ]
    }()

    @Test("A bracket with JSON behind it opens an array of documents", arguments: arrays)
    func opensArrays(_ text: String, _ count: Int, _ open: Int) {
        let reading = Reading(text)
        #expect(reading.documentCount == count && reading.openBrackets == open)
        #expect(reading.consumed == text.utf8.count)
        #expect(reading.rejects.map(\.code) == (text == "[{\"a\":1}]" ? ["sniff.unrecognized"] : []))
        for step in stride(from: 1, through: text.utf8.count, by: 7) {
            #expect(Reading(text, step: step) == reading, "step \(step)")
        }
    }

    @Test(
        "A value that is no document, in an array in one line, is a reject of its own",
        arguments: ["null", "true", "false"],
        [
            "[%,#]", "[#,%]", "[#,%,#]", "[#, % , %,#]", "[%,%]", "[#,%,\"MIIT\",#]", "[#,%,[#]]", "[[#,%],#]",
            "[\n%,#,\n#]", "[#,%,{\"a\":1},#]",
        ]
    )
    func rejectsWords(_ word: String, _ pattern: String) {
        let text = pattern.replacing("%", with: word).replacing("#", with: Self.status)
        let reading = Reading(text)
        #expect(reading.accepted == pattern.count { $0 == "#" } && reading.openBrackets == 0, "\(text)")
        let raws = reading.rejects.map { String(decoding: $0.raw, as: UTF8.self) }
        let others = [#""MIIT""#, #"{"a":1}"#].filter(text.contains)
        #expect(raws.filter { $0 == word }.count == pattern.count { $0 == "%" }, "\(text): \(raws)")
        #expect(raws.filter { $0 != word } == others, "\(text): \(raws)")
        for step in 1...text.utf8.count { #expect(Reading(text, step: step) == reading, "\(text), step \(step)") }
    }

    @Test(
        "A line of text that begins with such a word is one document",
        arguments: ["null,MIIT", "null, x {\"a\":1}", "true", "null x]", "nullx,{}", "null,nul", "null,"]
    )
    func keepsWords(_ line: String) {
        for end in ["", "\n"] {
            let reading = Reading(line + end)
            #expect(reading.documentCount == 1, "\(line)")
            for step in 1...line.utf8.count {
                #expect(Reading(line + end, step: step) == reading, "\(line), step \(step)")
            }
        }
    }

    @Test("An array that shows no defect within 64 KB is one, wherever its text is cut")
    func hasAReach() {
        let long = String(repeating: "x", count: 65_000)
        for (filler, isText) in [(0, true), (1000, false)] {
            let line = "[\"\(long)\(String(repeating: "x", count: filler))\"] foo"
            let stream = line + "\n" + Self.status
            let reading = Reading(stream)
            #expect(reading.rejects.first?.raw.count == (isText ? line.utf8.count : line.utf8.count - 6))
            #expect(reading.rejects.count == (isText ? 1 : 2))
            for step in [4096, 65_534, 65_535, 65_536, 65_537] { #expect(Reading(stream, step: step) == reading) }
        }
    }

    @Test("Many brackets in one line cost what they are long")
    func isLinear() {
        for piece in ["[", "[]", "[1,", "[\"a\",", "[1]x[", "[[1],"] {
            let took = ContinuousClock().measure {
                _ = Reading(String(repeating: piece, count: 1_000_000 / piece.utf8.count))
            }
            #expect(took < .seconds(60), "\(piece)")
        }
    }

    /// JSON that is no document: a document is read amid other text too, and is then longer than its JSON.
    private static let other = #"{"a":1}"#
    private static let pieces = [
        "[", "]", ",", " ", "\n", "\n", "\n", "\"a\"", "\"]\"", "7", "-1.5e3", "true", "null", other, other,
        "[INFO] {\"a\":0}", "[2026-01-02 10:00:00] x", "[1] foo", "[null]", "[[\(other)]]", "hello", "\\", "\"",
    ]

    @Test("Rejects and separators make up the input, in pieces of any size", arguments: Seeds.some(of: 0..<150))
    func losesNothing(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let count = 1 + Int(random.next() % 30)
        let text = (0..<count).map { _ in Self.pieces[Int(random.next() % UInt64(Self.pieces.count))] }.joined()
        let bytes = Array(text.utf8)
        let reading = Reading(bytes)
        #expect(reading.consumed == bytes.count)
        var rest = ""
        var position = 0
        for reject in reading.rejects {
            let end = reject.offset + reject.length
            guard reject.offset >= position, end <= bytes.count else {
                Issue.record("\(text): \(reject.offset)..<\(end) follows \(position)")
                return
            }
            #expect(reject.raw == Array(bytes[reject.offset..<end]), "\(text)")
            rest += String(decoding: bytes[position..<reject.offset], as: UTF8.self) + "\n"
            position = end
        }
        rest += String(decoding: bytes[position...], as: UTF8.self)
        #expect(reading.accepted == 0 && rest.allSatisfy { "[], \n".contains($0) }, "\(text)")
        for step in 1...max(1, min(40, bytes.count)) {
            #expect(Reading(bytes, step: step) == reading, "\(text), step \(step)")
        }
        for cut in 0...bytes.count { #expect(Reading(bytes, cutAt: cut) == reading, "\(text), cut at \(cut)") }
    }
}
