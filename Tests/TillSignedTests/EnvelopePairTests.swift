import Testing
import TillTestSupport

/// Pairs of request and response in envelopes, each of which is one verification that knows its receipt.
@Suite("Pairs in envelopes")
struct EnvelopePairTests {
    private static let receipts = (1...4).map { ReceiptDER.sample(purchases: $0).base64 }
    private static let sandbox = #"{"status":21007}"#
    private static let success = #"{"status":0,"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7"}]}}"#

    private static func quoted(_ text: String) -> String { Unsigned.quoted(text) }

    private static func form(_ receipt: Int) -> String {
        "receipt-data=\(receipts[receipt].replacing("+", with: "%2B"))&password=x"
    }

    private static func request(_ receipt: Int) -> String {
        #"{"receipt-data":"\#(receipts[receipt])","password":"x"}"#
    }

    /// The key of a receipt, as a pair by itself has it.
    private static func key(_ receipt: Int) -> String? {
        SignedReading(#"{"request":\#(request(receipt)),"response":\#(sandbox)}"#).documents.first?["pair_key"]
    }

    /// An envelope, the statuses in it, and the receipt of each.
    static let envelopes: [(String, [String?], [Int?])] = [
        (#"{"b64":"\#(receipts[0])","verification":\#(success)}"#, ["0"], [0]),
        (
            #"{"request":{"headers":{},"body":"\#(form(1))"},"response":{"status":200,"body":\#(quoted(sandbox))}}"#,
            ["21007"], [1]
        ),
        (#"{"req":\#(quoted(request(2))),"res":\#(sandbox)}"#, ["21007"], [2]),
        (#"{"request":{"request":\#(request(2))},"result":\#(sandbox)}"#, ["21007"], [2]),
        (#"{"a":{"request":\#(request(0)),"response":\#(sandbox)},"id":1}"#, ["21007"], [0]),
        (
            #"{"log":{"entries":[{"request":{"postData":{"text":\#(quoted(request(0)))}},"response":{"content":{"text":"#
                + #"\#(quoted(sandbox))}}},{"request":{"postData":{"text":\#(quoted(request(1)))}},"response":"#
                + #"{"content":{"text":\#(quoted(success))}}}]}}"#,
            ["21007", "0"], [0, 1]
        ),
        (
            #"{"request1":\#(request(0)),"response1":\#(sandbox),"request2":\#(request(1)),"response2":\#(success)}"#,
            ["21007", "0"], [0, 1]
        ),
        (
            #"{"first":\#(request(0)),"second":\#(request(1)),"third":\#(sandbox),"fourth":\#(success)}"#,
            ["21007", "0"], [0, 1]
        ),
        (#"{"receipt":"\#(receipts[3])","attempts":[\#(sandbox),\#(success)],"n":2}"#, ["21007", "0"], [3, 3]),
        ("POST \(request(1)) -> \(sandbox)", ["21007"], [1]),
        (
            #"{"pair":{"request":\#(request(0)),"response":\#(sandbox)},"verification":\#(success)}"#, ["21007", "0"],
            [0, nil]
        ),
        // Nothing tells which of two receipts was verified.
        (#"{"a":"\#(receipts[0])","b":"\#(receipts[1])","c":\#(sandbox)}"#, [nil, nil, "21007"], [nil, nil, nil]),
        (#"{"list":["\#(receipts[0])"],"c":\#(sandbox)}"#, [nil, "21007"], [nil, nil]),
    ]

    @Test("A response keeps the key of the receipt beside it, each receipt counts once", arguments: envelopes)
    func keepsKeys(_ text: String, _ statuses: [String?], _ receipts: [Int?]) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty && reading.accepted == statuses.count, "\(text): \(reading.rejects)")
        #expect(reading.documents.map { $0["status"] } == statuses, "\(text)")
        #expect(reading.documents.map { $0["pair_key"] } == receipts.map { $0.flatMap(Self.key) }, "\(text)")
    }

    /// An object with the receipts of one and of two purchases, and the number of purchases of each document.
    static let receiptPairs: [(String, [String])] = [
        (#""receipt-data":"\#(receipts[0])","latest_receipt":"\#(receipts[1])""#, ["1", "2"]),
        (#""receipt":"\#(receipts[0])","latest_receipt":"\#(receipts[1])""#, ["1", "2"]),
        (#""receipt-data":"\#(receipts[0])","receipt_data":"\#(receipts[1])""#, ["1", "2"]),
        (
            #""latest_receipt":"\#(receipts[0])","receipt":"\#(receipts[1])","receipt-data":"\#(receipts[0])""#,
            ["1", "2"]
        ),
        (#""receipt-data":"\#(receipts[0])","latest_receipt":"\#(receipts[0])""#, ["1"]),
        (
            #""status":0,"environment":"Production","receipt":"\#(receipts[0])","latest_receipt":"\#(receipts[1])""#,
            ["0", "1", "2"]
        ),
        // Decoded purchases without a status may be those of another receipt.
        (#""receipt-data":"\#(receipts[1])","latest_receipt_info":[{"transaction_id":"7"}]"#, ["1", "2"]),
        (#""receipt-data":"\#(receipts[1])",\#(success.dropFirst().dropLast())"#, ["1"]),
        (
            #""request":\#(request(0)),"response":{"status":0,"environment":"Sandbox","latest_receipt":"\#(receipts[1])"}"#,
            ["0", "2"]
        ),
        (#""status":21003,"receipt":"\#(receipts[0])","latest_receipt":"\#(receipts[1])""#, ["0"]),
    ]

    @Test("Of several receipts in an object, each is a document, and equal ones are one", arguments: receiptPairs)
    func readsAllReceipts(_ members: String, _ transactions: [String]) {
        for text in ["{\(members)}", #"{"a":{\#(members)},"id":1}"#] {
            let reading = SignedReading(text)
            #expect(reading.codes.isEmpty && reading.accepted == transactions.count, "\(text): \(reading.rejects)")
            #expect(reading.documents.map { $0["transactions"] } == transactions, "\(text)")
        }
    }

    @Test("Decoded purchases without an environment are of that of the receipt beside them")
    func takesEnvironment() {
        let sandbox = ReceiptDER([
            ReceiptDER.attribute(0, DER.utf8("ProductionSandbox")), ReceiptDER.attribute(2, DER.utf8("b")),
        ]).base64
        let list = #""latest_receipt_info":[{"transaction_id":"7"}],"pending_renewal_info":[{"product_id":"p"}]"#
        for (members, environment) in [
            (#""receipt-data":"\#(sandbox)",\#(list)"#, "sandbox"),
            (#"\#(list),"receipt-data":"\#(Self.receipts[0])""#, "production"),
            (#""receipt-data":"\#(Self.receipts[0])","environment":"Sandbox",\#(list)"#, "sandbox"),
        ] {
            let reading = SignedReading("{\(members)}\n{\(members)}")
            #expect(reading.codes.isEmpty && reading.accepted == 4, "\(reading.rejects)")
            #expect(
                reading.documents.compactMap { $0["kind"] == "verify" ? $0["environment"] : nil } == [
                    environment, environment,
                ]
            )
            let rows = (reading.transactions + reading.renewals).filter { $0["kind"] == "verify" }
            #expect(rows.count == 4 && rows.allSatisfy { $0["environment"] == environment }, "\(rows)")
        }
    }

    private static let event =
        #""v":1,"ts":"2026-03-02T10:15:00Z","event":"failed","bundle_id":"b","product_id":"p","error":"#
        + #"{"domain":"SKErrorDomain","code":2}"#

    private static let jws = Unsigned.jws(
        #"{"transactionId":"100","productId":"p","bundleId":"b","purchaseDate":1772442600000,"signedDate":1772442600000}"#
    )

    @Test(
        "A receipt or a JWS inside an event is a document beside the event",
        arguments: [
            #""receipt-data":"\#(receipts[0])""#, #""receipt":"\#(receipts[0])""#,
            #""latest_receipt":"\#(receipts[0])""#,
            #""transactionReceipt":"\#(receipts[0])""#, #""jws":"\#(jws)""#,
            #""extra":{"receipt":"\#(receipts[0])"}"#, #""extra":"{\"receipt\":\"\#(receipts[0])\"}""#,
            // Encoded otherwise.
            #""receipt-data":"\n\#(receipts[0])""#,
            #""receipt":"data:application/octet-stream;base64,\#(receipts[0])""#,
            #""receipt-data":"-----BEGIN PKCS7-----\n\#(receipts[0])\n-----END PKCS7-----""#,
        ]
    )
    func readsReceiptsOfEvents(_ member: String) {
        for text in [
            "{\(Self.event),\(member)}", "{\(member),\(Self.event)}", "[{\(Self.event),\(member)}]",
            #"{"events":[{\#(Self.event),\#(member)}],"id":1}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.codes.isEmpty && reading.accepted == 2, "\(text): \(reading.rejects)")
            #expect(reading.events.map { $0["error_code"] } == ["2"], "\(text)")
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100"], "\(text)")
        }
    }

    @Test("A receipt that is left out of an event leaves the event", arguments: ["[redacted]", "none", "12345"])
    func readsEventsWithoutReceipts(_ text: String) {
        let reading = SignedReading(#"{\#(Self.event),"receipt-data":"\#(text)"}"#)
        #expect(reading.accepted == 1 && reading.codes.count == 1, "\(reading.rejects)")
        #expect(reading.events.map { $0["error_code"] } == ["2"])
    }

    @Test("Base64 inside an event that only begins as a receipt does is neither a document nor a reject")
    func passesOverTokens() {
        let token = "MI" + String(repeating: "abcd", count: 50)
        for member in [#""extra":{"token":"\#(token)"}"#, #""token":"\#(token)""#] {
            let reading = SignedReading("{\(Self.event),\(member)}")
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(reading.rejects)")
        }
    }

    @Test("A failed response inside an event is the failure of the event, and none of its own")
    func readsFailureOnce() {
        let response = #"{"request":{"receipt-data":"\#(Self.receipts[0])"},"response":{"status":21003}}"#
        let reading = SignedReading(#"{\#(Self.event),"extra":\#(response)}"#)
        #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.events.count == 1 && reading.documents.isEmpty)
    }

    /// Parts of a response, each of one purchase in an object.
    private static let parts = [
        #"{"receipt":{"bundle_id":"b","in_app":[{"transaction_id":"7"}]}}"#, #"{"in_app":[{"transaction_id":"7"}]}"#,
        #"{"latest_receipt_info":[{"transaction_id":"7"}]}"#, #"{"latestReceiptInfo":[{"transactionId":"7"}]}"#,
    ]

    @Test("A response without purchases applies to the parts of a response beside it", arguments: parts)
    func appliesToParts(_ part: String) {
        let refusal = #"{"status":21003}"#
        let success = #"{"status":0,"environment":"Sandbox"}"#
        for (members, isRefused) in [
            (#""result":\#(refusal),"data":\#(part)"#, true), (#""data":\#(part),"result":\#(refusal)"#, true),
            (#""result":\#(success),"data":\#(part)"#, false),
            (#""data":\#(Self.quoted(part)),"result":\#(Self.quoted(success))"#, false),
        ] {
            let reading = SignedReading("{\(members)}")
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(members)")
            #expect(reading.documents.map { $0["status"] } == [isRefused ? "21003" : "0"], "\(members)")
            #expect(reading.documents.map { $0["withheld"] } == [isRefused ? "1" : "0"], "\(members)")
            #expect(reading.transactions.map { $0["environment"] } == (isRefused ? [] : ["sandbox"]), "\(members)")
        }
        // Elements of a list are separate records.
        let list = SignedReading(#"{"result":\#(success),"data":[\#(part)]}"#)
        #expect(list.accepted == 2 && list.transactions.map { $0["environment"] } == [nil])
        // Of two results, only what they agree on applies.
        let two = SignedReading(#"{"a":\#(success),"b":\#(refusal),"data":\#(part)}"#)
        #expect(two.accepted == 3 && two.transactions.count == 1)
        // A part with a status of its own keeps it.
        let own = SignedReading(#"{"a":\#(refusal),"b":{"status":0,\#(part.dropFirst())}"#)
        #expect(own.documents.map { $0["status"] } == ["21003", "0"] && own.transactions.count == 1)
    }

    private static let purchase = #"{"transaction_id":"7","purchase_date_ms":"1772442600000","product_id":"p"}"#
    private static let purchases = #""in_app":[\#(purchase)]"#

    @Test(
        "A result beside the purchases of a response without a status applies to them, under any names",
        arguments: [
            (#""verify":{"status":21003}"#, "21003", nil), (#""statusCode":21003"#, "21003", nil),
            (#""code":"21004""#, "21004", nil), (#""Status":21002"#, "21002", nil),
            (#""verify_result":{"result_code":21007,"Environment":"SANDBOX"}"#, "21007", "sandbox"),
            (#""verify":{"status":0,"environment":"Sandbox"}"#, "0", "sandbox"),
            (#""is_sandbox":true"#, nil, "sandbox"), (#""sandbox":"1""#, nil, "sandbox"),
            (#""a":{"status":21007},"b":{"status":0,"environment":"Sandbox"}"#, nil, "sandbox"),
            // None of these is a result of verifyReceipt.
            (#""is_sandbox":false"#, nil, nil), (#""zip_code":21003"#, nil, nil), (#""http":{"status":200}"#, nil, nil),
            (#""http":{"status":0}"#, nil, nil), (#""list":[{"status":21003}]"#, nil, nil),
            (#""status":0,"verify":{"status":21003}"#, "0", nil), (#""env":"Sandbox""#, nil, "sandbox"),
            (#""server_environment":"sandbox""#, nil, "sandbox"), (#""env":"production""#, nil, nil),
        ] as [(String, String?, String?)]
    )
    func appliesToPurchasesBeside(_ result: String, _ status: String?, _ environment: String?) {
        for purchases in [Self.purchases, #""receipt":{"bundle_id":"b",\#(Self.purchases)}"#] {
            for text in [
                "{\(result),\(purchases)}", "{\(purchases),\(result)}", #"[{"row":{\#(purchases),\#(result)}}]"#,
            ] {
                let reading = SignedReading(text)
                #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(text)")
                #expect(reading.documents.map { $0["status"] } == [status], "\(text)")
                #expect(reading.documents.map { $0["environment"] } == [environment], "\(text)")
                let isRefused = status.map { $0 != "0" } ?? false
                #expect(reading.transactions.map { $0["environment"] } == (isRefused ? [] : [environment]), "\(text)")
            }
        }
    }

    @Test("Of the members beside the response of a pair, those about the environment count, and no status does")
    func appliesEnvironmentToPairs() {
        let response = #""response":{"status":0,"receipt":{"bundle_id":"b",\#(Self.purchases)}}"#
        for member in [#""env":"Sandbox""#, #""sandbox":true"#, #""code":21003,"is_sandbox":1"#] {
            let reading = SignedReading("{\(member),\(response)}")
            #expect(reading.transactions.map { $0["environment"] } == ["sandbox"], "\(member)")
            #expect(reading.documents.map { $0["status"] } == ["0"])
        }
    }

    @Test("A row of a table may have a status of its own, which is none of verifyReceipt")
    func ignoresOwnStatus() {
        for status in ["1", "\"active\"", "200"] {
            let reading = SignedReading(#"{"id":5,"status":\#(status),\#(Self.purchase.dropFirst())"#)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["7"], "\(status): \(reading.codes)")
            #expect(reading.documents.map { $0["status"] } == [nil])
        }
        let refused = SignedReading(#"{"id":5,"status":21003,\#(Self.purchase.dropFirst())"#)
        #expect(refused.transactions.isEmpty && refused.documents.map { $0["withheld"] } == ["1"])
    }

    @Test("The receipt beside renewals is a document of its own, unless its purchases are there, decoded")
    func readsReceiptBesideRenewals() throws {
        let receipt = ReceiptDER.base64(ReceiptDER.sample(purchases: 2).der)
        let renewals = #""pending_renewal_info":[{"original_transaction_id":"7","product_id":"p"}]"#
        for member in ["latest_receipt", "receipt"] {
            for text in [
                #"{"\#(member)":"\#(receipt)",\#(renewals)}"#, #"{"status":0,\#(renewals),"\#(member)":"\#(receipt)"}"#,
            ] {
                let reading = SignedReading(text)
                #expect(
                    reading.transactions.count == 2 && reading.renewals.count == 1 && reading.codes == [],
                    "\(text)"
                )
                #expect(reading.documents.map { $0["kind"] } == ["verify", "pkcs7"])
            }
        }
        let decoded = SignedReading(
            #"{"latest_receipt":"\#(receipt)",\#(renewals),"latest_receipt_info":[\#(Self.purchase)]}"#
        )
        #expect(decoded.transactions.map { $0["transaction_id"] } == ["7"] && decoded.accepted == 1)
        let refused = SignedReading(#"{"status":21003,"latest_receipt":"\#(receipt)",\#(renewals)}"#)
        #expect(refused.transactions.isEmpty && refused.accepted == 1)
    }

    @Test("Any number of pairs in any arrangement are as many documents, with the keys that they have by themselves")
    func keepsKeysOfMany() {
        var random = SplitMix64(seed: 4)
        let keys = (0..<4).map(Self.key)
        for _ in 0..<300 {
            let pairs = (0...random.below(4)).map { _ in (receipt: random.below(4), isSuccess: random.once(in: 2)) }
            let requests = pairs.map { pair in
                [
                    Self.request(pair.receipt), Self.quoted(Self.request(pair.receipt)),
                    Self.quoted(Self.form(pair.receipt)),
                ][
                    random.below(3)
                ]
            }
            let responses = pairs.map { pair in
                let response = pair.isSuccess ? Self.success : Self.sandbox
                return random.once(in: 2) ? response : Self.quoted(response)
            }
            let indices = pairs.indices
            let text =
                switch random.below(4) {
                case 0:
                    "{"
                        + indices.map { #""q\#($0)":\#(requests[$0]),"r\#($0)":\#(responses[$0])"# }.joined(
                            separator: ","
                        ) + "}"
                case 1:
                    "{" + indices.map { #""q\#($0)":\#(requests[$0])"# }.joined(separator: ",") + ","
                        + indices.map { #""r\#($0)":\#(responses[$0])"# }.joined(separator: ",") + "}"
                case 2:
                    #"{"list":["#
                        + indices.map {
                            #"{"request":{"body":\#(requests[$0])},"response":{"body":\#(responses[$0])}}"#
                        }
                        .joined(separator: ",") + "]}"
                default:
                    "{"
                        + indices.map { #""p\#($0)":{"q":\#(requests[$0]),"r":\#(responses[$0])}"# }.joined(
                            separator: ","
                        )
                        + "}"
                }
            let reading = SignedReading(text)
            #expect(reading.documents.map { $0["status"] } == pairs.map { $0.isSuccess ? "0" : "21007" }, "\(text)")
            #expect(reading.documents.map { $0["pair_key"] } == pairs.map { keys[$0.receipt] }, "\(text)")
        }
    }
}
