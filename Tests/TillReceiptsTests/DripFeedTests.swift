import Foundation
import Testing
import TillTestSupport

@Suite("Streams in pieces")
struct DripFeedTests {
    /// Every framing and every way to fail, good and bad in turn, within a few kilobytes.
    static let mixed: [UInt8] = {
        let receipt = ReceiptDER.sample()
        let event = #"{"event":"failed","ts":1772446500120,"error":{"code":2,"message":"caf\u00e9 é 😀"}}"#
        let response = #"{"status":0,"receipt":{"in_app":[{"transaction_id":"1","product_id":"p"}]}}"#
        let parts: [[UInt8]] =
            [
                "\u{FEFF}\(event)\n", "\(response)\r\n", "{\n  \"status\": 0,\n  \"environment\": \"Sandbox\"\n}\n",
                "[\(event),\n \(response)]\n", "\(event)\(event)",
                "\n\n{\"event\":\"a\\x\"}{\"v\":1,\"api\":\"a\",\"event\":\"b\"}\n",
                "\(receipt.base64)\n", ReceiptDER.base64(receipt.der, width: 64) + "\n",
                ReceiptDER.base64(receipt.ber(fragments: 60), width: 76, lineEnd: "\r\n") + "\r\n",
                "{\"receipt-data\":\"\(receipt.base64)\"}\n", "\"\(receipt.base64)\"\n", "no receipt at all\n",
                "-----BEGIN PKCS7-----\n\(ReceiptDER.base64(receipt.der, width: 64))\n-----END PKCS7-----\n",
                "{\"receipt-data\":\"MII*\"}\n", "{\n  \"event\": \"a\",\n  \"quantity\": x\n}\n", "{\n",
                "{\"event\":\"cut o\n", "{\"event\":\"\\ud83d\\ude0\"}\n", "MIIB?\n",
            ].map { Array($0.utf8) } + [Array("{\"event\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8), receipt.der]
        return parts.flatMap(\.self) + receipt.der + Array("\n\(event)\n{\"event\":".utf8)
    }()

    @Test("The mixed stream holds what it is meant to hold")
    func isNotVacuous() {
        let whole = Reading(Self.mixed)
        #expect(whole.accepted == 17)
        #expect(
            whole.rejects.map(\.code) == [
                "json.escape", "sniff.unrecognized", "base64.character", "json.syntax", "json.truncated",
                "json.truncated", "json.escape", "base64.character", "json.utf8", "json.truncated",
            ]
        )
        #expect(whole.events.count == 6 && whole.transactions.count == 18 && whole.documents.count == 11)
        #expect(whole.consumed == Self.mixed.count)
        #expect(whole.openBrackets == 0)
    }

    @Test("Chunks of any size give what the whole gives", arguments: 1...64)
    func equalsTheWhole(step: Int) {
        expectSame(Reading(Self.mixed, step: step), Reading(Self.mixed), "step \(step)")
    }

    @Test(
        "Bytes that end inside a first key do not decide whether a property list begins",
        arguments: [
            "{\n\t\"product-\nid\" = \"a\";\n\t\"transaction-id\" = \"1\";\n}\n",
            "{\n\t\"product-id\"\n\n = \"a\";\n}\n{\"a\": x}\n",
            "{\n\n\n\"a\nb\": 1\n}\n", "{\n\n\"\n\u{1}\" = x; }\n",
            "{\n\"" + String(repeating: "k\n", count: 200) + "\" = \"a\";\n}\n",
            "{" + String(repeating: "k", count: 254) + "= a; }\n",
            "{" + String(repeating: "k", count: 255) + "= a; }\n",
        ]
    )
    func decidesBehindTheFirstKey(_ text: String) {
        let bytes = Array(text.utf8)
        for step in 1...bytes.count { expectSame(Reading(bytes, step: step), Reading(bytes), "step \(step)") }
    }

    @Test("Two chunks that meet anywhere give what the whole gives")
    func meetsAnywhere() {
        let whole = Reading(Self.mixed)
        // Steps of one byte cut at every position already; here the second part is read without waiting.
        for cut in stride(from: 0, through: Self.mixed.count, by: 5) {
            expectSame(Reading(Self.mixed, cutAt: cut), whole, "cut at \(cut)")
        }
    }

    @Test("The samples in chunks give what they give whole", arguments: [4093, 65_536])
    func readsSamplesInPieces(step: Int) throws {
        let files = Fixtures.files(below: Fixtures.samples).filter { $0.pathExtension != "md" }
        try #require(!files.isEmpty)
        for file in files {
            let bytes = try Fixtures.bytes(file)
            expectSame(Reading(bytes, step: step), Reading(bytes), "\(file.lastPathComponent) by \(step)")
        }
    }

    private func expectSame(_ reading: Reading, _ whole: Reading, _ what: String) {
        // One comparison first: a difference is then told part by part.
        guard reading != whole else { return }
        #expect(reading.accepted == whole.accepted, "\(what)")
        #expect(reading.rejects == whole.rejects, "\(what)")
        #expect(reading.transactions == whole.transactions, "\(what)")
        #expect(reading.documents == whole.documents, "\(what)")
        #expect(reading.events == whole.events, "\(what)")
        #expect(reading.renewals == whole.renewals, "\(what)")
        #expect(reading.lines == whole.lines, "\(what)")
        #expect(reading.consumed == whole.consumed, "\(what)")
        #expect(reading.openBrackets == whole.openBrackets, "\(what)")
        #expect(reading.foreign == whole.foreign, "\(what)")
    }
}
