import Testing

/// Requests and responses of verifyReceipt in one document.
@Suite("Pairs of request and response")
struct PairTests {
    /// `printf %s MIIT | sha256sum`
    private static let digest = "779028e37ee0d6aa2f4fb50881918ad09a40a09e3c43faf9550a02d37079047e"
    private static let response =
        #"{"status":0,"environment":"Sandbox","latest_receipt_info":[{"transaction_id":"7"}]}"#

    static let pairs = [
        #"{"request":{"receipt-data":"MIIT","password":"s"},"response":\#(response)}"#,
        #"{"response":\#(response),"request":{"receipt_data":"MIIT"}}"#,
        #"{"request":{"receipt-data":"MI\nI\u0020T\r\n"},"response":\#(response)}"#,
        #"{"request":"{\"receipt-data\":\"MIIT\"}","response":\#(Unsigned.quoted(response))}"#,
        #"{"receipt-data":"MIIT","response":\#(response)}"#,
        // As servers and libraries record requests.
        #"{"request":"receipt-data=MIIT&password=s","response":\#(response)}"#,
        #"{"request":{"body":"password=s&receipt-data=MIIT"},"response":\#(response)}"#,
        #"{"request":{"body":{"receipt-data":"MIIT"},"headers":{"Host":"x"}},"response":\#(response)}"#,
        #"{"request":{"body":"{\"receipt-data\":\"MIIT\"}"},"response":\#(response)}"#,
        #"{"request":{"httpBody":"eyJyZWNlaXB0LWRhdGEiOiJNSUlUIn0="},"response":\#(response)}"#,
        #"{"request":{"receipt":"MIIT","sandbox":false},"response":\#(response)}"#,
        #"{"request":"{\"body\":{\"receipt\":\"MIIT\"}}","response":\#(response)}"#,
    ]

