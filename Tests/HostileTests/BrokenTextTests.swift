import Testing
import TillInput
import TillTestSupport

@Suite("Documents that are broken or cut off inside other text")
struct BrokenTextTests {
    /// A response of a failed verification, which allows no rows, though it has one.
    private static let refused =
        #"{"status":21003,"environment":"Sandbox","receipt":{"in_app":[{"transaction_id":"1","product_id":"a","#
        + #""purchase_date_ms":"1594755386000"}]},"latest_receipt":"MII"#
    private static let refund =
        #"{"notificationType":"REFUND","data":{"environment":"Sandbox","signedTransactionInfo":"#
        + #"{"transactionId":"1","productId":"p","purchaseDate":1722945600000,"originalTransactionId":"1"}}"#

    static let texts: [(String, String)] = [
        ("2026-01-01T00:00:00Z INFO \(refused)", "json.truncated"),
        ("2026-01-01T00:00:00Z INFO \(refund)", "json.truncated"),
        (#"{"level":"info","message":"\#(refused.replacing("\"", with: "\\\""))"}"#, "json.truncated"),
        (
            #"INFO {"status":21003,"receipt":{"in_app":[{"transaction_id":"1","product_id":"a"}]},"x":NaN}"#,
            "json.syntax"
        ),
        (
            "INFO {'status': 21003, 'receipt': {'in_app': [{'transaction_id': '1', 'product_id': 'a'}]}, 'x': [Object]}",
            "json.syntax"
        ),
        (
            "INFO { status = 21003; receipt = { in_app = ( { transaction_id = 1; product_id = a; } ); }; x =",
            "plist.truncated"
        ),
    ]

    @Test("A broken document in text is one reject, and its content gives no rows", arguments: texts)
    func rejectsWhole(_ text: String, _ code: String) {
        let reading = Reading(text)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.accepted == 0 && reading.transactions.isEmpty && reading.documents.isEmpty)
    }

    @Test("A document beside one is read")
    func readsOthers() {
        let reading = Reading("INFO {\"status\":21005} then \(Self.refused)")
        #expect(reading.documents.map { $0["status"] } == ["21005"])
        #expect(reading.rejects.map(\.code) == ["json.truncated"])
    }

    @Test(
        "Very many of them in one text take no more than their share of work, and none is lost in silence",
        .atMost(minutes: 2)
    )
    func boundsWork() {
        let line = #"{\"status\":x\n"#
        let reading = Reading(#"{"message":"\#(String(repeating: line, count: 20_000))"}"#)
        #expect(reading.accepted == 0)
        #expect(reading.rejects.contains { $0.code == "json.syntax" })
        #expect(reading.rejects.contains { $0.code == "document.search" })
    }

    private static let sale =
        #"{"product_id":"c","transaction_id":"1000000123456789","purchase_date_ms":"1551675967000"}"#

    /// Responses of refused or sandbox purchases that are broken by a line or cut.
    static let brokenResponses = [
        "{\n\"status\":21003, \"environment\":\"Sandbox\", \n10:00 GET /\n\"receipt\":{\"in_app\":[\n\(sale)]}}\n",
        "{\n\"status\":21003, \n\"receipt\":{\"bundle_id\":\"b\", \n...\n\"in_app\":[\n\(sale),\n\(sale)]}}\n",
        "{\n  \"status\": 21003,\n  \"latest_receipt\": \"MII\nabc\",\n  \"receipt\": {\n    \"in_app\": [\n      \(sale)\n    ]\n  }\n}\n",
        "x: {\n\"status\": 21003,\n\"in_app\": [\n{\n\"product_id\": \"c\"\n},\n\(sale)\n]\n}\n",
        "  \"environment\": \"Sandbox\",\n  \"receipt\": {\n    \"in_app\": [\n      \(sale)\n    ]\n  }\n}\n",
        "\(sale),\n\(sale)],\"latest_receipt\":\"MII\"}\n",
    ]

    @Test("Pieces of a broken response are rejects, in chunks of any size", arguments: brokenResponses)
    func rejectsPieces(_ text: String) {
        let bytes = Array("\(text){\"status\":21005}\n".utf8)
        let whole = Reading(bytes)
        #expect(whole.transactions.isEmpty)
        #expect(whole.documents.map { $0["status"] } == ["21005"])
        #expect(!whole.rejects.isEmpty)
        for step in 1...bytes.count { #expect(Reading(bytes, step: step) == whole, "step \(step)") }
    }

    @Test("A piece that is read again from its reject is the same reject")
    func rejectsPiecesAgain() {
        for text in ["\(Self.sale),\n\(Self.sale)\n]}}\n", "\(Self.sale)], \"latest_receipt\" : 1}\n"] {
            let reject = Reading(text).rejects[0]
            #expect(reject.code == "document.fragment" && reject.offset == 0)
            let again = Reading(reject.raw)
            #expect(again.documentCount == 1 && again.rejects.first?.code == reject.code)
            #expect(again.rejects.first?.raw == reject.raw)
        }
    }

    /// A text in a JSON string, and in base64.
    private static func wrapped(_ text: String) -> [String] {
        let quoted = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return ["\"\(quoted)\"", String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)]
    }

    @Test(
        "A piece inside a string or base64 is one reject, as it is by itself",
        arguments: [
            "\(sale)]},\"status\":21003}", "\(sale),\n\(sale)]}}", "\(sale),\(sale)],\"latest_receipt\":1}",
        ]
    )
    func rejectsWrappedPieces(_ piece: String) {
        for text in Self.wrapped(piece) {
            let reading = Reading(text)
            #expect(reading.transactions.isEmpty && reading.rejects.map(\.code) == ["document.fragment"], "\(text)")
        }
        for text in Self.wrapped("\(Self.sale),\n\(Self.sale)") { #expect(Reading(text).transactions.count == 2) }
    }

    @Test(
        "Transactions by themselves, in lines or in an array, are documents",
        arguments: [
            "\(sale)\n\(sale)\n", "[\(sale),\n\(sale)]\n", "[\n  \(sale),\n  \(sale)\n]\n", "\(sale)\(sale)",
            "[[\(sale)],[\(sale)]]", "[\(sale),\"no document at all\",\(sale)]", "[\(sale),\(sale)",
        ]
    )
    func readsTransactions(_ text: String) {
        let bytes = Array(text.utf8)
        let whole = Reading(bytes)
        #expect(whole.transactions.count == 2)
        for step in 1...bytes.count { #expect(Reading(bytes, step: step) == whole, "step \(step)") }
    }

    @Test("A line that is cut behind the bracket of a list takes no document with it")
    func endsCutLines() {
        let reading = Reading("{\"event\":\"failed\",\"error\":{\"underlying\":[\n{\"status\":21005}\n")
        #expect(reading.rejects.count == 1 && reading.documents.map { $0["status"] } == ["21005"])
    }

    @Test(
        "A PEM block without an end is a reject, wherever its text stands",
        arguments: [#"{"receipt-data":"-----BEGIN PKCS7-----\nMIIB\n"}"#, "-----BEGIN PKCS7-----\nMIIB\n"]
    )
    func rejectsOpenPEM(_ text: String) {
        let reading = Reading(text)
        #expect(reading.accepted == 0 && reading.rejects.count == 1)
        #expect(Reading(csv: "-----BEGIN PKCS7-----\nMIIB\n").rejects.count == 1)
    }
}
