import Foundation
import Testing
import TillReportModel
import TillTestSupport

/// The published receipts are compared with the known facts about each.
@Suite("Published receipts", .needsVectors)
struct VectorTests {
    struct Facts: Decodable {
        var accepted: Bool?
        var documents: Int?
        var transactions: [[String: Cell]]?
        var renewals: [[String: Cell]]?
        var kind: String?
    }

    /// A cell of the facts, which spell some numbers as text.
    enum Cell: Decodable {
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .text("\(flag)")
            } else if let number = try? container.decode(Int64.self) {
                self = .text("\(number)")
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var text: String {
            switch self {
            case .text(let text): text
            }
        }
    }

    static let facts: [String: Facts] = {
        guard let data = try? Data(contentsOf: Fixtures.vectors.appending(path: "facts.json")) else { return [:] }
        return (try? JSONDecoder().decode([String: Facts].self, from: data)) ?? [:]
    }()

    @Test("There are facts")
    func hasFacts() {
        #expect(Self.facts.count > 70)
        #expect(!Self.appReceipts.isEmpty)
    }

    /// The names of the app receipts.
    private static let appReceipts = facts.filter { $0.value.kind == "pkcs7" }.keys.sorted()

    @Test("Every receipt is shown, with every row and field that is known of it", arguments: facts.keys.sorted())
    func shows(_ name: String) throws {
        let facts = try #require(Self.facts[name])
        let inspecting = Inspecting(try Fixtures.bytes(Fixtures.vectors.appending(path: name)))
        if let count = facts.documents { #expect(inspecting.documents.count == count) }
        #expect(inspecting.documents.allSatisfy { !$0.nodes.isEmpty && !$0.layers.isEmpty })
        let isWhole = inspecting.documents.allSatisfy { $0.defect == nil }
        if let accepted = facts.accepted { #expect(isWhole == accepted) }
        if let kind = facts.kind, isWhole { #expect(inspecting.documents.allSatisfy { $0.kind == kind }) }
        guard isWhole else { return }
        #expect(
            inspecting.documents.flatMap(\.rows).count { $0.table == "transactions" } == facts.transactions?.count ?? 0
        )
        check(facts.transactions ?? [], inspecting.documents.flatMap(\.rows).filter { $0.table == "transactions" })
        check(facts.renewals ?? [], inspecting.documents.flatMap(\.rows).filter { $0.table == "renewals" })
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(inspecting.json.utf8)) }
    }

    /// For each row of the facts, the document has a row with all its cells.
    private func check(_ expected: [[String: Cell]], _ rows: [InspectedDocument.Row]) {
        let cells = rows.map { row in
            Dictionary(row.cells.map { ($0.column, Self.text($0.value)) }) { first, _ in first }
        }
        // The renewal state at the top level of old documents is a row that the facts leave out.
        #expect(rows.count >= expected.count)
        for fact in expected {
            let isShown = cells.contains { row in
                fact.allSatisfy { key, cell in Self.isSame(row[key], cell.text) }
            }
            #expect(isShown, "\(fact.mapValues(\.text))")
        }
    }

    /// Flags stand as 0 and 1 in some facts.
    private static func isSame(_ shown: String?, _ fact: String) -> Bool {
        shown == fact || shown == "true" && fact == "1" || shown == "false" && fact == "0"
    }

    static func text(_ value: InspectedNode.Value) -> String {
        switch value {
        case .text(let text), .number(let text): text
        case .flag(let flag): "\(flag)"
        case .null: "null"
        case .octets(let octets): octets.map { String($0, radix: 16) }.joined()
        case .masked: "masked"
        }
    }

    @Test("Every purchase of an app receipt is shown with its number and offset", arguments: appReceipts)
    func showsAttributes(_ name: String) throws {
        let facts = try #require(Self.facts[name])
        let inspecting = Inspecting(try Fixtures.bytes(Fixtures.vectors.appending(path: name)))
        let shown = inspecting.nodes.filter { $0.number == 1703 }
        let expected = (facts.transactions ?? []).compactMap { $0["transaction_id"]?.text }
        #expect(shown.compactMap { $0.value.map(Self.text) } == expected)
        #expect(inspecting.nodes.count { $0.number == 17 } == facts.transactions?.count)
        #expect(inspecting.nodes.filter { $0.number != nil }.allSatisfy { $0.offset != nil && $0.length != nil })
        #expect(!inspecting.nodes.contains { $0.defect != nil }, "\(inspecting.nodes.compactMap(\.defect))")
    }

    @Test("An offset is where the bytes are: each transaction id stands in its attribute")
    func offsetsPoint() throws {
        for name in ["xcode-2023-one-row.b64", "ios-sandbox-2020-187rows.b64", "ios-sandbox-2025-sha256.b64"] {
            let text = try Data(contentsOf: Fixtures.vectors.appending(path: "pkcs7/\(name)"))
            let der = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
            let ids = Inspecting(Array(der)).nodes.filter { $0.number == 1703 }
            #expect(!ids.isEmpty)
            for id in ids {
                let (offset, length) = (try #require(id.offset), try #require(id.length))
                let octets = der[(der.startIndex + offset)..<(der.startIndex + offset + length)]
                let expected = try #require(id.value.map(Self.text))
                #expect(octets.first == 0x30)
                #expect(octets.suffix(expected.utf8.count).elementsEqual(expected.utf8))
            }
        }
    }

    @Test(
        "Certificates have the fingerprints that are pinned",
        arguments: [
            ("pkcs7/ios-sandbox-2025-sha256.b64", "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"),
            ("pkcs7/xcode-2023-one-row.b64", "ff0ba36e721d2db741d2aa11e6112ef78bf7131b46c7f035b00891d045c864fe"),
            (
                "jws/apple-signed-test-notification.json",
                "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
            ),
        ]
    )
    func fingerprints(_ name: String, _ fingerprint: String) throws {
        let inspecting = Inspecting(try Fixtures.bytes(Fixtures.vectors.appending(path: name)))
        #expect(inspecting.json.contains(fingerprint))
        let subjects = inspecting.nodes.filter { $0.name == "subject" }
        #expect(!subjects.isEmpty)
        #expect(
            inspecting.nodes.filter { $0.name == "key" }.allSatisfy { node in
                node.value.map { Self.text($0).contains("RSA, ") || Self.text($0).contains("EC, P-") } ?? false
            }
        )
    }

    @Test("A certificate with a key that is too short for the library is shown all the same")
    func refusedCertificate() throws {
        let inspecting = Inspecting(
            try Fixtures.bytes(Fixtures.vectors.appending(path: "legacy/sandbox-2012-consumable.b64"))
        )
        #expect(inspecting.documents.allSatisfy { $0.defect == nil })
        let certificate = try #require(inspecting.nodes.first { $0.defect?.code == "certificate.refused" })
        #expect(certificate.offset == 133)
        let subject = try #require(certificate.children.first { $0.name == "subject" })
        #expect(subject.value.map(Self.text)?.contains("PurchaseReceiptCertificate") == true)
    }
}
