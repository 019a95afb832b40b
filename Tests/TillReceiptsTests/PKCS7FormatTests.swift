import Testing
import TillTestSupport

@Suite("App receipts")
struct PKCS7FormatTests {
    private typealias Receipt = ReceiptDER

    private static func purchase(_ attributes: [UInt8]...) -> Reading {
        Reading(Receipt([Receipt.purchase(attributes)]).der)
    }

    @Test("The object identifier is known in whatever form its length is written", arguments: [[], [0x81], [0x82, 0]])
    func knowsLongLengths(_ form: [UInt8]) {
        let oid = ReceiptDER.signedData
        // Tag and length of the SEQUENCE take four octets.
        let signed = Array(ReceiptDER.sample().der.dropFirst(4 + oid.count))
        let der = DER.sequence([0x06] + form + oid.dropFirst(), signed)
        #expect(Reading(der).transactions.count == 2)
    }

    @Test("Every attribute that rows have lands in its column")
    func readsAttributes() throws {
        let reading = Reading(
            Receipt([
                Receipt.attribute(0, DER.utf8("ProductionSandbox")),
                Receipt.attribute(1, DER.integer(.max)),
                Receipt.attribute(2, DER.utf8("com.example")),
                Receipt.attribute(3, DER.utf8("7.1")),
                Receipt.attribute(4, [1, 2, 3], version: 2),
                Receipt.attribute(12, DER.ia5("2026-03-02T10:15:00Z")),
                Receipt.purchase([
                    Receipt.attribute(1701, DER.integer(3)), Receipt.attribute(1702, DER.utf8("p")),
                    Receipt.attribute(1703, DER.utf8("170000000000002")),
                    Receipt.attribute(1704, DER.ia5("2026-03-01T00:00:00.125Z")),
                    Receipt.attribute(1705, DER.utf8("170000000000001")),
                    Receipt.attribute(1706, DER.ia5("2026-02-01T01:00:00+0100")),
                    Receipt.attribute(1707, DER.integer(3)), Receipt.attribute(1708, DER.ia5("2026-04-01T00:00:00Z")),
                    Receipt.attribute(1711, DER.integer(900_000_000_000_000_001)),
                    Receipt.attribute(1712, DER.ia5("2026-03-05T00:00:00Z")),
                    Receipt.attribute(1713, DER.integer(1)), Receipt.attribute(1719, DER.integer(0)),
                    Receipt.attribute(1721, DER.utf8("offer")),
                ]),
            ]).der
        )
        #expect(
            reading.transactions == [
                [
                    "environment": "sandbox", "bundle_id": "com.example", "app_version": "7.1", "product_id": "p",
                    "product_type": "auto_renewable", "quantity": "3", "transaction_id": "170000000000002",
                    "original_transaction_id": "170000000000001", "web_order_line_item_id": "900000000000000001",
                    "purchase_date": "2026-03-01T00:00:00.125Z", "original_purchase_date": "2026-02-01T00:00:00.000Z",
                    "expires_date": "2026-04-01T00:00:00.000Z", "cancellation_date": "2026-03-05T00:00:00.000Z",
                    "is_trial": "true", "is_intro": "false", "offer_id": "offer",
                    "observed_at": "2026-03-02T10:15:00.000Z", "trust": "unchecked", "kind": "pkcs7", "document": "0",
                    "row": "1",
                ]
            ]
        )
        #expect(
            reading.documents == [
                [
                    "kind": "pkcs7", "environment": "sandbox", "bundle_id": "com.example", "app_version": "7.1",
                    "receipt_type": "ProductionSandbox", "observed_at": "2026-03-02T10:15:00.000Z",
                    "trust": "unchecked", "transactions": "1", "withheld": "0", "document": "0",
                ]
            ]
        )
    }

    @Test("What holds for the receipt is in rows that came before it, and rows keep their order")
    func assumesNoOrder() {
        let receipt = Receipt.sample(purchases: 3)
        let sorted = Reading(receipt.der)
        let reversed = Reading(Receipt(receipt.attributes.reversed()).der)
        #expect(sorted.transactions.map { $0["transaction_id"] } == ["100", "101", "102"])
        #expect(reversed.transactions.map { $0["transaction_id"] } == ["102", "101", "100"])
        #expect(reversed.transactions.allSatisfy { $0["bundle_id"] == "com.example.app" && $0["observed_at"] != nil })
        #expect(reversed.documents == sorted.documents)
    }

    @Test("Empty strings, empty values and a web order id of 0 are null")
    func readsEmptyAsNull() {
        let reading = Self.purchase(
            Receipt.attribute(1701, []),
            Receipt.attribute(1702, DER.utf8("")),
            Receipt.attribute(1703, DER.utf8("")),
            Receipt.attribute(1704, DER.ia5("")),
            Receipt.attribute(1707, []),
            Receipt.attribute(1708, DER.ia5("")),
            Receipt.attribute(1711, DER.integer(0)),
            Receipt.attribute(1712, []),
            Receipt.attribute(1713, [])
        )
        #expect(reading.transactions == [["trust": "unchecked", "kind": "pkcs7", "document": "0", "row": "1"]])

        let bare = Reading(Receipt([Receipt.attribute(0, DER.utf8("")), Receipt.attribute(12, DER.ia5(""))]).der)
        #expect(bare.documents.first?["environment"] == nil)
        #expect(bare.documents.first?["observed_at"] == nil)
        #expect(Reading(Receipt([]).der).accepted == 1)
    }

    @Test("Of an attribute that comes twice the first counts, in the receipt and in a purchase")
    func keepsTheFirstOfTwo() {
        let reading = Reading(
            Receipt([
                Receipt.attribute(2, DER.utf8("first")), Receipt.attribute(2, DER.utf8("second")),
                Receipt.purchase([
                    Receipt.attribute(1702, DER.utf8("a")), Receipt.attribute(1702, DER.utf8("b")),
                ]),
                Receipt.purchase([Receipt.attribute(1702, DER.utf8("c"))]),
            ]).der
        )
        #expect(reading.documents.first?["bundle_id"] == "first")
        #expect(reading.transactions.map { $0["product_id"] } == ["a", "c"])
    }

    @Test("Numbers without a meaning are passed over, of any size and with any value")
    func passesOverOtherAttributes() {
        let wide = DER.sequence(DER.element(0x02, Array(repeating: 0x11, count: 12)), DER.integer(1), DER.octets([9]))
        let others = [Int64.min, -1, 4, 22, 63, 64, 1700, 1710, 1722, 1732, 1733, 99_999, .max].map {
            Receipt.attribute($0, [0xDE, 0xAD])
        }
        let purchase = Receipt.purchase(others + [wide, Receipt.attribute(1702, DER.utf8("p"))])
        let reading = Reading(Receipt(others.filter { $0.count > 0 } + [wide, purchase]).der)
        #expect(reading.rejects.map(\.code) == [])
        #expect(reading.transactions.first?["product_id"] == "p")
    }

    @Test(
        "The product type is a word, and another number is kept as it came",
        arguments: zip(
            [0, 1, 2, 3, 4, 5, -7] as [Int64],
            ["non_consumable", "consumable", "non_renewing", "auto_renewable", "free_subscription", "5", "-7"]
        )
    )
    func readsProductTypes(_ number: Int64, _ word: String) {
        #expect(Self.purchase(Receipt.attribute(1707, DER.integer(number))).transactions.first?["product_type"] == word)
    }

    @Test("Ids are text: leading zeros stay, 64 bits fit, 0 stays 0, and no row is joined with another")
    func readsIDs() {
        let ids = ["0", "0", "007", "9223372036854775807", "9223372036854775808", "abc", "abc"]
        let receipt = Receipt(ids.map { Receipt.purchase([Receipt.attribute(1703, DER.utf8($0))]) })
        #expect(Reading(receipt.der).transactions.map { $0["transaction_id"] } == ids)

        let wide = Self.purchase(Receipt.attribute(1711, DER.integer(.max)), Receipt.attribute(1701, DER.integer(10)))
        #expect(wide.transactions.first?["web_order_line_item_id"] == "9223372036854775807")
    }

    @Test(
        "The receipt type is the environment; VPP counts as what it is bought in; an unknown word is kept",
        arguments: zip(
            ["Production", "ProductionVPP", "ProductionSandbox", "ProductionVPPSandbox", "Xcode", "Martian"],
            ["production", "production", "sandbox", "sandbox", "xcode", "Martian"]
        )
    )
    func readsEnvironments(_ type: String, _ environment: String) {
        let reading = Reading(Receipt([Receipt.purchase([]), Receipt.attribute(0, DER.utf8(type))]).der)
        #expect(reading.documents.first?["receipt_type"] == type)
        #expect(reading.documents.first?["environment"] == environment)
        #expect(reading.transactions.first?["environment"] == environment)
    }

    @Test("A payload in a second octet string, in fragments or with wide lengths gives the same rows")
    func readsOtherEncodings() {
        let receipt = Receipt.sample(purchases: 3)
        let expected = Reading(receipt.der)
        #expect(expected.transactions.count == 3)
        let encodings = [
            Receipt.wrap(DER.octets(DER.octets(receipt.payload))),
            Receipt.wrap(DER.octets(DER.octets(DER.octets(receipt.payload)))),
            Receipt.wrap(DER.octets(DER.fragments(receipt.payload, of: 10))),
            Receipt.wrap(DER.fragments(DER.octets(receipt.payload), of: 7, indefinite: false)),
            Receipt.wrap(DER.element(0x04, receipt.payload, lengthWidth: 4)),
            receipt.ber(fragments: 1), receipt.ber(fragments: 100), receipt.ber(fragments: 100_000),
        ]
        for (number, bytes) in encodings.enumerated() {
            let reading = Reading(bytes)
            #expect(reading.rejects.map(\.code) == [], "encoding \(number)")
            #expect(reading.transactions == expected.transactions, "encoding \(number)")
            #expect(reading.documents == expected.documents, "encoding \(number)")
        }
    }

    @Test("A second octet string after a wrapped one makes the receipt a reject: its purchases would be lost")
    func rejectsSecondOctetString() {
        let (first, second) = (
            DER.octets(Receipt.sample(purchases: 1).payload), DER.octets(Receipt.sample(purchases: 2).payload)
        )
        for content in [first + second, DER.octets(first + second), first + DER.octets([]), first + DER.integer(1)] {
            let reading = Reading(Receipt.wrap(DER.octets(content)))
            #expect(reading.rejects.map(\.code) == ["pkcs7.attribute"])
            #expect(reading.transactions.isEmpty)
        }
    }

    @Test("A purchase whose octet string is in fragments is read like any other")
    func readsFragmentedPurchases() {
        let set = DER.set([Receipt.attribute(1702, DER.utf8("p")), Receipt.attribute(1701, DER.integer(2))])
        for size in [1, 5, 100] {
            let attribute = DER.sequence(DER.integer(17), DER.integer(1), DER.fragments(set, of: size))
            let reading = Reading(Receipt([attribute]).der)
            #expect(reading.transactions.first?["product_id"] == "p", "\(reading.rejects.map(\.code))")
        }
    }

    @Test("Any value may be in fragments, whatever their size and the form of the lengths", arguments: 1...9)
    func joinsFragmentsOfValues(_ size: Int) {
        func attribute(_ type: Int64, _ value: [UInt8]) -> [UInt8] {
            let fragments = DER.fragments(value, of: size, indefinite: size.isMultiple(of: 2))
            return DER.sequence(DER.integer(type), DER.integer(1), fragments)
        }
        let fields: [(Int64, [UInt8])] = [
            (1701, DER.integer(300)), (1702, DER.utf8("a product")), (1703, DER.utf8("170000000000001")),
            (1704, DER.ia5("2026-03-01T00:00:00Z")), (1713, DER.integer(1)),
        ]
        let app: [(Int64, [UInt8])] = [
            (0, DER.utf8("Production")), (2, DER.utf8("com.example")), (12, DER.ia5("2026-03-02T00:00:00Z")),
        ]
        let plain = Receipt(
            app.map { Receipt.attribute($0.0, $0.1) } + [Receipt.purchase(fields.map { Receipt.attribute($0.0, $0.1) })]
        )
        let cut = Receipt(
            app.map { attribute($0.0, $0.1) } + [attribute(17, DER.set(fields.map { attribute($0.0, $0.1) }))]
        )
        let reading = Reading(cut.der)
        #expect(reading.rejects.isEmpty)
        #expect(reading.transactions.count == 1)
        #expect(reading.transactions == Reading(plain.der).transactions)
        #expect(reading.documents == Reading(plain.der).documents)
    }

    @Test("Bytes after the signed data are tolerated inside base64")
    func toleratesTrailingBytes() {
        let reading = Reading(Receipt.base64(Receipt.sample().der + [0, 0, 0]))
        #expect(reading.transactions.count == 2)
    }

    /// Attribute members that are not type, version and value, and how each is called.
    static let misshapen: [(String, [[UInt8]], String)] = [
        ("none", [], "pkcs7.attribute"),
        ("type only", [DER.integer(1702)], "pkcs7.attribute"),
        ("no value", [DER.integer(1702), DER.integer(1)], "pkcs7.attribute"),
        ("four members", [DER.integer(1702), DER.integer(1), DER.octets([]), DER.integer(1)], "pkcs7.attribute"),
        ("text as type", [DER.utf8("a"), DER.integer(1), DER.octets([])], "pkcs7.attribute"),
        ("text as version", [DER.integer(1702), DER.utf8("a"), DER.octets([])], "pkcs7.attribute"),
        ("an integer as value", [DER.integer(1702), DER.integer(1), DER.integer(1)], "pkcs7.attribute"),
        ("an empty integer", [DER.element(0x02, []), DER.integer(1), DER.octets([])], "pkcs7.integer"),
    ]

    @Test("An attribute that is not type, version and value is a reject at its offset", arguments: misshapen)
    func rejectsMisshapenAttributes(_ name: String, _ members: [[UInt8]], _ code: String) throws {
        let attribute = DER.element(0x30, members.flatMap(\.self))
        let der = Receipt([
            Receipt.attribute(2, DER.utf8("a")), Receipt.purchase([Receipt.attribute(1702, DER.utf8("p"))]),
            Receipt.purchase([Receipt.attribute(1702, DER.utf8("p")), attribute]),
        ]).der
        // The reader goes on behind it.
        let reading = Reading(der + Receipt.sample().der)
        #expect(reading.accepted == 1)
        #expect(reading.transactions.count == 2)
        let reject = try #require(reading.rejects.first)
        #expect(reject.code == code)
        #expect(reject.kind == "pkcs7")
        #expect(reject.path.hasPrefix("17[1]"))
        #expect(reject.offset == 0 && reject.length == der.count)
        let start = try #require(
            der.indices.last { der[$0...].starts(with: attribute) && $0 + attribute.count < der.count }
        )
        if code == "pkcs7.attribute" { #expect(reject.innerOffset == start) }
    }

    @Test("A second set behind that of a purchase, or of the receipt, is a reject where it begins")
    func rejectsSecondSets() throws {
        let set = DER.set([Receipt.attribute(1702, DER.utf8("p"))])
        let app = Receipt.attribute(2, DER.utf8("a"))
        let payload = DER.set([app, Receipt.attribute(17, set)])
        for (der, beginning) in [
            (Receipt([app, Receipt.attribute(17, set + set)]).der, set),
            (Receipt.wrap(DER.octets(payload + payload)), payload),
            (Receipt.wrap(DER.octets(DER.octets(payload + payload))), payload),
        ] {
            let reading = Reading(der)
            #expect(reading.transactions.isEmpty)
            let reject = try #require(reading.rejects.first)
            #expect(reject.code == "pkcs7.attribute" && reading.rejects.count == 1)
            #expect(der.count - beginning.count >= reject.innerOffset)
        }
        #expect(Reading(Receipt.wrap(DER.octets(payload))).transactions.count == 1)
    }

    /// Values of purchase attributes that their column cannot hold.
    static let wrong: [(Int64, [UInt8], String)] = [
        (1701, DER.utf8("1"), "ber.unexpected-tag"),
        (1701, DER.element(0x02, Array(repeating: 1, count: 9)), "pkcs7.integer"),
        (1701, [0x02, 0x05, 0x01], "ber.past-parent"),
        (1702, DER.integer(1), "ber.unexpected-tag"),
        (1702, [0x0C, 0x02, 0xC3, 0x28], "receipt.utf8"),
        (1703, [0x0C, 0x01, 0xFF], "receipt.utf8"),
        (1703, [0x0C], "ber.past-parent"),
        (1704, DER.ia5("2026-13-01T00:00:00Z"), "receipt.date"),
        (1704, DER.ia5("yesterday"), "receipt.date"),
    ]

    @Test("A value that its column cannot hold is a reject that names the attribute", arguments: wrong)
    func rejectsWrongValues(_ type: Int64, _ value: [UInt8], _ code: String) throws {
        let reading = Reading(
            Receipt([
                Receipt.purchase([Receipt.attribute(1702, DER.utf8("p"))]),
                Receipt.purchase([Receipt.attribute(type, value)]),
                Receipt.attribute(2, DER.utf8("a")),
            ]).der
        )
        #expect(reading.transactions.isEmpty && reading.documents.isEmpty)
        let reject = try #require(reading.rejects.first)
        #expect(reject.code == code)
        #expect(reject.path == "17[1] › \(type)")
    }

    @Test("A receipt that is cut off anywhere is one reject, and never gives a row", arguments: [false, true])
    func rejectsTruncation(isBER: Bool) {
        let receipt = Receipt.sample(purchases: 1)
        let bytes = isBER ? receipt.ber(fragments: 40) : receipt.der
        for count in 2..<bytes.count {
            let reading = Reading(Array(bytes[..<count]))
            #expect(reading.rejects.count == 1 && reading.accepted == 0, "\(count) bytes")
            #expect(reading.transactions.isEmpty && reading.documents.isEmpty, "\(count) bytes")
            #expect(reading.consumed == count)
        }
    }

    @Test("Signed data of another content type, or none, is told apart from a broken receipt")
    func tellsOtherContent() {
        let sample = Receipt.sample().der
        var enveloped = sample
        enveloped[sample.count > 255 ? 14 : 12] = 3
        #expect(Reading(enveloped).rejects.map(\.code) == ["sniff.unrecognized"])
        #expect(Reading(enveloped, format: "pkcs7").rejects.map(\.code) == ["pkcs7.content-type"])
        let other = DER.sequence(DER.integer(1), DER.octets(Array(repeating: 0, count: 200)))
        #expect(Reading(other).rejects.map(\.code) == ["sniff.unrecognized"])
        #expect(Reading(other, format: "pkcs7").rejects.map(\.code) == ["ber.unexpected-tag"])
    }
}
