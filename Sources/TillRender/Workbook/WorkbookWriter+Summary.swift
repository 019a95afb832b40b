import CXLSXWriter
import TillCore
import TillReportModel

extension WorkbookWriter {
    /// The widths of the columns of the summary: a name, two values, a difference.
    private static let widths = [46, 22, 22, 18]
    private static var lineWidth: Int { widths.reduce(0, +) }

    /// The summary: the answer in words, its main figures, the tie-outs, and the sheets.
    func writeSummary(of document: ReportDocument, _ plan: WorkbookPlan, to sheet: Sheet) throws(Finding) {
        library.worksheet_gridlines(sheet, UInt8(LXW_HIDE_ALL_GRIDLINES.rawValue))
        for (column, width) in Self.widths.enumerated() { try setWidth(width, of: column, on: sheet) }
        try write(document.title, to: sheet, row: 0, column: 0, as: .title)
        var row = 1
        for report in document.flattened where !report.isSilent {
            if !document.children.isEmpty {
                row += 1
                try write(report.title, to: sheet, row: row, column: 0, as: .heading)
                row += 1
            }
            row = try writeAnswer(of: report, plan, to: sheet, from: row)
        }
        let hasExceptions = plan.sheets.contains { $0.content.isExceptions }
        if plan.isClose, !hasExceptions {
            row += 1
            try write("No exceptions.", to: sheet, row: row, column: 0, as: .heading)
            row += 1
        }
        row = try writeTieOuts(plan, to: sheet, from: row)
        row = try writeSheets(plan, to: sheet, from: row) + 1
        if !plan.sheets.contains(where: { $0.content.tellsNotes }) {
            for note in plan.notes + notes.sentences + [clock.sentence] {
                try writeLine(note, to: sheet, row: row, width: Self.lineWidth)
                row += 1
            }
        }
        try check(library.worksheet_print_area(sheet, 0, 0, UInt32(row), 3))
    }

    /// Writes the statements, main figures and records of a report. Returns the next row.
    private func writeAnswer(
        of report: ReportDocument,
        _ plan: WorkbookPlan,
        to sheet: Sheet,
        from row: Int
    ) throws(Finding) -> Int {
        var row = row
        let period = report.statements.isEmpty ? report.period?.text(by: clock) : nil
        if let words = report.scope?.text(by: clock) ?? period {
            try write(words, to: sheet, row: row, column: 0, as: .soft)
            row += 1
        }
        for statement in report.statements {
            let style: WorkbookFormat = statement.tone == .alarm ? .wrappedAlarm : .wrapped
            try writeLine(statement.line(by: clock), to: sheet, row: row, width: Self.lineWidth, as: style)
            row += 1
        }
        for section in report.sections where section.isOnSummary(ofClose: plan.isClose) {
            guard case .record(let cells) = section.content else { continue }
            let facts = zip(section.columns, cells).filter { section.role != .summary || $1.isFigure }
            guard !facts.isEmpty else { continue }
            let title = section.role == .summary ? "Key figures" : section.title
            row += 1
            try write(title, to: sheet, row: row, column: 0, as: .heading)
            row += 1
            for (column, cell) in facts {
                try writeFact(cell, column, of: section, in: report, plan, to: sheet, row: row)
                row += 1
            }
        }
        return row
    }

    private func writeFact(
        _ cell: Cell,
        _ column: Column,
        of section: Section,
        in report: ReportDocument,
        _ plan: WorkbookPlan,
        to sheet: Sheet,
        row: Int
    ) throws(Finding) {
        try write(column.title, to: sheet, row: row, column: 0, as: .soft)
        guard cell != .absent else { return try write("–", to: sheet, row: row, column: 1, as: .soft) }
        if cell.isNumber == true {
            try write(cell, to: sheet, row: row, column: 1)
        } else {
            let text = cell.displayText(by: clock)
            try writeLine(text, to: sheet, row: row, columns: 1...3, width: Self.lineWidth - Self.widths[0])
        }
        guard let sum = CellSum(cell) else { return }
        let name = WorkbookFigures.Name(report: report.name, section: section.name, column: column.name, currency: nil)
        let address = WorkbookCell(cell, clock).isNumber ? WorkbookFormula.cell(row, 1, of: plan.summaryName) : nil
        figures.add(sum, name, at: address)
    }

    // MARK: Tie-outs

    private func writeTieOuts(_ plan: WorkbookPlan, to sheet: Sheet, from row: Int) throws(Finding) -> Int {
        let comparisons = plan.tieOuts.compactMap { figures.comparison(of: $0.tieOut, in: $0.report) }
        guard !comparisons.isEmpty else { return row }
        var row = row + 1
        for (column, title) in ["Tie-out", "First", "Second", "Difference"].enumerated() {
            try write(title, to: sheet, row: row, column: column, as: .columnTitle(isNumber: column > 0))
        }
        for comparison in comparisons {
            row += 1
            try write(comparison.title, to: sheet, row: row, column: 0)
            if comparison.pairs.count == 1 {
                try writePair(comparison.pairs[0], to: sheet, row: row)
            } else {
                try writePairs(comparison.pairs, to: sheet, row: row)
            }
        }
        return row + 1
    }

