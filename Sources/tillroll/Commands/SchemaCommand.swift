import TillPipeline

enum SchemaCommand: CommandImplementation {
    static let summary = "Prints the tables that 'convert' writes."

    static var discussion: String {
        """
        A cell is null if the input lacks the field. Type 'at' is an instant: RFC 3339 with milliseconds in NDJSON \
        and CSV, a timestamp of milliseconds in UTC in Parquet. Prices are in thousandths of the unit of their \
        currency.

        Examples:
          tillroll schema
          tillroll schema transactions -t json
          tillroll schema -t duckdb -o tables.sql
        """
    }

    static let operands = [
        Operand(
            name: "table",
            count: .any,
            words: TableName.allCases.map(\.rawValue),
            help: "Tables (default: all): \(TableName.allCases.map(\.rawValue).joined(separator: ", "))."
        )
    ]

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let names = arguments.operands.isEmpty ? TableName.allCases : arguments.operands.compactMap(TableName.init)
        let format = try SchemaText.format(
            arguments[.format].flatMap(SchemaText.Format.init),
            outputPath: arguments[.output]
        )
        try Output.write(Array(SchemaText.text(of: names, as: format).utf8), to: arguments[.output])
        return .finished
    }
}
