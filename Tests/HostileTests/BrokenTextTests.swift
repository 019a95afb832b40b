import Testing
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

    @Test("They are one reject each, and what is inside them gives no rows", arguments: texts)
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
        .timeLimit(.minutes(10))
    )
    func boundsWork() {
        let line = #"{\"status\":x\n"#
        let reading = Reading(#"{"message":"\#(String(repeating: line, count: 20_000))"}"#)
        #expect(reading.accepted == 0)
        #expect(reading.rejects.contains { $0.code == "json.syntax" })
        #expect(reading.rejects.contains { $0.code == "document.search" })
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
