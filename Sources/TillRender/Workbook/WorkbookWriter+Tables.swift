import CXLSXWriter
import TillCore
import TillReportModel

/// The places of a table's parts on its sheet; rows and columns count from 0.
struct TableFrame {
    let name: String
    let header: Int
    let rowCount: Int
    let columnCount: Int
    /// The column of the equation of each row; `nil` where nothing is checked.
    let checkColumn: Int?

    var rows: ClosedRange<Int> { header + 1...header + max(1, rowCount) }
    var lastColumn: Int { checkColumn ?? max(0, columnCount - 1) }
}

extension WorkbookWriter {
    /// A table with a frozen header, filters, totals as formulas, and columns as wide as their texts.
    func writeTable(_ entry: WorkbookPlan.TableSheet, to sheet: Sheet, named name: String) throws(Finding) {
        let (section, rows) = (entry.section, entry.rows)
        var sums = ColumnSums(section)
        var widths = Array(repeating: 0, count: section.columns.count)
        for row in rows {
            sums.add(row)
            for (column, cell) in row.enumerated() where column < section.columns.count {
                widths[column] = max(widths[column], width(of: cell, in: section.columns[column]))
            }
        }
        let frame = TableFrame(
            name: name,
            header: entry.isSchedule ? 3 : 0,
            rowCount: rows.count,
            columnCount: section.columns.count,
            checkColumn: section.checkedColumns == nil ? nil : section.columns.count
        )
        try setWidths(&widths, of: section, sums, frame, to: sheet)
        if entry.isSchedule {
            try write(section.title, to: sheet, row: 0, column: 0, as: .heading)
            try write(entry.report.heading, to: sheet, row: 1, column: 0, as: .soft)
        }
        try addFilter(of: section, frame, to: sheet)
        try writeHeader(of: section, frame, to: sheet)
        var differences = 0.0
        for (index, cells) in rows.enumerated() {
            let row = frame.rows.lowerBound + index
            for (column, cell) in cells.enumerated() where column < section.columns.count {
                try write(cell, to: sheet, row: row, column: column, in: section.columns[column])
            }
            differences += try writeCheck(of: cells, section, frame, row: row, to: sheet)
        }
        let last = try writeTotals(sums, of: entry, frame, differences: differences, to: sheet)
        try finishTable(section, frame, last: last, width: widths.reduce(0, +), on: sheet)
    }

    private func writeHeader(of section: Section, _ frame: TableFrame, to sheet: Sheet) throws(Finding) {
        for (column, heading) in section.columns.enumerated() {
            let isNumber = section.isNumber(at: column) || heading.texts == .numbers
            let style = WorkbookFormat.columnTitle(isNumber: isNumber)
            try write(heading.title, to: sheet, row: frame.header, column: column, as: style)
        }
        guard let column = frame.checkColumn else { return }
        try write("Check", to: sheet, row: frame.header, column: column, as: .columnTitle(isNumber: true))
    }

    /// Adds the filter of all rows. It must come before the totals: of a large workbook, the library takes no range
    /// that ends above the row that it is writing.
    private func addFilter(of section: Section, _ frame: TableFrame, to sheet: Sheet) throws(Finding) {
        guard !section.columns.isEmpty else { return }
        let (header, end) = (UInt32(frame.header), UInt32(frame.header + frame.rowCount))
        try check(library.worksheet_autofilter(sheet, header, 0, end, UInt16(section.columns.count - 1)))
    }

    /// Sets panes and the print layout.
    private func finishTable(
        _ section: Section,
        _ frame: TableFrame,
        last: Int,
        width: Int,
        on sheet: Sheet
    ) throws(Finding) {
        let keys = section.keyCount < section.columns.count ? section.keyCount : 0
        library.worksheet_freeze_panes(sheet, UInt32(frame.header + 1), UInt16(keys))
        guard !section.columns.isEmpty else { return }
        let header = UInt32(frame.header)
        if width > Self.portraitWidth { library.worksheet_set_landscape(sheet) }
        try check(library.worksheet_repeat_rows(sheet, header, header))
        try check(library.worksheet_print_area(sheet, 0, 0, UInt32(last), UInt16(frame.lastColumn)))
        // Ids of digits are texts on purpose: no warning.
        let area = WorkbookFormula.cell(0, 0) + ":" + WorkbookFormula.cell(last, frame.lastColumn)
        try check(
            library.worksheet_ignore_errors(sheet, UInt8(LXW_IGNORE_NUMBER_STORED_AS_TEXT.rawValue), area)
        )
    }

    /// Characters that a page holds upright in a readable size.
    private static let portraitWidth = 100
    /// The least width of a schedule, so that its title is printed whole.
    private static let scheduleWidth = 60

