import Testing
import TillInput
import TillTestSupport

@Suite("Where documents start and end")
struct FramerTests {
    private static func padded(_ text: String) -> [UInt8] {
        Array(text.utf8) + Array(repeating: 0, count: ByteBuffer.padding)
    }

    @Test(
        "The first bytes tell the kind of a document",
        arguments: [
            ("", .nothing), ("{", .json), ("\"", .json), ("-----BEGIN PKCS7-----", .pem), ("-----BEGI", .text),
            ("-", .text), ("MIIB", .text), ("0", .text), ("00", .text), ("abc", .text), ("}", .text), ("<", .text),
        ] as [(String, Framer.Start)]
    )
    func tellsStarts(_ text: String, _ expected: Framer.Start) {
        let bytes = Self.padded(text)
        #expect(Framer.start(in: bytes.span.bytes, at: 0, limit: text.utf8.count) == expected)
    }

    @Test("A SEQUENCE with a long or indefinite length is DER, one with a short length is text")
    func tellsDER() {
        let starts = [
            (0x80, Framer.Start.der), (0x82, .der), (0x84, .der), (0x85, .text), (0xFF, .text), (0x7F, .text),
        ]
        for (second, expected) in starts {
            let bytes: [UInt8] = [0x30, UInt8(second)] + Array(repeating: 0, count: ByteBuffer.padding)
            #expect(Framer.start(in: bytes.span.bytes, at: 0, limit: 2) == expected)
            #expect(Framer.start(in: bytes.span.bytes, at: 0, limit: 1) == .text)
        }
    }

    @Test("Separators are skipped and counted")
    func passesOverSeparators() {
        let text = " \t\r\n[,\n[ ]{"
        let bytes = Self.padded(text)
        var (position, lines, brackets) = (0, 0, 0)
        Framer.skipSeparators(
            in: bytes.span.bytes,
            at: &position,
            limit: text.utf8.count,
            streamOffset: 0,
            lines: &lines,
            openBrackets: &brackets
        )
        #expect(position == text.utf8.count - 1)
        #expect(lines == 2 && brackets == 1)
    }

    /// A text, where its first document ends at the end of the input, and whether the end is known before it.
    static let broken: [(String, Int, Bool)] = [
        ("{\"a\":x}\n", 7, true), ("{\"a\":x} {\"b\":1}\n", 7, true), ("{\"a\":[x}\n{\"b\":1}\n", 8, true),
        ("{\"a\":\"}\"x}\n", 10, true), ("{\"a\":\"\\\"}\"x}\n", 12, true), ("{\n  \"a\": x\n}\n{}", 12, true),
        ("{\n\"a\": x\n}\n{}", 10, true), ("{\"a\":x", 6, false), ("{\"a\":x\n", 6, false),
        ("{\n  \"a\": x\n", 10, false),
        ("{\n\t\"a\": x\n],\n}\n?\n", 14, true), ("{x\r\n\r\n{", 5, true),
        // With the line ends of Apple's server.
        ("{\"a\":x, \n\"b\":[\n{}, \n{}],\n\"c\":1}\n{}\n", 31, true), ("{\"a\":x\n\"b\"\n", 6, true),
        ("{\"a\":x,\n{}\n", 7, true), ("{\"a\":[\n{}\n", 6, true),
        ("{\"a\":x,\n\"b\":1,\n{}\n", 14, true),
    ]

    @Test("A property list that is not closed within the size limit ends like broken JSON")
    func endsOpenPropertyList() {
        let beginning = "{ a = \"x\n"
        for (count, end) in [(1000, nil), (PropertyListLimits.byteCount, 8)] {
            let bytes = Self.padded(beginning + String(repeating: "y", count: count))
            let limit = bytes.count - ByteBuffer.padding
            var lookahead = TextLookahead()
            for (isFinal, end) in [(false, end), (true, 8)] {
                let found = Framer.endOfPropertyList(
                    in: bytes.span.bytes,
                    at: 0,
                    limit: limit,
                    isFinal: isFinal,
                    lookahead: &lookahead
                )
                #expect(found == end)
            }
        }
    }

