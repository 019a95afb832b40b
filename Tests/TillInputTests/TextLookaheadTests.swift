import Testing
import TillInput
import TillTestSupport

/// A search that uses a lookahead filled by earlier searches finds the same end as one with an empty lookahead.
@Suite("Lookahead in text")
struct TextLookaheadTests {
    /// Lines of text. Every second line begins a document that may not be closed.
    static let alphabets: [[String]] = [
        ["{a=", "\"", "\\", "\\\"", "{", "}", "[", "]", "\n", "\n{a=", "x"],
        ["{a=\"\\\"\n", "}", "\"", "{a={\n", "}\n", "\\\n", "{a=(\n", String(repeating: "y", count: 300)],
        [
            "a Error Domain=X ", "UserInfo={", "}", "{", "\"", "\n", "\nb Error Domain=Y {", "\n2026-03-01 1", " }\n",
            "x\n",
        ],
        ["a Error Domain=X {\n", "}\n", "}{\n", "{}\n", String(repeating: "z", count: 900) + "\n", "\n\n", "{\"\n"],
    ]

    @Test(
        "A search with a lookahead finds the same ends as one without, at the end of the input and before it",
        arguments: alphabets
    )
    func findsTheSame(_ alphabet: [String]) {
        for seed in Seeds.some(of: UInt64(0)..<16) {
            var random = SplitMix64(seed: seed)
            let pieces = (0..<(seed == 0 ? 2500 : 120)).map { _ in
                alphabet[Int(random.next() % UInt64(alphabet.count))]
            }
            let text = Array(pieces.joined().utf8)
            let bytes = text + Array(repeating: 0, count: ByteBuffer.padding)
            for isFinal in [true, false] {
                var known = TextLookahead()
                for start in Self.beginnings(text) {
                    var none = TextLookahead()
                    let expected = Self.end(bytes, start, text.count, isFinal, &none)
                    #expect(Self.end(bytes, start, text.count, isFinal, &known) == expected, "seed \(seed), \(start)")
                    if bytes[start] != 0x7B {
                        #expect(expected == Self.endOfDump(text, start, isFinal), "seed \(seed), \(start)")
                    }
                }
            }
        }
    }

    /// The starts of lines that hold a property list or an error dump.
    private static func beginnings(_ text: [UInt8]) -> [Int] {
        text.indices.filter { index in
            (index == 0 || text[index - 1] == 0x0A)
                && (text[index] == 0x7B || text[index...].starts(with: "a Error".utf8))
        }
    }

    private static func end(
        _ bytes: [UInt8],
        _ start: Int,
        _ limit: Int,
        _ isFinal: Bool,
        _ lookahead: inout TextLookahead
    ) -> Int? {
        let text = bytes.span.bytes
        return bytes[start] == 0x7B
            ? Framer.endOfPropertyList(in: text, at: start, limit: limit, isFinal: isFinal, lookahead: &lookahead)
            : Framer.endOfText(in: text, at: start, limit: limit, isFinal: isFinal, lookahead: &lookahead)
    }

    /// Where an error dump ends, found by a plain loop over its braces.
    private static func endOfDump(_ text: [UInt8], _ start: Int, _ isFinal: Bool) -> Int? {
        let mark = Array("Error Domain=".utf8)
        let lineEnd = text[start...].firstIndex(of: 0x0A)
        guard let lineEnd = lineEnd ?? (isFinal ? text.count : nil) else { return nil }
        var (depth, hasBraces, isInText) = (0, false, false)
        func feed(_ range: Range<Int>) {
            for byte in text[range] {
                if byte == 0x22 { isInText.toggle() }
                if byte == 0x7B { (depth, hasBraces) = (depth + 1, true) }
                if byte == 0x7D { depth = max(0, depth - 1) }
            }
        }
        func holdsMark(_ line: Range<Int>) -> Bool { text[line].firstRange(of: mark) != nil }
        guard let dump = text[start..<lineEnd].firstRange(of: mark)?.lowerBound else { return lineEnd }
        feed(dump..<lineEnd)
        var end = lineEnd
        let window = start + 64 << 10
        while hasBraces ? depth > 0 : isInText {
            let line = end + 1
            guard line < text.count else { return isFinal ? lineEnd : nil }
            if let next = text[line..<min(window, text.count)].firstIndex(of: 0x0A) {
                end = next
            } else if isFinal, text.count < window {
                end = text.count
            } else {
                return text.count < window ? nil : lineEnd
            }
            let isEntry =
                text[line..<end].starts(with: mark) || text[line..<end].starts(with: "{\"".utf8)
                || text[line..<end].starts(with: "2026-03-01".utf8)
            if isEntry || !hasBraces && holdsMark(line..<end) { return lineEnd }
            feed(line..<end)
        }
        return end
    }

    @Test("The lookahead finds the same ends of wide base64 lines as a plain loop, from any line on")
    func countsWideLines() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<40 {
            var text = ""
            for _ in 0..<60 {
                let length = [90, 180, 270, 271, 360, 500, 100_000][Int(random.next() % 7)]
                let octets = [0x30, 0x83, UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255)]
                let width = [120, 120, 120, 160][Int(random.next() % 4)]
                let content = octets + Array(repeating: 0x41, count: width / 4 * 3 - 5)
                text +=
                    String(ReceiptDER.base64(content).prefix(Int(random.next() % 4) == 0 ? width - 30 : width)) + "\n"
            }
            let bytes = Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
            let lines = [0] + text.utf8.enumerated().filter { $0.element == 0x0A }.map { $0.offset + 1 }.dropLast()
            var known = TextLookahead()
            for start in lines {
                var none = TextLookahead()
                let expected = Self.end(bytes, start, text.utf8.count, true, &none)
                #expect(Self.end(bytes, start, text.utf8.count, true, &known) == expected)
            }
        }
    }

    /// Lines that each begin a document that is never closed.
    static let open = [
        "{a=\"\\\"\n", "{a=\n", "{a={\n", "{a=\"\n", "{a=(\"\\\"\n", "a Error Domain=X Code=1 {\n",
        "a Error Domain=X }{ {\n",
    ]

    @Test("The bytes read for unclosed lines grow linearly with the text", arguments: open)
    func looksOnce(_ line: String) {
        func bytesSeen(_ count: Int) -> Int {
            let text = Array(String(repeating: line, count: count).utf8)
            let bytes = text + Array(repeating: 0, count: ByteBuffer.padding)
            var (position, lookahead) = (0, TextLookahead())
            while position < text.count, let end = Self.end(bytes, position, text.count, true, &lookahead) {
                #expect(end == position + line.utf8.count - 1)
                position = end + 1
            }
            #expect(position == text.count)
            return lookahead.bytesSeen
        }
        let (few, many) = (bytesSeen(15_000), bytesSeen(60_000))
        // For each dump, the lookahead reads up to twice the longest dump.
        #expect(few > 0 && many < 6 * few)
    }
}