    @Test("A pair is one document, its response; the digest of the receipt ties it to others", arguments: pairs)
    func isItsResponse(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty)
        #expect(reading.documents.map { $0["kind"] } == ["verify"])
        #expect(reading.documents.map { $0["status"] } == ["0"])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"])
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
        #expect(reading.documents.map { $0["pair_key"] } == [Self.digest])
    }

    @Test("A request id is the key where there is one; the time of the log is kept")
    func prefersRequestID() {
        let reading = SignedReading(
            #"{"logged_at_ms":1772442600000,"request_id":"r-1","request":{"receipt-data":"MIIT"},"response":{"status":21007}}"#
        )
        #expect(reading.documents.map { $0["pair_key"] } == ["r-1"])
        #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-02T09:10:00.000Z"])
        #expect(reading.documents.map { $0["status"] } == ["21007"])
    }

    /// `printf '%s' "MII+/+$(printf 'A%.0s' {1..60})==" | sha256sum`
    private static let spelledDigest = "0a4b551b0988c5144d7489d01853f6f260bde15268eab90cc74e9d7cd9769074"
    static let spellings = [
        "MII+/+\(zeros)==", "MII-_-\(zeros)", "MII%2B%2F%2B\(zeros)%3D%3D", "MII / \(zeros)==", "MII+/+\(zeros)",
    ]
    private static let zeros = String(repeating: "A", count: 60)

    @Test("A receipt has the same digest in all spellings of base64", arguments: spellings)
    func digestsReceipts(_ receipt: String) {
        for request in [#"{"receipt-data":"\#(receipt)"}"#, #"{"body":{"receipt":"\#(receipt)"}}"#] {
            let reading = SignedReading(#"{"request":\#(request),"response":\#(Self.response)}"#)
            #expect(reading.documents.map { $0["pair_key"] } == [Self.spelledDigest])
        }
    }

    @Test("A request without a receipt gives no key", arguments: ["{}", #"{"body":"user=5"}"#, #""[omitted]""#])
    func hasNoKey(_ request: String) {
        let reading = SignedReading(#"{"request":\#(request),"response":{"status":21007}}"#)
        #expect(reading.documents.map { $0["pair_key"] } == [nil])
    }

    @Test("A response beside its receipt-data has the digest too")
    func readsFlatPairs() {
        let reading = SignedReading(#"{"receipt-data":"MIIT","status":21002}"#)
        #expect(reading.documents.map { $0["pair_key"] } == [Self.digest])
    }

    @Test("A request without a response is a wrapping of its receipt", arguments: ["null", #""""#])
    func unwrapsRequests(_ response: String) {
        let receipt = Unsigned.jws(#"{"transactionId":"7"}"#)
        let body = #"{"receipt-data":"\#(receipt)"}"#
        for request in [body, Unsigned.quoted(body)] {
            let reading = SignedReading(#"{"request":\#(request),"response":\#(response)}"#)
            #expect(reading.documents.map { $0["kind"] } == ["jws"])
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"])
        }
    }

    @Test("is-retryable is read in a pair", arguments: [#""is-retryable":true"#, #""is_retryable":"1""#])
    func readsRetryable(_ member: String) {
        let reading = SignedReading(#"{"request":{},"response":{"status":21105,\#(member)}}"#)
        #expect(reading.documents.map { $0["is_retryable"] } == ["true"])
    }

    static let rejected: [(String, String, String)] = [
        (#"{"request":{"receipt-data":"MIIT"},"response":"<html>"}"#, "sniff.unrecognized", "receipt-data"),
        (#"{"request":{"password":"x"},"response":"<html>"}"#, "sniff.unrecognized", ""),
        (#"{"request":{"receipt-data":"MIIT"},"response":"{\"status\":0"}"#, "document.json", "response › status"),
        (#"{"request":{"receipt-data":"MIIT"},"response":[]}"#, "receipt.type", "response"),
        (#"{"request":{"receipt-data":7},"response":{}}"#, "receipt.type", "request › receipt-data"),
        (#"{"request":{},"response":{"status":"x"}}"#, "sniff.unrecognized", ""),
        (
            #"{"request":{},"response":{"latest_receipt_info":[{"quantity":"x"}]}}"#, "receipt.integer",
            "response › latest_receipt_info[0] › quantity"
        ),
        (#"{"request":{"method":"GET"},"response":{"status":404}}"#, "sniff.unrecognized", ""),
    ]

    @Test("What is no pair of verifyReceipt is rejected with its path", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ path: String) {
        let reading = SignedReading(text)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.rejects.map(\.path) == [path])
    }

    // MARK: Renewal state of iOS 6 responses

    private static let row = #"{"transaction_id":"7","original_transaction_id":"1","product_id":"p","bid":"b"}"#

    @Test("Renewal state at the top level of an iOS 6 response is a row about its one transaction")
    func readsRenewalState() {
        let state = #""auto_renew_status":1,"auto_renew_product_id":"q","is_in_billing_retry_period":"0""#
        let reading = SignedReading(#"{"status":0,"receipt":\#(Self.row),\#(state)}"#)
        #expect(
            reading.renewals == [
                [
                    "auto_renew_status": "1", "auto_renew_product_id": "q", "is_in_billing_retry_period": "false",
                    "original_transaction_id": "1", "product_id": "p", "bundle_id": "b", "kind": "verify",
                    "trust": "unsigned", "document": "0",
                ]
            ]
        )
        #expect(SignedReading(#"{"status":21003,"receipt":\#(Self.row),\#(state)}"#).renewals.isEmpty)
        #expect(SignedReading(#"{"status":0,"receipt":\#(Self.row),"auto_renew_status":null}"#).renewals.isEmpty)
    }

    @Test("Of several transactions, the state takes only what they agree on")
    func readsRenewalStateOfMany() {
        let other = #"{"transaction_id":"8","original_transaction_id":"1","product_id":"o"}"#
        let reading = SignedReading(
            #"{"status":0,"receipt":\#(Self.row),"latest_receipt_info":\#(other),"auto_renew_status":0}"#
        )
        #expect(reading.renewals.map { $0["original_transaction_id"] } == ["1"])
        #expect(reading.renewals.map { $0["product_id"] } == [nil])
    }
}