    /// The width of each column: that of its widest text or total, or of its title with the arrow of the filter.
    private func setWidths(
        _ widths: inout [Int],
        of section: Section,
        _ sums: ColumnSums,
        _ frame: TableFrame,
        to sheet: Sheet
    ) throws(Finding) {
        for (column, heading) in section.columns.enumerated() {
            for row in sums.rows {
                guard let cell = sums.total(of: column, in: row)?.cell else { continue }
                // Totals are bold.
                widths[column] = max(widths[column], width(of: cell, in: heading) * 11 / 10 + 1)
            }
            widths[column] = min(max(widths[column] + 2, heading.title.displayWidth * 11 / 10 + 4, 8), 60)
        }
        let missing = Self.scheduleWidth - widths.reduce(0, +)
        if frame.header > 0, missing > 0, !widths.isEmpty { widths[0] += missing }
        for (column, width) in widths.enumerated() { try setWidth(width, of: column, on: sheet) }
        if let column = frame.checkColumn { try setWidth(12, of: column, on: sheet) }
    }

    /// The width of the cell in its number format, in characters.
    private func width(of cell: Cell, in column: Column) -> Int {
        switch WorkbookCell(cell, clock, in: column) {
        case .number(_, .money(let currency?, _)):
            cell.displayText.displayWidth + currency.description.utf8.count + 1
        case .number(_, .month): 8
        case .empty, .text, .number: cell.displayText(by: clock).displayWidth
        }
    }
}

// MARK: - Totals and checks

extension WorkbookWriter {
    /// Writes the totals below a table, as formulas. Returns the last written row.
    ///
    /// They are `SUM`, not `SUBTOTAL`, so that a filter set by a user does not change the tie-outs of other sheets.
    private func writeTotals(
        _ sums: ColumnSums,
        of entry: WorkbookPlan.TableSheet,
        _ frame: TableFrame,
        differences: Double,
        to sheet: Sheet
    ) throws(Finding) -> Int {
        registerRows(sums, of: entry, frame)
        var row = frame.header + frame.rowCount
        for total in sums.rows {
            row += 1
            let key = try writeLabel(of: total, entry.section, row: row, frame, to: sheet)
            for (column, heading) in entry.section.columns.enumerated() {
                guard let sum = sums.total(of: column, in: total), let cell = sum.cell else { continue }
                var address: String?
                if sum.isExactInSpreadsheet {
                    address = WorkbookFormula.cell(row, column, of: frame.name)
                    let formula =
                        key.map {
                            WorkbookFormula.sum(
                                frame.rows,
                                column,
                                where: $0,
                                equals: WorkbookFormula.cell(row, $0)
                            )
                        } ?? WorkbookFormula.sum(frame.rows, column)
                    try writeFormula(formula, giving: cell, to: sheet, row: row, column: column, in: heading)
                } else {
                    notes.fixedTotals += 1
                    try write(cell, to: sheet, row: row, column: column, in: heading, isTotal: true)
                }
                register(sum, total, entry, heading, sums, at: address)
            }
            try writeCheckTotal(of: total, frame, differences: differences, row: row, to: sheet)
        }
        return row
    }

    /// Registers the rows of a table that has one for each currency.
    private func registerRows(_ sums: ColumnSums, of entry: WorkbookPlan.TableSheet, _ frame: TableFrame) {
        guard sums.hasRowForEachCurrency else { return }
        for currency in sums.currencies {
            guard let row = sums.firstRows[currency] else { continue }
            for (column, heading) in entry.section.columns.enumerated() {
                guard let sum = sums.total(of: column, in: currency) else { continue }
                let address = WorkbookFormula.cell(frame.rows.lowerBound + row, column, of: frame.name)
                let isNumber = sum.cell.map { WorkbookCell($0, clock).isNumber } ?? false
                register(sum, .currency(currency), entry, heading, sums, at: isNumber ? address : nil)
            }
        }
    }

    private func register(
        _ sum: CellSum,
        _ total: TotalRow,
        _ entry: WorkbookPlan.TableSheet,
        _ column: Column,
        _ sums: ColumnSums,
        at address: String?
    ) {
        func name(_ currency: CurrencyCode?) -> WorkbookFigures.Name {
            WorkbookFigures.Name(
                report: entry.report.name,
                section: entry.section.name,
                column: column.name,
                currency: currency
            )
        }
        switch total {
        case .currency(let currency): figures.add(sum, name(currency), at: address)
        case .all:
            figures.add(sum, name(nil), at: address)
            // A single currency needs no row of its own.
            if sums.rows.count == 1, let only = sums.currencies.first { figures.add(sum, name(only), at: address) }
        }
    }

