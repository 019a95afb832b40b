import Testing
import TillTestSupport

/// Documents whose shape a server has changed: under other members, in other spellings, merged with its own.
@Suite("Documents as servers keep them")
struct ServerShapeTests {
    private static let purchase =
        #"{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000","quantity":"1"}"#
    private static let response =
        #"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"b","in_app":[\#(purchase)]}}"#
    private static let payload =
        #""transactionId":"7","originalTransactionId":"6","productId":"p","purchaseDate":1772442600000,"#
        + #""quantity":1,"signedDate":1772442601000,"transactionReason":"RENEWAL","price":4990,"currency":"EUR","#
        + #""revocationDate":1772446200000,"revocationReason":1"#

    // MARK: A response under `receipt`

    @Test(
        "A receipt that is a whole response is that response",
        arguments: [
            #"{"receipt":\#(response)}"#, #"{"id":1,"receipt":\#(Unsigned.quoted(response))}"#,
            #"{"status":1,"environment":"Production","receipt":\#(response)}"#,
            #"{"status":"active","receipt":\#(response)}"#,
            #"{"transactionId":"9","productId":"q","purchaseDate":"2026-03-02","receipt":\#(response)}"#,
            #"{"receipt":{"environment":"Production","receipt":\#(response)}}"#,
            #"{"receipts":[{"receipt":\#(response)}],"user":7}"#,
            #"{"receipt":{"environment":"Production","data":\#(response)}}"#,
        ]
    )
    func readsResponseInReceipt(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"])
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
        #expect(reading.documents.map { $0["status"] } == ["0"])
    }

