import Foundation
import Testing
import TillInput
import TillReceipts
import TillTestSupport

/// Documents inside the records, messages and log lines in which teams keep them (the page Formats).
@Suite("Envelopes")
struct EnvelopeTests {
    private static let transaction =
        #"{"transactionId":"7","originalTransactionId":"7","productId":"p","bundleId":"b","purchaseDate":1772442600000}"#
    private static let jws = Unsigned.jws(transaction)
    private static let other = Unsigned.jws(transaction.replacing("7", with: "8"))
    private static let list =
        #"[{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000","quantity":"1"}]"#
    private static let response = #"{"status":0,"receipt":{"bundle_id":"b","in_app":\#(list)}}"#
    private static let notification = Unsigned.jws(
        #"{"notificationType":"DID_RENEW","notificationUUID":"u","data":{"bundleId":"b","signedTransactionInfo":"\#(jws)"}}"#
    )
    /// A token for the App Store Server API, which is a JWS too.
    private static let token = Unsigned.jws(#"{"iss":"x","iat":1,"exp":2,"aud":"appstoreconnect-v1","bid":"b"}"#)
    private static let receipt = ReceiptDER.sample().base64

    private static let spaced = response.replacing(",", with: ", ").replacing(":", with: ": ")

    private static func percentEncoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    private static func quoted(_ text: String) -> String { Unsigned.quoted(text) }

    private static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }

    // MARK: By hand

