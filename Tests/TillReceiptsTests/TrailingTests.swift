import Testing
import TillReceipts
import TillTestSupport

/// What stands behind a document in the text that holds it is a document or a reject of its own, never lost.
@Suite("Behind a document")
struct TrailingTests {
    static let receipt = ReceiptDER.sample(purchases: 2)
    static let other = ReceiptDER.sample(purchases: 1, bundleID: "com.example.other")

    private static func base64(_ octets: [UInt8]) -> String { ReceiptDER.base64(octets) }
    private static func text(_ text: String) -> String { base64(Array(text.utf8)) }
    private static func json(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
    }

    /// Texts that hold two documents, the apps of both.
    static let pairs: [String] = {
        let both = receipt.der + other.der
        return [
            base64(both), base64(receipt.ber(fragments: 20) + other.der),
            base64(receipt.der + [0, 0, 0x0A] + other.der),
            base64(receipt.der + other.ber(fragments: 1000) + [0, 0]), base64(Array(base64(both).utf8)),
            "{\"receipt-data\":\"\(base64(both))\"}", "{\"Payload\":\"\(base64(both))\"}",
            ReceiptDER.base64(both, width: 76) + "\n",
            ReceiptDER.base64(both, width: 64, lineEnd: "\r\n"),
            "-----BEGIN PKCS7-----\n\(ReceiptDER.base64(both, width: 64))\n-----END PKCS7-----\n",
            "-----BEGIN PKCS7----- \(receipt.base64) -----END PKCS7-----\n\(other.base64)",
            "-----BEGIN PKCS7-----\n\(receipt.base64)\n-----END PKCS7----- \(other.base64)\n",
            "-----BEGIN PKCS7----- \(receipt.base64)\r\n-----END PKCS7-----\r\n\(other.base64)",
            "-----BEGIN PKCS7-----\(receipt.base64)-----END PKCS7-----\(other.base64)",
            "old=\(receipt.base64) new=\(other.base64)", "a=\(receipt.base64); b=\(other.base64)",
            "{\"Payload\":\(json("{\"status\":21003}{\"status\":21003}"))}",
            "{\"Payload\":\(json("{\"status\":21003}\n{\"status\":21003}\n"))}",
            text("{\"status\":0,\"environment\":\"Sandbox\"} {\"status\":21003}"),
            text("[{\"status\":21003},{\"status\":21003}]".dropFirst().description),
            text("{\"status\":0,\"environment\":\"Sandbox\"}" + base64(receipt.der)),
            "{\"Payload\":\(json("2026-03-01 10:00:00 FailedTransaction Code=2 a\n2026-03-01 10:00:01 FailedTransaction Code=3 b"))}",
            "{\"Payload\":\(json("-----BEGIN X-----\n\(base64(receipt.der))\n-----END X-----\n-----BEGIN X-----\n\(base64(other.der))\n-----END X-----\n"))}",
        ]
    }()

    @Test("A second document in one text is a document of its own", arguments: pairs)
    func readsBoth(_ text: String) {
        let reading = Reading(text)
        #expect(reading.accepted == 2 && reading.rejects.isEmpty, "\(reading.rejects.map(\.diagnostic))")
        let rows = reading.documents + reading.events
        #expect(rows.map { $0["document"] } == ["0", "1"])
        #expect(Reading(text + "\n{\"status\":21003}", step: 50) == Reading(text + "\n{\"status\":21003}"))
    }

    @Test("Both are told apart: app, rows and the time at which their dump was written")
    func tellsApart() {
        let reading = Reading(
            "{\"logged_at\":\"2026-03-05T00:00:00Z\",\"receipt-data\":\"\(Self.base64(Self.receipt.der + Self.other.der))\"}"
        )
        #expect(reading.documents.map { $0["bundle_id"] } == ["com.example.app", "com.example.other"])
        #expect(reading.documents.map { $0["transactions"] } == ["2", "1"])
        #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-05T00:00:00.000Z", "2026-03-05T00:00:00.000Z"])
        #expect(reading.transactions.map { $0["document"] } == ["0", "0", "1"])
        #expect(reading.transactions.map { $0["row"] } == ["1", "2", "1"])
    }

    static let padding: [[UInt8]] = [[0], [0, 0, 0, 0], [0x0A], [0x0D, 0x0A, 0], [0x20, 0x09]]

    @Test("Zeros and white space behind a document are padding", arguments: padding)
    func passesPadding(_ octets: [UInt8]) {
        for text in [
            Self.base64(Self.receipt.der + octets),
            Self.base64(Array("{\"status\":21003,\"a\":\"bcdefgh\"}".utf8) + octets),
        ] {
            let reading = Reading(text)
            #expect(reading.accepted == 1 && reading.rejects.isEmpty)
        }
    }

    /// Octets behind a receipt, and the code of the reject that they are.
    static let broken: [([UInt8], String)] = [
        ([0x81], "document.trailing"), ([0x30], "document.trailing"),
        (Array("garbage\nof\nthree lines".utf8), "document.trailing"),
        (Array(other.der.dropLast(9)), "ber.truncated"), (Array("{\"status\":".utf8), "json.truncated"),
        ([0, 0, 0xFF, 0xFE], "document.trailing"), (Array(receipt.der.dropFirst(3)), "document.trailing"),
    ]

    @Test("What is no document is one reject, with a code of its own and the whole text", arguments: broken)
    func rejectsRest(_ octets: [UInt8], _ code: String) {
        let line = "{\"a\":1,\"receipt-data\":\"\(Self.base64(Self.receipt.der + octets))\"}"
        let reading = Reading("{\"status\":21003}\n" + line + "\n{\"status\":21003}")
        #expect(reading.accepted == 3 && reading.transactions.count == 2)
        #expect(reading.rejects.map(\.code) == [code])
        let reject = reading.rejects.first
        #expect(reject?.document == 2 && reject?.line == 2 && reject?.offset == 17 && reject?.length == line.utf8.count)
        #expect(reject?.raw == Array(line.utf8) && reject?.path.hasPrefix("receipt-data") == true)
        #expect(reading.lines == 2)
    }

    @Test("A receipt behind one that is broken is read")
    func readsBehindBroken() {
        var broken = Self.receipt.der
        broken[30] ^= 0xFF
        let reading = Reading(Self.base64(broken + Self.other.der))
        #expect(reading.documents.map { $0["bundle_id"] } == ["com.example.other"])
        #expect(reading.rejects.count == 1 && reading.documentCount == 2)
    }

    @Test("A document behind one in JSON that cannot be read is read", arguments: ["{\"a\":1}", "{\"status\":\"x\"}"])
    func readsBehindUnreadable(_ first: String) {
        let line = "{\"Payload\":\(Self.json(first + "{\"status\":21003}"))}"
        let reading = Reading(line)
        #expect(reading.accepted == 1 && reading.documentCount == 1)
        #expect(Reading(line, step: 7) == reading)
        // Where it is no JSON, nothing shows where it ends.
        #expect(Reading("{\"Payload\":\(Self.json("{\"a\":{\"status\":21003}"))}").documentCount == 1)
    }

    @Test("Behind a receipt that is broken, what is no document is a part of it")
    func keepsBroken() {
        var broken = Self.receipt.der
        broken[30] ^= 0xFF
        let reading = Reading(Self.base64(broken + Array(Self.other.der.dropLast(9))))
        #expect(reading.documentCount == 1 && reading.rejects.count == 1)
    }

    @Test("Documents behind one another without end cost what they are long", .atMost(minutes: 1))
    func readsMany() {
        let many = String(repeating: "{\"status\":21003}", count: 20_000)
        #expect(Reading(Self.text(many)).accepted == 20_000)
        // Each text holds a document and base64 of the next such text.
        let document = "{\"status\":0,\"environment\":\"Sandbox\"}\n"
        let nested = (0..<10).reduce(document) { text, _ in document + Self.text(text) }
        let reading = Reading(Self.text(nested))
        #expect(reading.accepted == 9)
        #expect(reading.rejects.map(\.code) == ["document.depth"])
    }
}
