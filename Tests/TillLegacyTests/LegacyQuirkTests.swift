import Testing
import TillCore
import TillReceipts
import TillTestSupport

/// What real receipts do, by the numbers of the page that collects it.
@Suite("Quirks of legacy receipts")
struct LegacyQuirkTests {
    static let receipt = ReceiptText.receipt()
    static let base64 = ReceiptText.base64(receipt)
    static let rows = [LegacyFormatTests.row]

    static let widths = [64, 76, 80, 75, 30].flatMap { width in ["\n", "\r\n"].map { (width, $0) } }

    @Test("Quirk 1: base64 comes in lines, and the next receipt begins on its own", arguments: widths)
    func wrapped(_ width: Int, _ lineEnd: String) {
        let text = ReceiptText.base64(Self.receipt, at: width, lineEnd)
        #expect(Reading(text).transactions == Self.rows)
        let other = ReceiptText.base64(ReceiptText.receipt([("transaction-id", "2")]), at: width, lineEnd)
        let reading = Reading([text, other, text].joined(separator: lineEnd))
        #expect(reading.findings == [])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1000000060683708", "2", "1000000060683708"])
    }

    @Test("Quirk 1: lines that hold no receipt are not joined to one")
    func wrappedAndBroken() {
        let lines = ReceiptText.base64(Self.receipt, at: 76, "\n").split(separator: "\n")
        let reading = Reading((lines.prefix(3) + ["nothing here!"] + lines).joined(separator: "\n"))
        #expect(reading.rejects.map(\.code) == ["plist.truncated", "sniff.unrecognized"])
        #expect(reading.transactions.count == 1)
    }

    @Test("Alphabet: - and _, escaped signs, lost padding")
    func alphabet() {
        let receipt = ReceiptText.receipt([("product-id", "ö?>?>"), ("transaction-id", "1")])
        let text = ReceiptText.base64(receipt)
        let expected = Reading(text).transactions
        #expect(expected.count == 1)
        let forms = [
            text.replacing("+", with: "-").replacing("/", with: "_"),
            text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D"),
            text.filter { $0 != "=" },
            "{\"receipt-data\":\"\(text.replacing("/", with: "\\/"))\"}",
            "{\"receipt-data\":\"\(ReceiptText.base64(receipt, at: 76, "\\r\\n"))\"}",
        ]
        for form in forms { #expect(Reading(form).transactions == expected) }
    }

    @Test("Quirk 2: the text itself begins like JSON and is told apart by what follows its first key")
    func plainText() {
        #expect(Reading(Self.receipt).transactions == Self.rows)
        let reading = Reading("{\"status\":21003}\n\(Self.receipt)\n{\"status\":21003}")
        #expect(reading.documents.map { $0["kind"] } == ["verify", "legacy", "verify"])
    }

    @Test("Quirk 3: base64 applied twice is decoded twice, and not for ever")
    func twice() {
        let twice = ReceiptText.base64(Self.base64)
        #expect(Reading(twice).transactions == Self.rows)
        let often = (0..<8).reduce(Self.base64) { text, _ in ReceiptText.base64(text) }
        #expect(Reading(often).rejects.count == 1)
    }

    @Test("Quirk 7: a receipt stands as a string in other JSON, escaped or as base64")
    func insideJSON() {
        let escaped = Self.receipt.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            .replacing("\t", with: "\\t")
        for text in [escaped, Self.base64] {
            #expect(Reading("{\"receipt-data\":\"\(text)\"}").transactions == Self.rows)
            #expect(Reading("\"\(text)\"").transactions == Self.rows)
        }
    }

    @Test("Quirk 27: the environment lies outside of what is signed, so that one purchase has two")
    func unsignedEnvironment() {
        let bare = ReceiptText.receipt(ReceiptText.purchase, [("signature", "AgAA")])
        let rows = Reading(Self.receipt + "\n" + bare).transactions
        #expect(rows.map { $0["environment"] } == ["sandbox", "production"])
        #expect(Set(rows.map { $0["transaction_id"] }).count == 1)
    }

    @Test("Quirk 37: an original date after the date of purchase is kept as it came")
    func laterOriginal() throws {
        let row = try LegacyFormatTests.row([("original-purchase-date-ms", "1355899273000")])
        #expect(row["original_purchase_date"] == "2012-12-19T06:41:13.000Z")
        #expect(row["purchase_date"] == "2012-12-19T06:41:12.408Z")
    }

    @Test("Quirk 56: a restored purchase keeps both ids")
    func restored() {
        let row = Reading(Self.receipt).transactions[0]
        #expect(row["transaction_id"] == "1000000060683708")
        #expect(row["original_transaction_id"] == "1000000059318468")
    }
}

/// Receipts in every framing, in pieces.
@Suite("Legacy receipts in pieces")
struct LegacyPiecesTests {
    static let stream = [
        LegacyQuirkTests.receipt, LegacyQuirkTests.base64, ReceiptText.base64(LegacyQuirkTests.receipt, at: 76, "\n"),
        ReceiptText.xml(ReceiptText.purchase), "{\"status\":21003}", PrintedAnswerTests.printed,
        ReceiptText.base64(LegacyQuirkTests.receipt, at: 64, "\r\n"), "{\nproduct-id = a;\n}", "{ a = \"}\"; }",
        LegacyQuirkTests.receipt,
    ].joined(separator: "\n")

