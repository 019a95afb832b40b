import TillColumns
import TillJSON
import TillReceipts
import TillRows

/// The tables that `convert` writes, as text for people, JSON for programs or SQL; and the JSON Schema of an event.
public enum SchemaText {
    /// The forms of the text; the raw values are the words of `-t`.
    public enum Format: String, CaseIterable, Sendable {
        case text, json, duckdb, spark
        /// Of an event, and of nothing else.
        case jsonschema

        public static let ofTables = allCases.filter { $0 != .jsonschema }

        /// The form that the ending of a file means; SQL may be of more than one kind.
        init?(fileExtension: String) {
            switch fileExtension.lowercased() {
            case "txt": self = .text
            case "json": self = .json
            default: return nil
            }
        }
    }

    /// The operand that names the event, beside the names of the tables.
    public static let event = "event"

    /// The form that was named, else the one that the ending of the output means, else text.
    public static func format(_ format: Format?, outputPath: String?) throws(RunError) -> Format {
        if let format { return format }
        let hint = outputPath?.hasSuffix(".sql") == true ? "choose duckdb or spark with -t" : "name one with -t"
        return try Output.format(byEndingOf: outputPath, hint: hint) { Format(fileExtension: $0) } ?? .text
    }

    /// The form of the schema of an event: always JSON Schema. The ending of the output, if any, must be `.json`.
    public static func formatOfEvent(outputPath: String?) throws(RunError) -> Format {
        try Output.format(byEndingOf: outputPath, hint: "name jsonschema with -t") { ending in
            ending.lowercased() == "json" ? .jsonschema : nil
        } ?? .jsonschema
    }

    /// The tables of `names` in the requested form; with `.jsonschema`, the schema of an event.
    public static func text(of names: [TableName], as format: Format) -> String {
        switch format {
        case .text: names.map(plain).joined(separator: "\n")
        case .json: json(names)
        case .duckdb: names.map { sql($0, \.duckDBName, quote: "\"", end: ";") }.joined(separator: "\n")
        case .spark: names.map { sql($0, \.sparkName, quote: "`", end: " USING parquet;") }.joined(separator: "\n")
        case .jsonschema: eventSchema
        }
    }

    private static var eventSchema: String {
        var json: [UInt8] = []
        EventSchema.json.writeLines(to: &json)
        return String(decoding: json, as: UTF8.self) + "\n"
    }

    private static func columns(of table: TableName) -> [(name: String, type: ColumnType)] {
        func open<Column: TableColumn>(_: Column.Type) -> [(name: String, type: ColumnType)] {
            Column.allCases.map { ($0.name, $0.type) }
        }
        return table.withColumns { columns in open(columns) }
    }

    private static func plain(_ table: TableName) -> String {
        let columns = columns(of: table)
        let width = columns.map(\.name.count).max() ?? 0
        let lines = columns.map { name, type in
            "  " + name + String(repeating: " ", count: width + 2 - name.count) + type.contractName + "\n"
        }
        return "\(table.rawValue): one row per \(table.rowMeaning)\n" + lines.joined()
    }

    private static func json(_ names: [TableName]) -> String {
        let tables = names.map { table in
            let columns = columns(of: table).map { name, type in
                "      {\"name\":\"\(name)\",\"type\":\"\(type.contractName)\"}"
            }
            return "    {\"table\":\"\(table.rawValue)\",\"row\":\"\(table.rowMeaning)\",\"columns\":[\n"
                + columns.joined(separator: ",\n") + "\n    ]}"
        }
        return "{\"version\":\(ParquetTables.schemaVersion),\"tables\":[\n" + tables.joined(separator: ",\n") + "\n]}\n"
    }

    /// Names are quoted: `at`, `row` and `event` are words of SQL's own somewhere.
    private static func sql(
        _ table: TableName,
        _ name: (ColumnType) -> String,
        quote: String,
        end: String
    ) -> String {
        let columns = columns(of: table).map { column, type in "    \(quote)\(column)\(quote) \(name(type))" }
        return "CREATE TABLE \(table.rawValue) (\n" + columns.joined(separator: ",\n") + "\n)\(end)\n"
    }
}

extension TableName {
    /// The meaning of a row of the table (`docs/tables.md`).
    fileprivate var rowMeaning: String {
        switch self {
        case .transactions: "transaction in a document"
        case .documents: "accepted document other than an event"
        case .events: "client event"
        case .renewals: "renewal state of a subscription"
        }
    }
}

extension ColumnType {
    /// The type as the contract calls it; ids are text.
    fileprivate var contractName: String {
        switch self {
        case .text, .identifier: "text"
        case .int64: "int64"
        case .int32: "int32"
        case .bool: "bool"
        case .instant: "at"
        }
    }

    fileprivate var duckDBName: String {
        switch self {
        case .text, .identifier: "VARCHAR"
        case .int64: "BIGINT"
        case .int32: "INTEGER"
        case .bool: "BOOLEAN"
        case .instant: "TIMESTAMP WITH TIME ZONE"
        }
    }

    fileprivate var sparkName: String {
        switch self {
        case .text, .identifier: "STRING"
        case .int64: "BIGINT"
        case .int32: "INT"
        case .bool: "BOOLEAN"
        case .instant: "TIMESTAMP"
        }
    }
}
