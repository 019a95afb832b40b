import Testing
import TillReportModel

/// The parts of a document that a test compares. A test that finds a part missing ends with an issue: comparing nothing
/// would pass.
extension ReportDocument {
    func section(_ name: String) throws -> Section {
        try #require(sections.first { $0.name == name }, "the report has no section \(name)")
    }

    func hasSection(_ name: String) -> Bool {
        sections.contains { $0.name == name }
    }

    /// The rows of the table in a section.
    func rows(of name: String) throws -> [[Cell]] {
        try Array(section(name).rows())
    }
}

extension Section {
    /// The rows of a section that is a table.
    func rows() throws -> TableRows {
        let rows: TableRows? = if case .table(let rows) = content { rows } else { nil }
        return try #require(rows, "the section \(name) is not a table")
    }

    /// The cells of a section that is a record.
    func record() throws -> [Cell] {
        let cells: [Cell]? = if case .record(let cells) = content { cells } else { nil }
        return try #require(cells, "the section \(name) is not a record")
    }

    /// The place of a column in the record or in each row.
    func place(of column: String) throws -> Int {
        try #require(columns.firstIndex { $0.name == column }, "the section \(name) has no column \(column)")
    }
}
