import TillPipeline

enum SchemaCommand: CommandImplementation {
    static let summary = "Prints the tables that 'convert' writes."

    static var discussion: String {
        """
        A cell is null if the input lacks the field. Type 'at' is an instant: RFC 3339 with milliseconds in NDJSON \
        and CSV, a timestamp of milliseconds in UTC in Parquet. Prices are in thousandths of the unit of their \
        currency. 'schema event' prints the JSON Schema of a client event, so that an app can check its events before it \
        sends them.

        Examples:
          tillroll schema
          tillroll schema transactions -t json
          tillroll schema -t duckdb -o tables.sql
          tillroll schema event -t jsonschema
        """
    }

    static let operands = [
        Operand(
            name: "table",
            count: .any,
            words: TableName.allCases.map(\.rawValue) + [SchemaText.event],
            help: "Tables (default: all): \(TableName.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "Or '\(SchemaText.event)': the JSON of a client event."
        )
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let names = arguments.operands.isEmpty ? TableName.allCases : arguments.operands.compactMap(TableName.init)
        let named = arguments[.format].flatMap(SchemaText.Format.init)
        let format =
            if arguments.operands.contains(SchemaText.event) {
                try formatOfEvent(named, isAlone: names.isEmpty, outputPath: arguments[.output])
            } else {
                try formatOfTables(named, outputPath: arguments[.output])
            }
        try Output.write(Array(SchemaText.text(of: names, as: format).utf8), to: arguments[.output])
        return .finished
    }

    private static func formatOfEvent(
        _ named: SchemaText.Format?,
        isAlone: Bool,
        outputPath: String?
    ) throws -> SchemaText.Format {
        guard isAlone else {
            throw UsageError("'\(SchemaText.event)' cannot be printed together with tables; run schema twice")
        }
        guard let named else { return try SchemaText.formatOfEvent(outputPath: outputPath) }
        guard named == .jsonschema else {
            throw UsageError("--format \(named.rawValue) is for tables; choose jsonschema for '\(SchemaText.event)'")
        }
        return named
    }

    private static func formatOfTables(_ named: SchemaText.Format?, outputPath: String?) throws -> SchemaText.Format {
        guard named != .jsonschema else {
            let formats = SchemaText.Format.ofTables.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--format jsonschema is for '\(SchemaText.event)'; choose \(formats) for tables")
        }
        return try SchemaText.format(named, outputPath: outputPath)
    }
}