    @Test("Documents are the same whatever pieces they arrive in", arguments: [1, 2, 3, 5, 7, 16, 63, 64, 1000])
    func pieces(_ step: Int) {
        let whole = Reading(Self.stream)
        #expect(whole.documentCount == 10)
        #expect(whole.rejects.map(\.code) == ["sniff.unrecognized"])
        let reading = Reading(Self.stream, step: step)
        #expect(reading.transactions == whole.transactions)
        #expect(reading.documents == whole.documents)
        #expect(reading.rejects == whole.rejects)
    }
}

/// What `NSLog` prints of verifyReceipt answers.
@Suite("Printed verifyReceipt answers")
struct PrintedAnswerTests {
    static let printed = """
        {
            environment = Sandbox;
            "is-retryable" = 0;
            receipt =     {
                "adam_id" = 0;
                "application_version" = "4.2";
                "bundle_id" = "com.example.app";
                "in_app" =         (
                                {
                        "expires_date_ms" = 1594755400000;
                        "is_trial_period" = false;
                        "product_id" = "com.example.caf\\U00e9";
                        "purchase_date" = "2020-07-14 19:36:40 Etc/GMT";
                        quantity = 1;
                        "transaction_id" = 1000000692926411;
                        "web_order_line_item_id" = "<null>";
                    },
                                {
                        "product_id" = "com.example.b";
                        "transaction_id" = 1000000692926412;
                    }
                );
                "receipt_type" = ProductionSandbox;
                "request_date_ms" = 1594755401000;
            };
            status = 0;
        }
        """

    static let json = """
        {"environment":"Sandbox","is-retryable":0,"receipt":{"adam_id":0,"application_version":"4.2",
        "bundle_id":"com.example.app","in_app":[{"expires_date_ms":"1594755400000","is_trial_period":false,
        "product_id":"com.example.café","purchase_date":"2020-07-14 19:36:40 Etc/GMT","quantity":1,
        "transaction_id":1000000692926411,"web_order_line_item_id":null},
        {"product_id":"com.example.b","transaction_id":1000000692926412}],
        "receipt_type":"ProductionSandbox","request_date_ms":"1594755401000"},"status":0}
        """

    @Test("A printed answer gives the rows of the answer")
    func likeJSON() {
        let (printed, json) = (Reading(Self.printed), Reading(Self.json))
        #expect(printed.findings == [])
        #expect(json.transactions.count == 2)
        #expect(printed.transactions == json.transactions)
        #expect(printed.documents == json.documents)
    }

    @Test(
        "A response printed by NSLog is of the format verify, and not of legacy",
        arguments: [("verify", 2), ("legacy", 0)]
    )
    func forced(_ format: String, _ count: Int) {
        #expect(Reading(Self.printed, format: format).transactions.count == count)
    }

    @Test("Answers of iOS 6 and of XML are read too")
    func otherForms() {
        let flat =
            "{ receipt = { bid = \"com.example\"; \"product_id\" = a; \"transaction_id\" = 7; }; status = 21006; }"
        #expect(Reading(flat).transactions.map { $0["bundle_id"] } == ["com.example"])
        let xml = """
            <plist><dict><key>status</key><integer>0</integer><key>latest_receipt_info</key><array><dict>
            <key>transaction_id</key><integer>7</integer><key>is_upgraded</key><true/></dict></array></dict></plist>
            """
        #expect(Reading(xml).transactions.map { $0["is_upgraded"] } == ["true"])
    }

    @Test("A printed request is its receipt")
    func request() {
        let reading = Reading("{ password = secret; \"receipt-data\" = \"\(LegacyQuirkTests.base64)\"; }")
        #expect(reading.transactions == LegacyQuirkTests.rows)
    }

    @Test("A value that is wrong is named by its path")
    func path() {
        let reading = Reading(Self.printed.replacing("quantity = 1", with: "quantity = many"))
        #expect(reading.rejects.map(\.code) == ["receipt.integer"])
        #expect(reading.rejects.allSatisfy { $0.path.hasPrefix("legacy › in_app") })
    }
}
