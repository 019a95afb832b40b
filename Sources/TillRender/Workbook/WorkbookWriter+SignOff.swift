import CXLSXWriter
import TillCore
import TillReportModel

extension WorkbookWriter {
    // MARK: Exceptions

    /// The statements that a person must check, with fields for the resolution.
    func writeExceptions(
        _ statements: [Statement],
        of document: ReportDocument,
        to sheet: Sheet
    ) throws(Finding) {
        let widths = [64, 46, 34, 22]
        for (column, width) in widths.enumerated() { try setWidth(width, of: column, on: sheet) }
        try write("Exceptions", to: sheet, row: 0, column: 0, as: .heading)
        try write(document.heading, to: sheet, row: 1, column: 0, as: .soft)
        for (column, title) in ["Exception", "Shown by", "Resolution", "By, date"].enumerated() {
            try write(title, to: sheet, row: 3, column: column, as: .columnTitle(isNumber: false))
        }
        for (index, statement) in statements.enumerated() {
            let (row, text) = (4 + index, statement.text(by: clock))
            let lines = max(2, text.lineCount(ofWidth: widths[0] - 4))
            try setHeight(lines: lines, of: row, on: sheet)
            try write(text, to: sheet, row: row, column: 0, as: .field)
            try write(statement.command ?? " ", to: sheet, row: row, column: 1, as: .field)
            for column in 2...3 { try writeField(to: sheet, row: row, column: column) }
        }
        library.worksheet_freeze_panes(sheet, 4, 0)
        library.worksheet_set_landscape(sheet)
        try check(library.worksheet_repeat_rows(sheet, 3, 3))
        try check(library.worksheet_print_area(sheet, 0, 0, UInt32(3 + statements.count), 3))
    }

    // MARK: Sign-off

    private static let widths = [30, 68, 16, 26]
    private static var lineWidth: Int { widths.reduce(0, +) * 11 / 10 }

    /// The fields for signatures, the settings, and the input files.
    func writeSettings(
        of document: ReportDocument,
        _ plan: WorkbookPlan,
        hasSignOff: Bool,
        to sheet: Sheet
    ) throws(Finding) {
        library.worksheet_gridlines(sheet, UInt8(LXW_HIDE_ALL_GRIDLINES.rawValue))
        library.worksheet_set_landscape(sheet)
        for (column, width) in Self.widths.enumerated() { try setWidth(width, of: column, on: sheet) }
        try write(hasSignOff ? "Sign-off" : "Settings", to: sheet, row: 0, column: 0, as: .title)
        try write(document.heading, to: sheet, row: 1, column: 0, as: .soft)
        var row = 3
        if hasSignOff { row = try writeSignatures(to: sheet, from: row) }
        let notes = document.flattened.flatMap(\.notes).distinct + plan.notes + self.notes.sentences
        row = try writeNotes(notes, to: sheet, from: row)
        for report in document.flattened {
            let own = report.results.filter { !$0.isOnSummary(ofClose: plan.isClose) }
            for section in own + report.preamble {
                guard case .record(let cells) = section.content, !cells.isEmpty else { continue }
                row = try writeFacts(
                    cells,
                    of: section,
                    in: report,
                    isNamed: !document.children.isEmpty,
                    to: sheet,
                    from: row
                )
            }
        }
        row = try writeOrigin(document.origin, to: sheet, from: row)
        try check(library.worksheet_print_area(sheet, 0, 0, UInt32(row), 3))
    }

    private func writeSignatures(to sheet: Sheet, from row: Int) throws(Finding) -> Int {
        for (column, title) in ["", "Name", "Date", "Signature"].enumerated() {
            try write(title.isEmpty ? " " : title, to: sheet, row: row, column: column, as: .fieldTitle)
        }
        for (index, role) in ["Prepared by", "Reviewed by", "Approved by"].enumerated() {
            let line = row + 1 + index
            try setHeight(lines: 2, of: line, on: sheet)
            try write(role, to: sheet, row: line, column: 0, as: .fieldTitle)
            for column in 1...3 { try writeField(to: sheet, row: line, column: column) }
        }
        return row + 5
    }

    /// An empty cell with a border.
    private func writeField(to sheet: Sheet, row: Int, column: Int) throws(Finding) {
        try check(library.worksheet_write_blank(sheet, UInt32(row), UInt16(column), style(.field)))
    }

    private func writeNotes(_ notes: [String], to sheet: Sheet, from row: Int) throws(Finding) -> Int {
        try write("Notes", to: sheet, row: row, column: 0, as: .heading)
        let last = "\(clock.sentence) An empty cell means an unknown value, never zero."
        for (index, note) in (notes + [last]).enumerated() {
            try writeLine(note, to: sheet, row: row + 1 + index, width: Self.lineWidth)
        }
        return row + notes.count + 3
    }

    private func writeFacts(
        _ cells: [Cell],
        of section: Section,
        in report: ReportDocument,
        isNamed: Bool,
        to sheet: Sheet,
        from row: Int
    ) throws(Finding) -> Int {
        let title = isNamed && !section.role.isPreamble ? "\(report.title): \(section.title)" : section.title
        try write(title, to: sheet, row: row, column: 0, as: .heading)
        var row = row
        for (column, cell) in zip(section.columns, cells) {
            row += 1
            try write(column.title, to: sheet, row: row, column: 0, as: .soft)
            switch cell {
            case .absent: try write("–", to: sheet, row: row, column: 1, as: .soft)
            case .text, .word, .list, .records:
                let width = Self.lineWidth - Self.widths[0]
                try writeLine(cell.displayText(by: clock), to: sheet, row: row, columns: 1...3, width: width)
            case .code, .count, .money, .ratio, .decimal, .instant, .flag:
                try write(cell, to: sheet, row: row, column: 1, isBeside: true)
            }
        }
        return row + 2
    }

    /// The program, and the files with their digests.
    private func writeOrigin(_ origin: ReportOrigin?, to sheet: Sheet, from row: Int) throws(Finding) -> Int {
        guard let origin else { return row }
        var row = row
        try write("Made by", to: sheet, row: row, column: 0, as: .heading)
        try write(origin.program, to: sheet, row: row, column: 1)
        guard !origin.files.isEmpty else { return row + 1 }
        row += 2
        for (column, title) in ["File", "SHA-256", "Bytes"].enumerated() {
            try write(title, to: sheet, row: row, column: column, as: .columnTitle(isNumber: column == 2))
        }
        for file in origin.files {
            row += 1
            try write(file.name, to: sheet, row: row, column: 0, as: .wrapped)
            let lines = file.name.madeVisible.lineCount(ofWidth: Self.widths[0] - 2)
            if lines > 1 { try setHeight(lines: lines, of: row, on: sheet) }
            try write(file.digest, to: sheet, row: row, column: 1)
            try write(.count(Int64(file.byteCount)), to: sheet, row: row, column: 2)
        }
        return row + 1
    }
}
