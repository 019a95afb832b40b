import Foundation
import Testing
import TillReceipts
import TillTestSupport

/// Published receipts beside the checkout, with facts worked out independently of this code.
enum LegacyVectors {
    static let names = [
        "minimal-transaction-id-only", "sandbox-2012-consumable", "sandbox-2012-no-environment-key",
        "sandbox-2012-restored", "sandbox-2015-subscription-latest", "sandbox-2015-subscription",
    ]

    static func octets(_ name: String) throws -> [UInt8] {
        try Fixtures.bytes(Fixtures.vectors.appending(path: "legacy/\(name).b64")).filter { $0 > 0x20 }
    }

    /// The rows that a file must give, cells as text.
    static func transactions(_ name: String) throws -> [Reading.Row] {
        let data = try Data(contentsOf: Fixtures.vectors.appending(path: "facts.json"))
        let all = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let facts = try #require(all["legacy/\(name).b64"] as? [String: Any])
        #expect(facts["accepted"] as? Bool == true)
        #expect(facts["kind"] as? String == "legacy")
        let rows = try #require(facts["transactions"] as? [[String: Any]])
        return rows.map { row in row.mapValues { "\($0)" } }
    }
}

@Suite("Published legacy receipts", .needsVectors)
struct VectorTests {
    @Test("Every receipt gives the row that the facts tell, field by field", arguments: LegacyVectors.names)
    func givesItsRow(_ name: String) throws {
        let reading = Reading(try LegacyVectors.octets(name))
        try #require(reading.findings.isEmpty, "\(reading.findings)")
        var expected = try LegacyVectors.transactions(name)
        #expect(expected.count == 1)
        for index in expected.indices {
            expected[index]["kind"] = "legacy"
            expected[index]["trust"] = name.hasPrefix("minimal") ? "unsigned" : "unchecked"
            // The facts leave the environment open where the key is missing; `docs/tables.md` settles it.
            expected[index]["environment"] = expected[index]["environment"] ?? "production"
            (expected[index]["document"], expected[index]["row"]) = ("0", "1")
        }
        #expect(reading.transactions == expected)
        let row = expected[0]
        let document = row.filter { ["kind", "trust", "environment", "bundle_id", "app_version"].contains($0.key) }
        #expect(
            reading.documents == [document.merging(["transactions": "1", "withheld": "0", "document": "0"]) { $1 }]
        )
    }

    @Test("A receipt reads the same as base64 in lines, as text and as XML", arguments: LegacyVectors.names)
    func everyForm(_ name: String) throws {
        let octets = try LegacyVectors.octets(name)
        let expected = Reading(octets).transactions
        try #require(!expected.isEmpty)
        let text = try #require(Data(base64Encoded: Data(octets)).map { String(decoding: $0, as: UTF8.self) })
        let entries = text.matches(of: /"([^"]*)" = "([^"]*)";/).map { (String($0.1), String($0.2)) }
        let purchase = try #require(entries.first { $0.0 == "purchase-info" })
        let inner = try #require(Data(base64Encoded: purchase.1).map { String(decoding: $0, as: UTF8.self) })
        let base64 = String(decoding: octets, as: UTF8.self)
        let forms = [
            text,
            ReceiptText.xml(entries),
            ReceiptText.base64(ReceiptText.xml(entries)),
            ReceiptText.base64(text, at: 76, "\r\n"),
            "{\"receipt-data\":\"\(base64)\"}",
            text.replacing(purchase.1, with: inner.replacing("\"", with: "\\\"")),
        ]
        for form in forms {
            let reading = Reading(form)
            #expect(reading.findings == [], "\(form.prefix(60))")
            #expect(reading.transactions == expected, "\(form.prefix(60))")
        }
    }

    @Test("A receipt cut at any byte is a reject, and nothing of it counts")
    func everyTruncation() throws {
        let octets = try LegacyVectors.octets("sandbox-2012-restored")
        let whole = try #require(Data(base64Encoded: Data(octets)).map(Array.init))
        let end = try #require(whole.lastIndex(of: 0x7D))
        // What begins no `key =` yet is nothing that could be told from broken JSON.
        let first = try #require(whole.firstIndex(of: 0x3D))
        var reader = DocumentReader()
        for count in first + 1...end {
            let reading = Reading(Array(whole[..<count]), with: &reader)
            // A line feed at the end is no part of the document.
            let end = whole[count - 1] == 0x0A ? count - 1 : count
            #expect(reading.findings == ["plist.truncated  +\(end)"])
            #expect(reading.transactions.isEmpty && reading.documents.isEmpty)
        }
        for count in 1..<octets.count - 4 {
            let reading = Reading(Array(octets[..<count]), with: &reader)
            #expect(reading.rejects.count == 1)
            #expect(reading.transactions.isEmpty && reading.documents.isEmpty)
        }
    }
}
