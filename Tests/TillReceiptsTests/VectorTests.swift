import Foundation
import Testing
import TillTestSupport

/// Published receipts and responses, with facts worked out independently of this code.
@Suite("Published receipts", .needsVectors)
struct VectorTests {
    /// What one file must give. Cells are as text; a column that is not told is not there.
    struct Facts: Sendable {
        var isAccepted: Bool
        var kind: String?
        var transactions: [Reading.Row]?
        var renewals: [Reading.Row]?
        var documents: [Reading.Row]?
        /// What the facts leave open, in words.
        var judgement: String
    }

    static let facts = Result { try readFacts() }

    @Test("The facts cover receipts and responses, good and bad")
    func isNotVacuous() throws {
        let facts = try Self.facts.get()
        #expect(facts.count >= 46)
        #expect(facts.values.contains { !$0.isAccepted })
    }

    @Test("Every file gives the documents and rows that the facts tell", arguments: files)
    func givesItsRows(_ name: String) throws {
        let facts = try #require(try Self.facts.get()[name])
        let reading = Reading(try Fixtures.bytes(Fixtures.vectors.appending(path: name)))

        #expect(reading.documentCount == 1, "\(name)")
        guard facts.isAccepted else {
            #expect(reading.rejects.count == 1, "\(name)")
            return
        }
        let codes = reading.rejects.map { "\($0.code) \($0.path) +\($0.innerOffset)" }
        try #require(codes.isEmpty, "\(name): \(codes)")
        #expect(reading.documents.map { $0["kind"] } == [facts.kind], "\(name)")
        if let expected = facts.transactions {
            let ignored = facts.judgement.contains("no receipt type") ? ["environment"] : []
            compare(reading.transactions, expected, "transactions of \(name)", ignoring: Self.ours + ignored)
        }
        if let expected = facts.renewals { compare(reading.renewals, expected, "renewals of \(name)") }
        if let expected = facts.documents { #expect(reading.documents.count == expected.count, "\(name)") }
        for (row, expected) in zip(reading.documents, facts.documents ?? []) {
            for (column, value) in expected {
                #expect(row[column] == value, "documents of \(name): \(column)")
            }
        }
        #expect(reading.documents.first?["transactions"] == "\(reading.transactions.count)", "\(name)")
    }

    /// Columns that the facts do not speak of.
    private static let ours = [
        "document", "row", "trust", "kind", "observed_at", "refund_percentage", "app_transaction_id",
        "subscription_group_id",
    ]

    private func compare(
        _ rows: [Reading.Row],
        _ expected: [Reading.Row],
        _ what: String,
        ignoring ignored: [String] = ours
    ) {
        #expect(rows.count == expected.count, "\(what)")
        // Rows have no order that the facts could know; the transaction id, or else all of the row, makes one.
        let pairs = zip(rows.sorted(by: Self.precedes), expected.sorted(by: Self.precedes))
        for (number, (row, expected)) in pairs.enumerated() {
            for column in Set(row.keys).union(expected.keys).sorted() {
                if expected[column] == nil, ignored.contains(column) { continue }
                #expect(row[column] == expected[column], "\(what): row \(number), \(column)")
            }
        }
    }

    private static func precedes(_ left: Reading.Row, _ right: Reading.Row) -> Bool {
        func key(_ row: Reading.Row) -> String {
            ["transaction_id", "original_transaction_id", "product_id", "purchase_date"].map { row[$0] ?? "" }
                .joined(separator: "\t")
        }
        return key(left) < key(right)
    }

    static var files: [String] {
        (try? facts.get().keys.sorted()) ?? []
    }

    /// The facts of kind `pkcs7` and `verify`, and of what is no receipt at all.
    private static func readFacts() throws -> [String: Facts] {
        let data = try Data(contentsOf: Fixtures.vectors.appending(path: "facts.json"))
        let entries = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        var facts: [String: Facts] = [:]
        for (name, entry) in entries {
            guard let isAccepted = entry["accepted"] as? Bool else { continue }
            let kind = entry["kind"] as? String
            guard kind == "pkcs7" || kind == "verify" || !isAccepted else { continue }
            facts[name] = Facts(
                isAccepted: isAccepted,
                kind: kind,
                transactions: rows(entry["transactions"]),
                renewals: rows(entry["renewals"]),
                documents: rows(entry["documents_rows"]),
                judgement: entry["judgement"] as? String ?? ""
            )
        }
        return facts
    }

    private static func rows(_ value: Any?) -> [Reading.Row]? {
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
