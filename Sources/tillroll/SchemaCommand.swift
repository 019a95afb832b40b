import ArgumentParser
import TillPipeline

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        _superCommandName: Tillroll.name,
        abstract: "Prints the tables that 'convert' writes.",
        discussion: """
            A cell is null if the input lacks the field. Type 'at' is an instant: RFC 3339 with milliseconds in NDJSON \
            and CSV, a timestamp of milliseconds in UTC in Parquet. Prices are in thousandths of the unit of their \
            currency.

            Examples:
              tillroll schema
              tillroll schema transactions -t json
              tillroll schema -t duckdb -o tables.sql
            """
    )

    @Argument(
        help: "Tables (default: all): \(TableName.allCases.map(\.rawValue).joined(separator: ", ")).",
        completion: .list(TableName.allCases.map(\.rawValue))
    )
    var tables: [String] = []

    @Option(
        name: [.customShort("t"), .customLong("format")],
        help: "text, json, or the SQL of duckdb or spark (default: by -o, else text).",
        completion: .list(SchemaText.Format.allCases.map(\.rawValue))
    )
    var format: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to a file; '-' is standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    func validate() throws {
        if let table = tables.first(where: { TableName(rawValue: $0) == nil }) {
            let names = TableName.allCases.map(\.rawValue)
            throw ValidationError.unknown("table", table, among: names)
        }
        if let format, SchemaText.Format(rawValue: format) == nil {
            let names = SchemaText.Format.allCases.map(\.rawValue)
            throw ValidationError.unknown("output format", format, among: names)
        }
    }

    func run() throws {
        let names = tables.isEmpty ? TableName.allCases : tables.compactMap(TableName.init)
        let format = try SchemaText.format(format.flatMap(SchemaText.Format.init), outputPath: output)
        let text = SchemaText.text(of: names, as: format)
        try Output.write(Array(text.utf8), to: output)
    }
}