    /// What it is, the text, and the ids of its transactions, by document.
    static let envelopes: [(String, String, [[String]])] = [
        ("signed beside decoded", #"{"notificationType":"DID_RENEW","signedPayload":"\#(notification)"}"#, [["7"]]),
        ("a record of a shop", #"{"transactionId":"1","productId":"q","verificationResultIOS":"\#(jws)"}"#, [["7"]]),
        ("a purchase token", #"{"productId":"q","purchaseToken":"\#(jws)"}"#, [["7"]]),
        ("OrderLookup", #"{"status":0,"signedTransactions":["\#(jws)","\#(other)"]}"#, [["7"], ["8"]]),
        (
            "History", #"{"revision":"r","bundleId":"b","signedTransactions":["\#(jws)","\#(other)"],"hasMore":false}"#,
            [["7"], ["8"]]
        ),
        (
            "SubscriptionStatuses",
            #"{"data":[{"lastTransactions":[{"originalTransactionId":"7","status":1,"signedTransactionInfo":"\#(jws)"}]}]}"#,
            [["7"]]
        ),
        ("NotificationHistory", #"{"notificationHistory":[{"signedPayload":"\#(notification)"}]}"#, [["7"]]),
        ("TransactionInfo", #"{"signedTransactionInfo":"\#(jws)"}"#, [["7"]]),
        (
            "V2 with an object", #"{"notificationType":"DID_RENEW","data":{"signedTransactionInfo":\#(transaction)}}"#,
            [["7"]]
        ),
        ("V2 with a sibling", #"{"notificationType":"DID_RENEW","data":{},"transaction":\#(transaction)}"#, [["7"]]),
        ("V2 with JSON text", #"{"notificationType":"DID_RENEW","data":{"t":\#(quoted(transaction))}}"#, [["7"]]),
        ("the other spelling", #"{"status":0,"latestReceiptInfo":\#(list)}"#, [["7"]]),
        ("the other spelling, signed", #"{"signed_payload":"\#(notification)"}"#, [["7"]]),
        ("no status", #"{"latest_receipt_info":\#(list)}"#, [["7"]]),
        ("a receipt alone", #"{"bundle_id":"b","in_app":\#(list)}"#, [["7"]]),
        ("transactions in a list", list, [["7"]]),
        ("SQS", #"{"Records":[{"body":\#(quoted(#"{"signedPayload":"\#(notification)"}"#))}]}"#, [["7"]]),
        ("Kinesis", #"{"Records":[{"kinesis":{"data":"\#(base64(response))"}}]}"#, [["7"]]),
        ("a form", "receipt-data=\(jws)&password=x", [["7"]]),
        (
            "a form in a member", #"{"body":"receipt-data=\#(receipt.replacing("+", with: "%2B"))&a=b"}"#,
            [["100", "101"]]
        ),
        ("a data URI", #"{"a":"data:application/json;base64,\#(base64(response))"}"#, [["7"]]),
        ("escaped twice", #"{"a":\#(quoted(response.replacing("\"", with: "\\\"")))}"#, [["7"]]),
        ("syslog", "Mar  2 10:15:00 host app[12]: received \(response)", [["7"]]),
        ("a level", "[INFO] ASN received: {\"signedPayload\":\"\(notification)\"}", [["7"]]),
        ("a script", "const x = \(response);", [["7"]]),
        ("logfmt", "level=info body=\(quoted(response))", [["7"]]),
        ("a JWS amid text", "got \(jws) from the app", [["7"]]),
        ("two in a line", "first \(jws) second \(other)", [["7"], ["8"]]),
        (
            "MongoDB", #"{"_id":{"$oid":"a"},"status":{"$numberInt":"0"},"latest_receipt_info":\#(list)}"#, [["7"]]
        ),
        (
            "DynamoDB",
            #"{"Item":{"status":{"N":"0"},"receipt":{"M":{"in_app":{"L":[{"M":{"transaction_id":{"S":"7"}}}]}}}}}"#,
            [["7"]]
        ),
        ("Firestore", #"{"fields":{"jws":{"stringValue":"\#(jws)"}}}"#, [["7"]]),
        (
            "a request and its response",
            #"{"request":{"headers":{"Authorization":"Bearer \#(token)"},"body":"receipt-data=\#(receipt)"},"#
                + #""response":{"status":200,"body":\#(quoted(response))}}"#,
            [["7"]]
        ),
        ("nginx", #"1.2.3.4 - "POST /asn HTTP/1.1" 200 "\#(response.replacing("\"", with: "\\x22"))" "curl""#, [["7"]]),
        ("nginx, a string in it", "1 \(quoted(#"{"a":\#(quoted(response))}"#).nginx)", [["7"]]),
        ("nginx, UTF-8", #"{\x22a\x22:\x22\xC3\xA9\x22,\x22jws\x22:\x22\#(jws)\x22}"#, [["7"]]),
        ("a script that was made safe", "x = '\(response.replacing("\"", with: "\\u0022"))'", [["7"]]),
        ("HTML", "<pre>\(response.replacing("\"", with: "&quot;"))</pre>", [["7"]]),
        ("HTML, by number", "<p>\(response.replacing("\"", with: "&#34;"))</p>", [["7"]]),
        ("escaped alone", response.replacing("\"", with: "\\\""), [["7"]]),
        ("a form with a receipt", "receipt-data=\(receipt)&password=x", [["100", "101"]]),
        ("a query", "GET /cb?id=1&payload=\(percentEncoded(response)) HTTP/1.1", [["7"]]),
        ("a query with spaces", #"{"q":"a=b&c=\#(percentEncoded(spaced).replacing("%20", with: "+"))"}"#, [["7"]]),
        (
            "a query with a receipt", "GET /cb?receipt=\(receipt.replacing("=", with: "%3D"))&b=c HTTP/1.1",
            [["100", "101"]]
        ),
        ("delimited text without a header", "1,\"\(response.replacing("\"", with: "\"\""))\",x", [["7"]]),
        ("COPY", "1\t\(#"{"a":\#(quoted(response))}"#.replacing("\\", with: "\\\\"))\t\\N", [["7"]]),
        ("INSERT", "INSERT INTO r VALUES (1,'\(response.replacing("\"", with: "\\\""))');", [["7"]]),
        ("base64 amid text", "payload=\(base64(response)) status=ok", [["7"]]),
        ("server-sent events", "data: \(response)", [["7"]]),
        ("bytes", #"{"MESSAGE":[\#(response.utf8.map { "\($0)" }.joined(separator: ", "))]}"#, [["7"]]),
        (
            "a buffer",
            #"{"type":"Buffer","data":[\#(ReceiptDER.sample().der.map { "\($0)" }.joined(separator: ","))]}"#,
            [["100", "101"]]
        ),
        ("base64 of a form", base64("receipt-data=\(receipt)&password=x"), [["100", "101"]]),
        ("base64 of a line", base64("2026-03-02 INFO \(response)"), [["7"]]),
        ("a number before a document", "[214] received \(response)", [["7"]]),
        (
            "two in a member", #"{"a":\#(quoted("\(response) then {\"signedPayload\":\"\(notification)\"}"))}"#,
            [["7"], ["7"]]
        ),
        ("a JWS and its copy", #"{"jws":"\#(jws)","json":\#(transaction)}"#, [["7"]]),
        (
            "a purchase of Flutter",
            #"{"verificationData":{"localVerificationData":\#(quoted(transaction)),"serverVerificationData":"\#(jws)"}}"#,
            [["7"]]
        ),
        (
            "a notification and its copy",
            #"{"raw":"\#(notification)","decoded":{"notificationType":"DID_RENEW","notificationUUID":"u","data":{"signedTransactionInfo":"\#(jws)"}}}"#,
            [["7"]]
        ),
        ("a JWS beside another transaction", #"{"jws":"\#(other)","json":\#(transaction)}"#, [["8"], ["7"]]),
        ("a receipt and its response", #"{"b64":"\#(receipt)","verification":\#(response)}"#, [["7"]]),
    ]

    @Test("A purchase without an id beside the renewal info of its subscription is no copy of it")
    func keepsPurchasesBesideRenewals() {
        let renewal = #"{"originalTransactionId":"7","autoRenewProductId":"p","productId":"p","autoRenewStatus":1}"#
        let purchase = #"{"originalTransactionId":"7","productId":"p","bundleId":"b","purchaseDate":1772442600000}"#
        let kept = SignedReading(#"{"jws":"\#(Unsigned.jws(renewal))","json":\#(purchase)}"#)
        #expect(kept.accepted == 2 && kept.transactions.count == 1)
        let copy = SignedReading(#"{"jws":"\#(Unsigned.jws(renewal))","json":\#(renewal)}"#)
        #expect(copy.accepted == 1)
    }

    @Test("Documents are found wherever they stand, each once", arguments: envelopes)
    func finds(_ what: String, _ text: String, _ identifiers: [[String]]) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty, "\(what): \(reading.rejects)")
        let found = Dictionary(grouping: reading.transactions) { $0["document"] ?? "" }
            .sorted { $0.key < $1.key }.map { $0.value.compactMap { $0["transaction_id"] } }
        #expect(found == identifiers, "\(what)")
        #expect(reading.accepted == identifiers.count, "\(what)")
    }

    @Test(
        "What only looks like a document is none, and the reject is the text as it came",
        arguments: [
            #"{"transactionId":"abc","amount":12}"#,
            #"{"transactionId":"1","productId":"p","price":5,"currency":"USD"}"#,
            #"{"event":"page_view"}"#, #"{"event":"page_view","product_id":"p"}"#,
            #"{"event":"failed","job":"backup"}"#,
            #"{"event":{"name":"failed"},"product_id":"p"}"#, #"{"notification_type":"email","to":"a@b"}"#,
            #"{"notificationType":"push","data":{"id":1}}"#, #"{"status":0}"#, #"{"status":0,"message":"ok"}"#,
            #"{"status":"purchased"}"#, #"{"productId":"p"}"#, #"{"applicationVersion":"1","os":"linux"}"#,
            #"{"operation":"MODIFY_SUBSCRIPTION","transactionId":"1","storefront":"USA","currency":"USD"}"#,
            #"{"request":{"method":"GET"},"response":{"status":200,"body":"ok"}}"#,
            #"{"request":"GET /","response":"<html>"}"#, "Authorization: Bearer \(token)", #"{"token":"\#(token)"}"#,
            #"{"transaction_id":"1","product_id":"p"}"#, #"{"product_id":"p","purchase_date":"2026-03-02"}"#,
            "X-MIME-Version: 1.0 {not json} eyJust.a.word MII", #"{"a":"data:text/plain,hello"}"#,
            "a=b&c=d&receipt=none", #"1.2.3.4 "{\x22hello\x22:1}""#, "GET /?a=%7B%22b%22%3A1%7D",
            "<p>{&quot;a&quot;:1}</p>",
            #"1,"{""a"":1}",x"#, #"{"a":[1,2,3,4,5,6,7,8,9,10,11,12]}"#, "data: hello, world", #"a {\x22status\x22:0}"#,
        ]
    )
    func refuses(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.codes == ["sniff.unrecognized"] && reading.accepted == 0)
        #expect(reading.rejects.map(\.raw) == [Array(text.utf8)])
    }

    /// A document, what the reason names as taken off, and the way to it.
    static let opened: [(String, String?, String)] = [
        (
            #"{"Message":\#(quoted(#"{"a":{"b":"\#(base64(#"{"c":1234567}"#))"}}"#))}"#,
            "JSON string › JSON object › base64 › JSON object", "Message › a › b"
        ),
        (#"{"list":[{"x":1},{"y":"data:text/plain,hello"}]}"#, "data URI", "list › [1] › y"),
        (#"{"body":"user=somebody-else&name=somebody-else"}"#, "form", "body"),
        ("2026-03-02T10:15:00Z stdout F {\"hello\":\"world\"}", "text › JSON object", ""),
        (#"{"a":"hello world, this is text"}"#, nil, ""), (#"{"id":"abcdefghijklmnop"}"#, nil, ""),
    ]

    @Test("A reject says what was taken off in vain, and what was looked for", arguments: opened)
    func namesLayers(_ text: String, _ layers: String?, _ path: String) {
        let reading = SignedReading(text)
        #expect(reading.codes == ["sniff.unrecognized"])
        #expect(reading.rejects.map(\.path) == [path])
        let reason = layers.map {
            "no receipt in it: \($0) was opened; looked for a receipt, a JWS, a verifyReceipt response, a notification or an event"
        }
        #expect(
            reading.rejects.map(\.reason) == [reason ?? "this is not a receipt, response or event that tillroll knows"]
        )
    }

    @Test(
        "Values with their type are read wherever the document stands",
        arguments: [
            #"{"hits":[{"_source":{"receipt":{"M":{"in_app":{"L":[{"M":{"transaction_id":{"S":"7"}}}]}}}}}]}"#,
            #"{"doc":{"latest_receipt_info":\#(list),"status":{"$numberInt":"0"}}}"#,
            #"{"doc":{"receipt":{"in_app":[{"transaction_id":{"$numberLong":"7"},"product_id":"p"}]},"_id":{"$oid":"a"}}}"#,
        ]
    )
    func readsTypedValues(_ text: String) {
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(reading.rejects)")
    }

    @Test(
        "An answer of Apple's server that lists nothing is a document without rows",
        arguments: [
            (#"{"signedTransactions":[],"revision":"","hasMore":false}"#, "jws", nil),
            (#"{"status":1,"signedTransactions":[]}"#, "jws", nil),
            (#"{"bundleId":"b","environment":"Sandbox","hasMore":false,"signedTransactions":[ ]}"#, "jws", "sandbox"),
            (#"{"environment":"Production","bundleId":"b","appAppleId":1,"data":[]}"#, "jws", "production"),
            (#"{"notificationHistory":[],"hasMore":false}"#, "notification", nil),
        ] as [(String, String, String?)]
    )
    func acceptsEmptyAnswers(_ text: String, _ kind: String, _ environment: String?) {
        let reading = SignedReading(text + "\n" + text)
        #expect(reading.accepted == 2 && reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.documents.map { $0["kind"] } == [kind, kind])
        #expect(reading.documents.map { $0["environment"] } == [environment, environment])
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty)
    }

    @Test(
        "An answer that lists nothing is the same document inside another object, a string or a line",
        arguments: [
            (#"{"signedTransactions":[],"revision":"","hasMore":false}"#, "jws", nil),
            (#"{"status":200,"signedTransactions":[]}"#, "jws", nil),
            (#"{"environment":"Sandbox","bundleId":"b","data":[ ]}"#, "jws", "sandbox"),
            (#"{"notificationHistory":[],"hasMore":false}"#, "notification", nil),
        ] as [(String, String, String?)]
    )
    func acceptsEmptyAnswersInside(_ answer: String, _ kind: String, _ environment: String?) {
        let time = #""ts":"2026-03-02T10:15:00Z""#
        for text in [
            #"{\#(time),"response":\#(answer)}"#, #"{\#(time),"a":{"status":200,"body":\#(Self.quoted(answer))}}"#,
            #"{\#(time),"list":[\#(answer)]}"#, "2026-03-02T10:15:00Z GET /inApps/v2 \(answer)",
            #"{\#(time),"a":\#(Self.quoted(#"{"b":\#(Self.quoted(answer))}"#))}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(text): \(reading.rejects)")
            #expect(reading.documents.map { $0["kind"] } == [kind] && reading.transactions.isEmpty, "\(text)")
            #expect(reading.documents.map { $0["environment"] } == [environment], "\(text)")
            #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-02T10:15:00.000Z"], "\(text)")
            for cut in [1, text.utf8.count / 2, text.utf8.count - 1] {
                let cutReading = SignedReading(Array(text.utf8), cutAt: cut)
                #expect(cutReading.documents == reading.documents && cutReading.codes.isEmpty, "\(text) at \(cut)")
            }
        }
        let list = SignedReading(#"{"list":[\#(answer),\#(answer),{"signedPayload":"\#(Self.notification)"}]}"#)
        #expect(list.accepted == 3 && list.codes.isEmpty && list.transactions.count == 1)
    }

    @Test(
        "Other objects with empty lists are no documents inside a line of a log",
        arguments: [
            #"{"data":[]}"#, #"{"environment":"production","bundleId":"b","data":[]}"#,
            #"{"environment":"PRODUCTION","bundleId":"b","data":[]}"#, #"{"environment":"Production","data":[]}"#,
            #"{"environment":"Production","bundleId":"b","data":[1]}"#, #"{"transactions":[],"hasMore":false}"#,
            #"{"signedTransactions":[1]}"#, #"{"signedTransactions":{}}"#, #"{"signed_transactions":[]}"#,
        ]
    )
    func rejectsOtherListsInside(_ object: String) {
        for text in [#"{"level":"info","context":\#(object)}"#, #"{"level":"info","context":\#(Self.quoted(object))}"#]
        {
            #expect(SignedReading(text).codes == ["sniff.unrecognized"], "\(text)")
        }
        // The other documents of the object are the same with it and without it.
        let event = #"{"v":1,"ts":"2026-03-02T10:15:00Z","event":"purchased","product_id":"p","x":\#(object)}"#
        let reading = SignedReading(event)
        #expect(reading.accepted == 1 && reading.events.count == 1 && reading.documents.isEmpty)
    }

    @Test(
        "Other empty lists are no such answer",
        arguments: [
            #"{"data":[]}"#, #"{"data":[],"bundleId":"b"}"#, #"{"signedTransactions":null}"#, #"{"transactions":[]}"#,
            #"{"signedTransactions":["x"]}"#, #"{"environment":"staging","bundleId":"b","data":[]}"#,
        ]
    )
    func rejectsOtherLists(_ text: String) {
        #expect(SignedReading(text).codes == ["sniff.unrecognized"])
    }

    @Test("What an envelope tells of time, environment and app is that of its documents, unless they tell it")
    func inherits() {
        let payload = Unsigned.jws(#"{"transactionId":"7","originalTransactionId":"7"}"#)
        let reading = SignedReading(
            #"{"environment":"Sandbox","bundleId":"b","items":[{"timestamp":1772442600000,"a":["\#(payload)"]},"#
                + #"{"a":["\#(Unsigned.jws(#"{"transactionId":"8","bundleId":"c","environment":"Production"}"#))"]}]}"#
        )
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox", "production"])
        #expect(reading.transactions.map { $0["bundle_id"] } == ["b", "c"])
        #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-02T09:10:00.000Z", nil])
    }

    @Test("What an object says holds for the documents in it, however many objects that are none are around them")
    func fillsInnerDocuments() {
        // The shape of an answer about the status of subscriptions, its payloads decoded.
        let transaction =
            #"{"transactionId":"1","productId":"p","purchaseDate":1772442600000,"signedDate":1772442600000}"#
        let renewal = #"{"originalTransactionId":"1","productId":"p","autoRenewProductId":"p","autoRenewStatus":1}"#
        let last = #"{"originalTransactionId":"1","status":1,"transaction":\#(transaction),"renewal":\#(renewal)}"#
        let reading = SignedReading(
            #"{"environment":"Sandbox","bundleId":"b","data":[{"lastTransactions":[\#(last)]}]}"#
        )
        for rows in [reading.transactions, reading.renewals, reading.documents] {
            #expect(!rows.isEmpty && rows.allSatisfy { $0["environment"] == "sandbox" && $0["bundle_id"] == "b" })
        }
    }

    @Test("A JWS beside the receipt of an old transaction is a document, and one under two names is one")
    func readsSignedBesideReceipts() {
        let jws = Unsigned.jws(#"{"transactionId":"8","productId":"p","signedDate":1772442600000}"#)
        let receipt = #"{\"purchase-info\" = \"eyAicHJvZHVjdC1pZCIgPSAicCI7IH0=\";}"#
        let reading = SignedReading(
            #"{"transactionId":"7","productId":"p","transactionReceipt":"\#(receipt)","verificationResult":"\#(jws)","jws":"\#(jws)"}"#
        )
        #expect(reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.documents.map { $0["kind"] } == ["legacy", "jws"])
    }

    @Test("The certificates of a JWS that was taken apart are no documents")
    func passesCertificatesOver() {
        let payload = #"{"transactionId":"1","productId":"p","purchaseDate":1772442600000,"signedDate":1772442600000}"#
        // `30 82 01 00 30 81 F0 A0 03 02 01 02 …`
        let certificate = "MIIBADCB8KADAgEC" + String(repeating: "AAAA", count: 24)
        let header = #"{"alg":"ES256","x5c":["\#(certificate)","\#(certificate)"]}"#
        let texts = [
            #"{"header":\#(header),"payload":\#(payload),"signature":"MEUCIQ"}"#,
            #"{"protected":"\#(Unsigned.segment(Array(header.utf8)))","payload":"\#(Unsigned.segment(Array(payload.utf8)))"}"#,
        ]
        for text in texts {
            let reading = SignedReading(text)
            #expect(reading.codes.isEmpty && reading.accepted == 1, "\(reading.rejects)")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["1"])
        }
    }

    @Test("The date at the beginning of a line is when its document was logged, where that does not tell it")
    func readsDatesOfLines() {
        let line = SignedReading("2026-03-02T10:15:00.120Z stdout F {\"status\":21003}")
        #expect(line.documents.map { $0["logged_at"] } == ["2026-03-02T10:15:00.120Z"])
        let own = SignedReading("2026-03-02T10:15:00.120Z {\"status\":21003,\"ts\":1772442600000}")
        #expect(own.documents.map { $0["logged_at"] } == ["2026-03-02T09:10:00.000Z"])
        let none = SignedReading("Mar  2 10:15:00 host {\"status\":21003}")
        #expect(none.documents.map { $0["logged_at"] } == [nil])
    }

    @Test("gzip in base64 is inflated, as CloudWatch sends it; damaged gzip is no document")
    func inflates() {
        let message = #"{"logEvents":[{"id":"1","timestamp":1772442600000,"message":\#(Self.quoted(Self.response))}]}"#
        let packed = Gzip.member(Array(message.utf8))
        let text = String(decoding: Base64.encode(packed), as: UTF8.self)
        let reading = SignedReading(#"{"awslogs":{"data":"\#(text)"}}"#)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7"])
        #expect(reading.documents.map { $0["logged_at"] } == ["2026-03-02T09:10:00.000Z"])
        let cut = String(decoding: Base64.encode(Array(packed.dropLast(12))), as: UTF8.self)
        #expect(SignedReading(#"{"awslogs":{"data":"\#(cut)"}}"#).codes == ["sniff.unrecognized"])
    }

    @Test("A stream of zlib in base64 is inflated; a damaged one is no document")
    func inflatesZlib() {
        let text = Array(Self.response.utf8)
        var (low, high) = (1, 0)
        for byte in text {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = [high >> 8, high & 255, low >> 8, low & 255].map { UInt8($0) }
        let packed = [0x78, 0x9C] + Gzip.deflated(text, level: 6) + sum
        for (bytes, isWhole) in [(packed, true), (packed.dropLast() + [sum[3] ^ 1], false), (packed.dropLast(), false)]
        {
            let base64 = String(decoding: Base64.encode(bytes), as: UTF8.self)
            for envelope in [base64, #"{"compressed":"\#(base64)"}"#] {
                let reading = SignedReading(envelope)
                #expect(reading.transactions.map { $0["transaction_id"] } == (isWhole ? ["7"] : []))
                #expect(reading.codes == (isWhole ? [] : ["sniff.unrecognized"]))
            }
        }
    }

    /// A text, and whether a limit of the search keeps the reader from the second document in it.
    static let searched: [(String, Bool)] = {
        func deep(_ levels: Int) -> String {
            let inner =
                String(repeating: #"{"a":"#, count: levels) + #""\#(other)""# + String(repeating: "}", count: levels)
            return #"{"first":"\#(jws)","second":\#(inner)}"#
        }
        func packed(_ spaces: Int) -> String {
            let bytes = Gzip.member(Array(repeating: 0x20, count: spaces) + Array(#"{"t":"\#(other)"}"#.utf8))
            return #"{"first":"\#(jws)","second":"\#(String(decoding: Base64.encode(bytes), as: UTF8.self))"}"#
        }
        return [
            (deep(29), false), (deep(30), true), (deep(100), true), (packed(1 << 20), false), (packed(17 << 20), true),
        ]
    }()

    @Test("What a search leaves out because of its limits is a reject beside what it finds", arguments: searched)
    func tellsLimits(_ text: String, _ isLimited: Bool) {
        let raw = Array(text.utf8)
        let reading = SignedReading(text)
        #expect(reading.transactions.map { $0["transaction_id"] } == (isLimited ? ["7"] : ["7", "8"]))
        #expect(reading.codes == (isLimited ? ["document.search"] : []))
        #expect(reading.rejects.allSatisfy { $0.raw == raw })
        let alone = SignedReading(text.replacing(Self.jws, with: "none"))
        #expect(alone.codes == (isLimited ? ["sniff.unrecognized"] : []))
        // The reject of an earlier run tells the same once more, and what was found is not read twice.
        let line =
            #"{"source":"a","document":2,"line":1,"offset":0,"length":\#(raw.count),"code":"document.search","reason":"","path":"","#
            + #""inner_offset":0,"kind":null,"raw":\#(Self.quoted(text)),"raw_encoding":"utf8"}"#
        guard isLimited else { return }
        let again = SignedReading(line)
        #expect(again.codes == ["document.search"] && again.accepted == 0)
    }

    @Test("Of several documents in one text the broken ones are rejects, and the others are read")
    func rejectsSome() {
        let broken = Unsigned.jws(#"{"transactionId":"9","originalTransactionId":"9","quantity":"x"}"#)
        let reading = SignedReading(#"{"list":["\#(Self.jws)","\#(broken)","\#(Self.other)"]}"#)
        #expect(reading.accepted == 2)
        #expect(reading.rejects.map(\.code) == ["receipt.integer"])
        #expect(reading.rejects.map(\.path) == ["list › [1] › quantity"])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "8"])
    }

    private static let sale = #"{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000"}"#

    @Test(
        "A document with a defect beside others is a reject, in a list or in a member",
        arguments: [
            (#"{"transaction_id":"8","product_id":"p","purchase_date_ms":1772442600}"#, "receipt.date-range"),
            (
                #"{"transaction_id":"8","product_id":"p","purchase_date":"2026-03-02 09:10:00 Etc/GMT","quantity":"x"}"#,
                "receipt.integer"
            ),
            (#"{"event":"purchased","api":"sk1","ts":"bad","product_id":"p","transaction_id":"8"}"#, "receipt.date"),
        ]
    )
    func rejectsBeside(_ defective: String, _ code: String) {
        for text in [
            #"{"_id":1,"list":[\#(Self.sale),\#(defective)]}"#, #"{"_id":1,"list":[\#(defective),\#(Self.sale)]}"#,
            #"{"a":{"b":\#(Self.sale)},"c":{"d":\#(defective)}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(text)")
            #expect(reading.accepted == 1 && reading.codes == [code], "\(text): \(reading.codes)")
        }
        // Alone, it says what is wrong with it.
        #expect(SignedReading(defective).codes == [code])
    }

    @Test("A JWS that is cut off is a reject in a list of signed documents, and another text is none")
    func rejectsCutJWS() throws {
        let cut = Self.other.prefix(while: { $0 != "." })
        for end in [
            cut.dropLast(3), Self.other.dropLast(80).prefix(upTo: Self.other.lastIndex(of: ".") ?? Self.other.endIndex),
        ] {
            let reading = SignedReading(#"{"bundleId":"b","signedTransactions":["\#(Self.jws)","\#(end)"]}"#)
            #expect(reading.accepted == 1 && reading.rejects.count == 1, "\(end): \(reading.codes)")
            #expect(reading.rejects.first?.path.hasPrefix("signedTransactions › [1]") == true)
        }
        #expect(SignedReading(#"{"signedTransactions":["\#(Self.jws)","eyJ is how a JWS begins"]}"#).codes == [])
        #expect(SignedReading(#"{"tokens":["eyJhbGciOiJIUzI1NiJ9"],"data":\#(Self.sale)}"#).codes == [])
    }

    @Test(
        "A piece of a response is one reject: its purchases lack the status of the whole",
        arguments: [
            #"00Z"}, {"transaction_id":"6"}, \#(sale)], "latest_receipt":"MIIT"}"#, #"cut "in_app":[\#(sale)]}}"#,
            #"\#(sale), "latest_receipt":"x""#, #"stdout F _id":"6"}, \#(sale)]}"#, #"\#(sale)]"#, #"\#(sale)}"#,
        ]
    )
    func rejectsPiece(_ piece: String) {
        for text in [
            "x \(piece)", #"{"log":\#(Self.quoted(piece))}"#,
            #"{"events":[{"message":\#(Self.quoted("a \(piece)"))}]}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.isEmpty && reading.codes == ["document.fragment"], "\(text): \(reading.codes)")
        }
        let line = SignedReading(#"{"log":\#(Self.quoted("\(Self.sale), \n"))}"#)
        #expect(line.codes == ["document.fragment"])
    }

    @Test(
        "Text with brackets around a purchase is no piece of a response",
        arguments: [
            #"[INFO] [\#(sale)]"#, #"got {{\#(sale)}}"#, #"a :] \#(sale)"#, #"bought \#(sale), took 5 ms"#,
            #"} \#(sale) {"#,
            #"purchases: \#(sale), {"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000"}"#,
            #"x {"status":0,"receipt":{"in_app":[\#(sale)]}}]"#,
        ]
    )
    func readsBetweenBrackets(_ text: String) {
        let reading = SignedReading(text)
        #expect(
            Set(reading.transactions.map { $0["transaction_id"] }) == ["7"] && reading.codes == [],
            "\(text): \(reading.codes)"
        )
    }

    @Test(
        "Documents with an escaped line end or tab between them are all read",
        arguments: [#"\n"#, #"\r\n"#, #"\t"#, #"\u000a"#, #"\x0a"#, "%2C", "%0A", " "]
    )
    func readsBehindEscapes(_ separator: String) {
        let reading = SignedReading("tokens: \(Self.jws)\(separator)\(Self.other)")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "8"] && reading.codes == [])
    }

    @Test("A JWS that cannot be decoded is a reject beside others")
    func rejectsUndecodable() {
        let reading = SignedReading(
            #"{"revision":"r","signedTransactions":["\#(Self.jws)","\#(Self.jws.dropLast())"]}"#
        )
        #expect(reading.accepted == 1 && reading.rejects.count == 1, "\(reading.codes)")
    }

    @Test("Objects of one shape give the same rows, whatever is inside of their receipts")
    func readsRepeatedShapes() {
        let line = #"{"status":0,"receipt":{"payload":\#(Self.quoted(Self.response))}}"#
        let reading = SignedReading([line, line, line].joined(separator: "\n"))
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "7", "7"], "\(reading.codes)")
    }

    @Test("A list in a string whose first element is a line about a failure has its other elements")
    func readsListBehindLine() {
        let list = #"["failed (SKErrorDomain error 2.)",\#(Self.response)]"#
        #expect(SignedReading(#"{"payload":\#(Self.quoted(list))}"#).transactions.count == 1)
    }

    @Test("A token of another service in a notification changes nothing of it")
    func ignoresToken() {
        let purchase = #""latest_receipt_info":\#(Self.list),"environment":"PROD","bid":"b""#
        let plain = SignedReading(#"{"notification_type":"RENEWAL",\#(purchase)}"#)
        let other = SignedReading(#"{"notification_type":"RENEWAL",\#(purchase),"authToken":"\#(Self.token)"}"#)
        #expect(other.transactions == plain.transactions && plain.transactions.count == 1)
        #expect(other.documents.map { $0["trust"] } == plain.documents.map { $0["trust"] })
    }

    @Test(
        "A line of a legacy receipt is a piece of it: the environment is in another line",
        arguments: [
            #"> "purchase-info" = "%";"#, #"// purchase-info = "%";"#,
            "app: &quot;purchase-info&quot; = &quot;%&quot;;",
        ]
    )
    func rejectsLineOfReceipt(_ line: String) {
        let purchase = "{\n\t\"product-id\" = \"p\";\n\t\"transaction-id\" = \"7\";\n}"
        let reading = SignedReading(line.replacing("%", with: Self.base64(purchase)))
        #expect(reading.transactions.isEmpty && reading.codes == ["document.fragment"])
    }

    @Test("All members of gzip in base64 are read, and bytes behind them make it a reject")
    func readsMembers() {
        let members = [#"{"status":21002}"#, "\n", #"{"status":21005}"#].flatMap { Gzip.member(Array($0.utf8)) }
        func reading(_ bytes: [UInt8]) -> SignedReading {
            SignedReading(String(decoding: Base64.encode(bytes), as: UTF8.self))
        }
        for padding in [[], [0, 0, 0]] as [[UInt8]] {
            let reading = reading(members + padding)
            #expect(reading.accepted == 2 && reading.codes == [])
        }
        for bytes in [members + [1], members + members.prefix(12), Array(members.dropLast())] {
            let reading = reading(bytes)
            #expect(reading.accepted == 0 && reading.codes.count == 1, "\(reading.codes)")
        }
    }

    @Test("A member of a list that NSLog printed is a piece of it, and the list by itself is not")
    func rejectsMemberOfList() {
        let receipt = "{\n \"in_app\" = (\n {\n \"product_id\" = p;\n \"transaction_id\" = 7;\n }\n );\n}"
        let piece = SignedReading("receipt =     \(receipt);\nstatus = 21003;\n}")
        #expect(piece.transactions.isEmpty && piece.codes.first == "document.fragment", "\(piece.codes)")
        #expect(SignedReading("receipt = \(receipt)").transactions.count == 1)
    }

    @Test("Broken JSON in broken JSON is searched as often as it is long, and not twice for each level")
    func isLinear() {
        for wrap: @Sendable (String) -> String in [
            { #"{"a":"\#(Self.base64($0))" x"# }, { #"{"a":\#(Self.quoted($0)) x"# },
        ] {
            var text = String(repeating: "x", count: 2000)
            for _ in 0..<14 { text = wrap(text) }
            let took = ContinuousClock().measure { #expect(SignedReading(text).accepted == 0) }
            #expect(took < .seconds(60), "\(text.utf8.count) bytes")
        }
    }

    // MARK: Stacks of wrappings

    /// Ways to put a text into another, which can be put into one another.
    private static let wrappers: [(name: String, wrap: @Sendable (String) -> String)] = [
        ("member", { #"{"id":1,"payload":\#(json($0))}"# }),
        ("body", { #"{"headers":{"a":"b"},"body":\#(quoted($0))}"# }),
        ("Records", { #"{"Records":[{"messageId":"m","body":\#(quoted($0))}]}"# }),
        ("SNS", { #"{"Type":"Notification","Message":\#(quoted($0)),"Timestamp":"2026-03-02T10:15:00Z"}"# }),
        ("Pub/Sub", { #"{"message":{"data":"\#(base64($0))","messageId":"1"}}"# }),
        ("hits", { #"{"hits":{"hits":[{"_id":"a","_source":{"doc":\#(json($0))}}]}}"# }),
        ("logEvents", { #"{"logEvents":[{"id":"1","message":\#(quoted($0))}]}"# }),
        ("docker", { #"{"log":\#(quoted($0 + "\n")),"stream":"stdout"}"# }),
        ("response", { #"{"request":{"method":"POST"},"response":{"status":200,"body":\#(quoted($0))}}"# }),
        ("DynamoDB", { #"{"Item":{"pk":{"S":"x"},"doc":{"S":\#(quoted($0))}}}"# }),
        ("data URI", { #"{"url":"data:application/json;base64,\#(base64($0))"}"# }),
        ("line", { "2026-03-02T10:15:00Z stdout F " + oneLine($0) }),
        ("assignment", { "const body = " + oneLine($0) + ";" }),
    ]

    /// A text as a JSON value: itself where it is JSON.
    private static func json(_ text: String) -> String { text.hasPrefix("{") ? text : quoted(text) }

    /// JSON in a line as it is, other text as a string of JSON in an object.
    private static func oneLine(_ text: String) -> String {
        text.hasPrefix("{") ? text : #"{"text":\#(quoted(text))}"#
    }

    private static let payloads: [(String, String)] = [
        ("JWS", jws), ("response", response), ("failed response", #"{"status":21003,"environment":"Sandbox"}"#),
        ("notification", #"{"signedPayload":"\#(notification)"}"#), ("payload", transaction), ("receipt", receipt),
        (
            "event",
            #"{"v":1,"ts":"2026-03-02T10:15:00Z","event":"failed","product_id":"p","error":{"domain":"SKErrorDomain","code":2}}"#
        ),
    ]

    @Test("Any payload in any stack of up to four wrappings gives the rows of the payload", arguments: payloads)
    func stacks(_ name: String, _ payload: String) {
        let bare = SignedReading(payload)
        #expect(bare.accepted == 1)
        var stacks: [[Int]] = Self.wrappers.indices.map { [$0] }
        stacks += Self.wrappers.indices.flatMap { outer in Self.wrappers.indices.map { [$0, outer] } }
        var random = SplitMix64(seed: 19)
        for count in [3, 4] {
            stacks += (0..<150).map { _ in
                (0..<count).map { _ in random.below(Self.wrappers.count) }
            }
        }
        for stack in stacks {
            let text = stack.reduce(payload) { Self.wrappers[$1].wrap($0) }
            let reading = SignedReading(text)
            let what = "\(name) in \(stack.map { Self.wrappers[$0].name })"
            #expect(reading.transactions == bare.transactions, "\(what): \(reading.rejects)")
            #expect(reading.events == bare.events && reading.renewals == bare.renewals, "\(what)")
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(what): \(reading.rejects)")
        }
    }
}

extension String {
    /// As nginx logs it.
    fileprivate var nginx: String { replacing("\\", with: "\\x5C").replacing("\"", with: "\\x22") }
}
