import Foundation
import Testing
import TillTestSupport

/// Published JWS, notifications and responses, with facts worked out independently of this code.
///
/// They lie beside the package and are no part of it; without them these tests are skipped.
@Suite("Published payloads, notifications and responses", .needsVectors)
struct SignedVectorTests {
    struct Facts: Sendable {
        /// `nil` where both are right.
        var isAccepted: Bool?
        var kind: String?
        var transactions: [SignedReading.Row]?
        var renewals: [SignedReading.Row]?
        var documents: [SignedReading.Row]?
    }

    static let facts = Result { try readFacts() }
    static var files: [String] { (try? facts.get().keys.sorted()) ?? [] }

    @Test("The facts cover all four folders")
    func isNotVacuous() throws {
        #expect(try Self.facts.get().count >= 43)
        #expect(try Self.facts.get().values.count { $0.isAccepted == nil } <= 3)
    }

    @Test("Every file gives the rows that the facts tell, and nothing else", arguments: files)
    func givesItsRows(_ name: String) throws {
        let facts = try #require(try Self.facts.get()[name])
        let reading = SignedReading(try Fixtures.bytes(Fixtures.vectors.appending(path: name)))

        #expect(reading.accepted + reading.rejects.count == 1, "\(name)")
        guard let isAccepted = facts.isAccepted else { return }
        #expect(reading.accepted == (isAccepted ? 1 : 0), "\(name): \(reading.rejects)")
        if let kind = facts.kind { #expect(reading.documents.map { $0["kind"] } == [kind], "\(name)") }
        if let expected = facts.transactions { compare(reading.transactions, expected, "transactions of \(name)") }
        if let expected = facts.renewals { compare(reading.renewals, expected, "renewals of \(name)") }
        if let expected = facts.documents {
            compare(reading.documents, expected, "documents of \(name)", exactly: false)
        }
        #expect(reading.documents.first?["transactions"] == "\(reading.transactions.count)", "\(name)")
        #expect(reading.events.isEmpty)
    }

    /// Columns that the facts leave out: bookkeeping, trust, and what a rule makes of other members.
    private static let ours: Set = [
        "document", "row", "trust", "trust_code", "kind", "observed_at", "is_trial", "is_intro", "price_consent_status",
        "refund_percentage", "app_transaction_id", "subscription_group_id",
    ]

    private func compare(
        _ rows: [SignedReading.Row],
        _ expected: [SignedReading.Row],
        _ what: String,
        exactly: Bool = true
    ) {
        #expect(rows.count == expected.count, "\(what)")
        for (row, facts) in zip(rows.sorted(by: Self.precedes), expected.sorted(by: Self.precedes)) {
            for (column, value) in facts { #expect(row[column] == value, "\(what): \(column)") }
            guard exactly else { continue }
            #expect(Set(row.keys).subtracting(facts.keys).subtracting(Self.ours).isEmpty, "\(what)")
        }
    }

    private static func precedes(_ left: SignedReading.Row, _ right: SignedReading.Row) -> Bool {
        (left["transaction_id"] ?? "") < (right["transaction_id"] ?? "")
    }

    private static func readFacts() throws -> [String: Facts] {
        let data = try Data(contentsOf: Fixtures.vectors.appending(path: "facts.json"))
        let entries = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        var facts: [String: Facts] = [:]
        for (name, entry) in entries {
            let folders = ["jws/", "jws-decoded/", "notification-v1/", "verifyreceipt/"]
            guard folders.contains(where: name.hasPrefix) else { continue }
            facts[name] = Facts(
                isAccepted: entry["accepted"] as? Bool,
                kind: entry["kind"] as? String,
                transactions: rows(entry["transactions"]),
                renewals: rows(entry["renewals"]),
                documents: rows(entry["documents_rows"])
            )
        }
        return facts
    }

    private static func rows(_ value: Any?) -> [SignedReading.Row]? {
        (value as? [[String: Any]])?.map { row in
            var cells = row.mapValues { value in
                guard let number = value as? NSNumber else { return "\(value)" }
                // A boolean is a number to Foundation; its type encoding tells it.
                return String(cString: number.objCType) == "c" ? (number.boolValue ? "true" : "false") : "\(number)"
            }
            // The facts keep this one as Apple writes it; the column is a boolean.
            if let flag = cells["is_in_billing_retry_period"] {
                cells["is_in_billing_retry_period"] = flag == "0" ? "false" : "true"
            }
            return cells
        }
    }
}
