import Testing
import TillInput
import TillTestSupport

/// JSON over several lines that begins behind other text.
@Suite("Indented JSON behind other text")
struct IndentedJSONTests {
    private static let response = """
        {
          "status": 0,
          "receipt": {
            "bundle_id": "b {\\"",
            "in_app": [
              {
                "transaction_id": "7"
              }
            ]
          }
        }
        """
    private static let list = "[\n\t{\n\t\t\"status\": 21003\n\t}\n]"
    private static let next = #"{"status":21002}"#
    /// With the line ends of Apple's server.
    private static let served = """
        {"status":0, "environment":"Sandbox",\u{20}
        "receipt":{"bundle_id":"b",
        "in_app":[
        {"transaction_id":"7", "product_id":"p"},\u{20}
        {"transaction_id":"8", "product_id":"p"}]
        },
        "latest_receipt_info":[
        {"transaction_id":"8", "product_id":"p"}]}
        """

    /// What stands before the JSON in its line, and behind it in the last one.
    static let frames = [
        ("2026-03-01 10:00:01 INFO ", ""), ("[INFO] received: ", " in 12 ms"), ("const body = ", ";"), ("x ", ""),
        ("log(", ");"), ("I said \"", "\""), ("a, b: ", ","),
    ]

    @Test("The lines are one document, wherever the stream is cut", arguments: frames, ["\n", "\r\n"])
    func joins(_ frame: (String, String), _ lineEnd: String) {
        for json in [Self.response, Self.list] {
            let text = [Self.next, frame.0 + json + frame.1, Self.next, ""].joined(separator: "\n")
                .replacing("\n", with: lineEnd)
            let reading = LinesReading(text)
            #expect(reading.accepted == 3 && reading.rejects.isEmpty, "\(text): \(reading.codes)")
            #expect(reading.transactions.map { $0["transaction_id"] } == (json == Self.list ? [] : ["7"]))
            #expect(reading.lines == text.utf8.count { $0 == 0x0A } && reading.consumed == text.utf8.count)
            for step in [1, 2, 3, 7, 30, 100] { #expect(LinesReading(text, step: step) == reading, "step \(step)") }
        }
    }

    @Test(
        "A response with the line ends of Apple's server is one document behind any text, and one reject if it is cut off or broken"
    )
    func joinsServed() {
        for (before, behind) in Self.frames + [("", "")] {
            let text = [Self.next, before + Self.served + behind, Self.next, ""].joined(separator: "\n")
            let reading = LinesReading(text)
            #expect(reading.accepted == 3 && reading.rejects.isEmpty, "\(text): \(reading.codes)")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "8"])
            #expect(reading.transactions.map { $0["environment"] } == ["sandbox", "sandbox"])
            for step in [1, 2, 3, 7, 30, 100] { #expect(LinesReading(text, step: step) == reading, "step \(step)") }
        }
        let broken = [
            Self.served.dropLast(3), Self.served.dropLast(60), Self.served.replacing("\"p\"", with: "NaN")[...],
        ]
        for text in broken {
            for before in ["", "INFO "] {
                let reading = LinesReading(before + text + "\n")
                #expect(reading.transactions.isEmpty && reading.rejects.count == 1 && reading.accepted == 0, "\(text)")
            }
        }
    }

    /// Texts, and the documents that they are: `nil` for one that is read, else the bytes of the reject.
    static let texts: [(String, [String?])] = [
        // What is no document is one reject, to the byte.
        ("INFO {\n  \"a\": 1\n}\n\(next)", ["INFO {\n  \"a\": 1\n}", nil]),
        (
            "INFO {\n  \"a\": [\n    1,\n    2\n  ]\n} done\n\(next)",
            ["INFO {\n  \"a\": [\n    1,\n    2\n  ]\n} done", nil]
        ),
        ("INFO {\"a\": 1,\n  \"b\": 2}\n\(next)", ["INFO {\"a\": 1,\n  \"b\": 2}", nil]),
        // Another line comes before the end.
        ("INFO {\n\(next)\n}\n", ["INFO {", nil, "}"]),
        ("INFO {\n  \"a\": 1\nfoo\n}\n\(next)", ["INFO {\n  \"a\": 1", "foo", "}", nil]),
        (
            "INFO {\n  \"status\": 21003,\n2026 INFO {\n  \"status\": 21003\n}\n",
            ["INFO {\n  \"status\": 21003,", nil]
        ),
        // A dictionary of Foundation.
        ("App[1:2] {\n    environment = Sandbox;\n    status = 21007;\n}\n\(next)", [nil, nil]),
        ("App[1:2] {\n    a = b;\n}\n\(next)", ["App[1:2] {\n    a = b;\n}", nil]),
        // The end of the input does.
        ("INFO {\n  \"a\": 1\n", ["INFO {\n  \"a\": 1"]), ("INFO {", ["INFO {"]), ("INFO {\n", ["INFO {"]),
        // No JSON begins.
        ("if x {\n  return\n}\n\(next)", ["if x {", "return", "}", nil]),
        ("a = [\n  one,\n]\n\(next)", ["a = [", "one,", nil]),
        ("a {b {\n  \"c\": 1\n}\n", ["a {b {\n  \"c\": 1\n}"]),
        ("x {}{\n  \"status\": 21003\n}\n", [nil]), ("x {\n}\n\(next)", ["x {\n}", nil]),
        ("one, two,\n\(next)", ["one, two,", nil]),
    ]

    @Test("What goes on as JSON is one document, and what does not is a line", arguments: texts)
    func ends(_ text: String, _ expected: [String?]) {
        let reading = LinesReading(text)
        var found = [String?](repeating: nil, count: reading.documents)
        for reject in reading.rejects { found[reject.document] = String(decoding: reject.raw, as: UTF8.self) }
        #expect(found == expected, "\(text)")
        for step in 1...text.utf8.count { #expect(LinesReading(text, step: step) == reading, "step \(step)") }
    }

    @Test(
        "Random streams have the same documents however they are cut, none of which is lost",
        arguments: Seeds.some(of: UInt64(0)..<10)
    )
    func isIndependentOfCuts(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces: [(text: String, accepted: Int)] = [
            (Self.next, 1), ("INFO \(Self.response)", 1), ("[x] \(Self.list);", 1), ("INFO {", 0), ("  }", 0),
            ("foo,", 0),
            ("a {\n  \"b\": {\n  }", 0), ("a {\n \"b\": 1\n}", 0), (Self.response, 1),
            (Self.served, 1), ("got \(Self.served)", 1),
        ]
        for _ in 0..<15 {
            // A document that is not closed may go on in the next piece, so only such streams are counted that have
            // none.
            let isClosed = random.once(in: 2)
            let chosen = (0...random.below(8)).map { _ in
                isClosed ? [0, 1, 2, 7, 8, 9, 10][random.below(7)] : random.below(pieces.count)
            }
            let text = chosen.map { pieces[$0].text }.joined(separator: random.once(in: 4) ? "\r\n" : "\n") + "\n"
            let reading = LinesReading(text)
            if isClosed { #expect(reading.accepted == chosen.reduce(0) { $0 + pieces[$1].accepted }, "\(text)") }
            #expect(reading.consumed == text.utf8.count)
            for _ in 0..<6 {
                let step = 1 + random.below(60)
                #expect(LinesReading(text, step: step) == reading, "step \(step): \(text)")
            }
        }
    }

    @Test("JSON longer than 16 MiB is not joined, and many unclosed lines cost no more than their length")
    func isLimited() {
        let member = "  \"a\": \"\(String(repeating: "x", count: 1 << 20))\",\n"
        let long = "INFO {\n" + String(repeating: member, count: 17) + "  \"b\": 1\n}\n" + Self.next
        let reading = LinesReading(long)
        #expect(reading.rejects.first?.length == 6 && reading.accepted == 1)
        func bytesSeen(_ line: String, _ count: Int) -> Int {
            let text = Array(String(repeating: line, count: count).utf8)
            let bytes = text + Array(repeating: 0, count: ByteBuffer.padding)
            var (position, lookahead) = (0, TextLookahead())
            while position < text.count {
                let end = Framer.endOfText(
                    in: bytes.span.bytes,
                    at: position,
                    limit: text.count,
                    isFinal: true,
                    lookahead: &lookahead
                )
                // What is too deep is a line; near the end it is not, and goes on to the end.
                #expect(end == position + line.utf8.count - 1 || end == text.count - 1)
                guard let end else { return 0 }
                position = end + 1
            }
            return lookahead.bytesSeen
        }
        for line in [" a {\"b\":1,\n", " a {\"b\": [\n", " a {\"\\\"\": {\n"] {
            let (few, many) = (bytesSeen(line, 10_000), bytesSeen(line, 40_000))
            #expect(few > 0 && many < 6 * few, "\(line): \(few), \(many)")
        }
    }
}
