import Testing
import TillReceipts
import TillTestSupport

/// One document of each format, cut short at every byte.
@Suite("Truncated documents")
struct TruncationTests {
    static let receipt = ReceiptDER.sample(purchases: 1)
    static let list = "{\n\t\"purchase-info\" = \"\(ReceiptDER.base64(Array(purchase.utf8)))\";\n}"
    private static let purchase = "{ \"product-id\" = \"p\"; \"transaction-id\" = \"1\"; \"quantity\" = \"1\"; }"
    static let xml =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\">\n<plist version=\"1.0\">\n"
        + "<dict>\n<key>product-id</key>\n<string>p</string>\n<key>transaction-id</key>\n<string>1</string>\n</dict>\n</plist>"

    static let documents: [(name: String, bytes: [UInt8])] = [
        ("DER", receipt.der), ("BER", receipt.ber(fragments: 20)), ("base64", Array(receipt.base64.utf8)),
        ("PEM", Array("-----BEGIN PKCS7-----\n\(ReceiptDER.base64(receipt.der, width: 64))\n-----END PKCS7-----".utf8)),
        ("lines", Array(ReceiptDER.base64(receipt.der, width: 76, lineEnd: "\r\n").utf8)),
        ("request", Array(#"{"receipt-data":"\#(receipt.base64)","password":"x"}"#.utf8)),
        ("response", Array(#"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","quantity":"1"}]}}"#.utf8)),
        ("property list", Array(list.utf8)), ("XML", Array(xml.utf8)),
        ("list in base64", Array(ReceiptDER.base64(Array(list.utf8), width: 64).utf8)),
        ("XML in base64", Array(ReceiptDER.base64(Array(xml.utf8), width: 64).utf8)),
        ("payload", Array(#"{"transactionId":"1","bundleId":"b","price":990,"currency":"USD"}"#.utf8)),
        ("notification", Array(#"{"notification_type":"CANCEL","latest_receipt_info":{"transaction_id":"1"}}"#.utf8)),
        ("event", Array(#"{"event":"failed","error":{"domain":"SKErrorDomain","code":2}}"#.utf8)),
        ("log line", Array("2026-03-01 10:00:00 Error Domain=SKErrorDomain Code=2 \"a\" UserInfo={a=b}".utf8)),
    ]

    @Test("Cut at any byte, a document is a reject or is told by what is left, and nothing is lost")
    func loseNothing() {
        var reader = DocumentReader()
        for (name, bytes) in Self.documents {
            #expect(Reading(bytes, with: &reader).accepted == 1, "\(name)")
            for count in 1..<bytes.count {
                let cut = Array(bytes[..<count])
                let reading = Reading(cut, with: &reader)
                #expect(reading.consumed == count, "\(name), \(count)")
                #expect(
                    reading.rejects.allSatisfy { $0.raw.count == $0.length && !$0.code.isEmpty },
                    "\(name), \(count)"
                )
                let rows = reading.documents.count + reading.events.count
                #expect(
                    reading.accepted == rows && reading.documentCount <= cut.count { $0 == 0x0A } + 1,
                    "\(name), \(count)"
                )
            }
        }
    }

    @Test("A cut document is accepted only where nothing but its end mark is missing")
    func acceptsNoHalf() {
        let forgiving = ["PEM", "base64", "lines", "list in base64", "XML in base64", "log line", "DER", "BER"]
        var reader = DocumentReader()
        for (name, bytes) in Self.documents where !forgiving.contains(name) {
            for count in 1..<bytes.count {
                #expect(Reading(Array(bytes[..<count]), with: &reader).accepted == 0, "\(name), \(count)")
            }
        }
        for (name, bytes) in Self.documents where ["DER", "BER", "base64", "lines"].contains(name) {
            for count in 1..<bytes.count - 4 {
                #expect(Reading(Array(bytes[..<count]), with: &reader).accepted == 0, "\(name), \(count)")
            }
        }
    }
}
