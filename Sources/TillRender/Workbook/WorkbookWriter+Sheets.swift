import CXLSXWriter
import TillCore
import TillReportModel

extension WorkbookWriter {
    /// A table with a frozen header, filters, and columns as wide as their texts.
    func writeTable(_ section: Section, _ rows: TableRows, to sheet: Sheet) throws(RenderError) {
        let widths = widths(of: section.columns, in: rows)
        for (column, heading) in section.columns.enumerated() {
            try setWidth(widths[column], of: column, on: sheet)
            try write(
                heading.title,
                to: sheet,
                row: 0,
                column: column,
                as: .columnTitle(isNumber: section.isNumber(at: column))
            )
        }
        for (row, cells) in rows.enumerated() {
            for (column, cell) in cells.enumerated() where column < section.columns.count {
                try write(cell, to: sheet, row: row + 1, column: column)
            }
        }
        library.worksheet_freeze_panes(
            sheet,
            1,
            UInt16(section.keyCount < section.columns.count ? section.keyCount : 0)
        )
        if !section.columns.isEmpty {
            try check(
                library.worksheet_autofilter(sheet, 0, 0, UInt32(rows.count), UInt16(section.columns.count - 1))
            )
        }
        library.worksheet_set_landscape(sheet)
        try check(library.worksheet_repeat_rows(sheet, 0, 0))
    }

    /// The width of each column: that of its widest text, or of its title with the arrow of the filter.
    private func widths(of columns: [Column], in rows: TableRows) -> [Int] {
        var widest = Array(repeating: 0, count: columns.count)
        for row in rows {
            for (column, cell) in row.enumerated() where column < columns.count {
                widest[column] = max(widest[column], cell.workbookWidth(by: clock))
            }
        }
        return zip(widest, columns).map { min(max($0 + 2, $1.title.displayWidth + 4, 8), 60) }
    }

    /// The width of the values on the cover, in characters.
    private static let factWidth = 80

    /// The cover: title, period, preamble, the records of the results, a list of the sheets, the notes.
    func writeCover(of document: ReportDocument, _ plan: WorkbookPlan, to sheet: Sheet) throws(RenderError) {
        library.worksheet_gridlines(sheet, UInt8(LXW_HIDE_ALL_GRIDLINES.rawValue))
        try setWidth(36, of: 0, on: sheet)
        try setWidth(Self.factWidth, of: 1, on: sheet)
        var row = 0
        try write(document.title, to: sheet, row: row, column: 0, as: .title)
        row += 1
        if let period = document.period {
            try write("Period", to: sheet, row: row, column: 0, as: .soft)
            try write(period.text(by: clock), to: sheet, row: row, column: 1)
            row += 1
        }
        row = try write(document.statements, to: sheet, below: row)
        for (index, report) in document.flattened.enumerated() {
            let isPart = index > 0
            if isPart {
                row += 1
                try write(report.title, to: sheet, row: row, column: 0, as: .heading)
                try write(report.period?.text(by: clock) ?? "", to: sheet, row: row, column: 1, as: .heading)
                row += 1
                row = try write(report.statements, to: sheet, below: row)
            }
            for section in report.coverOrder {
                guard case .record(let cells) = section.content else { continue }
                row += isPart ? 0 : 1
                try write(
                    section.title,
                    to: sheet,
                    row: row,
                    column: 0,
                    as: isPart ? .columnTitle(isNumber: false) : .heading
                )
                row = try writeFacts(cells, of: section, to: sheet, below: row)
            }
        }
        row = try writeSheets(plan, to: sheet, below: row + 1)
        try writeNotes(document.flattened.flatMap(\.notes) + notes.sentences, to: sheet, below: row + 1)
    }

    /// The answer, a row for each statement.
    private func write(_ statements: [Statement], to sheet: Sheet, below row: Int) throws(RenderError) -> Int {
        var row = row
        for statement in statements {
            let indent = statement.weight == .detail ? "    " : ""
            let command = statement.command.map { "   " + $0 } ?? ""
            let text = indent + statement.sign + statement.text(by: clock) + command
            let style: WorkbookFormat = statement.tone == .alarm ? .heading : .text
            try write(text, to: sheet, row: row, column: 0, as: style)
            row += 1
        }
        return row
    }

    private func writeFacts(
        _ cells: [Cell],
        of section: Section,
        to sheet: Sheet,
        below row: Int
    ) throws(RenderError) -> Int {
        var row = row
        for (column, cell) in zip(section.columns, cells) {
            row += 1
            try write(column.title, to: sheet, row: row, column: 0, as: .soft)
            if cell == .absent {
                try write("–", to: sheet, row: row, column: 1, as: .soft)
            } else {
                try write(cell, to: sheet, row: row, column: 1, isBeside: true)
            }
        }
        return row + 1
    }

    private func writeSheets(
        _ plan: WorkbookPlan,
        to sheet: Sheet,
        below row: Int
    ) throws(RenderError) -> Int {
        guard !plan.sheets.isEmpty else { return row }
        try write("Sheets", to: sheet, row: row, column: 0, as: .heading)
        var row = row
        for entry in plan.sheets {
            row += 1
            try writeLink(to: entry.name, on: sheet, row: row, column: 0)
            let text =
                switch entry.content {
                case .charts(let charts): charts.count == 1 ? "1 chart" : "\(charts.count) charts"
                case .table(_, let rows): rows.countText
                }
            try write(text, to: sheet, row: row, column: 1)
        }
        return row + 1
    }

    private func writeNotes(_ notes: [String], to sheet: Sheet, below row: Int) throws(RenderError) {
        try write("Notes", to: sheet, row: row, column: 0, as: .heading)
        for (index, note) in (notes + ["\(clock.sentence) An empty cell is what is not known, never zero."])
            .enumerated()
        {
            try setHeight(lines: note.lineCount(ofWidth: Self.factWidth), of: row + 1 + index, on: sheet)
            try write(note, to: sheet, row: row + 1 + index, column: 1, as: .wrapped)
        }
    }
}

extension ReportDocument {
    /// The sections in the order of the cover: the answer first, and after an answer what was read and how last.
    fileprivate var coverOrder: [Section] {
        let answer = sections.filter { $0.role == .summary }
        return opensWithAnswer ? answer + results + preamble : sections
    }
}

extension String {
    /// The number of lines of the text, if it wraps at blanks and breaks words that are longer than a line.
    fileprivate func lineCount(ofWidth width: Int) -> Int {
        Paragraph(lead: "", words: self).lines(width: width, indent: 0)
            .reduce(0) { $0 + 1 + max(0, $1.displayWidth - 1) / width }
    }
}

extension Cell {
    /// The width of the cell in its number format, in characters.
    fileprivate func workbookWidth(by clock: ReportClock) -> Int {
        switch self {
        case .money(let money): displayText.displayWidth + money.currency.description.utf8.count + 1
        default: displayText(by: clock).displayWidth
        }
    }
}
