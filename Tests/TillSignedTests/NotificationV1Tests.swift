import Testing
import TillTestSupport

/// App Store Server Notifications, version 1.
@Suite("Notifications, version 1")
struct NotificationV1Tests {
    private static let row =
        #"{"transaction_id":"7","original_transaction_id":"1","product_id":"p","bid":"b","bvrs":"3"}"#

    @Test("Quirk 60: PROD outside and Production inside are the same", arguments: ["PROD", "Production"])
    func readsProduction(_ word: String) {
        let reading = SignedReading(
            #"{"notification_type":"RENEWAL","environment":"\#(word)","latest_receipt_info":\#(Self.row)}"#
        )
        #expect(reading.documents.map { $0["environment"] } == ["production"])
        #expect(reading.transactions.map { $0["environment"] } == ["production"])
    }

    @Test(
        "Quirk 61: renewal state at the top level is one flag in three spellings",
        arguments: [("\"true\"", "1"), ("\"false\"", "0"), ("1", "1"), ("\"0\"", "0"), ("true", "1")]
    )
    func readsFlags(_ value: String, _ expected: String) {
        let reading = SignedReading(
            #"{"notification_type":"X","bid":"b","auto_renew_status":\#(value),"auto_renew_product_id":"q","#
                + #""expiration_intent":"2","latest_receipt_info":\#(Self.row),"environment":"Sandbox"}"#
        )
        #expect(
            reading.renewals == [
                [
                    "auto_renew_status": expected, "auto_renew_product_id": "q", "expiration_intent": "2",
                    "original_transaction_id": "1", "product_id": "p", "bundle_id": "b", "environment": "sandbox",
                    "kind": "notification", "trust": "unsigned", "document": "0",
                ]
            ]
        )
    }

    @Test(
        "Transactions of a receipt that failed its verification are withheld",
        arguments: ["21003", #""21007""#, "0"]
    )
    func withholdsRefused(_ status: String) {
        let reading = SignedReading(
            #"{"notification_type":"RENEWAL","bid":"b","auto_renew_status":"true","unified_receipt":"#
                + #"{"status":\#(status),"latest_receipt_info":[\#(Self.row)]}}"#
        )
        let isBooked = status == "0"
        #expect(reading.codes.isEmpty && reading.accepted == 1)
        #expect(reading.documents.map { $0["withheld"] } == [isBooked ? "0" : "1"])
        #expect(reading.transactions.count == (isBooked ? 1 : 0) && reading.renewals.isEmpty == !isBooked)
    }

    @Test("pending_renewal_info tells the state; the top level, which repeats it, is then no row of its own")
    func prefersLists() {
        let reading = SignedReading(
            #"{"notification_type":"X","auto_renew_status":"true","unified_receipt":{"pending_renewal_info":"#
                + #"[{"auto_renew_status":"0","original_transaction_id":"1"},{"auto_renew_status":"1"}]}}"#
        )
        #expect(reading.renewals.map { $0["auto_renew_status"] } == ["0", "1"])
    }

    @Test("The state at the top level is a row where the lists are about other subscriptions")
    func keepsOtherSubscription() {
        for (id, expected) in [("9", ["0", "1"]), ("10", ["1"])] {
            let reading = SignedReading(
                #"{"notification_type":"X","auto_renew_status":"false","original_transaction_id":"\#(id)","unified_receipt":"#
                    + #"{"pending_renewal_info":[{"auto_renew_status":"1","original_transaction_id":"10"}]}}"#
            )
            #expect(reading.renewals.compactMap { $0["auto_renew_status"] }.sorted() == expected)
        }
    }

    @Test("A member that is not Apple's is no sale, whatever it looks like")
    func passesOverUnknownMembers() {
        let reading = SignedReading(
            #"{"notification_type":"CANCEL","unified_receipt":{"latest_receipt_info":[{"transaction_id":"1","bid":"b"}]},"#
                + #""zz":{"transaction_id":"5","product_id":"zz","quantity":"2","purchase_date":"2020-07-14 19:36:40 Etc/GMT"}}"#
        )
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1"])
        #expect(reading.documents.map { $0["bundle_id"] } == ["b"])
    }

    @Test("A subscription that the body names is that of the renewal state")
    func readsOriginalID() {
        let reading = SignedReading(
            #"{"notification_type":"X","auto_renew_status":"true","original_transaction_id":"9"}"#
        )
        #expect(reading.renewals.map { $0["original_transaction_id"] } == ["9"])
    }

    /// Where and in which shape the transaction may stand.
    static let places = [
        #""latest_receipt_info":\#(row)"#, #""latest_receipt_info":[\#(row)]"#,
        #""latest_expired_receipt_info":\#(row)"#, #""unified_receipt":{"latest_receipt_info":\#(row)}"#,
        #""unified_receipt":{"status":0,"environment":"PROD","latest_receipt_info":[\#(row)]}"#,
        #""latest_receipt_info":[\#(row)],"unified_receipt":{"latest_receipt_info":[\#(row)]}"#,
    ]

    @Test("Quirk 62: both places, both shapes, one row per transaction id", arguments: places)
    func readsEveryPlace(_ members: String) {
        // The type comes last, after members that a verifyReceipt response has too.
        for text in [
            #"{"notification_type":"CANCEL",\#(members),"latest_receipt":"<base 64>"}"#,
            #"{"latest_receipt":"<base 64>",\#(members),"notification_type":"CANCEL"}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.codes.isEmpty, "\(text)")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(text)")
            #expect(reading.transactions.map { $0["observed_at"] } == [nil])
            let document = reading.documents.first ?? [:]
            #expect(document["kind"] == "notification" && document["notification_type"] == "CANCEL")
            #expect(document["bundle_id"] == "b" && document["app_version"] == "3" && document["observed_at"] == nil)
        }
    }

    private static let receipt = ReceiptDER.sample().base64

    /// The members of a notification whose transactions stand in a receipt only.
    static let receipts = [
        #""latest_receipt":"\#(receipt)""#, #""latest_expired_receipt":"\#(receipt)""#,
        #""unified_receipt":{"latest_receipt":"\#(receipt)"}"#,
        #""unified_receipt":{"status":0,"environment":"PROD","latest_receipt":"\#(receipt)"}"#,
        #""latest_receipt":"\#(receipt)","latest_receipt_info":[]"#,
        #""latest_receipt":"\u004D\#(receipt.dropFirst())""#,
    ]

    @Test("A notification that holds only a receipt has its rows, and stays a notification", arguments: receipts)
    func decodesReceipts(_ members: String) {
        for text in [
            #"{"notification_type":"CANCEL",\#(members),"environment":"PROD","auto_renew_status":"true"}"#,
            #"{"auto_renew_status":"true","environment":"PROD",\#(members),"notification_type":"CANCEL"}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.codes.isEmpty && reading.accepted == 1, "\(text)")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100", "101"], "\(text)")
            #expect(
                reading.transactions.allSatisfy { $0["kind"] == "notification" && $0["environment"] == "production" }
            )
            #expect(reading.transactions.allSatisfy { $0["observed_at"] == "2026-03-02T10:15:00.000Z" })
            #expect(
                reading.renewals.map { $0["auto_renew_status"] } == ["1"] && reading.renewals[0]["bundle_id"] != nil
            )
            let document = reading.documents.first ?? [:]
            #expect(document["kind"] == "notification" && document["notification_type"] == "CANCEL")
            #expect(document["bundle_id"] == "com.example.app" && document["transactions"] == "2")
            #expect(document["trust"] == "unsigned" && document["observed_at"] == nil)
        }
    }

    @Test("A receipt beside a list of transactions is not decoded, and a broken receipt alone is a reject")
    func decodesReceiptsOnce() {
        let listed = SignedReading(
            #"{"notification_type":"X","latest_receipt":"\#(Self.receipt)","latest_receipt_info":[\#(Self.row)]}"#
        )
        #expect(listed.accepted == 1 && listed.transactions.map { $0["transaction_id"] } == ["7"])
        let broken = SignedReading(#"{"notification_type":"X","latest_receipt":"\#(Self.receipt.dropLast(40))"}"#)
        #expect(broken.codes == ["ber.truncated"] && broken.rejects.map(\.path) == ["latest_receipt"])
        #expect(broken.documents.isEmpty && broken.transactions.isEmpty && broken.renewals.isEmpty)
        let state = SignedReading(
            #"{"notification_type":"X","unified_receipt":{"latest_receipt":"\#(Self.receipt)","pending_renewal_info":"#
                + #"[{"auto_renew_status":"0","original_transaction_id":"1"}]}}"#
        )
        #expect(state.transactions.count == 2 && state.renewals.map { $0["original_transaction_id"] } == ["1"])
    }

    @Test("Quirk 63: the shared secret never becomes a text of the rows, nor part of a reject")
    func dropsPassword() {
        let secret = "0123456789abcdef0123456789abcdef"
        for text in [
            #"{"password":"\#(secret)","notification_type":"X","latest_receipt_info":\#(Self.row)}"#,
            #"{"notification_type":"X","password":{"a":["\#(secret)"]},"unified_receipt":7}"#,
            #"{"request":{"receipt-data":"MIIT","password":"\#(secret)"},"response":{"status":21004}}"#,
            #"{"request":"{\"password\":\"\#(secret)\",\"receipt-data\":\"MIIT\"}","response":{"status":21004}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(!reading.texts.contains { $0.contains(secret) })
            #expect(!reading.rejects.contains { $0.path.contains(secret) })
        }
    }

    @Test(
        "A member of another type is rejected with its path",
        arguments: [
            (#"{"notification_type":"X","unified_receipt":7}"#, "receipt.type", "unified_receipt"),
            (
                #"{"unified_receipt":{"latest_receipt_info":[{"quantity":1},{"quantity":"x"}]},"notification_type":"X"}"#,
                "receipt.integer", "unified_receipt › latest_receipt_info[1] › quantity"
            ),
            (
                #"{"latest_receipt_info":{"purchase_date_ms":"x"},"notification_type":"X"}"#, "receipt.date",
                "latest_receipt_info[0] › purchase_date_ms"
            ),
        ]
    )
    func rejects(_ text: String, _ code: String, _ path: String) {
        let reading = SignedReading(text)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.rejects.map(\.path) == [path])
        #expect(reading.documents.isEmpty && reading.transactions.isEmpty)
    }
}
