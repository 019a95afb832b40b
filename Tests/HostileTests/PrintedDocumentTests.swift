import Testing
import TillInput
import TillTestSupport

/// Documents as programs, databases and mail print them, found by readers who wrote them down from what they had seen
/// in logs.
@Suite("Documents as others print them")
struct PrintedDocumentTests {
    // MARK: What is a legacy receipt

    @Test("A transaction that NSLog prints is no legacy receipt, whose sales would be of production")
    func tellsPrintedTransactions() {
        let reading = Reading(
            "{\n    \"product_id\" = pro;\n    \"transaction_id\" = 1;\n    quantity = 1;\n    \"purchase_date_ms\" = 1594755400000;\n}\n"
        )
        #expect(reading.rejects.isEmpty && reading.transactions.count == 1)
        #expect(reading.transactions.first?["kind"] == "verify" && reading.transactions.first?["environment"] == nil)
        let legacy = Reading("{ \"product-id\" = pro; \"transaction-id\" = 1; \"purchase-date-ms\" = 1594755400000; }")
        #expect(legacy.transactions.first?["environment"] == "production")
    }

    @Test(
        "A dictionary that NSLog prints is read as the same JSON is",
        arguments: [
            ("{ code = 2; domain = SKErrorDomain; }", "events"),
            (
                "{ receipt = { \"bundle_id\" = b; \"in_app\" = ( { \"transaction_id\" = 7; \"product_id\" = p; } ); }; status = 0; }",
                "transactions"
            ),
            (
                "{ \"notification_type\" = RENEWAL; environment = PROD; \"latest_receipt_info\" = { \"transaction_id\" = 7; \"product_id\" = p; }; }",
                "transactions"
            ),
        ]
    )
    func readsPrinted(_ text: String, _ table: String) {
        let reading = Reading(text)
        #expect(reading.rejects.isEmpty, "\(reading.rejects)")
        #expect((table == "events" ? reading.events : reading.transactions).count == 1)
    }

    // MARK: Several lines behind other text

    private static let refused = [
        "status: 21003", "environment: 'Sandbox'",
        "receipt: { in_app: [ { product_id: 'p', transaction_id: '1', purchase_date_ms: '1594755400000' } ] }",
    ]

    /// Responses of a failed verification over several lines, which allow no rows.
    static let responses: [(String, String)] = [
        ("Node", "response VerifyReceiptResponse {\n  \(refused.joined(separator: ",\n  "))\n}\n"),
        ("Node, from its first line on", "res: { \(refused[0]),\n  \(refused[1]),\n  receipt:\n   { in_app: [] } }\n"),
        (
            "pprint",
            "INFO response: {'environment': 'Sandbox',\n 'receipt': {'in_app': [{'product_id': 'p',\n"
                + "                         'purchase_date': '2020-07-14 12:36:26 '\n"
                + "                                          'Etc/GMT',\n"
                + "                         'transaction_id': '1'}]},\n 'status': 21003}\n"
        ),
        (
            "Swift",
            "[\"status\": 21003, \"environment\": Sandbox, \"latest_receipt_info\": <__NSArrayM 0x600002d4c0f0>(\n"
                + "{\n    \"product_id\" = pro;\n    \"transaction_id\" = 1;\n},\n{\n    \"product_id\" = pro;\n    \"transaction_id\" = 2;\n}\n)\n]\n"
        ),
    ]

    @Test(
        "A refused response over several lines of a log is one document without rows",
        arguments: responses,
        [nil, 1, 7, 64]
    )
    func readsLines(_ response: (String, String), _ step: Int?) {
        let reading = Reading(Array((response.1 + "{\"status\":21002}\n").utf8), step: step)
        #expect(reading.rejects.isEmpty, "\(response.0): \(reading.rejects)")
        #expect(reading.documents.map { $0["status"] } == ["21003", "21002"])
        #expect(reading.documents.first?["environment"] == "sandbox" && reading.transactions.isEmpty)
    }

