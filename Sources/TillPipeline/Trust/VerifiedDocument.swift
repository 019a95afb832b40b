import TillColumns
import TillCore
import TillJSON
import TillRows

/// The line of `tillroll verify` for one document.
struct VerifiedDocument {
    var source: String
    /// Counts from 1 within the source.
    var document: Int
    var kind: String?
    var trust: Word?
    var code: String?
    var bundleID: String?
    /// The signing time in the document, at which its certificates were checked.
    var signedAt: Timestamp?
    var signer: String?

    /// All documents of a batch, in their order.
    static func documents(in rows: borrowing RowBatch, source: String, firstDocument: Int) -> [VerifiedDocument] {
        var transaction = 0
        var found: [VerifiedDocument] = []
        for row in 0..<rows.documents.rowCount {
            let ordinal = rows.documents[.document, row] ?? 0
            while transaction < rows.transactions.rowCount, rows.transactions[.document, transaction] ?? 0 < ordinal {
                transaction += 1
            }
            func text(_ column: DocumentColumn, _ rows: borrowing RowBatch) -> String? {
                rows.documents[column, row].map { rows.dictionary.text(of: Int($0)) }
            }
            let kind = rows.documents[.kind, row]
            let trust = Word.allCases.first { $0.cell == rows.documents[.trust, row] }
            var signedAt = rows.documents[.observedAt, row]
            if kind == Word.legacy.cell, transaction < rows.transactions.rowCount {
                signedAt = rows.transactions[.purchaseDate, transaction]
            }
            found.append(
                VerifiedDocument(
                    source: source,
                    document: firstDocument + Int(ordinal),
                    kind: text(.kind, rows),
                    trust: trust,
                    code: text(.trustCode, rows),
                    bundleID: text(.bundleID, rows),
                    signedAt: trust == .unsigned ? nil : signedAt.map(Timestamp.init(milliseconds:)),
                    signer: rows.signer(ofDocument: row)
                )
            )
        }
        return found
    }

    /// One line of NDJSON, with every member.
    var json: [UInt8] {
        var line = Array("{\"source\":".utf8)
        line.appendJSON(string: source.utf8)
        line += ",\"document\":\(document)".utf8
        let members = [
            ("kind", kind), ("trust", trust?.text), ("code", code), ("bundle_id", bundleID),
            ("signed_at", signedAt?.text(alwaysWithMilliseconds: true)), ("signer", signer),
        ]
        for (name, value) in members {
            line += ",\"\(name)\":".utf8
            if let value { line.appendJSON(string: value.utf8) } else { line += "null".utf8 }
        }
        line += "}\n".utf8
        return line
    }

    /// One line for people. Its columns have fixed widths, the longest texts come last: nothing waits for the end.
    var text: String {
        let cells = [
            Self.padded(trust?.text ?? "–", 10), Self.padded(code ?? "–", 19), Self.padded(kind ?? "–", 12),
            Self.padded(signedAt?.description ?? "–", 24), "\(source):\(document)", bundleID ?? "–", signer ?? "–",
        ]
        return cells.joined(separator: "  ")
    }

    static let heading = [
        padded("Trust", 10), padded("Code", 19), padded("Kind", 12), padded("Signed", 24), "Document, app, signer",
    ]
    .joined(separator: "  ")

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
