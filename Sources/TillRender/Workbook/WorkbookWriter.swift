import CPlatform
import CXLSXWriter
import SystemPackage
import TillCore
import TillReportModel
import TillThreads

/// Writes a workbook with libxlsxwriter: sheets, cells, formats and charts.
///
/// The rows of a sheet must be written in order, because libxlsxwriter writes a large workbook to disk row by row.
final class WorkbookWriter {
    typealias Sheet = UnsafeMutablePointer<lxw_worksheet>

    let library: till_xlsx_functions
    private let book: UnsafeMutablePointer<lxw_workbook>
    private let scratch: ScratchFile
    private var formats: [WorkbookFormat: UnsafeMutablePointer<lxw_format>] = [:]
    /// C strings that the library reads when the workbook is closed.
    private var strings: [UnsafeMutablePointer<CChar>] = []
    private var isOpen = true
    var notes = WorkbookNotes()
    /// The totals and facts that are written so far.
    var figures = WorkbookFigures()
    /// The clock by which instants are written.
    let clock: ReportClock

    /// A workbook with more cells is not kept in memory.
    private static let mostCellsInMemory = 200_000
    /// Excel's limit of a text, in UTF-16 units.
    static let textLimit = 32_767

    /// The heading of printed pages.
    private let heading: String

    init(title: String, clock: ReportClock, cellCount: Int) throws(Finding) {
        self.clock = clock
        heading = title
        let library = try XLSXLibrary.functions()
        let scratch = try ScratchFile()
        var options = lxw_workbook_options()
        options.constant_memory = cellCount > Self.mostCellsInMemory ? 1 : 0
        options.use_zip64 = cellCount > 20_000_000 ? 1 : 0
        guard let book = scratch.path.withPlatformString({ library.workbook_new_opt($0, &options) }) else {
            throw Finding.writeFailed("libxlsxwriter could not begin a workbook: out of memory")
        }
        (self.library, self.scratch, self.book) = (library, scratch, book)
        try setProperties(title: title)
    }

    deinit {
        if isOpen { library.lxw_workbook_free(book) }
        for string in strings { string.deallocate() }
    }

    /// The date of creation is the same in every workbook, so that the same report gives the same bytes.
    private func setProperties(title: String) throws(Finding) {
        var properties = lxw_doc_properties()
        properties.title = keep(title.madeVisible.prefix(utf16Count: 255))
        properties.author = keep("tillroll")
        properties.created = 946_684_800  // 2000-01-01T00:00:00Z
        try check(library.workbook_set_properties(book, &properties))
    }