    @Test(
        "A broken document ends at its bracket, or else with its line and the lines that continue it",
        arguments: broken
    )
    func endsBrokenJSON(_ text: String, _ end: Int, _ shows: Bool) {
        let bytes = Self.padded(text)
        let limit = text.utf8.count
        let final = Framer.endOfBrokenJSON(in: bytes.span.bytes, at: 0, limit: limit, isFinal: true)
        #expect(final == end)
        let open = Framer.endOfBrokenJSON(in: bytes.span.bytes, at: 0, limit: limit, isFinal: false)
        #expect(open == (shows ? end : nil))
    }

    @Test("Text ends with its line, unless it is wrapped base64 that is not complete")
    func endsText() {
        func end(_ text: String, isFinal: Bool = true) -> Int? {
            let bytes = Self.padded(text)
            var lookahead = TextLookahead()
            return Framer.endOfText(
                in: bytes.span.bytes,
                at: 0,
                limit: text.utf8.count,
                isFinal: isFinal,
                lookahead: &lookahead
            )
        }
        #expect(end("hello\nworld\n") == 5)
        #expect(end("hello") == 5)
        #expect(end("hello", isFinal: false) == nil)

        let receipt = ReceiptDER.sample().der
        for width in [40, 64, 76, 80] {
            for lineEnd in ["\n", "\r\n"] {
                let text = ReceiptDER.base64(receipt, width: width, lineEnd: lineEnd)
                let count = text.utf8.count
                #expect(end(text) == count)
                #expect(end(text + "\n") == count)
                #expect(end(text + "\n" + text) == count)
                #expect(end(text + "\n{\"a\":1}\n", isFinal: false) == count)
                #expect(end(text, isFinal: false) == nil)
            }
        }
        // Lines wider than any encoder writes belong to the receipt only if they add up to its length.
        for width in [81, 100, 400] {
            let text = ReceiptDER.base64(receipt, width: width)
            #expect(end(text + "\n" + text) == text.utf8.count)
            #expect(end(text, isFinal: false) == (text.utf8.count <= width ? text.utf8.count : nil))
            let cut = String(text.prefix(width))
            #expect(end(cut + "\n" + ReceiptDER.base64(receipt, width: 9_999) + "\n") == width)
            #expect(end(cut + "\n" + text) == width)
        }
        // With blank lines, and with a byte that is not base64.
        let lines = ReceiptDER.base64(receipt, width: 64)
        #expect(
            end(lines.replacing("\n", with: "\n\n") + "\n\n" + lines) == lines.replacing("\n", with: "\n\n").utf8.count
        )
        let damaged = String(lines.prefix(70)) + "*" + lines.dropFirst(71)
        #expect(end(damaged + "\n" + lines) == damaged.utf8.count)
        // BER of indefinite length that fills its last line ends there.
        let indefinite = DER.indefinite(0x30, DER.element(0x04, Array(repeating: 7, count: 90)))
        let full = ReceiptDER.base64(indefinite, width: 64)
        #expect(full.utf8.count == 64 * 2 + 1)
        for next in [full, lines, "hello", "-----BEGIN PKCS7-----\n"] {
            #expect(end(full + "\n" + next) == full.utf8.count)
        }

