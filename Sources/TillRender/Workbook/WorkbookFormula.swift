/// Formulas of a workbook, made of addresses and numbers only: no text of a report is ever part of one.
enum WorkbookFormula {
    /// `A`, `AB`
    static func letters(ofColumn column: Int) -> String {
        var letters = ""
        var rest = column + 1
        while rest > 0 {
            letters = String(UnicodeScalar(UInt8(65 + (rest - 1) % 26))) + letters
            rest = (rest - 1) / 26
        }
        return letters
    }

    /// `C5`; rows and columns count from 0.
    static func cell(_ row: Int, _ column: Int) -> String { "\(letters(ofColumn: column))\(row + 1)" }

    /// `C5:C20`
    static func range(_ rows: ClosedRange<Int>, _ column: Int) -> String {
        cell(rows.lowerBound, column) + ":" + cell(rows.upperBound, column)
    }

    /// `'By currency'!$C$5`
    static func cell(_ row: Int, _ column: Int, of sheet: String) -> String {
        "\(quoted(sheet))!$\(letters(ofColumn: column))$\(row + 1)"
    }

    /// `'It''s'`: quotes in a name are doubled.
    static func quoted(_ sheet: String) -> String {
        "'" + sheet.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    static func sum(_ rows: ClosedRange<Int>, _ column: Int) -> String { "=SUM(\(range(rows, column)))" }

    /// The sum of the rows that have the text of a cell in another column.
    static func sum(_ rows: ClosedRange<Int>, _ column: Int, where key: Int, equals cell: String) -> String {
        "=SUMIFS(\(range(rows, column)),\(range(rows, key)),\(cell))"
    }

    /// The sum of absolute values.
    static func sumOfMagnitudes(_ rows: ClosedRange<Int>, _ column: Int) -> String {
        "=SUMPRODUCT(ABS(\(range(rows, column))))"
    }

    /// The longest formula that Excel accepts.
    static let limit = 8192

    /// The size of the difference of two sums.
    static func magnitude(_ left: [String], _ right: [String]) -> String {
        "ABS(" + left.joined(separator: "+") + right.map { "-" + $0 }.joined() + ")"
    }

    static func rounded(_ terms: [String], decimals: Int) -> String {
        "=ROUND(" + terms.joined(separator: "+") + ",\(decimals))"
    }

    /// The difference of two sums, rounded to `decimals`, because cells are binary fractions.
    static func difference(_ left: [String], _ right: [String], decimals: Int) -> String {
        "=ROUND(" + left.joined(separator: "+") + right.map { "-" + $0 }.joined() + ",\(decimals))"
    }
}