    /// Both figures and their difference.
    private func writePair(_ pair: WorkbookFigures.Pair, to sheet: Sheet, row: Int) throws(Finding) {
        let sides = [pair.left, pair.right]
        let isExact = sides.allSatisfy { $0.addresses != nil && $0.sum?.isExactInSpreadsheet == true }
        for (column, side) in sides.enumerated() {
            guard let cell = side.sum?.cell else { continue }
            if isExact, let addresses = side.addresses {
                let formula = "=" + addresses.joined(separator: "+")
                try writeFormula(formula, giving: cell, to: sheet, row: row, column: column + 1, isTotal: false)
            } else {
                try write(cell, to: sheet, row: row, column: column + 1)
            }
        }
        let shown = sides.enumerated().map { column, side in
            let address = isExact ? WorkbookFormula.cell(row, column + 1) : nil
            return side.sum.map { [WorkbookFigures.Place(sum: $0, address: address)] } ?? []
        }
        try writeDifference(of: shown[0], shown[1], to: sheet, row: row, column: 3)
    }

    /// The number of currencies, and the sum of the sizes of their differences.
    private func writePairs(_ pairs: [WorkbookFigures.Pair], to sheet: Sheet, row: Int) throws(Finding) {
        try write("\(pairs.count) currencies", to: sheet, row: row, column: 1, as: .right)
        var (sizes, decimals) = (0.0, 0)
        var terms: [String] = []
        for pair in pairs {
            guard let left = pair.left.sum, let right = pair.right.sum,
                let size = left.minus(right)?.exactNumber.flatMap(Double.init)
            else { continue }
            sizes += abs(size)
            decimals = max(decimals, left.decimals, right.decimals)
            let isExact = left.isExactInSpreadsheet && right.isExactInSpreadsheet
            guard isExact, let first = pair.left.addresses, let second = pair.right.addresses else { continue }
            terms.append(WorkbookFormula.magnitude(first, second))
        }
        let format = style(.check(nil, decimals: decimals))
        let formula = WorkbookFormula.rounded(terms, decimals: decimals)
        if terms.count == pairs.count, formula.utf8.count <= WorkbookFormula.limit {
            try check(library.worksheet_write_formula_num(sheet, UInt32(row), 3, formula, format, sizes))
        } else {
            try check(library.worksheet_write_number(sheet, UInt32(row), 3, sizes, format))
        }
    }

    // MARK: Sheets

    private func writeSheets(_ plan: WorkbookPlan, to sheet: Sheet, from row: Int) throws(Finding) -> Int {
        guard !plan.sheets.isEmpty else { return row }
        var row = row + 1
        try write("Sheets", to: sheet, row: row, column: 0, as: .heading)
        for entry in plan.sheets {
            row += 1
            try writeLink(to: entry.name, on: sheet, row: row, column: 0)
            let text =
                switch entry.content {
                case .table(let table): table.rows.countText
                case .charts(let charts): charts.count == 1 ? "1 chart" : "\(charts.count) charts"
                case .exceptions(let statements):
                    statements.count == 1 ? "1 exception" : "\(statements.count) exceptions"
                case .signOff: "prepared, reviewed; settings and files"
                case .settings: "settings and notes"
                }
            try write(text, to: sheet, row: row, column: 1)
        }
        return row + 1
    }
}

extension ReportDocument {
    /// Whether it has neither an answer nor records, as the report of all reports.
    fileprivate var isSilent: Bool {
        statements.isEmpty
            && sections.allSatisfy { section in
                guard case .record = section.content else { return true }
                return !section.isOnSummary(ofClose: false)
            }
    }
}

extension Section {
    /// Whether it is a record that the summary shows. That of a close has the answer alone; the sign-off has the
    /// others.
    func isOnSummary(ofClose isClose: Bool) -> Bool {
        switch role {
        case .summary, .headline: true
        case .figures, .overview, .detail: !isClose
        case .input, .settings, .trust, .coverage: false
        }
    }
}

extension WorkbookPlan.Sheet.Content {
    fileprivate var isExceptions: Bool {
        if case .exceptions = self { true } else { false }
    }

    /// Whether the notes of the report are on the sheet.
    fileprivate var tellsNotes: Bool {
        switch self {
        case .signOff, .settings: true
        case .table, .charts, .exceptions: false
        }
    }
}

extension Statement {
    /// The sentence as a line, with the command that shows more.
    func line(by clock: ReportClock) -> String {
        (weight == .detail ? "    " : "") + sign + text(by: clock) + (command.map { "   " + $0 } ?? "")
    }
}

extension Cell {
    /// Whether it is a main figure of a summary: a known number.
    fileprivate var isFigure: Bool { isNumber == true }
}