    /// A copy of a text that lives as long as the workbook.
    func keep(_ text: String) -> UnsafeMutablePointer<CChar> {
        let characters = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: characters.count)
        characters.withUnsafeBufferPointer {
            copy.initialize(from: $0.baseAddress ?? UnsafePointer(copy), count: $0.count)
        }
        strings.append(copy)
        return copy
    }

    func addSheet(_ name: String) throws(Finding) -> Sheet {
        guard let sheet = library.workbook_add_worksheet(book, name) else {
            throw Finding.writeFailed("libxlsxwriter refused the sheet '\(name)'")
        }
        // An ampersand begins a code of the header, and two of them mean one.
        let title = heading.madeVisible.prefix(utf16Count: 100).split(separator: "&", omittingEmptySubsequences: false)
            .joined(separator: "&&")
        try check(library.worksheet_set_header(sheet, "&L\(title)&R&A"))
        try check(library.worksheet_set_footer(sheet, "&R&P / &N"))
        library.worksheet_fit_to_pages(sheet, 1, 0)
        return sheet
    }

    func addChart(_ type: lxw_chart_type) throws(Finding) -> UnsafeMutablePointer<lxw_chart> {
        guard let chart = library.workbook_add_chart(book, UInt8(type.rawValue)) else {
            throw Finding.writeFailed("libxlsxwriter could not add a chart: out of memory")
        }
        return chart
    }

    /// Writes one cell. An absent value leaves the cell empty.
    ///
    /// - Parameters:
    ///   - heading: the column of the table that the cell is in.
    ///   - isBeside: whether the cell is a fact beside its name. Numbers are then aligned to the left.
    ///   - isTotal: whether the cell is in a row of totals.
    func write(
        _ cell: Cell,
        to sheet: Sheet,
        row: Int,
        column: Int,
        in heading: Column? = nil,
        isBeside: Bool = false,
        isTotal: Bool = false
    ) throws(Finding) {
        switch WorkbookCell(cell, clock, in: heading) {
        case .empty: break
        case .number(let number, let format):
            let format: WorkbookFormat = isBeside ? .beside(format) : isTotal ? .total(format) : format
            try check(library.worksheet_write_number(sheet, UInt32(row), UInt16(column), number, style(format)))
        case .text(let text):
            if cell.exactNumber != nil { notes.longNumbers += 1 }
            try write(text, to: sheet, row: row, column: column, as: isTotal ? .total(.text) : .text)
        }
    }

    /// Writes a formula with the value that it has, for programs that do not calculate.
    func writeFormula(
        _ formula: String,
        giving cell: Cell,
        to sheet: Sheet,
        row: Int,
        column: Int,
        in heading: Column? = nil,
        isTotal: Bool = true
    ) throws(Finding) {
        guard case .number(let number, let format) = WorkbookCell(cell, clock, in: heading) else {
            return try write(cell, to: sheet, row: row, column: column, in: heading, isTotal: isTotal)
        }
        let look = style(isTotal ? .total(format) : format)
        try check(library.worksheet_write_formula_num(sheet, UInt32(row), UInt16(column), formula, look, number))
    }

    /// Writes a text over some columns, which wraps where it is too long for a line.
    func writeLine(
        _ text: String,
        to sheet: Sheet,
        row: Int,
        columns: ClosedRange<Int> = 0...3,
        width: Int,
        as format: WorkbookFormat = .wrapped
    ) throws(Finding) {
        let shown = text.madeVisible
        guard !shown.isEmpty else { return }
        let (row32, first, last) = (UInt32(row), UInt16(columns.lowerBound), UInt16(columns.upperBound))
        try check(library.worksheet_merge_range(sheet, row32, first, row32, last, "", style(format)))
        try write(text, to: sheet, row: row, column: columns.lowerBound, as: format)
        let lines = shown.lineCount(ofWidth: width)
        if lines > 1 { try setHeight(lines: lines, of: row, on: sheet) }
    }

    /// Writes a text as text, even if it looks like a formula.
    func write(
        _ text: String,
        to sheet: Sheet,
        row: Int,
        column: Int,
        as format: WorkbookFormat = .text
    ) throws(Finding) {
        var shown = text.madeVisible
        guard !shown.isEmpty else { return }
        if shown.utf16.count > Self.textLimit {
            shown = shown.prefix(utf16Count: Self.textLimit - 1) + "…"
            notes.cutTexts += 1
        }
        try check(
            library.worksheet_write_string(
                sheet,
                UInt32(row),
                UInt16(column),
                shown.escapingCharacterCodes,
                style(format)
            )
        )
    }

    /// Writes a link to the beginning of another sheet.
    func writeLink(to name: String, on sheet: Sheet, row: Int, column: Int) throws(Finding) {
        try check(
            library.worksheet_write_url_opt(
                sheet,
                UInt32(row),
                UInt16(column),
                "internal:\(WorkbookFormula.quoted(name))!A1",
                style(.link),
                name,
                nil
            )
        )
    }

    func setWidth(_ width: Int, of column: Int, on sheet: Sheet) throws(Finding) {
        try check(library.worksheet_set_column(sheet, UInt16(column), UInt16(column), Double(width), nil))
    }

    /// Sets the height of a row to a number of lines, because a spreadsheet may not adapt the height when it prints.
    func setHeight(lines: Int, of row: Int, on sheet: Sheet) throws(Finding) {
        // Excel's limit of a height, in points.
        let height = min(Double(lines) * Self.lineHeight, 409)
        try check(library.worksheet_set_row(sheet, UInt32(row), height, nil))
    }

    /// The height of a line in the default font, in points.
    private static let lineHeight = 15.0

    func check(_ status: lxw_error) throws(Finding) {
        guard status != LXW_NO_ERROR else { return }
        let reason = library.lxw_strerror(status).map { String(cString: $0) } ?? "error \(status.rawValue)"
        throw Finding.writeFailed("libxlsxwriter: \(reason)")
    }

    /// Guards the standard error stream, which is silenced while the library writes the file: the library prints every
    /// error that it also returns.
    private static let closing = Locked(())

    /// Writes the file and gives its bytes. Nothing can be written afterwards. The library frees the workbook even if
    /// it could not write the file.
    func finish() throws(Finding) -> [UInt8] {
        isOpen = false
        let status = Self.closing.withLock { _ in
            let stream = till_silence_error_stream()
            defer { till_restore_error_stream(stream) }
            return library.workbook_close(book)
        }
        try check(status)
        let bytes = try scratch.contents()
        do {
            try WorkbookArchive.check(bytes)
        } catch {
            throw Finding.writeFailed(
                "the workbook is not whole: \(error.part) is cut, since a temporary file could not be written or read; try again, "
                    + "or set TMPDIR to another folder"
            )
        }
        return bytes
    }

    /// The library's object for a format, made at its first use.
    func style(_ format: WorkbookFormat) -> UnsafeMutablePointer<lxw_format>? {
        if let known = formats[format] { return known }
        guard let style = library.workbook_add_format(book) else { return nil }
        if let numberFormat = format.numberFormat { library.format_set_num_format(style, numberFormat) }
        switch format {
        case .title:
            library.format_set_bold(style)
            library.format_set_font_size(style, 18)
        case .heading:
            library.format_set_bold(style)
            library.format_set_font_size(style, 13)
        case .columnTitle, .wrappedTitle:
            library.format_set_bold(style)
            library.format_set_bottom(style, UInt8(LXW_BORDER_MEDIUM.rawValue))
            library.format_set_bg_color(style, 0xE8ECF1)
            if format == .wrappedTitle { library.format_set_text_wrap(style) }
            if format != .columnTitle(isNumber: false) {
                library.format_set_align(style, UInt8(LXW_ALIGN_RIGHT.rawValue))
            }
        case .soft: library.format_set_font_color(style, 0x525B66)
        case .right: library.format_set_align(style, UInt8(LXW_ALIGN_RIGHT.rawValue))
        case .link:
            library.format_set_font_color(style, 0x0B5CAD)
            library.format_set_underline(style, UInt8(LXW_UNDERLINE_SINGLE.rawValue))
        case .wrapped:
            library.format_set_text_wrap(style)
            library.format_set_align(style, UInt8(LXW_ALIGN_VERTICAL_TOP.rawValue))
        case .wrappedAlarm:
            library.format_set_bold(style)
            library.format_set_text_wrap(style)
        case .beside: library.format_set_align(style, UInt8(LXW_ALIGN_LEFT.rawValue))
        case .total:
            library.format_set_bold(style)
            library.format_set_top(style, UInt8(LXW_BORDER_THIN.rawValue))
        case .field, .fieldTitle:
            library.format_set_border(style, UInt8(LXW_BORDER_THIN.rawValue))
            library.format_set_border_color(style, 0x6B7280)
            library.format_set_text_wrap(style)
            library.format_set_align(style, UInt8(LXW_ALIGN_VERTICAL_CENTER.rawValue))
            if format == .fieldTitle { library.format_set_bold(style) }
        case .month, .day: library.format_set_align(style, UInt8(LXW_ALIGN_LEFT.rawValue))
        case .text, .code, .count, .share, .decimal, .money, .plain, .check, .instant: break
        }
        formats[format] = style
        return style
    }
}