    @Test("One that is cut off is one reject, and what is inside it no sale", arguments: [nil, 1, 9, 64])
    func rejectsCut(_ step: Int?) {
        let cut =
            "response: {\n  \"status\": 21003,\n  \"environment\": \"Sandbox\",\n  \"receipt\": {\n    \"in_app\": [\n      {\n"
            + "        \"product_id\": \"pro\",\n        \"transaction_id\": \"1\"\n      }\n    ]\n"
        for next in ["", "{\"status\":21002}\n"] {
            let reading = Reading(Array((cut + next).utf8), step: step)
            #expect(reading.rejects.count == 1 && reading.transactions.isEmpty, "\(reading.rejects)")
            #expect(reading.accepted == (next.isEmpty ? 0 : 1))
        }
    }

    @Test("A dictionary of Swift of which a part is left out is one reject", arguments: [nil, 1, 9, 64])
    func rejectsCutDictionary(_ step: Int?) {
        let text =
            "[\"status\": 21003, \"environment\": Sandbox, \"receipt\": {\n    \"in_app\" =     (\n"
            + "                {\n            \"product_id\" = p;\n            \"transaction_id\" = 1;\n        }\n    );\n"
            + "}, \"latest_receipt\": ..., \"latest_receipt_info\": <__NSArrayM 0x600002d4c0f0>(\n{\n    \"transaction_id\" = 2;\n}\n)\n]\n"
        let reading = Reading(Array((text + "{\"status\":21002}\n").utf8), step: step)
        #expect(reading.rejects.map(\.code) == ["json.syntax"] && reading.transactions.isEmpty, "\(reading.rejects)")
        #expect(reading.documents.map { $0["status"] } == ["21002"])
    }

    // MARK: Members in strings

    private static let inApp =
        #"[{\"product_id\":\"p\",\"transaction_id\":\"1\",\"purchase_date_ms\":\"1594755400000\"}]"#

