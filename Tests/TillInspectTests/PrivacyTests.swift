import Foundation
import Testing
import TillReceipts
import TillReportModel
import TillTestSupport

/// Private values are in neither output unless they were asked for, however the document is wrapped or broken.
@Suite("Private values")
struct PrivacyTests {
    static let secret = "5ecre7-Tok3n-0123456789abcdef"

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func legacy(_ name: String) -> String {
        let info = "{\n\t\"product-id\" = \"pro\";\n\t\"transaction-id\" = \"10\";\n\t\"\(name)\" = \"\(secret)\";\n}"
        return "{\n\t\"purchase-info\" = \"\(base64(info))\";\n\t\"pod\" = \"100\";\n}"
    }

    private static func jws(_ payload: String) -> String {
        func encoded(_ text: String) -> String {
            base64(text).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return encoded("{\"alg\":\"ES256\"}") + "." + encoded(payload) + ".c2ln"
    }

    static let documents: [(name: String, text: String)] = {
        let transaction = "{\"transactionId\":\"10\",\"deviceVerification\":\"\(secret)\"}"
        let response = "{\"status\":0,\"receipt\":{\"product_id\":\"pro\",\"transaction_id\":\"10\","
        let notification = "{\"notification_type\":\"CANCEL\",\"password\":\"\(secret)\"}"
        return [
            ("V1 notification", notification),
            ("request", "{\"receipt-data\":\"MIIT\",\"password\":\"\(secret)\"}"),
            (
                "pair",
                "{\"request\":{\"receipt-data\":\"MIIT\",\"password\":\"\(secret)\"},\"response\":{\"status\":21004}}"
            ),
            ("flat response", response + "\"unique_identifier\":\"\(secret)\"}}"),
            ("vendor id", response + "\"unique_vendor_identifier\":\"\(secret)\"}}"),
            ("numeric", "{\"notification_type\":\"CANCEL\",\"device_id\":{\"a\":[\"\(secret)\"]}}"),
            ("legacy", legacy("unique-identifier")),
            ("legacy in base64", base64(legacy("unique-vendor-identifier"))),
            (
                "legacy in a response",
                "{\"status\":0,\"receipt\":{},\"latest_receipt\":\"\(base64(legacy("unique-identifier")))\"}"
            ),
            ("JWS", jws(transaction)),
            (
                "JSON in a string",
                "{\"headers\":{},\"body\":\"{\\\"password\\\":\\\"\(secret)\\\",\\\"receipt-data\\\":\\\"MIIT\\\"}\"}"
            ),
            ("JSON in text", "{\"status\":0,\"log\":\"sent password=\(secret) to Apple\"}"),
            ("printed", "{ environment = Sandbox; password = \"\(secret)\"; status = 0; }"),
            ("cut", String(notification.dropLast(12))),
            ("broken before", "{\"status\":x,\"password\":\"\(secret)\"}"),
            ("broken behind", "{\"password\":\"\(secret)\",\"status\":x}"),
            ("header of a request", "{\"headers\":{\"Authorization\":\"Bearer \(secret)\"},\"status\":0}"),
            ("log line", "User FailedTransaction Code=2 buyProduct?guid=\(secret)&x=1"),
            (
                "event",
                "{\"event\":\"failed\",\"error\":{\"domain\":\"SKErrorDomain\",\"code\":2,\"message\":\"guid=\(secret)\"}}"
            ),
            ("base64 that is broken", base64(legacy("unique-identifier")) + "!"),
            ("text without a kind", "password: \(secret)"),
        ]
    }()

    @Test("A secret is in no output", arguments: documents.map(\.name))
    func isMasked(_ name: String) throws {
        let document = try #require(Self.documents.first { $0.name == name })
        let inspecting = Inspecting(document.text)
        #expect(!inspecting.documents.isEmpty)
        for (output, text) in [("text", inspecting.text), ("JSON", inspecting.json)] {
            for part in [Self.secret, Self.base64(Self.secret), String(Self.secret.prefix(12))] {
                #expect(!text.contains(part), "\(output) of \(name)")
            }
            #expect(!text.contains(Self.secret.utf8.map { String($0, radix: 16) }.joined()), "\(output) of \(name)")
        }
    }

    @Test(
        "--show-private shows it",
        arguments: [
            "V1 notification", "request", "flat response", "legacy", "legacy in base64", "legacy in a response", "JWS",
            "JSON in a string", "printed", "event",
        ]
    )
    func isShown(_ name: String) throws {
        let document = try #require(Self.documents.first { $0.name == name })
        #expect(Inspecting(document.text, options: .showingPrivate).text.contains(Self.secret))
    }

    @Test("A legacy receipt over the size limit shows nothing of what its base64 holds")
    func tooLarge() throws {
        let document = Array(Self.legacy("unique-identifier").utf8)
        let inspecting = Inspecting(document, documentLimit: document.count - 1)
        #expect(inspecting.documents.first?.defect?.code == "document.too-large")
        let info = try #require(document.split(separator: 0x22).max { $0.count < $1.count })
        for text in [inspecting.text, inspecting.json] {
            #expect(!text.contains(String(decoding: info.prefix(24), as: UTF8.self)))
        }
    }

    @Test("The opaque value and the hash of a receipt are masked, other unknown octets are shown")
    func attributes() {
        let receipt = ReceiptDER([
            ReceiptDER.attribute(4, [0xC0, 0xFF, 0xEE, 0x01], version: 2),
            ReceiptDER.attribute(5, [0xC0, 0xFF, 0xEE, 0x02]),
            ReceiptDER.attribute(6, [0xC0, 0xFF, 0xEE, 0x03]),
            ReceiptDER.attribute(99, [0xC0, 0xFF, 0xEE, 0x04]),
        ])
        let inspecting = Inspecting(receipt.der)
        #expect(inspecting.nodes.filter { $0.value == .masked(byteCount: 4) }.map(\.number) == [4, 5])
        #expect(!inspecting.json.contains("c0ffee01") && !inspecting.json.contains("c0ffee02"))
        #expect(inspecting.json.contains("c0ffee03") && inspecting.text.contains("99 unknown  c0 ff ee 04"))
        let shown = Inspecting(receipt.der, options: .showingPrivate)
        #expect(shown.json.contains("c0ffee01") && shown.json.contains("c0ffee02"))
    }

    @Test("The app's own token for its customer is a column and no secret")
    func accountToken() {
        let text = Inspecting("{\"transactionId\":\"1\",\"appAccountToken\":\"7e3fb20b-4cdb\"}").text
        #expect(text.contains("7e3fb20b-4cdb"))
    }
}
