import Foundation
import Testing
import TillCore
import TillTestSupport

/// Dates of purchase, expiry and signing lie between the opening of the App Store and the year 9999.
@Suite("Dates that no sale has")
struct SaleDateTests {
    typealias Receipt = ReceiptDER

    /// Documents with the mark `@` where a date stands, and the path of its member.
    static let documents: [(String, String)] = [
        (#"{"transactionId":"1","productId":"p","bundleId":"b","purchaseDate":@}"#, "purchaseDate"),
        (#"{"transactionId":"1","productId":"p","expiresDate":@,"purchaseDate":1772446500000}"#, "expiresDate"),
        (#"{"transactionId":"1","productId":"p","signedDate":@}"#, "signedDate"),
        (#"{"autoRenewProductId":"p","autoRenewStatus":1,"signedDate":@,"environment":"Xcode"}"#, "signedDate"),
        (#"{"status":0,"receipt":{"in_app":[{"purchase_date_ms":"@"}]}}"#, "in_app[0] › purchase_date_ms"),
        (#"{"status":0,"receipt":{"in_app":[{"quantity":1},{"purchase_date":"@"}]}}"#, "in_app[1] › purchase_date"),
        (
            #"{"status":0,"environment":"Sandbox","latest_receipt_info":[{"expires_date_ms":@}]}"#,
            "latest_receipt_info[0] › expires_date_ms"
        ),
        (#"{"status":0,"receipt":{"bid":"a","product_id":"b","expires_date":"@"}}"#, "expires_date"),
        (
            #"{"status":0,"receipt":{"bid":"a","product_id":"b","expires_date_formatted":"@"}}"#,
            "expires_date_formatted"
        ),
        ("{ product-id = a; purchase-date-ms = \"@\"; }", "purchase_date_ms"),
        ("{ purchase-info = { product-id = a; purchase-date = \"@\"; }; }", "purchase-info › purchase_date"),
        ("{ product-id = a; expires-date = \"@\"; }", "expires_date"),
    ]

    /// Seconds, seconds since 2001, the last millisecond before the store opened, microseconds, and the first
    /// millisecond of the year 10000.
    static let outside = [
        "1772446500", "794139300", "794139300.512", "-1", "1215647999999", "1772446500000000",
        "253402300800000",
    ]

    @Test(
        "A date before the store opened or after the year 9999 is a reject that names its member and place",
        arguments: documents
    )
    func rejects(_ document: String, _ path: String) throws {
        for value in Self.outside {
            let text = document.replacing("@", with: value)
            let reading = Reading(text + "\n")
            #expect(reading.accepted == 0 && reading.transactions.isEmpty && reading.documents.isEmpty)
            let reject = try #require(reading.rejects.first, "\(text)")
            #expect(reject.code == "receipt.date-range", "\(text)")
            #expect(reject.path.hasSuffix(path) && reject.raw == Array(text.utf8), "\(text)")
            #expect(reject.diagnostic.reason.contains("seconds"))
            let mark = try #require(document.utf8.firstIndex(of: UInt8(ascii: "@")))
            // The place in a property list is that of the value, whose quote belongs to it.
            let place = document.utf8.distance(from: document.utf8.startIndex, to: mark)
            #expect((place - 1...place).contains(reject.innerOffset), "\(text): \(reject.innerOffset)")
        }
    }

    /// Values that programs write where they have no date: 0, the years 1 and 0, the smallest values of Java, a zero
    /// time of Go in nanoseconds, and text.
    static let none = [
        "0", "-62135769600000", "-62135596800000", "-62135596800", "-63114076800", "-62167219200001",
        "-9223372036854775808", "-6795364578871345152", "-31557014167219200", "0001-01-01T00:00:00",
        "0001-01-01T00:00:00Z", "0001-01-01T08:05:43+08:05", "0001-01-01T00:00:00.0000000", "0001-01-01 00:00:00",
        "0001-01-01 00:00:00 +0000 UTC", "01/01/0001 00:00:00", "1/1/0001 12:00:00 AM", "01.01.0001 0:00:00",
        "0001-01-01", "Mon, 01 Jan 0001 00:00:00 GMT", "/Date(-62135596800000)/", "/Date(0+0000)/",
        "-1000000000-01-01T00:00:00Z", "-999999999-01-01T00:00:00", "1970-01-01T00:00:00Z", "1970-01-01 00:00:00",
        "0000-00-00 00:00:00", "None", "null", "NaT", " ", "-",
    ]

    private static func text(_ document: String, _ value: String) -> String {
        let isNumber = Int64(value) != nil
        return document.replacing("@", with: isNumber || document.contains("\"@\"") ? value : "\"\(value)\"")
    }

    @Test(
        "Dates since that day are read, and a value for no date is absent, or a reject for a purchase",
        arguments: documents
    )
    func accepts(_ document: String, _ path: String) throws {
        let dates = ["1215648000000", "1772446500000", "64092211200000", "253402300799999", "/Date(1772446500000)/"]
        for (value, isAbsent) in dates.map({ ($0, false) }) + Self.none.map({ ($0, true) }) {
            let reading = Reading(Self.text(document, value))
            if isAbsent, path.hasSuffix("purchaseDate") || path.contains("purchase_date") {
                #expect(reading.rejects.map(\.code) == ["receipt.date-range"], "\(document), \(value)")
                #expect(reading.rejects.allSatisfy { $0.path.hasSuffix(path) }, "\(document), \(value)")
                continue
            }
            #expect(reading.rejects.isEmpty && reading.accepted == 1, "\(document), \(value)")
            let column =
                path.contains("signed") ? "observed_at" : path.contains("xpires") ? "expires_date" : "purchase_date"
            let rows = path.contains("signed") ? reading.documents : reading.transactions
            let row = try #require(rows.last, "\(document), \(value)")
            #expect((row[column] == nil) == isAbsent, "\(document), \(value)")
        }
    }

    @Test("A purchase has the date of its text if its milliseconds say that there is none")
    func prefersTheKnownDate() {
        let text = #""purchase_date":"2026-03-02 10:15:00 Etc/GMT""#
        for members in ["\"purchase_date_ms\":0,\(text)", "\(text),\"purchase_date_ms\":\"\""] {
            let reading = Reading(#"{"status":0,"receipt":{"in_app":[{\#(members)}]}}"#)
            #expect(reading.transactions.map { $0["purchase_date"] } == ["2026-03-02T10:15:00.000Z"])
        }
    }

    @Test("A transaction without a purchase date is read, and one whose date is empty text is not")
    func distinguishesEmptyText() {
        func reading(_ member: String) -> Reading {
            Reading(#"{"transactionId":"1","productId":"p"\#(member),"expiresDate":"","revocationDate":""}"#)
        }
        #expect(reading("").accepted == 1 && reading(#","purchaseDate":null"#).accepted == 1)
        #expect(reading(#","purchaseDate":"""#).rejects.map(\.path) == ["purchaseDate"])
    }

    @Test("Digits of any script are digits in a date and in milliseconds")
    func readsOtherDigits() {
        for value in ["٢٠٢٦-٠٣-٠٢T١٣:١٥:٠٠+03:00", "۱۷۷۲۴۴۶۵۰۰۰۰۰", "၂၀၂၆-၀၃-၀၂ ၁၀:၁၅:၀၀ Etc/GMT"] {
            let reading = Reading(#"{"transactionId":"1","productId":"p","purchaseDate":"\#(value)"}"#)
            #expect(reading.transactions.map { $0["purchase_date"] } == ["2026-03-02T10:15:00.000Z"], "\(value)")
        }
    }

    /// Documents with the mark `@` where a date stands that is none of the sale, and the name of its member.
    static let otherDates: [(String, String)] = [
        (#"{"transactionId":"1","productId":"p","originalPurchaseDate":@}"#, "originalPurchaseDate"),
        (
            #"{"receiptType":"Xcode","bundleId":"b","originalPurchaseDate":1,"receiptCreationDate":@}"#,
            "receiptCreationDate"
        ),
        (#"{"autoRenewProductId":"p","renewalDate":@}"#, "renewalDate"),
        (#"{"autoRenewProductId":"p","gracePeriodExpiresDate":"@"}"#, "gracePeriodExpiresDate"),
        (#"{"status":0,"receipt":{"request_date_ms":"@","in_app":[]}}"#, "request_date_ms"),
        (#"{"status":0,"receipt":{"receipt_creation_date":"@","in_app":[]}}"#, "receipt_creation_date"),
        (#"{"status":0,"receipt":{"in_app":[{"original_purchase_date_ms":"@"}]}}"#, "original_purchase_date_ms"),
        (
            #"{"status":0,"environment":"Sandbox","pending_renewal_info":[{"grace_period_expires_date_ms":@}]}"#,
            "grace_period_expires_date_ms"
        ),
    ]

    @Test("Other dates are any that RFC 3339 can write", arguments: otherDates)
    func checksOtherDates(_ document: String, _ member: String) {
        for value in ["1", "0", "1772446500", "-62135769600000", "-62167219200001", "253402300799999"] {
            #expect(Reading(document.replacing("@", with: value)).accepted == 1, "\(document), \(value)")
        }
        for value in ["1772446500000000", "253402300800000", "9223372036854775807"] {
            let rejects = Reading(document.replacing("@", with: value)).rejects
            #expect(rejects.map(\.code) == ["receipt.date-range"], "\(document), \(value)")
            #expect(rejects.allSatisfy { $0.path.hasSuffix(member) }, "\(document): \(rejects)")
        }
    }

    /// Attributes of a purchase, their dates, and the code of the reject.
    static let attributes: [(Int64, String, String?)] = [
        (1704, "1970-01-21T12:14:06Z", "receipt.date-range"), (1708, "1995-02-28T00:00:00Z", "receipt.date-range"),
        (1704, "2008-07-09T23:59:59Z", "receipt.date-range"), (1704, "2008-07-10T00:00:00Z", nil),
        (1704, "2008-07-10T00:59:59+0100", "receipt.date-range"), (1708, "4001-01-01T00:00:00Z", nil),
        (1704, "0001-01-01T00:00:00Z", "receipt.date-range"), (1708, "0001-01-01T00:00:00", nil),
        (1706, "1970-01-01T00:00:00Z", nil), (1712, "1970-01-01T00:00:00Z", nil),
    ]

    @Test(
        "A purchase, expiry or refund of an app receipt before the App Store opened is a reject, unless the date stands for none",
        arguments: attributes
    )
    func checksAttributes(_ type: Int64, _ date: String, _ code: String?) throws {
        let der = Receipt([
            Receipt.purchase([Receipt.attribute(1702, DER.utf8("p")), Receipt.attribute(type, DER.ia5(date))]),
            Receipt.attribute(2, DER.utf8("a")),
        ]).der
        let reading = Reading(der)
        #expect(reading.rejects.map(\.code) == (code.map { [$0] } ?? []))
        guard code != nil else { return }
        let reject = try #require(reading.rejects.first)
        #expect(reject.path == "17[0] › \(type)" && reject.raw == der)
        #expect(der[reject.innerOffset...].starts(with: Array(date.utf8)))
    }

    /// Dates of a payload as text, and what is read.
    static let texts: [(String, String?)] = [
        (#""2026-03-02T10:15:00Z""#, "2026-03-02T10:15:00.000Z"),
        (#""2026-03-02T11:15:00.1259+01:00""#, "2026-03-02T10:15:00.125Z"),
        (#""2026-03-02T10:15:00\u005a""#, "2026-03-02T10:15:00.000Z"),
        (#""1772446500000""#, "2026-03-02T10:15:00.000Z"), ("1772446500000.75", "2026-03-02T10:15:00.000Z"),
        ("null", nil),
    ]

    @Test("The dates of a payload may be text", arguments: texts)
    func readsText(_ value: String, _ expected: String?) {
        for (key, column) in [
            ("purchaseDate", "purchase_date"), ("expiresDate", "expires_date"), ("signedDate", "observed_at"),
            ("revocationDate", "cancellation_date"),
        ] {
            let reading = Reading(#"{"transactionId":"1","productId":"p","\#(key)":\#(value),"bundleId":"b"}"#)
            #expect(reading.rejects.isEmpty && reading.transactions.first?[column] == expected, "\(key): \(value)")
        }
    }

    @Test(
        "Text that is no date is a reject, and so is one too early",
        arguments: [
            (#""2026-03-02""#, "receipt.date"), (#""2026-02-30T10:15:00Z""#, "receipt.date"), ("true", "receipt.date"),
            (#""soon""#, "receipt.date"), (#""""#, "receipt.date-range"), ("[]", "receipt.type"),
            (#""1970-01-21T12:14:06Z""#, "receipt.date-range"),
        ]
    )
    func rejectsText(_ value: String, _ code: String) {
        let reading = Reading(#"{"transactionId":"1","productId":"p","purchaseDate":\#(value),"bundleId":"b"}"#)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(
            reading.rejects.first?.path == "purchaseDate"
                && reading.rejects.first?.innerOffset == (value.hasPrefix("\"") ? 53 : 52)
        )
    }
}