        let cut = String(ReceiptDER.base64(receipt, width: 64).prefix(65 * 3))
        #expect(end(cut + "{\"a\":1}\n") == cut.utf8.count - 1)
        #expect(end(cut + "no base64!\n") == cut.utf8.count - 1)
    }

    @Test("PEM ends with its END line, and its body lies between the BEGIN and END lines")
    func endsPEM() {
        let text = "-----BEGIN PKCS7-----\nMIIB\nAAAA\n-----END PKCS7-----\nnext"
        let bytes = Self.padded(text)
        let end = Framer.endOfPEM(in: bytes.span.bytes, at: 0, limit: text.utf8.count, isFinal: false)
        #expect(end == text.utf8.count - 5)
        let body = Framer.pemBody(in: bytes.span.bytes, 0..<(end ?? 0))
        #expect(String(decoding: bytes[body], as: UTF8.self).split(separator: "\n") == ["MIIB", "AAAA"])

        let open = Framer.endOfPEM(in: bytes.span.bytes, at: 0, limit: 30, isFinal: false)
        #expect(open == nil)
        let last = Framer.endOfPEM(in: bytes.span.bytes, at: 0, limit: 30, isFinal: true)
        #expect(last == 30)
    }

    @Test(
        "DER ends after its length of one to four octets, and BER of indefinite length after its end-of-contents octets"
    )
    func endsDER() {
        for width in 1...4 {
            let element = DER.element(0x30, Array(repeating: 0, count: 130), lengthWidth: width)
            let bytes = element + [1, 2, 3] + Array(repeating: 0, count: ByteBuffer.padding)
            let limit = element.count + 3
            for isFinal in [false, true] {
                let end = Framer.endOfDER(in: bytes.span.bytes, at: 0, limit: limit, isFinal: isFinal)
                #expect(end == element.count)
                for count in [2, 3, element.count - 1] {
                    let cut = Framer.endOfDER(in: bytes.span.bytes, at: 0, limit: count, isFinal: isFinal)
                    #expect(cut == (isFinal ? count : nil))
                }
            }
        }
        let indefinite = DER.indefinite(0x30, []) + [9, 9] + Array(repeating: 0, count: ByteBuffer.padding)
        let end = Framer.endOfDER(in: indefinite.span.bytes, at: 0, limit: 6, isFinal: true)
        #expect(end == 4)
    }

    @Test("The last cut is after a line feed before a byte that can begin a document")
    func findsCuts() {
        func cut(_ text: String) -> Int? {
            let bytes = Self.padded(text)
            return Framer.lastCut(in: bytes.span.bytes, limit: text.utf8.count)
        }
        #expect(cut("{}\n{}\n{") == 6)
        #expect(cut("{}\n{\n  \"a\": 1\n}\n") == 3)
        #expect(cut("{}\n  {}") == nil)
        #expect(cut("{}\n") == nil)
        #expect(cut("") == nil)
        #expect(cut("{}{}") == nil)
    }

    @Test("A byte is found and counted at every position inside the range and nowhere outside")
    func findsBytes() {
        for count in 0..<40 {
            for place in 0..<count {
                var bytes = Array(repeating: UInt8(0x0B), count: count)
                bytes[place] = 0x0A
                let span = bytes.span.bytes
                #expect(span.firstIndex(of: 0x0A, from: 0, to: count) == place)
                #expect(span.firstIndex(of: 0x0A, from: place + 1, to: count) == nil)
                #expect(span.firstIndex(of: 0x0A, from: 0, to: place) == nil)
                #expect(span.lastIndex(of: 0x0A, before: count) == place)
                #expect(span.lastIndex(of: 0x0A, before: place + 1) == place)
                #expect(span.lastIndex(of: 0x0A, before: place) == nil)
                #expect(span.count(of: 0x0B, from: 0, to: count) == count - 1)
            }
        }
    }

    @Test("The time for many broken documents on one line is linear in its length")
    func endsBrokenDocumentsInLinearTime() {
        let bytes = Self.padded(String(repeating: "{x}", count: 20_000))
        let limit = bytes.count - ByteBuffer.padding
        var (position, count) = (0, 0)
        let took = ContinuousClock().measure {
            while position < limit,
                let end = Framer.endOfBrokenJSON(in: bytes.span.bytes, at: position, limit: limit, isFinal: true)
            {
                position = end
                count += 1
            }
        }
        #expect(count == 20_000)
        // This takes less than a second even without optimization. A search in quadratic time would take hours.
        #expect(took < .seconds(30))
    }

    /// A text that begins with a PEM block, and where the block ends.
    static let blocks: [(String, Int)] = [
        ("-----BEGIN A-----\nMIIB\n-----END A-----\nMIIB\n", 38), ("-----BEGIN A-----\nMIIB", 22),
        ("-----BEGIN A-----\nMIIB\n{\"status\":21003}\n", 22), ("-----BEGIN A-----\nMIIB\n-----BEGIN A-----\n", 22),
        ("-----BEGIN A-----\nMIIB\n[{}]", 22), ("-----BEGIN A-----\na: b\n\nMIIB\n-----END A-----", 44),
    ]

    @Test("A PEM block without an END line ends before the next document", arguments: blocks)
    func endsPEM(_ text: String, _ expected: Int) {
        let bytes = Self.padded(text)
        let limit = text.utf8.count
        #expect(Framer.endOfPEM(in: bytes.span.bytes, at: 0, limit: limit, isFinal: true) == expected)
        for count in 0..<limit {
            let part = Self.padded(String(text.prefix(count)))
            let end = Framer.endOfPEM(in: part.span.bytes, at: 0, limit: count, isFinal: false)
            #expect(end == nil || end == expected)
        }
    }
}