    @Test(
        "Members that a database keeps as text are read as if they were not",
        arguments: [
            (#"{"status":0,"environment":"Sandbox","receipt":"{\"bundle_id\":\"b\",\"in_app\":@}"}"#, 1),
            (#"{"status":0,"environment":"Sandbox","latest_receipt_info":"@"}"#, 1),
            (#"{"status":0,"environment":"Sandbox","receipt":{"bundle_id":"b","in_app":"@"}}"#, 1),
            (
                #"{"receipt":"{\"bundle_id\":\"b\",\"in_app\":@}","environment":"Sandbox","latest_receipt_info":[{"transaction_id":"2"}]}"#,
                2
            ),
            (
                #"{"response":"{\"status\":0,\"environment\":\"Sandbox\",\"receipt\":{\"in_app\":@}}","request":{"receipt-data":"MII"}}"#,
                1
            ),
        ]
    )
    func readsTextMembers(_ text: String, _ count: Int) {
        let reading = Reading(text.replacing("@", with: Self.inApp))
        #expect(reading.rejects.isEmpty, "\(reading.rejects)")
        #expect(reading.transactions.count == count && reading.documents.count == 1)
        #expect(reading.transactions.allSatisfy { $0["environment"] == "sandbox" })
        #expect(reading.transactions.contains { $0["transaction_id"] == "1" && $0["product_id"] == "p" })
    }

    @Test("Renewals in a string are rows, and rows of a failed response in one are withheld")
    func readsOtherTextMembers() {
        let renewals = Reading(
            #"{"status":0,"receipt":{"in_app":[]},"pending_renewal_info":"[{\"product_id\":\"p\",\"auto_renew_status\":\"1\"}]"}"#
        )
        #expect(renewals.renewals.map { $0["product_id"] } == ["p"])
        let refused = Reading(#"{"status":21003,"receipt":"{\"in_app\":\#(Self.inApp)}"}"#)
        #expect(refused.documents.map { $0["withheld"] } == ["1"] && refused.transactions.isEmpty)
        let broken = Reading(#"{"status":0,"environment":"Sandbox","latest_receipt_info":"[{"}"#)
        #expect(broken.rejects.map(\.code) == ["receipt.type"])
    }

    // MARK: Values

    @Test(
        "A cancellation of 0 is none, and one before the store opened is a reject",
        arguments: [
            (
                #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","cancellation_date_ms":"@"}]}}"#,
                "1594755400000"
            ),
            (
                #"{"transactionId":"1","productId":"p","bundleId":"b","purchaseDate":1594755400000,"revocationDate":@}"#,
                "1594755400000"
            ),
        ]
    )
    func readsCancellations(_ text: String, _ date: String) {
        let none = Reading(text.replacing("@", with: "0"))
        #expect(none.rejects.isEmpty && none.transactions.count == 1)
        #expect(none.transactions.first?["cancellation_date"] == nil)
        #expect(Reading(text.replacing("@", with: date)).transactions.first?["cancellation_date"] != nil)
        #expect(Reading(text.replacing("@", with: "1594755400")).rejects.map(\.code) == ["receipt.date-range"])
    }

    @Test(
        "Environments are known by their letters",
        arguments: [
            ("PRODUCTION", "production"), ("Prod", "production"), ("SANDBOX", "sandbox"),
            ("LOCAL_TESTING", "local_testing"),
            ("XCODE", "xcode"), ("staging", "staging"), ("Environment.sandbox", "sandbox"),
            ("AppStore.Environment.PRODUCTION", "production"), ("production.x", "production.x"),
        ]
    )
    func readsEnvironments(_ spelling: String, _ word: String) {
        let reading = Reading(
            #"{"transactionId":"1","productId":"p","bundleId":"b","environment":"\#(spelling)","signedDate":1594755400000}"#
        )
        #expect(reading.transactions.map { $0["environment"] } == [word])
    }

    @Test(
        "Words of a payload are known by their letters, as those of an environment are",
        arguments: [
            ("type", "AUTO_RENEWABLE_SUBSCRIPTION", "product_type", "auto_renewable"),
            ("type", "nonConsumable", "product_type", "non_consumable"),
            ("type", "ProductType.consumable", "product_type", "consumable"),
            ("type", "nonRenewable", "product_type", "non_renewing"), ("type", "rental", "product_type", "rental"),
            ("inAppOwnershipType", "familyShared", "ownership_type", "family_shared"),
            ("inAppOwnershipType", "Purchased", "ownership_type", "purchased"),
            ("inAppOwnershipType", "GIFT", "ownership_type", "GIFT"),
            ("offerDiscountType", "freeTrial", "is_trial", "true"),
            ("offerDiscountType", "FREE_TRIAL", "is_trial", "true"),
            ("offerDiscountType", "PaymentMode.freeTrial", "is_trial", "true"),
            ("offerDiscountType", "payAsYouGo", "is_trial", "false"),
            ("offerDiscountType", "notfreetrial", "is_trial", "false"),
        ]
    )
    func readsWords(_ member: String, _ spelling: String, _ column: String, _ word: String) {
        let reading = Reading(
            #"{"transactionId":"1","productId":"p","signedDate":1594755400000,"\#(member)":"\#(spelling)"}"#
        )
        #expect(reading.transactions.map { $0[column] } == [word])
    }

    @Test(
        "A reversal is one in whatever spelling",
        arguments: ["REFUND_REVERSED", "refundReversed", "Refund_Reversed"]
    )
    func readsReversals(_ type: String) {
        let transaction = #"{"transactionId":"1","productId":"p","signedDate":1594755400000}"#
        let reading = Reading(
            #"{"notificationType":"\#(type)","notificationUUID":"u","data":{"environment":"Sandbox","signedTransactionInfo":\#(transaction)}}"#
        )
        #expect(reading.transactions.map { $0["refund_reversed_at"] } == ["2020-07-14T19:36:40.000Z"])
    }

    @Test("The flags of Python are read")
    func readsFlags() {
        let reading = Reading(
            #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","is_trial_period":"True","is_in_intro_offer_period":"False"}]}}"#
        )
        #expect(reading.transactions.map { $0["is_trial"] } == ["true"])
    }

    @Test("Beside a page of HTML, a request is its receipt")
    func passesOverPages() {
        let reading = Reading(
            #"{"request":{"receipt-data":"ewoJInB1cmNoYXNlLWluZm8iID0gInsgXCJwcm9kdWN0LWlkXCIgPSBhOyB9IjsKfQ=="},"response":"<html>502</html>"}"#
        )
        #expect(reading.rejects.isEmpty && reading.transactions.map { $0["product_id"] } == ["a"], "\(reading.rejects)")
    }

    @Test("A row that convert wrote is no transaction of a response: its trust and kind would be lost")
    func rejectsRows() {
        let row =
            #"{"table":"transactions","product_id":"p","transaction_id":"1","purchase_date":"2020-07-14T19:36:40.000Z","trust":"untrusted"}"#
        #expect(Reading(row).rejects.map(\.code) == ["sniff.unrecognized"])
        #expect(Reading(row.replacing("transactions", with: "sales")).transactions.count == 1)
    }

    // MARK: Base64

    private static let purchase =
        "{\n\t\"purchase-info\" = \"{ \\\"product-id\\\" = a; }\";\n\t\"pad\" = \"???>>>???>>>???>>>???>>>???>>>???>>>???>>>\";\n}"
    private static let receipt = String(decoding: Base64.encode(Array(purchase.utf8)), as: UTF8.self)

    /// What a legacy receipt can stand in.
    static let wrappings = [
        "receipt-data=@&password=x", "receipt-data=@", "POST /verify receipt=@",
        #"{"receipt":"data:application/octet-stream;base64,@"}"#,
        "sending @ to apple", "b'@'", "Optional(\"@\")",
    ]

    @Test("A legacy receipt is found wherever an app receipt is", arguments: wrappings)
    func findsLegacyReceipts(_ text: String) {
        let reading = Reading(text.replacing("@", with: Self.receipt))
        #expect(reading.rejects.isEmpty && reading.transactions.map { $0["product_id"] } == ["a"], "\(reading.rejects)")
    }

    @Test("Spaces that join lines are no digits, and zeros behind a document are none of it", arguments: [16, 20, 64])
    func readsJoinedLines(_ width: Int) {
        var text = Self.receipt
        var lines: [String] = []
        while !text.isEmpty {
            lines.append(String(text.prefix(width)))
            text = String(text.dropFirst(width))
        }
        let joined = Reading(lines.joined(separator: " "))
        #expect(joined.transactions.map { $0["product_id"] } == ["a"], "\(joined.rejects)")
        let der = ReceiptDER([ReceiptDER.attribute(2, DER.utf8("a"))]).der
        for step in [nil, 1, der.count, der.count + 1] {
            let zeros = Reading(der + [0, 0, 0] + Array("{\"status\":21002}".utf8), step: step)
            #expect(zeros.rejects.isEmpty && zeros.accepted == 2, "\(zeros.rejects)")
        }
        let inside = Base64.encode(Array(Self.purchase.utf8) + [0, 0])
        #expect(Reading(inside).transactions.count == 1)
    }

    @Test("A form that has lost the plus signs of its base64 is repaired as before")
    func repairsForms() {
        let spaced = Self.receipt.replacing("+", with: " ")
        #expect(spaced.contains(" ") && Reading(spaced).transactions.map { $0["product_id"] } == ["a"])
    }

    @Test("Beside a receipt, other receipts and signed transactions are read too")
    func readsNeighbours() {
        let reading = Reading(#"{"receipt":"\#(Self.receipt)","previous_receipt":"\#(Self.receipt)","note":1}"#)
        #expect(reading.documents.count == 1)
        let app = String(
            decoding: Base64.encode(ReceiptDER([ReceiptDER.attribute(2, DER.utf8("a"))]).der),
            as: UTF8.self
        )
        let both = Reading(#"{"receipt-data":"\#(app)","previous_receipt":"\#(app)"}"#)
        #expect(both.accepted == 1 && both.rejects.isEmpty, "\(both.rejects)")
        let other = String(
            decoding: Base64.encode(ReceiptDER([ReceiptDER.attribute(2, DER.utf8("b"))]).der),
            as: UTF8.self
        )
        let two = Reading(#"{"receipt-data":"\#(app)","previous_receipt":"\#(other)"}"#)
        #expect(two.documents.map { $0["bundle_id"] } == ["a", "b"] && two.rejects.isEmpty, "\(two.rejects)")
        for (text, count) in [
            (#"{"id":"1","data":{"local":"\#(app)","server":"\#(app)"}}"#, 1),
            (#"{"receipt":"\#(app)","data":{"server":"\#(app)"}}"#, 1), (#"{"receipts":["\#(app)","\#(app)"]}"#, 2),
            (#"[{"receipt":"\#(app)"},{"receipt":"\#(app)"}]"#, 2),
        ] {
            let reading = Reading(text)
            #expect(reading.accepted == count && reading.rejects.isEmpty, "\(text.prefix(40)): \(reading.rejects)")
        }
    }
}
