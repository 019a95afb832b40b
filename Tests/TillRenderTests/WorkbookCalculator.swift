import Testing

/// The cells of a workbook, and a second, plain calculation of its formulas.
struct WorkbookCalculator {
    enum Value: Equatable {
        case number(Double)
        case text(String)
    }

    struct Formula {
        let sheet: String
        let cell: String
        let text: String
        /// The value in the file.
        let cached: Double
    }

    private(set) var names: [String] = []
    private var values: [String: [String: Value]] = [:]
    private(set) var formulas: [Formula] = []
    /// The markup of each sheet.
    private(set) var markup: [String: String] = [:]

    init(_ archive: Archive) throws {
        let strings = archive.names.contains("xl/sharedStrings.xml") ? try archive.text("xl/sharedStrings.xml") : ""
        let shared = strings.matches(of: /<si><t[^>]*>([^<]*)<\/t><\/si>/).map { Self.unescaped(String($0.1)) }
        let book = try archive.text("xl/workbook.xml")
        names = book.matches(of: /<sheet name="([^"]*)"/).map { Self.unescaped(String($0.1)) }
        for (index, name) in names.enumerated() {
            let sheet = try archive.text("xl/worksheets/sheet\(index + 1).xml")
            markup[name] = sheet
            for match in sheet.matches(of: /<c r="([A-Z]+[0-9]+)"([^>\/]*)>(.*?)<\/c>/) {
                let (cell, attributes, content) = (String(match.1), String(match.2), String(match.3))
                if let text = content.firstMatch(of: /<is><t[^>]*>([^<]*)<\/t>/) {
                    values[name, default: [:]][cell] = .text(Self.unescaped(String(text.1)))
                }
                guard let value = content.firstMatch(of: /<v>([^<]*)<\/v>/) else { continue }
                let number = try #require(Double(String(value.1)))
                values[name, default: [:]][cell] =
                    attributes.contains("t=\"s\"") ? .text(shared[Int(number)]) : .number(number)
                if let formula = content.firstMatch(of: /<f>([^<]*)<\/f>/) {
                    let text = Self.unescaped(String(formula.1))
                    formulas.append(Formula(sheet: name, cell: cell, text: text, cached: number))
                }
            }
        }
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&amp;", with: "&")
    }

    func value(_ cell: String, of sheet: String) -> Value? { values[sheet]?[cell] }

    func formula(_ cell: String, of sheet: String) -> String? {
        formulas.first { $0.sheet == sheet && $0.cell == cell }?.text
    }

    /// The texts of a column, from the first row on.
    func texts(_ column: String, of sheet: String) -> [String] {
        (1...200).compactMap { row in
            if case .text(let text)? = values[sheet]?["\(column)\(row)"] { text } else { nil }
        }
    }

    /// What a formula comes to; `nil` for one that the writer should not write.
    func calculated(_ formula: Formula) -> Double? {
        let text = formula.text
        if let match = text.wholeMatch(of: /SUM\(([A-Z]+)(\d+):[A-Z]+(\d+)\)/),
            let first = Int(match.2), let last = Int(match.3)
        {
            return (first...last).reduce(0) { $0 + number("\(match.1)\($1)", formula.sheet) }
        }
        if let match = text.wholeMatch(of: /SUMIFS\(([A-Z]+)(\d+):[A-Z]+(\d+),([A-Z]+)\d+:[A-Z]+\d+,([A-Z]+\d+)\)/),
            let first = Int(match.2), let last = Int(match.3)
        {
            let wanted = value(String(match.5), of: formula.sheet)
            return (first...last).reduce(0) { sum, row in
                guard value("\(match.4)\(row)", of: formula.sheet) == wanted else { return sum }
                return sum + number("\(match.1)\(row)", formula.sheet)
            }
        }
        if let match = text.wholeMatch(of: /SUMPRODUCT\(ABS\(([A-Z]+)(\d+):[A-Z]+(\d+)\)\)/),
            let first = Int(match.2), let last = Int(match.3)
        {
            return (first...last).reduce(0) { $0 + abs(number("\(match.1)\($1)", formula.sheet)) }
        }
        if let match = text.wholeMatch(of: /ROUND\((.*),(\d)\)/), let decimals = Int(match.2) {
            let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
            return terms(String(match.1), formula.sheet).map { ($0 * scale).rounded() / scale }
        }
        return terms(text, formula.sheet)
    }

    /// `'A sheet'!$B$4+C5-D6`, and the same in `ABS(…)+ABS(…)`.
    private func terms(_ text: String, _ sheet: String) -> Double? {
        if text.hasPrefix("ABS(") {
            let parts = text.split(separator: "ABS(").map { $0.split(separator: ")")[0] }
            return parts.reduce(0) { $0 + abs(terms(String($1), sheet) ?? .nan) }
        }
        let pattern = /([+-]?)(?:'((?:[^']|'')+)'!)?\$?([A-Z]+)\$?(\d+)/
        var (sum, end) = (0.0, text.startIndex)
        for match in text.matches(of: pattern) {
            guard match.range.lowerBound == end else { return nil }
            end = match.range.upperBound
            let other = match.2.map { String($0).replacing("''", with: "'") }
            let number = number("\(match.3)\(match.4)", other ?? sheet)
            sum += match.1 == "-" ? -number : number
        }
        return end == text.endIndex ? sum : nil
    }

    private func number(_ cell: String, _ sheet: String) -> Double {
        if case .number(let number)? = value(cell, of: sheet) { number } else { 0 }
    }
}
