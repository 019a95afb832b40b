import Testing
import TillTestSupport

/// Documents that span lines: where they end, whole and broken.
@Suite("Documents of many lines")
struct WrappedLineTests {
    private static let receipt = ReceiptDER.sample()
    private static let response = #"{"status":0,"environment":"Sandbox","receipt":{"in_app":[{"transaction_id":"5"}]}}"#

    private static func base64(_ text: String, _ width: Int, _ lineEnd: String = "\n") -> String {
        ReceiptDER.base64(Array(text.utf8), width: width, lineEnd: lineEnd)
    }

    private static func encoded(_ text: String) -> String {
        text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    /// Texts that are one document, the number of its rows, and whether the next document shows its end.
    static let whole: [(String, Int)] = [
        (encoded(ReceiptDER.base64(receipt.der, width: 76)), 2),
        (encoded(ReceiptDER.base64(receipt.der, width: 64, lineEnd: "\r\n")), 2),
        (ReceiptDER.base64(receipt.der, width: 64, lineEnd: "\n    "), 2),
        (ReceiptDER.base64(receipt.der, width: 76, lineEnd: "  \r\n\t"), 2),
        (ReceiptDER.base64(receipt.der, width: 76).replacing("+", with: "-").replacing("/", with: "_"), 2),
        (base64(TruncationTests.xml, 64), 1), (base64(TruncationTests.xml, 76, "\r\n"), 1),
        (encoded(base64(TruncationTests.xml, 76)), 1),
        (base64(TruncationTests.list, 64), 1), (base64(TruncationTests.list, 76, "\r\n"), 1),
        (base64(response, 64), 1), (base64(response, 76, "\r\n"), 1),
        (base64(ReceiptDER.base64(Array(TruncationTests.list.utf8)), 76), 1),
        (base64(ReceiptDER.base64(Array(TruncationTests.xml.utf8)), 64), 1),
        (base64(receipt.base64, 76), 2), (TruncationTests.xml, 1), (TruncationTests.list, 1),
    ]

    @Test("Lines of base64 are one document, whatever they hold and however they are damaged", arguments: whole)
    func joins(_ text: String, _ rows: Int) {
        let stream = [text, #"{"status":21003}"#, text, text, "MIIC", text].joined(separator: "\n")
        let reading = Reading(stream)
        #expect(reading.transactions.count == 4 * rows)
        #expect(reading.accepted == 5 && reading.rejects.count == 1)
        for step in [3, 50, 200] { #expect(Reading(stream, step: step) == reading, "step \(step)") }
    }

    /// XML property lists that have no end.
    static let cut: [String] = {
        let xml = TruncationTests.xml
        func before(_ mark: String) -> String { xml.firstRange(of: mark).map { String(xml[..<$0.lowerBound]) } ?? xml }
        return [
            before("</plist>"), before("</dict>"), before("<string>1"), before("<key>transaction-id"),
            before("1</string>\n</dict>"),
        ]
    }()
    static let next = [
        #"{"status":21003}"#, TruncationTests.xml, ReceiptDER.sample().base64, TruncationTests.list, "[\(response)]",
        "-----BEGIN PKCS7-----\n\(ReceiptDER.base64(ReceiptDER.sample().der, width: 64))\n-----END PKCS7-----",
        "2026-03-01 10:00:00 Error Domain=SKErrorDomain Code=2 \"a\"",
    ]

    @Test("An XML property list without an end is one reject and swallows nothing", arguments: cut, next)
    func endsBrokenLists(_ broken: String, _ next: String) {
        // Inside a text only JSON and a further list can be told from it.
        if broken.hasSuffix("<string>"), next.first != "{" || next.hasPrefix("{\n\t"), next.first != "<",
            next.first != "["
        {
            return
        }
        let stream = broken.trimmingLineEnd + "\n" + next + "\n" + Self.response
        let reading = Reading(stream)
        #expect(reading.rejects.map(\.length) == [broken.trimmingLineEnd.utf8.count], "\(reading.rejects.map(\.code))")
        #expect(reading.rejects.allSatisfy { $0.code.hasPrefix("plist.") })
        #expect(reading.accepted == 2)
        for step in [5, 100, 350] { #expect(Reading(stream, step: step) == reading, "step \(step)") }
    }

    @Test("Raw BER of indefinite length ends where its last end of contents says", arguments: [1, 20, 1000])
    func endsBER(_ size: Int) {
        let ber = Self.receipt.ber(fragments: size)
        let stream = ber + ber + Array("\n\(Self.response)\n".utf8) + ber + Self.receipt.der + [0x0A] + ber
        let reading = Reading(stream)
        #expect(reading.rejects.isEmpty && reading.accepted == 6 && reading.transactions.count == 11)
        for step in [1, 64, 700] { #expect(Reading(stream, step: step) == reading, "step \(step)") }
    }

    static let lineEnds = ["\n", "\r\n", "\n\n", "\n\r\n \n"]

    @Test(
        "Line feeds, CRLF and a mixture of both separate documents; a byte order mark begins them",
        arguments: lineEnds
    )
    func separates(_ lineEnd: String) {
        let documents = [
            Self.response, Self.receipt.base64, #"{"v":1,"api":"sk1","event":"failed"}"#, TruncationTests.list,
        ]
        let reading = Reading("\u{FEFF}" + documents.joined(separator: lineEnd) + lineEnd)
        #expect(reading.accepted == 4 && reading.rejects.isEmpty && reading.transactions.count == 4)
    }

    @Test("A lone CR is no line feed to JSON, which needs none, and ends no line of text")
    func readsReturns() {
        #expect(Reading("\(Self.response)\r\(Self.response)\r").accepted == 2)
        #expect(Reading("{\r\"status\":\r21003\r}\r{\"status\":21003}").accepted == 2)
        #expect(Reading(ReceiptDER.base64(Self.receipt.der, width: 64, lineEnd: "\r")).transactions.count == 2)
    }

    @Test("A line of ten megabytes is one document, good or bad")
    func readsLongLines() {
        let long = String(repeating: "x", count: 10 << 20)
        #expect(Reading(#"{"status":21003,"note":"\#(long)"}"# + "\n" + Self.response).accepted == 2)
        let reading = Reading("\(long)\n\(Self.response)\n{\"status\":\"\(long)\n\(Self.response)")
        #expect(reading.accepted == 2 && reading.rejects.count == 2)
    }

    static let wrappings = [
        "%", "{\"a\":%}", "{\"a\":%,\"b\":%}", "{\"a\":%,\"a\":%}", "{\"a\":{\"b\":[%,%]},\"c\":1}",
        "{\"a\":[1,{}],\"b\":%,\"c\":{}}",
        "{\"status\":{\"$numberInt\":\"0\"},\"receipt\":%}",
    ]
    static let inner = [
        response,
        #"{"event":"purchased","ts":"2026-03-01T00:00:00Z","api":"sk2","attempt_id":"1","transaation_id":"5"}"#,
        #"{"event":"purchased","ts":"2026-03-01T00:00:00Z","api":"sk2","web_order_line_item_id":nul}"#,
        #"{"status":21007,"exception":{"a":[]}}"#, #"{"bundle_id":"app","in_app":[{"transaction_id":"5"}]}"#,
    ]

    @Test(
        "What follows an object over several lines has its line, whatever the object wraps",
        arguments: wrappings,
        inner
    )
    func countsLines(_ wrapping: String, _ inner: String) {
        let object = wrapping.replacing("%", with: inner)
        for separator in [":", ",", "{", "["] {
            let lines = object.replacing(separator, with: separator + "\n")
            let reading = Reading(lines + " " + lines + "\n{\"status\":}\n")
            let line = 2 + 2 * lines.utf8.count { $0 == 0x0A }
            #expect(reading.rejects.last?.line == line, "\(lines)")
        }
    }
}

extension String {
    fileprivate var trimmingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
