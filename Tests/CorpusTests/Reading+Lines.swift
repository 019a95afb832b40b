import Foundation
import TillColumns
import TillCore
import TillRows
import TillTestSupport

extension Reading {
    /// The numbers of documents, and the rows by document, as NDJSON.
    var rowLines: [String] {
        let rows =
            Self.lines(of: documents, "documents", DocumentColumn.self)
            + Self.lines(of: transactions, "transactions", TransactionColumn.self)
            + Self.lines(of: renewals, "renewals", RenewalColumn.self)
            + Self.lines(of: events, "events", EventColumn.self)
        let ordered = rows.enumerated().sorted { ($0.element.document, $0.offset) < ($1.element.document, $1.offset) }
        return [Self.object([("accepted", "\(accepted)"), ("rejected", "\(rejects.count)")])]
            + ordered.map(\.element.line)
    }

    private static func lines<Column: TableColumn>(
        of rows: [Row],
        _ table: String,
        _: Column.Type
    ) -> [(document: Int, line: String)] {
        let columns = Column.allCases.filter { $0.name != "document" }
        let plain: [ColumnType] = [.int64, .int32, .bool]
        return rows.map { row in
            let cells = columns.map { column in
                (column.name, row[column.name].map { plain.contains(column.type) ? $0 : quoted($0) })
            }
            let head = [("document", row["document"]), ("table", quoted(table))]
            return (row["document"].flatMap { Int($0) } ?? -1, object(head + cells))
        }
    }

    /// The rejects as NDJSON.
    ///
    /// A reject has its bytes as text only if they differ from the bytes of the input at its place.
    func rejectLines(of input: [UInt8]) -> [String] {
        rejects.map { reject in
            let isInPlace = input.dropFirst(reject.offset).prefix(reject.length).elementsEqual(reject.raw)
            return Self.object([
                ("document", "\(reject.document)"), ("line", "\(reject.line)"), ("offset", "\(reject.offset)"),
                ("length", "\(reject.length)"), ("kind", reject.kind.map(Self.quoted)),
                ("code", Self.quoted(reject.code)), ("path", reject.path.isEmpty ? nil : Self.quoted(reject.path)),
                ("inner_offset", "\(reject.innerOffset)"), ("reason", Self.quoted(reject.diagnostic.reason)),
                ("raw", isInPlace ? nil : Self.quoted(String(decoding: reject.raw, as: UTF8.self))),
            ])
        }
    }

    /// An object of the members that have a value.
    private static func object(_ members: [(name: String, value: String?)]) -> String {
        "{" + members.compactMap { member in member.value.map { #""\#(member.name)":\#($0)"# } }.joined(separator: ",")
            + "}"
    }

    /// The text as a string of JSON. Most texts have no character to escape, and an encoder takes long.
    private static func quoted(_ text: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") }
        guard !text.utf8.allSatisfy(isPlain) else { return "\"\(text)\"" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let bytes = try? encoder.encode(text)
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }
}
