import Testing
import TillCore
import TillReceipts
import TillTestSupport

@Suite("Legacy receipts")
struct LegacyFormatTests {
    static let row: Reading.Row = [
        "environment": "sandbox", "bundle_id": "com.example", "app_version": "8", "product_id": "com.example.pro",
        "quantity": "1", "transaction_id": "1000000060683708", "original_transaction_id": "1000000059318468",
        "purchase_date": "2012-12-19T06:41:12.408Z", "trust": "unchecked", "kind": "legacy", "document": "0",
        "row": "1",
    ]

    /// The one row of a purchase with further entries, which come before those of `ReceiptText.purchase`.
    static func row(_ entries: [(String, String)]) throws -> Reading.Row {
        let names = entries.map(\.0)
        let rest = ReceiptText.purchase.filter { !names.contains($0.0) }
        let reading = Reading(ReceiptText.receipt(entries + rest))
        try #require(reading.findings == [])
        return try #require(reading.transactions.first)
    }

    @Test("One receipt is one transaction and one document")
    func decodes() {
        let reading = Reading(ReceiptText.receipt())
        #expect(reading.transactions == [Self.row])
        #expect(
            reading.documents == [
                [
                    "kind": "legacy", "environment": "sandbox", "bundle_id": "com.example", "app_version": "8",
                    "trust": "unchecked", "transactions": "1", "withheld": "0", "document": "0",
                ]
            ]
        )
        #expect(reading.rejects.isEmpty)
    }

    /// Entries that are read on both ways, the short one and the one with a tree.
    static let purchases: [[(String, String)]] = [
        [], [("expires-date", "1448346881000")], [("quantity", "<null>")], [("product_id", "other")],
        [("unknown", "x = y; {}")], [("purchase-date-ms", "no date")], [("quantity", "")], [("bid", "")],
        [("web-order-line-item-id", "0"), ("web-order-line-item-id", "7")],
    ]

    @Test("A receipt of plain strings gives what the same receipt with a comment gives", arguments: purchases)
    func readsPlainAlike(_ entries: [(String, String)]) {
        let names = entries.map(\.0)
        let list = ReceiptText.list(entries + ReceiptText.purchase.filter { !names.contains($0.0) })
        for outer in [[("signature", "AgAA")], [("environment", "Odd")], [("environment", ""), ("signature", "")]] {
            let plain = ReceiptText.list([("purchase-info", ReceiptText.base64(list))] + outer)
            let commented = ReceiptText.list([("purchase-info", ReceiptText.base64(list + "//"))] + outer)
            for other in [commented, plain + " /**/"] {
                let (left, right) = (Reading(ReceiptText.base64(plain)), Reading(ReceiptText.base64(other)))
                #expect(left.documentCount == 1 && left.transactions == right.transactions)
                #expect(left.documents == right.documents && left.findings == right.findings)
            }
        }
    }

    @Test("Every further field has its column")
    func everyField() throws {
        let row = try Self.row([
            ("expires-date", "1448346881000"), ("web-order-line-item-id", "1000000030938713"),
            ("is-trial-period", "true"), ("is-in-intro-offer-period", "false"),
            ("cancellation-date-ms", "1448346882123"), ("cancellation-reason", "1"),
            ("in-app-ownership-type", "FAMILY_SHARED"), ("original-purchase-date-ms", "1354030002000"),
        ])
        #expect(row["expires_date"] == "2015-11-24T06:34:41.000Z")
        #expect(row["web_order_line_item_id"] == "1000000030938713")
        #expect(row["is_trial"] == "true")
        #expect(row["is_intro"] == "false")
        #expect(row["cancellation_date"] == "2015-11-24T06:34:42.123Z")
        #expect(row["cancellation_reason"] == "1")
        #expect(row["ownership_type"] == "family_shared")
        #expect(row["original_purchase_date"] == "2012-11-27T15:26:42.000Z")
    }

    @Test("Dates: milliseconds first, digits alone are milliseconds, then text, never Pacific time (quirks 32 to 34)")
    func dates() throws {
        let cases: [([(String, String)], String?)] = [
            ([("expires-date-ms", "1594755401000"), ("expires-date", "1594755402000")], "2020-07-14T19:36:41.000Z"),
            (
                [("expires-date", "1594755402000"), ("expires-date-formatted", "2012-01-02 03:04:05 Etc/GMT")],
                "2020-07-14T19:36:42.000Z"
            ),
            ([("expires-date-formatted", "2012-01-02 03:04:05 Etc/GMT")], "2012-01-02T03:04:05.000Z"),
            ([("expires-date", "2012-01-02 03:04:05 Etc/GMT")], "2012-01-02T03:04:05.000Z"),
            ([("expires-date-formatted-pst", "2012-01-02 03:04:05 America/Los_Angeles")], nil),
            ([("expires-date", "")], nil),
        ]
        for (entries, expected) in cases {
            #expect(try Self.row(entries)["expires_date"] == expected, "\(entries)")
        }
        let text = try Self.row([("purchase-date-ms", ""), ("purchase-date", "2012-12-19 06:41:12 Etc/GMT")])
        #expect(text["purchase_date"] == "2012-12-19T06:41:12.000Z")
    }

    @Test("Keys mean the same with - and with _")
    func spellings() {
        let text = ReceiptText.receipt(ReceiptText.purchase.map { ($0.0.replacing("-", with: "_"), $0.1) })
        #expect(Reading(text.replacing("purchase-info", with: "purchase_info")).transactions == [Self.row])
    }

    @Test("A web order id of 0 means none (quirk 17)")
    func noWebOrder() throws {
        #expect(try Self.row([("web-order-line-item-id", "0")])["web_order_line_item_id"] == nil)
    }

    @Test("Identifiers of the device leave no trace")
    func personalData() throws {
        let secret = "dd0e33ebf56bb1f3ad4c2dbaa7a0b33ac68b0e85"
        let row = try Self.row([("unique-identifier", secret), ("unique-vendor-identifier", secret)])
        #expect(row == Self.row)
    }

    @Test("A missing original id stays null")
    func noOriginal() throws {
        let reading = Reading(ReceiptText.receipt([("transaction-id", "33993399")], []))
        #expect(reading.transactions.first?["original_transaction_id"] == nil)
        #expect(reading.transactions.first?["trust"] == "unsigned")
    }

    static let environments: [([(String, String)], String)] = [
        ([], "production"), ([("environment", "")], "production"), ([("environment", "Sandbox")], "sandbox"),
        ([("environment", "Production")], "production"), ([("environment", "Mars")], "Mars"),
        ([("signature", "")], "production"),
    ]

    @Test("Without the environment key a receipt is production; another word is kept", arguments: environments)
    func environment(_ outer: [(String, String)], _ expected: String) {
        let reading = Reading(ReceiptText.receipt(ReceiptText.purchase, outer))
        #expect(reading.transactions.map { $0["environment"] } == [expected])
        #expect(reading.transactions.map { $0["trust"] } == ["unsigned"])
    }

    @Test("A purchase may stand without its receipt")
    func purchaseAlone() {
        var expected = Self.row
        (expected["environment"], expected["trust"]) = ("production", "unsigned")
        let text = ReceiptText.list(ReceiptText.purchase)
        for form in [text, ReceiptText.base64(text), ReceiptText.xml(ReceiptText.purchase)] {
            #expect(Reading(form).transactions == [expected])
        }
    }

    @Test("purchase-info is base64, data, a dictionary or its text")
    func formsOfPurchaseInfo() {
        let inner = ReceiptText.list(ReceiptText.purchase)
        let tail = "; signature = <02>; environment = Sandbox; }"
        let hexadecimal = inner.utf8.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        let xml = ReceiptText.xml([("purchase-info", "@"), ("environment", "Sandbox"), ("signature", "AA==")])
        let forms = [
            "{ purchase-info = \(ReceiptText.base64(inner).filter { $0 != "=" }) \(tail)",
            "{ purchase-info = <\(hexadecimal)>\(tail)", "{ purchase-info = \(inner)\(tail)",
            "{ purchase-info = \"\(inner.replacing("\"", with: "\\\""))\"\(tail)",
            "{ purchase-info = \"\(ReceiptText.base64(ReceiptText.xml(ReceiptText.purchase)))\"\(tail)",
            xml.replacing("<string>@</string>", with: "<data>\n    \(ReceiptText.base64(inner))\n</data>"),
            xml.replacing("<string>@</string>", with: "<data>\(ReceiptText.base64(ReceiptText.base64(inner)))</data>"),
        ]
        for form in forms {
            let reading = Reading(form)
            #expect(reading.findings == [])
            #expect(reading.transactions == [Self.row], "\(form)")
        }
    }

    static let rejected: [(String, String)] = [
        ("{ a = b; }", "sniff.unrecognized legacy +0"),
        ("{ environment = ( Sandbox ); product-id = a; }", "receipt.type environment +16"),
        ("{ environment = Sandbox; }", "sniff.unrecognized legacy +0"),
        ("{ purchase-info = ( ); }", "receipt.type purchase-info +18"),
        ("{ purchase-info = \"\"; }", "receipt.empty purchase-info +19"),
        ("{ purchase-info = \"ewo*\"; }", "base64.character purchase-info +22"),
        ("{ purchase-info = \"ewoKf\"; }", "base64.truncated purchase-info +24"),
        ("{ purchase-info = ewo; }", "plist.truncated purchase-info +2"),
        ("{ purchase-info = { }; }", "legacy.purchase-info purchase-info +18"),
        ("{ purchase-info = { bid = x; }; }", "legacy.purchase-info purchase-info +18"),
        ("{ product-id = a; quantity = many; }", "receipt.integer quantity +29"),
        ("{ product-id = a; quantity = ( ); }", "receipt.type quantity +29"),
        (
            "{ purchase-info = { product-id = a; purchase-date-ms = \"2012\\055\"; }; }",
            "receipt.date purchase-info › purchase_date_ms +56"
        ),
        ("{ product-id = a; is-trial-period = perhaps; }", "receipt.boolean is_trial_period +36"),
        ("{ product-id = a", "plist.truncated  +16"),
        ("<plist><string>a</string></plist>", "sniff.unrecognized  +15"),
        ("<plist><dict></plist>", "plist.truncated  +21"),
        ("<plist><dict></dct></plist>", "plist.xml  +19"),
        ("<?xml version='1.0'?><gesmes/>", "sniff.unrecognized  +0"),
        (
            "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><string>&a;</string></plist>", "plist.entity  +16"
        ),
    ]

    @Test("What is no receipt is rejected with code, path and offset", arguments: rejected)
    func rejects(_ text: String, _ finding: String) {
        let reading = Reading(text)
        #expect(reading.findings == [finding])
        #expect(reading.transactions.isEmpty && reading.documents.isEmpty)
    }

    @Test("A character that base64 lacks is named with its offset")
    func badBase64() {
        let base64 = ReceiptText.base64(ReceiptText.receipt())
        let broken = base64.prefix(200) + "*" + base64.dropFirst(201)
        #expect(Reading(String(broken)).findings == ["base64.character  +200"])
    }

    @Test(
        "Where one format is asked for, others are rejected",
        arguments: [("legacy", 1), ("pkcs7", 0), ("verify", 0)]
    )
    func forcedFormat(_ format: String, _ count: Int) {
        for text in [ReceiptText.receipt(), ReceiptText.base64(ReceiptText.receipt())] {
            let reading = Reading(text, format: format)
            #expect(reading.transactions.count == count)
            #expect(reading.rejects.map(\.code) == Array(repeating: "sniff.other-format", count: 1 - count))
        }
    }

    @Test("A receipt after a broken one is read as if it had been alone")
    func rollsBack() {
        let broken = "{ product-id = a; transaction-id = 7; quantity = many; }"
        let reading = Reading([broken, ReceiptText.receipt(), broken, "{ a = "].joined(separator: "\n"))
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1000000060683708"])
        #expect(reading.documents.map { $0["document"] } == ["1"])
        #expect(reading.rejects.map(\.document) == [0, 2, 3])
    }
}