    /// Writes the heading of a row of totals. Returns the column whose text selects the added rows; `nil` if all rows
    /// are added.
    private func writeLabel(
        of total: TotalRow,
        _ section: Section,
        row: Int,
        _ frame: TableFrame,
        to sheet: Sheet
    ) throws(Finding) -> Int? {
        for column in 0...frame.lastColumn {
            try check(
                library.worksheet_write_blank(sheet, UInt32(row), UInt16(column), style(.total(.text)))
            )
        }
        guard case .currency(let currency) = total, case .perCurrency(let key) = section.totals else {
            try write("Total", to: sheet, row: row, column: 0, as: .total(.text))
            return nil
        }
        if key != 0 { try write("Total", to: sheet, row: row, column: 0, as: .total(.text)) }
        try write(currency.description, to: sheet, row: row, column: key, as: .total(.text))
        return key
    }

    /// Writes the left side of a row's equation minus the right side; nothing if a cell is unknown. Returns the
    /// absolute difference.
    private func writeCheck(
        of cells: [Cell],
        _ section: Section,
        _ frame: TableFrame,
        row: Int,
        to sheet: Sheet
    ) throws(Finding) -> Double {
        guard let column = frame.checkColumn, let checked = section.checkedColumns else { return 0 }
        func side(_ columns: [Int]) -> [WorkbookFigures.Place]? {
            let places = columns.compactMap { index -> WorkbookFigures.Place? in
                guard index < cells.count, let sum = CellSum(cells[index]), sum.isExactInSpreadsheet else { return nil }
                return WorkbookFigures.Place(sum: sum, address: WorkbookFormula.cell(row, index))
            }
            return places.count == columns.count ? places : nil
        }
        guard let left = side(checked.left), let right = side(checked.right) else { return 0 }
        return abs(try writeDifference(of: left, right, to: sheet, row: row, column: column, tellsCurrency: false))
    }

    private func writeCheckTotal(
        of total: TotalRow,
        _ frame: TableFrame,
        differences: Double,
        row: Int,
        to sheet: Sheet
    ) throws(Finding) {
        guard let column = frame.checkColumn, total == .all else { return }
        let formula = WorkbookFormula.sumOfMagnitudes(frame.rows, column)
        try check(
            library.worksheet_write_formula_num(
                sheet,
                UInt32(row),
                UInt16(column),
                formula,
                style(.total(.check(nil, decimals: 2))),
                differences
            )
        )
    }

    /// Writes the exact difference of two sides, as a formula if both are in cells. Returns the difference; 0 if it is
    /// unknown.
    @discardableResult
    func writeDifference(
        of left: [WorkbookFigures.Place],
        _ right: [WorkbookFigures.Place],
        to sheet: Sheet,
        row: Int,
        column: Int,
        tellsCurrency: Bool = true
    ) throws(Finding) -> Double {
        guard let first = left.sum, let second = right.sum, let difference = first.minus(second),
            let text = difference.exactNumber, let number = Double(text)
        else { return 0 }
        let decimals = max(first.decimals, second.decimals)
        var format = WorkbookFormat.check(nil, decimals: decimals)
        if tellsCurrency, case .money(let currency) = first.unit { format = .check(currency, decimals: decimals) }
        if let left = left.addresses, let right = right.addresses {
            let formula = WorkbookFormula.difference(left, right, decimals: decimals)
            try check(
                library.worksheet_write_formula_num(sheet, UInt32(row), UInt16(column), formula, style(format), number)
            )
        } else {
            try check(library.worksheet_write_number(sheet, UInt32(row), UInt16(column), number, style(format)))
        }
        return number
    }
}

extension ColumnSums {
    func total(of column: Int, in row: TotalRow) -> CellSum? {
        switch row {
        case .currency(let currency): total(of: column, in: currency)
        case .all: total(of: column)
        }
    }
}

extension CellSum {
    /// The difference as a cell; `nil` if the units differ or it does not fit.
    func minus(_ other: CellSum) -> Cell? {
        guard unit == other.unit else { return nil }
        let (value, overflow) = value.subtractingReportingOverflow(other.value)
        guard !overflow else { return nil }
        switch unit {
        case .count: return Int64(exactly: value).map { .count($0) }
        case .money(let currency): return .money(Money(millionths: value, currency: currency))
        }
    }
}

extension Section {
    /// The columns of the equation of each row; `nil` where there is none, or a column of it is not shown.
    var checkedColumns: (left: [Int], right: [Int])? {
        guard let rowCheck else { return nil }
        func indices(_ names: [String]) -> [Int]? {
            let found = names.compactMap { name in columns.firstIndex { $0.name == name } }
            return found.count == names.count ? found : nil
        }
        guard let left = indices(rowCheck.left), let right = indices(rowCheck.right) else { return nil }
        return (left, right)
    }
}
