import Testing
import TillTestSupport

@testable import TillReceipts

@Suite("Documents in a stream")
struct DocumentReaderTests {
    private static let event = #"{"v":1,"api":"sk1","event":"purchased"}"#

    @Test("Every way of writing a receipt down gives the same rows")
    func unwraps() throws {
        let receipt = ReceiptDER.sample()
        let expected = Reading(receipt.der)
        #expect(expected.transactions.count == 2)
        let base64 = receipt.base64
        let twice = ReceiptDER.base64(Array(base64.utf8))
        let request = #"{"receipt-data":"\#(base64)"}"#
        let escaped = request.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let spellings: [(String, String)] = [
            ("one line", base64), ("one line and a line feed", base64 + "\n"), ("CRLF", "\r\n" + base64 + "\r\n"),
            ("twice", twice), ("thrice", ReceiptDER.base64(Array(twice.utf8))),
            ("64 columns", ReceiptDER.base64(receipt.der, width: 64)),
            ("76 columns, CRLF", ReceiptDER.base64(receipt.der, width: 76, lineEnd: "\r\n")),
            ("64 columns, Xcode's BER", ReceiptDER.base64(receipt.ber(fragments: 50), width: 64)),
            ("76 columns, Xcode's BER, CRLF", ReceiptDER.base64(receipt.ber(fragments: 9), width: 76, lineEnd: "\r\n")),
            ("64 columns, twice", ReceiptDER.base64(Array(base64.utf8), width: 64)),
            ("URL-safe", base64.replacing("+", with: "-").replacing("/", with: "_")),
            ("form post", base64.replacing("+", with: " ")),
            (
                "left encoded",
                base64.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
            ),
            ("no padding", base64.replacing("=", with: "")),
            ("PEM", "-----BEGIN PKCS7-----\n\(ReceiptDER.base64(receipt.der, width: 64))\n-----END PKCS7-----\n"),
            ("PEM, CRLF", "-----BEGIN CMS-----\r\n\(base64)\r\n-----END CMS-----\r\n"),
            ("JSON string", "\"\(base64)\""), ("request", request), ("request in a string", "\"\(escaped)\""),
            ("request in base64", ReceiptDER.base64(Array(request.utf8))),
            ("request of base64 of a request", #"{"receipt-data":"\#(ReceiptDER.base64(Array(request.utf8)))"}"#),
            (
                "request with line feeds",
                #"{"receipt-data":"\n\#(ReceiptDER.base64(receipt.der, width: 64, lineEnd: "\\n"))\n"}"#
            ),
            ("indented request", #"{"receipt-data":"\n  \#(base64)\n"}"#),
            ("array", "[\"\(base64)\"]"),
        ]
        for (name, text) in spellings {
            let reading = Reading(text)
            #expect(reading.rejects.map(\.code) == [], "\(name)")
            #expect(reading.transactions == expected.transactions, "\(name)")
            #expect(reading.documents == expected.documents, "\(name)")
            #expect(reading.consumed == text.utf8.count, "\(name)")
        }
    }

    /// Requests in requests, base64 between them.
    private static func wrapped(_ times: Int) -> String {
        (0..<times).reduce(ReceiptDER.sample().base64) { text, _ in
            #"{"receipt-data":"\#(ReceiptDER.base64(Array(text.utf8)))"}"#
        }
    }

    @Test("Wrappings are undone to a limit; beyond it the document is a reject and the reader goes on")
    func limitsWrapping() throws {
        #expect(Reading(Self.wrapped(1)).transactions.count == 2)
        #expect(Reading(Self.wrapped(3)).transactions.count == 2)
        for times in 4...8 {
            let reading = Reading(Self.wrapped(times) + "\n" + Self.event)
            #expect(reading.rejects.map(\.code) == ["document.depth"], "\(times)")
            #expect(reading.events.count == 1)
        }
        var strings = "\"x\""
        for _ in 0..<12 { strings = "\"" + strings.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }
        #expect(Reading(strings).rejects.map(\.code) == ["document.depth"])
    }

    /// A document that cannot be read: code, path, offset inside it, kind.
    static let rejected: [(String, String, String, Int, String?)] = [
        ("nightly export finished", "sniff.unrecognized", "", 0, nil),
        ("<html><body>502</body></html>", "sniff.unrecognized", "", 0, nil),
        ("12345", "sniff.unrecognized", "", 0, nil),
        (#"{"a":1}"#, "sniff.unrecognized", "", 0, nil),
        ("{}", "sniff.unrecognized", "", 0, nil),
        (#""""#, "receipt.empty", "", 0, nil),
        (#""  ""#, "receipt.empty", "", 0, nil),
        (#""hello""#, "sniff.unrecognized", "", 0, nil),
        (#""hell""#, "sniff.unrecognized", "", 0, nil),
        ("MIIB*A==", "base64.character", "", 4, nil),
        (#"{"receipt-data":""}"#, "receipt.empty", "receipt-data", 0, nil),
        (#"{"receipt-data":"MII*"}"#, "base64.character", "receipt-data", 3, nil),
        (#"{"receipt-data":7}"#, "receipt.type", "receipt-data", 16, "verify"),
        (#"{"receipt-data":null}"#, "receipt.type", "receipt-data", 16, "verify"),
        (#"{"receipt-data":"e30="}"#, "sniff.unrecognized", "receipt-data", 0, nil),
        (#"{"receipt-data":"eyJldmVudCI6"}"#, "json.truncated", "receipt-data › event", 9, "event"),
        (#"{"status":0,"receipt":{"in_app":[{"quantity":1,]}}}"#, "json.syntax", "in_app[0] › quantity", 47, "verify"),
        (#"{"status":0,}"#, "json.syntax", "status", 12, "verify"),
        (#"{"status" 0}"#, "json.syntax", "", 10, nil),
        (#"{"event":"a\x"}"#, "json.escape", "event", 11, "event"),
        (#"{"event":"\ud80"}"#, "json.escape", "event", 10, "event"),
        (#"{"event":"\u08g0"}"#, "json.escape", "event", 10, "event"),
        ("{\"event\":\"a\tb\"}", "json.control-character", "event", 11, "event"),
        (#"{"event":"a","quantity":-}"#, "json.number", "quantity", 25, "event"),
        (#"{"event":"a","v":tru}"#, "json.syntax", "v", 20, "event"),
    ]

    @Test(
        "A document that cannot be read has a code, a path and an offset, and the next one is read",
        arguments: rejected
    )
    func rejects(_ text: String, _ code: String, _ path: String, _ innerOffset: Int, _ kind: String?) throws {
        for (before, after) in [
            ("", ""), ("", "\n"), ("\n\(Self.event)\r\n", "\n\(Self.event)\n"), ("", "\r\n\n" + Self.event),
        ] {
            let reading = Reading(before + text + after)
            try #require(reading.rejects.count == 1, "\(reading.rejects.map(\.code))")
            let reject = reading.rejects[0]
            #expect(reject.code == code)
            #expect(reject.path == path)
            #expect(reject.innerOffset == innerOffset)
            #expect(reject.kind == kind)
            #expect(reject.offset == before.utf8.count)
            #expect(reject.line == before.utf8.count { $0 == 0x0A } + 1)
            #expect(String(decoding: reject.raw, as: UTF8.self).trimmingLineEnd == text)
            #expect(reject.raw.count == reject.length)
            #expect(reading.accepted == reading.events.count)
            #expect(reading.events.count == (before + after).utf8.count { $0 == UInt8(ascii: "{") })
            #expect(reading.consumed == (before + text + after).utf8.count)
        }
    }

    @Test("A broken document ends at its own bracket, so that the next on the line is read")
    func goesOnOnTheLine() {
        let reading = Reading(
            #"{"event":"\x"}{"v":1,"api":"a","event":"b"} {"event":01},{"v":1,"api":"a","event":"d"}"#
        )
        #expect(reading.rejects.map(\.code) == ["json.escape", "json.number"])
        #expect(reading.events.map { $0["event"] } == ["b", "d"])
        #expect(reading.events.map { $0["document"] } == ["1", "3"])
        #expect(reading.rejects.map(\.document) == [0, 2])
    }

    @Test("Whole JSON that is no document of ours ends where its JSON does")
    func endsForeignJSON() {
        let reading = Reading("{\n  \"a\": {\n\"b\": \"}\"\n}\n}\(Self.event)")
        #expect(reading.rejects.map(\.length) == [23])
        #expect(reading.events.count == 1)
    }

    @Test("A broken document does not take the line feed at the end of the stream with it")
    func leavesTheLastLineFeed() {
        #expect(Reading("{\"event\"\n").rejects.map(\.length) == [8])
        #expect(Reading("{\"event\"\n\(Self.event)").rejects.map(\.length) == [8])
    }

    @Test("Damaged base64 is called that in PEM too")
    func rejectsDamagedPEM() {
        let reading = Reading("-----BEGIN PKCS7-----\nMIIB*A==\n-----END PKCS7-----\n")
        #expect(reading.rejects.map(\.code) == ["base64.character"])
    }

    @Test("Wrapped receipts without a length of their own end before the next one, whatever their last line")
    func separatesWrappedReceipts() {
        for padding in 0..<60 {
            let receipt = ReceiptDER.sample(bundleID: String(repeating: "a", count: padding + 1)).ber(fragments: 80)
            let text = ReceiptDER.base64(receipt, width: 64) + "\n"
            let reading = Reading(text + text + Self.event + "\n" + text)
            #expect(reading.rejects.map(\.code) == [], "\(padding)")
            #expect(reading.transactions.count == 6 && reading.events.count == 1, "\(padding)")
        }
    }

    @Test("A pretty-printed document that breaks off takes its own lines with it and no others")
    func endsBrokenPrettyJSON() {
        let broken = "{\n  \"event\": \"a\",\n  \"error\": {\n    \"code\": x\n  }\n}"
        let reading = Reading("\(broken)\n{\n  \"event\": \"b\", \"v\": 1, \"api\": \"a\"\n}\n")
        #expect(reading.rejects.map(\.code) == ["json.syntax"])
        #expect(reading.rejects.map { String(decoding: $0.raw, as: UTF8.self) } == [broken])
        #expect(reading.events.map { $0["event"] } == ["b"])
    }

    @Test("Lines are counted through documents that span them, good and bad")
    func countsLines() {
        let reading = Reading(
            "\n{\"v\":1,\"api\":\"a\",\n\"event\":\n\"a\"\n}\n?\n\nMII?\n{\"v\":1,\"api\":\"a\",\"event\":\"b\\n\"}\n!\n"
        )
        #expect(reading.rejects.map(\.line) == [6, 8, 10])
        #expect(reading.lines == 10)
    }

    @Test("Control characters between documents are white space")
    func skipsControlCharacters() {
        let event = Array(Self.event.utf8)
        let separators: [[UInt8]] = [Array(repeating: 0, count: 5000), [0x1E], [0x0A, 0x10, 0x02, 0x7F, 0x0A], [0x0C]]
        for separator in separators {
            for text in [separator + event + separator, event + separator + [0x0A] + separator + event] {
                for step in [1, 7, 100_000] {
                    let reading = Reading(text, step: step)
                    #expect(reading.rejects.isEmpty && reading.consumed == text.count)
                    #expect(reading.accepted == (text.starts(with: separator) ? 1 : 2))
                }
            }
        }
    }

    @Test("Half a surrogate pair in a text becomes U+FFFD, and an id with one is missing")
    func replacesLoneSurrogates() {
        let reading = Reading(
            #"{"v":1,"event":"failed","error":{"domain":"D","code":1,"message":"a\ud83d"},"transaction_id":"1\ud83d"}"#
        )
        #expect(reading.accepted == 1)
        #expect(reading.events.first?["error_message"] == "a\u{FFFD}")
        #expect(reading.events.first?["transaction_id"] == nil)
    }

    @Test("A byte order mark is passed over at the start of a stream and nowhere else")
    func passesOverTheByteOrderMark() {
        #expect(Reading([0xEF, 0xBB, 0xBF] + Array(Self.event.utf8)).events.count == 1)
        #expect(Reading([0xEF, 0xBB, 0xBF] + Array(Self.event.utf8), step: 1).events.count == 1)
        #expect(Reading([0xEF, 0xBB, 0xBF]).documentCount == 0)
        #expect(Reading(Array("\n".utf8) + [0xEF, 0xBB, 0xBF] + Array(Self.event.utf8)).accepted == 1)
    }

    @Test("Nothing at all, white space and separators are no documents", arguments: ["", " \r\n\t", "[]", "[ , ]\n,,"])
    func findsNothing(_ text: String) {
        let reading = Reading(text)
        #expect(reading.documentCount == 0)
        #expect(reading.consumed == text.utf8.count)
        #expect(reading.openBrackets == 0)
    }

    @Test("Brackets that stay open are counted")
    func countsBrackets() {
        #expect(Reading("[[\(Self.event)]").openBrackets == 1)
        #expect(Reading("\(Self.event)]]").openBrackets == -2)
    }

    @Test("A document that needs more bytes is not consumed until they come or nothing follows")
    func waitsForMore() {
        for text in ["{\"event\":\"a", "MIIB", "-----BEGIN PKCS7-----\nMII", "\"MII", "{", "0"] {
            let prefix = Reading(
                Array((Self.event + "\n" + text).utf8),
                cutAt: Self.event.utf8.count + 1 + text.utf8.count
            )
            #expect(prefix.rejects.count == 1 && prefix.events.count == 1, "\(text)")
        }
    }

    @Test("A format that is asked for rejects documents of the others")
    func obeysTheFormat() {
        let stream = "\(Self.event)\n{\"status\":21003}\n\(ReceiptDER.sample().base64)\n{\"a\":1}\n"
        let codes = ["pkcs7", "verify", "event"].map { Reading(stream, format: $0).rejects.map(\.code) }
        #expect(codes[0] == Array(repeating: "sniff.other-format", count: 3))
        #expect(Reading(stream, format: "pkcs7").transactions.count == 2)
        #expect(codes[2] == ["sniff.other-format", "sniff.other-format", "sniff.unrecognized"])
        let verified = Reading(stream, format: "verify")
        #expect(verified.documents.count == 1 && verified.rejects.last?.code == "sniff.unrecognized")
    }

    @Test(
        "A document of another format than the one that is asked for has no path, whatever stood before it",
        arguments: ["verify", "notification", "legacy", "jws"]
    )
    func forgetsThePath(_ format: String) {
        // The first documents end in a member: the decoder of each format knows a path then.
        let first =
            #"{"status":{}}"# + "\n" + #"{"notification_type":[]}"# + "\n" + #"{"transactionId":{}}"#
            + "\n{\"purchase-info\"=1;}\n"
        // A SEQUENCE of no format, and an object of none.
        for other in [[0x30, 0xFF, 0xFF, 0xFF, 0xF4, 0xFF, 0x7B], Array("{\n\t}".utf8)] {
            let alone = Reading(other, format: format).rejects.last
            let behind = Reading(Array(first.utf8) + other, format: format).rejects.last
            #expect(alone?.path == "" && behind?.path == "" && alone?.code == behind?.code, "\(alone?.code ?? "none")")
        }
    }
}

extension String {
    fileprivate var trimmingLineEnd: String {
        var text = self
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    @Test("A line that begins with a zero and a letter that is not ASCII is one reject", arguments: 0x80...0xFF)
    func endsLinesThatLookLikeDER(octet: Int) {
        for line in [[0x30, UInt8(octet)], Array(" 0".utf8) + [UInt8(octet), 0x6B, 0x6B]] {
            let text = line + Array("\n{\"status\":21003}\n".utf8)
            let reading = Reading(text)
            #expect(reading.rejects.count == 1 && reading.accepted == 1)
            #expect(Reading(text, step: 1) == reading)
        }
    }
}