    @Test("A receipt that is a response of a failure, or beside the status of one, gives no rows")
    func refusesResponseInReceipt() {
        let failed = Self.response.replacing(#""status":0"#, with: #""status":21003"#)
        for text in [#"{"receipt":\#(failed)}"#, #"{"status":21003,"receipt":\#(Self.response)}"#] {
            let reading = SignedReading(text)
            #expect(reading.transactions.isEmpty && reading.documents.map { $0["status"] } == ["21003"], "\(text)")
        }
    }

    @Test("A receipt without purchases that holds no document stays one")
    func keepsEmptyReceipt() {
        for receipt in [
            #"{"bid":"b","bvrs":"1"}"#,
            #"{"environment":"Sandbox","user":{"id":1}}"#, #"{"bundle_id":"b","note":"a text of some words"}"#,
        ] {
            let reading = SignedReading(#"{"status":0,"receipt":\#(receipt)}"#)
            #expect(reading.codes.isEmpty && reading.documents.map { $0["status"] } == ["0"], "\(receipt)")
            #expect(reading.transactions.isEmpty, "\(receipt)")
        }
    }

    // MARK: Payloads of a JWS in lists of a response

    @Test(
        "A payload of a JWS among the purchases of a response keeps its price and its refund",
        arguments: [
            #"{"receipt":{\#(payload)}}"#, #"{"latest_receipt_info":[{\#(payload)}]}"#,
            #"{"status":0,"receipt":{"in_app":[{\#(payload)}]}}"#,
            #"{"status":0,"latest_receipt_info":{\#(payload)}}"#,
            #"{"status":0,"receipt":{"in_app":[{"node":{\#(payload)}}]}}"#,
        ]
    )
    func readsPayloadInList(_ text: String) {
        let reading = SignedReading(text)
        let row = reading.transactions.first ?? [:]
        #expect(reading.codes.isEmpty && reading.transactions.count == 1, "\(reading.rejects)")
        #expect(row["price"] == "4990" && row["currency"] == "EUR")
        #expect(row["cancellation_date"] == "2026-03-02T10:10:00.000Z" && row["cancellation_reason"] == "1")
        #expect(row["transaction_id"] == "7" && row["purchase_date"] == "2026-03-02T09:10:00.000Z")
    }

    @Test("The price of a library beside a transaction of a response is not one in thousandths")
    func leavesOtherPrices() {
        for price in ["9.99", #""$9.99""#, "9", #"{"amount":9}"#] {
            let members = Self.purchase.dropLast() + #","is_trial_period":"false","price":\#(price),"currency":"USD"}"#
            let reading = SignedReading(#"{"status":0,"receipt":{"in_app":[\#(members)]}}"#)
            #expect(reading.transactions.map { $0["price"] } == [nil], "\(reading)")
        }
    }

    // MARK: Flat notifications

    @Test(
        "A notification with the members of a transaction beside its type has that transaction",
        arguments: [
            (#"{"notificationType":"REFUND","notificationUUID":"u",\#(payload)}"#, "REFUND", "4990"),
            (#"{\#(payload),"notification_type":"REFUND","notification_uuid":"u"}"#, "REFUND", "4990"),
            (
                #"{"notification_type":"CANCEL","cancellation_date_ms":"1772446200000",\#(purchase.dropFirst())"#,
                "CANCEL", nil
            ),
        ]
    )
    func readsFlatNotification(_ text: String, _ type: String, _ price: String?) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty && reading.documents.map { $0["notification_type"] } == [type], "\(reading)")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"])
        #expect(reading.transactions.map { $0["cancellation_date"] } == ["2026-03-02T10:10:00.000Z"])
        #expect(reading.transactions.map { $0["price"] } == [price])
    }

    @Test(
        "A notification has the payload whose members have names that begin with that of the payload",
        arguments: [
            #""transactionInfoTransactionId":7,"transactionInfoProductId":"p","transactionInfoPurchaseDate":1772442600000,"#
                + #""transactionInfoEnvironment":"Sandbox","renewalInfoAutoRenewProductId":"p","renewalInfoAutoRenewStatus":1"#,
            #""transaction_info_transaction_id":"7","transaction_info_product_id":"p","transaction_info_purchase_date":"#
                + #""2026-03-02T09:10:00Z","transaction_info_environment":"Sandbox","renewal_info_auto_renew_status":1"#,
        ]
    )
    func readsPrefixedNames(_ members: String) {
        let reading = SignedReading(#"{"notificationType":"DID_RENEW","notificationUUID":"u",\#(members)}"#)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(reading)")
        #expect(reading.transactions.map { $0["purchase_date"] } == ["2026-03-02T09:10:00.000Z"])
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
        #expect(reading.renewals.map { $0["auto_renew_status"] } == ["1"])
    }

    @Test("A value of such a payload that is not what it must be makes the notification a reject")
    func rejectsPrefixedDefects() {
        let reading = SignedReading(
            #"{"notificationType":"DID_RENEW","notificationUUID":"u","transactionInfoTransactionId":7,"#
                + #""transactionInfoProductId":"p","transactionInfoPurchaseDate":1772442600}"#
        )
        #expect(reading.transactions.isEmpty && reading.codes == ["receipt.date-range"], "\(reading)")
    }

    // MARK: Spellings

    @Test(
        "Names with an acronym in capitals are known, in every format",
        arguments: [
            #"{"status":0,"receipt":{"bundleID":"b","inApp":[{"transactionID":"7","originalTransactionID":"6","#
                + #""productID":"p","purchaseDateMS":1772442600000,"webOrderLineItemID":"8"}]}}"#,
            #"{"transactionID":"7","originalTransactionID":"6","productID":"p","purchaseDate":1772442600000,"#
                + #""webOrderLineItemID":"8","bundleID":"b"}"#,
            #"{"notificationType":"DID_RENEW","bid":"b","unifiedReceipt":{"latestReceiptInfo":[{"transactionID":"7","#
                + #""originalTransactionID":"6","productID":"p","purchaseDateMS":1772442600000,"webOrderLineItemID":"8"}]}}"#,
            #"{"bundleID":"b","body":{"transactionID":"7","originalTransactionID":"6","productID":"p","#
                + #""purchaseDateMS":1772442600000,"webOrderLineItemID":"8"}}"#,
        ]
    )
    func knowsAcronyms(_ text: String) {
        let reading = SignedReading(text)
        let row = reading.transactions.first ?? [:]
        #expect(reading.codes.isEmpty && reading.transactions.count == 1, "\(reading.rejects)")
        #expect(row["transaction_id"] == "7" && row["original_transaction_id"] == "6" && row["product_id"] == "p")
        #expect(row["web_order_line_item_id"] == "8" && row["bundle_id"] == "b")
        #expect(row["purchase_date"] == "2026-03-02T09:10:00.000Z")
    }

    // MARK: Elements that are no transaction

    @Test(
        "A transaction inside an object of its own is read",
        arguments: [
            #"[{"element":\#(purchase)}]"#, #"[{"node":{"value":\#(purchase)}}]"#, #"{"item":[\#(purchase)]}"#,
            #"{"item":\#(purchase)}"#, #"{"edges":[{"__typename":"Edge","node":\#(purchase)}]}"#,
        ]
    )
    func unwrapsElements(_ list: String) {
        for text in [
            #"{"status":0,"latest_receipt_info":\#(list)}"#, #"{"status":0,"receipt":{"in_app":\#(list)}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(reading)")
        }
    }

    @Test(
        "An element without a member of a transaction is a reject",
        arguments: ["{}", #"{"a":1}"#, #"{"a":{},"b":{}}"#, #"{"quantity":1,"node":\#(purchase)}"#, #"{"a":{"b":1}}"#]
    )
    func rejectsElements(_ element: String) {
        let reading = SignedReading(#"{"status":0,"latest_receipt_info":[\#(Self.purchase),\#(element)]}"#)
        #expect(reading.codes == ["receipt.transaction"] && reading.transactions.isEmpty, "\(reading)")
        #expect(reading.rejects.map(\.path) == ["latest_receipt_info[1]"])
    }

    // MARK: Encoded receipts that Apple has refused

    @Test(
        "A status beside an encoded receipt, which allows no rows, applies to it",
        arguments: [
            #"{"receipt_data":"@","apple_status":21003}"#, #"{"code":"21003","receipt":"@","id":1}"#,
            #"{"user":{"receipt":"@"},"verify_status":21003}"#, "status=21003 receipt=@",
            #"{"latest_receipt":"@","error_code":21003}"#, #"{"token":"@","resultCode":21003}"#,
        ]
    )
    func refusesEncoded(_ text: String) {
        let reading = SignedReading(text.replacing("@", with: ReceiptDER.sample().base64))
        #expect(reading.codes.isEmpty && reading.transactions.isEmpty, "\(reading.rejects)")
        #expect(reading.documents.map { $0["status"] } == ["21003"])
        #expect(reading.documents.map { $0["kind"] } == ["verify"])
    }

    @Test(
        "Other numbers, and the status of an expired subscription, leave an encoded receipt as it is",
        arguments: ["200", "0", "1", "21006", #""ok""#]
    )
    func booksEncoded(_ status: String) {
        let reading = SignedReading(#"{"receipt_data":"\#(ReceiptDER.sample().base64)","apple_status":\#(status)}"#)
        #expect(reading.transactions.count == 2 && reading.documents.map { $0["kind"] } == ["pkcs7"], "\(reading)")
    }

    @Test("A recording that has a request twice has one verification")
    func dropsSecondRequest() {
        let request = #"{"body":{"raw":\#(Unsigned.quoted(#"{"receipt-data":"\#(ReceiptDER.sample().base64)"}"#))}}"#
        let response = #"[{"originalRequest":\#(request),"body":"{\"status\":21003}"}]"#
        let reading = SignedReading(#"{"item":[{"request":\#(request),"response":\#(response)}]}"#)
        #expect(reading.transactions.isEmpty && reading.documents.map { $0["status"] } == ["21003"], "\(reading)")
    }

    @Test("Values with their types, as Google's servers write them, are plain values")
    func readsStructs() {
        func object(_ members: String) -> String { #"{"structValue":{"fields":{\#(members)}}}"# }
        let purchase = object(
            #""transaction_id":{"stringValue":"7"},"product_id":{"stringValue":"p"},"quantity":{"numberValue":2}"#
        )
        for (status, ids) in [(0, ["7"]), (21003, [])] {
            let list = #""in_app":{"listValue":{"values":[\#(purchase)]}}"#
            let members = #""status":{"numberValue":\#(status)},"receipt":\#(object(list))"#
            for text in [object(members), "{\(members)}"] {
                let reading = SignedReading(text)
                #expect(reading.transactions.map { $0["transaction_id"] } == ids, "\(reading)")
                #expect(reading.documents.map { $0["status"] } == ["\(status)"])
            }
        }
    }

    // MARK: The host of the sandbox

    private static let old = #"{"status":0,"receipt":{"bid":"b",\#(purchase.dropFirst())}"#
    private static let url = "https://sandbox.itunes.apple.com/verifyReceipt"

    @Test(
        "An answer without an environment is of the sandbox where its address is",
        arguments: [
            #"{"url":"\#(url)","response":\#(old)}"#, #"{"request":{"url":"\#(url)"},"response":\#(old)}"#,
            #"{"url":"\#(url)",\#(old.dropFirst())"#, "POST \(url) 200 \(old)",
            #"{"log":{"entries":[{"request":{"url":"\#(url.replacing("/", with: "\\/"))","headers":[{"name":"Host","value":"#
                + #""buy.itunes.apple.com"}]},"response":{"content":{"text":\#(Unsigned.quoted(old))}}}]}}"#,
            #"{"item":[{"request":{"url":{"raw":"\#(url)"}},"response":[{"body":\#(Unsigned.quoted(old))}]}]}"#,
        ]
    )
    func knowsSandboxHost(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"], "\(reading)")
    }

    @Test("The address of another record, or of production, says nothing")
    func keepsOtherHosts() {
        let other = #"{"url":"\#(Self.url)","x":1}"#
        let production = Self.url.replacing("sandbox", with: "buy")
        for text in [
            #"{"entries":[\#(other),{"response":{"text":\#(Unsigned.quoted(Self.old))}}]}"#,
            #"{"entries":[{"request":{"url":"\#(production)"},"response":{"text":\#(Unsigned.quoted(Self.old))}}]}"#,
            #"{"a":\#(other),"b":{"url":"\#(production)","answer":{"text":\#(Unsigned.quoted(Self.old))}}}"#,
        ] {
            #expect(SignedReading(text).transactions.map { $0["environment"] } == [nil], "\(text)")
        }
    }

    // MARK: Ids

    @Test(
        "A placeholder is no id",
        arguments: [
            "[FILTERED]", "***", "2000****0011", "••••", "null", "None", "N/A", "(null)", "<redacted>", "xxxxxxxx", "-",
            "undefined", "REDACTED", "${transactionId}", "000000000", "00000000-0000-0000-0000-000000000000",
        ]
    )
    func skipsPlaceholders(_ identifier: String) {
        let members = #""productId":"p","purchaseDate":1772442600000,"signedDate":1772442601000"#
        let reading = SignedReading(#"{"transactionId":"\#(identifier)",\#(members)}"#)
        #expect(reading.transactions.map { $0["transaction_id"] } == [nil], "\(reading)")
    }

    @Test("Other texts are ids", arguments: ["id-1", "[user-1]", "xb", "A0", "007", "t", "abc"])
    func keepsTexts(_ identifier: String) {
        let reading = SignedReading(#"{"status":0,"receipt":{"in_app":[{"transaction_id":"\#(identifier)"}]}}"#)
        #expect(reading.transactions.map { $0["transaction_id"] } == [identifier])
    }

    // MARK: Other shops

    @Test(
        "A purchase of another shop is none of the App Store",
        arguments: [
            #"{"transactionId":"GPA.3300-1","productId":"p","purchaseDate":1772442600000,"price":4990,"currency":"EUR"}"#,
            #"{"transaction_id":"GPA.3300-1","product_id":"p","purchase_date":"2026-03-02 09:10:00"}"#,
            #"{"transactionId":"a.AO-J1","originalTransactionId":"GPA.3300-1","productId":"p","#
                + #""purchaseDate":"2026-03-02T09:10:00Z","transactionReason":"RENEWAL"}"#,
            #"{"transactionId":"pi_3Nabc","productId":"p","purchaseDate":"2026-03-02T09:10:00Z"}"#,
            #"{"transaction_id":"txn_01h","product_id":"p","purchase_date":"2026-03-02 09:10:00","user":7}"#,
            #"{"purchases":[{"transactionId":"GPA.1","productId":"p","purchaseDate":"2026-03-02T09:10:00Z"}]}"#,
        ]
    )
    func rejectsOtherShops(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.isEmpty && reading.codes == ["sniff.unrecognized"], "\(reading)")
    }
}
