import Testing
import TillInput
import TillReceipts

/// JSON that only wraps a receipt.
@Suite("Wrappings")
struct WrapperTests {
    private static let jws = Unsigned.jws(#"{"transactionId":"7"}"#)
    private static let response = #"{"status":0,"latest_receipt_info":[{"transaction_id":"7"}]}"#

    static let wrappings: [(String, String)] = [
        ("Unity", #"{"Store":"AppleAppStore","TransactionID":"7","Payload":"\#(jws)"}"#),
        ("Unity, payload first", #"{"Payload":"\#(jws)","Store":"AppleAppStore","TransactionID":"7"}"#),
        ("an app's record", #"{"productId":"p","transactionId":"9","transactionReceipt":"\#(jws)"}"#),
        ("an app's record, receipt first", #"{"transactionReceipt":"\#(jws)","transactionDate":1}"#),
        ("latest_receipt alone", #"{"latest_receipt":"\#(jws)"}"#),
        ("receipt as a string", #"{"receipt":"\#(jws)"}"#),
        ("a string of JSON", Unsigned.quoted(response)),
        ("a string of a string of JSON", Unsigned.quoted(Unsigned.quoted(response))),
        ("recorded traffic", #"{"headers":{"a":"b"},"code":200,"body":\#(Unsigned.quoted(response))}"#),
        ("a web server's answer", #"{"status":200,"headers":{"a":"b"},"body":\#(Unsigned.quoted(response))}"#),
        ("a status of their own", #"{"user":1,"status":0,"receipt-data":"\#(jws)"}"#),
        ("a status in words", #"{"id":1,"status":"active","receipt":"\#(jws)"}"#),
        ("a status and a receipt of any name", #"{"status":1,"order":5,"proof":"\#(jws)"}"#),
        ("a response in an object", #"{"_id":"x","user":{"name":"y"},"data":\#(response)}"#),
        ("a response under receipt", #"{"_id":"x","receipt":\#(response)}"#),
        ("a request in an object in an object", #"{"http":{"path":"/","body":{"receipt-data":"\#(jws)"}}}"#),
        ("base64 of JSON", Unsigned.segment(Array(response.utf8))),
        ("a reject", reject(of: response, encoding: "utf8")),
        ("a reject in base64", reject(of: base64(response), encoding: "base64")),
        ("a reject of a JWS", reject(of: jws, encoding: "utf8")),
        ("a reject of a reject", reject(of: reject(of: response, encoding: "utf8"), encoding: "utf8")),
    ]

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    /// A line of `--rejects`.
    private static func reject(of raw: String, encoding: String) -> String {
        #"{"source":"a.ndjson","document":3,"line":3,"offset":99,"length":\#(raw.utf8.count),"code":"receipt.date","#
            + #""reason":"a value that is not a date","path":"in_app[0]","inner_offset":7,"kind":"verify","raw":"#
            + #"\#(Unsigned.quoted(raw)),"raw_encoding":"\#(encoding)"}"#
    }

    @Test("Quirk 7: a document that only wraps another is unwrapped", arguments: wrappings)
    func isUnwrapped(_ what: String, _ text: String) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty, "\(what): \(reading.rejects)")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(what)")
        #expect(reading.documents.count == 1, "\(what)")
    }

    /// Members of one object that tell of different kinds of documents, and the kind that it is.
    static let mixed: [([String], String)] = [
        ([#""status":200"#, #""signedPayload":"\#(Unsigned.jws(#"{"notificationType":"TEST"}"#))""#], "notification"),
        ([#""event":"purchase""#, #""receipt-data":"\#(jws)""#], "jws"),
        ([#""transactionId":"9""#, #""productId":"p""#, #""receipt":"\#(jws)""#], "jws"),
        ([#""status":0"#, #""event":"purchased""#, #""quantity":1"#], ""),
        ([#""event":"DID_RENEW""#, #""notification_type":"DID_RENEW""#, #""environment":"PROD""#], "notification"),
        ([#""transactionId":"9""#, #""event":"purchased""#, #""product_id":"p""#], ""),
    ]

    @Test("What an object is does not depend on the order of its members", arguments: mixed)
    func hasNoOrder(_ members: [String], _ kind: String) {
        for members in [members, members.reversed()] {
            let reading = SignedReading("{\(members.joined(separator: ","))}")
            #expect(reading.codes.isEmpty, "\(members)")
            #expect(reading.documents.compactMap { $0["kind"] } == (kind.isEmpty ? [] : [kind]), "\(members)")
            #expect(reading.accepted == 1 && reading.transactions.allSatisfy { $0["transaction_id"] == "7" })
        }
    }

    /// A value for each member that tells a format, as documents have it.
    private static let values: [String: String] = [
        "status": "0", "receipt": #"{"bundle_id":"b","in_app":[{"transaction_id":"7"}]}"#,
        "latest_receipt_info": #"[{"transaction_id":"7"}]"#,
        "latest_expired_receipt_info": #"[{"transaction_id":"7"}]"#,
        "latest_receipt": #""\#(jws)""#, "pending_renewal_info": #"[{"original_transaction_id":"7"}]"#,
        "receipt-data": #""\#(jws)""#, "receipt_data": #""\#(jws)""#, "request": #"{"receipt-data":"\#(jws)"}"#,
        "response": #"{"status":21003}"#, "event": #""purchased""#, "unified_receipt": #"{"status":21003}"#,
        "signedPayload": #""\#(Unsigned.jws(#"{"notificationType":"TEST"}"#))""#, "notificationType": #""TEST""#,
        "notification_type": #""RENEWAL""#, "notificationUUID": #""u""#, "auto_renew_adam_id": #""1""#,
        "transactionId": #""7""#, "originalTransactionId": #""7""#, "webOrderLineItemId": #""7""#, "productId": #""p""#,
        "purchaseDate": "1600000000000", "originalPurchaseDate": "1600000000000", "inAppOwnershipType": #""PURCHASED""#,
        "autoRenewProductId": #""p""#, "autoRenewStatus": "1", "renewalDate": "1600000000000",
        "receiptType": #""Production""#, "applicationVersion": #""1""#, "originalApplicationVersion": #""1""#,
        "receiptCreationDate": "1600000000000", "appTransactionId": #""7""#, "in_app": #"[{"transaction_id":"7"}]"#,
        "purchase_date_ms": #""1600000000000""#, "purchase_date": #""2020-09-13 12:26:40 Etc/GMT""#,
        "transaction_id": #""7""#,
    ]

    @Test("Of every two members that tell a format, either order tells the same")
    func everyTwoMembers() throws {
        let keys = ReceiptFormatRegistry.all.flatMap { $0.jsonKeys }
        // What beside an event or a payload is half of a pair and what is something else, nothing says.
        let halves: Set = ["request", "response"]
        for (index, first) in keys.enumerated() {
            for second in keys[(index + 1)...] where halves.isDisjoint(with: [first, second]) {
                // No body is of both versions of notifications.
                if Set([first, second]) == ["notificationType", "notification_type"] { continue }
                let members = try [first, second].map { "\"\($0)\":\(try #require(Self.values[$0]))" }
                let readings = [members, members.reversed()].map { SignedReading("{\($0.joined(separator: ","))}") }
                #expect(readings[0].documents == readings[1].documents, "\(first), \(second)")
                #expect(readings[0].transactions == readings[1].transactions, "\(first), \(second)")
                #expect(readings[0].events == readings[1].events && readings[0].codes == readings[1].codes)
            }
        }
    }

    @Test("A status that is not Apple's makes no response of what has other members")
    func isNoResponse() {
        let reading = SignedReading(#"{"time":"2026-01-01T00:00:00Z","status":404,"method":"GET","path":"/x"}"#)
        #expect(reading.codes == ["sniff.unrecognized"] && reading.documents.isEmpty)
    }

    @Test("Quirk 7: a latest_receipt beside decoded rows is not counted")
    func passesOverLatestReceipt() {
        for text in [
            #"{"latest_receipt":"\#(Self.jws)","status":0,"latest_receipt_info":[]}"#,
            #"{"latest_receipt":"\#(Self.jws)","receipt":{"in_app":[]}}"#,
        ] {
            #expect(SignedReading(text).accepted == 1)
            #expect(SignedReading(text).transactions.isEmpty)
        }
    }

    static let rejected: [(String, String, String)] = [
        (#"{"a":"b"}"#, "sniff.unrecognized", ""),
        (#"{"Store":"AppleAppStore","Payload":"ThisIsNo*receipt"}"#, "base64.character", "Payload"),
        (#"{"Store":"GooglePlay","Payload":"{\"json\":\"{}\"}"}"#, "sniff.unrecognized", "Payload"),
        (#"{"body":"{\"status\":\"x\"}"}"#, "sniff.unrecognized", "body"),
        (reject(of: "<html>", encoding: "utf8"), "sniff.unrecognized", ""),
        (reject(of: "MIIT*", encoding: "utf8"), "base64.character", ""),
    ]

    @Test("What is wrapped and cannot be read is rejected with the way to it", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ path: String) {
        let reading = SignedReading(text)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.rejects.map(\.path) == [path])
    }

    @Test("Wrappings have a limit, and its code names it")
    func isLimited() {
        var text = Self.response
        for _ in 0...DocumentReader.wrapLimit { text = Unsigned.quoted(text) }
        #expect(SignedReading(text).codes == ["document.depth"])
    }

    @Test(
        "A string or line that is no document has one code, at first and when its reject is read",
        arguments: [
            #""a""#, #""hello, world""#, "hello, world",
        ]
    )
    func keepsCodes(_ text: String) {
        #expect(SignedReading(text).codes == ["sniff.unrecognized"])
        #expect(SignedReading(Self.reject(of: text, encoding: "utf8")).codes == ["sniff.unrecognized"])
    }

    @Test("The path of a reject is never that of the document before it")
    func forgetsPaths() {
        let reading = SignedReading(Unsigned.jws(#"{"transactionId":"7","quantity":"x"}"#) + "\neyJhIjoxfQ.e30\n")
        #expect(reading.rejects.map(\.path) == ["quantity", ""])
    }
}