extension String {
    /// The text with each `_x0041_` in it replaced by `_x005F_x0041_`.
    ///
    /// In a workbook `_x0041_` means a character (ECMA-376 §22.9.2.19), and the library does not escape it.
    var escapingCharacterCodes: String {
        guard utf8.contains(UInt8(ascii: "_")) else { return self }
        // Two codes may share the underscore between them.
        return replacing(/_(?=x[0-9A-Fa-f]{4}_)/, with: "_x005F_")
    }
}

/// Values that a workbook could not hold unchanged. The sheet of settings reports them.
struct WorkbookNotes {
    var longNumbers = 0
    /// Totals that a spreadsheet might not add up to the last digit.
    var fixedTotals = 0
    var cutTexts = 0

    var sentences: [String] {
        var sentences: [String] = []
        if longNumbers > 0 {
            sentences.append(
                "\(longNumbers) numbers have more than \(WorkbookCell.digits) digits, which a spreadsheet would round; they stand as text."
            )
        }
        if fixedTotals > 0 {
            sentences.append(
                "\(fixedTotals) totals are values and not formulas, since a spreadsheet might not add them to the last digit."
            )
        }
        if cutTexts > 0 {
            sentences.append(
                "\(cutTexts) texts are longer than a cell can hold (\(WorkbookWriter.textLimit) characters) and end in …."
            )
        }
        return sentences
    }
}

extension String {
    /// The number of lines of the text, if it wraps at blanks and breaks words that are longer than a line.
    func lineCount(ofWidth width: Int) -> Int {
        Paragraph(lead: "", words: self).lines(width: width, indent: 0)
            .reduce(0) { $0 + 1 + max(0, $1.displayWidth - 1) / width }
    }
}
