import Foundation
import Testing
import TillInput
import TillReceipts
import TillTestSupport

/// What text says beside a part of a response, as the members of an object around it would.
@Suite("Members in text")
struct TextMemberTests {
    private static let transaction =
        #"{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000","quantity":"1"}"#
    private static let receipt = #"{"in_app":[\#(transaction)]}"#
    private static let encoded =
        receipt.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    private static let form =
        transaction.replacing(",", with: ", ").addingPercentEncoding(withAllowedCharacters: .alphanumerics)?
        .replacing("%20", with: "+") ?? ""
    private static let response =
        #"{"environment": "Sandbox", "status": 21003, "latest_receipt": "\#(ReceiptDER.sample().base64)", "#
        + #""receipt": \#(receipt)}"#

    @Test(
        "A status beside a part of a response, which allows no rows, is that of the response",
        arguments: [
            "status=21007 receipt=\(receipt)", "level=info status=21007 receipt=\(receipt)",
            "receipt=\(receipt) status=21007", "receipt_status=\"21007\" receipt=\(Unsigned.quoted(receipt))",
            "2026-03-02T10:15:00Z verify: status 21007, receipt: \(receipt)",
            "level=warn statusCode: 21007 transaction=\(transaction)", "<v status=\"21007\"><r>\(receipt)</r></v>",
            "status=21007 response={\"environment\":\"Production\",\"receipt\":\(receipt)}",
            "status=21007&receipt=\(encoded)", "receipt=\(encoded)&status=21007",
            "Array ( [status] => 21007 [receipt] => \(receipt) )",
            "code=21007 receipt=\(receipt)",
            "status=21007 first=\(receipt) second={'in_app': [\(transaction)]}",
        ]
    )
    func refuses(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.isEmpty && reading.codes.isEmpty, "\(reading)")
        #expect(Set(reading.documents.map { $0["status"] }) == ["21007"])
    }

    @Test(
        "Another number is no status, and a response keeps its own",
        arguments: [
            ("status=200 receipt=\(receipt)", nil), ("status=0 receipt=\(receipt)", nil),
            ("status=210070 receipt=\(receipt)", nil), ("zip_code=21007 receipt=\(receipt)", nil),
            ("status=21007 body={\"status\":0,\"receipt\":\(receipt)}", "0"),
            ("status=21006 receipt=\(receipt)", "21006"), ("estatus de 21007 receipt=\(receipt)", nil),
        ]
    )
    func books(_ text: String, _ status: String?) {
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(reading)")
        #expect(reading.documents.map { $0["status"] } == [status])
    }

    @Test(
        "The environment and the app beside a transaction are its own",
        arguments: [
            "environment=Sandbox bundle_id=com.example.shop transaction=\(transaction)",
            "ts=1 environment=\"Sandbox\" bundleId=com.example.shop transaction=\(transaction)",
            "Environment: sandbox, bundle_id: com.example.shop, transaction: \(transaction)",
            "transaction=\(transaction) environment=Sandbox bundle_id=com.example.shop",
            "environment=Sandbox&bundle_id=com.example.shop&receipt=\(encoded)",
            #"{"environment":"sandbox","bundle_id":"com.example.shop","body":\#(transaction)}"#,
        ]
    )
    func fills(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"], "\(reading)")
        #expect(reading.transactions.map { $0["bundle_id"] } == ["com.example.shop"])
    }

    @Test("A word behind a name is no app, and the production of a server is none of Apple's")
    func keepsWhatIsUnknown() {
        let reading = SignedReading("bundleId is missing, environment=production, transaction=\(Self.transaction)")
        #expect(reading.transactions.map { $0["bundle_id"] } == [nil])
        #expect(reading.transactions.map { $0["environment"] } == [nil])
    }

    @Test(
        "A response whose text is encoded is not taken for the receipt in it",
        arguments: [
            "payload="
                + (response.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union([" "])) ?? "")
                .replacing(" ", with: "+"),
            "<td>" + response.replacing("\"", with: "&quot;") + "</td>",
            "x=" + response.replacing("\"", with: "\\u0022"),
        ]
    )
    func readsWholeResponses(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.isEmpty && reading.codes.isEmpty, "\(reading)")
        #expect(reading.documents.map { $0["status"] } == ["21003"])
    }

    @Test(
        "A form whose members are those of a notification or a response is one",
        arguments: [
            (
                "notification_type=CANCEL&environment=Sandbox&auto_renew_status=false&latest_receipt_info=\(form)",
                "CANCEL"
            ),
            ("latest_receipt_info=\(form)&password=x%22y&environment=Sandbox&notification_type=CANCEL", "CANCEL"),
            ("status=0&environment=Sandbox&latest_receipt_info=%5B\(form)%5D", nil),
            ("environment=Sandbox&receipt=%7B%22in_app%22:%5B\(form)%5D%7D&status=0", nil),
        ]
    )
    func readsForms(_ text: String, _ type: String?) {
        for text in [text, #"{"body":"\#(text)"}"#] {
            let reading = SignedReading(text)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(reading)")
            #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
            #expect(reading.documents.map { $0["notification_type"] } == [type])
            #expect(reading.documents.map { $0["status"] } == [type == nil ? "0" : nil])
        }
    }

    @Test("A receipt in gzip in base64 is read, by itself and in a member")
    func inflatesReceipts() {
        let packed = Gzip.member(ReceiptDER.sample().der)
        let text = String(decoding: Base64.encode(packed), as: UTF8.self)
        for envelope in [text, #"{"receipt":"\#(text)"}"#] {
            let reading = SignedReading(envelope)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100", "101"], "\(reading.rejects)")
        }
    }
}
