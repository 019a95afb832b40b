public import TillReportModel

/// Aligned text for people, on a terminal or in a mail.
///
/// The title and the preamble come first, then each section with its charts in characters, then the notes. Numbers are
/// aligned to the right and have their digits grouped. On a terminal too narrow for a table its titles wrap and its
/// texts are cut with `…`; before a key is cut, other columns are omitted and named below. Only a table whose key does
/// not fit becomes a paragraph for each row. Controls and invisible characters are spelled out, so that no text of the
/// data can control the terminal.
public struct TableRenderer: Renderer {
    public static let name = "table"
    public static let summary = "Aligned text for people"
    public static let fileExtensions = ["txt"]

    public init() {}

    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        var writer = TableWriter(options: options, clock: document.clock)
        writer.write(document.forPeople(.page, showsDetail: options.showsDetail, isOnePage: !options.showsDetail))
        return writer.bytes
    }
}

/// Appends the lines of a report to a buffer, with an empty line between blocks.
private struct TableWriter {
    let options: RenderOptions
    let clock: ReportClock
    private(set) var bytes: [UInt8] = []

    init(options: RenderOptions, clock: ReportClock) {
        self.options = options
        self.clock = clock
    }

    mutating func write(_ document: ReportDocument) {
        beginBlock()
        write(title: document)

        if !document.opensWithAnswer { write(preamble: document.preamble) }
        write(document.statements)
        for section in document.results where !isFolded(section) { write(section) }
        if let paragraph = document.moreParagraph(showsDetail: options.showsDetail) {
            beginBlock()
            write(paragraph)
        }
        for child in document.children { write(child) }
        write(notes: document.notes)
        if document.opensWithAnswer { write(preamble: document.preamble) }
    }

    /// The title with the time that the report covers, on one line if there is room.
    private mutating func write(title document: ReportDocument) {
        let line = document.titleWithScope.madeVisible
        guard document.scope == nil || line.displayWidth > min(options.width ?? 120, 120) else {
            return writeLine(line, style: .heading)
        }
        let title = document.title.madeVisible
        writeLine(title, style: .heading)
        writeLine(String(repeating: "═", count: title.displayWidth), style: .faint)
        if let scope = document.scope {
            write(Paragraph(lead: "", words: scope.text(by: clock)))
        } else if let period = document.period, document.statements.isEmpty {
            writeLine(period.text(by: clock))
        }
    }

    private mutating func write(preamble: [Section]) {
        if !preamble.isEmpty { beginBlock() }
        for section in preamble { write(Paragraph(facts: section, clock: clock)) }
    }

    private mutating func write(_ statements: [Statement]) {
        let figures = KeyFigureLines(statements.compactMap(\.figure), width: options.width, clock: clock)
        var before: Statement?
        for statement in statements {
            if let figure = statement.figure, figures.fit {
                if before?.figure == nil { beginBlock() }
                for (index, line) in figures.lines(of: figure).enumerated() {
                    let style: Style = index == 0 && statement.weight == .headline ? .heading : .plain
                    writeLine(line.text, style: style, change: line.change)
                }
                before = statement
                continue
            }
            // A blank line ends the figures.
            if before?.figure != nil { beginBlock() }
            let isHeadline = statement.weight == .headline
            // Warnings are a list.
            if isHeadline, before?.figure == nil, statement.tone != .warning || before?.tone != .warning {
                beginBlock()
            }
            before = statement
            let indent = isHeadline ? 2 : 4
            let lead = String(repeating: " ", count: indent) + statement.sign
            let paragraph = Paragraph(lead: lead, words: statement.text(by: clock))
            var lines = paragraph.lines(width: options.width.map { min($0, 120) }, indent: indent)
            if let command = statement.command(naming: options.files)?.madeVisible {
                // A command is one line, so that it can be pasted.
                let joined = lines[lines.count - 1] + "   " + command
                if joined.displayWidth <= min(options.width ?? 100, 120) {
                    lines[lines.count - 1] = joined
                } else {
                    lines.append(String(repeating: " ", count: indent + 2) + command)
                }
            }
            for line in lines { writeLine(line, style: statement.tone == .plain ? .plain : .mark) }
        }
    }

    /// Whether only the number of a section's rows is shown.
    private func isFolded(_ section: Section) -> Bool {
        section.isFolded(showsDetail: options.showsDetail) && section.charts.allSatisfy(\.series.isEmpty)
    }

    private mutating func write(_ section: Section) {
        let charts = section.chartsInCharacters(showsDetail: options.showsDetail)
        defer { for chart in charts { write(chart) } }
        // The titles of the charts are enough.
        guard !section.hasChartsAlone, !section.isFolded(showsDetail: options.showsDetail) else { return }
        beginBlock()
        writeLine(section.title.madeVisible, style: .heading)
        switch section.content {
        case .record(let cells): writeRecord(cells, under: section.columns)
        case .table(let rows) where rows.isEmpty: writeLine("none")
        case .table(let rows): writeTable(rows, under: section.columns, keyCount: section.keyCount)
        }
    }

    /// One line per fact: its title, then its value.
    private mutating func writeRecord(_ cells: [Cell], under columns: [Column]) {
        let rows = zip(columns, cells).map { column, cell in [Cell.text(column.title), cell] }
        let layout = TableLayout(titles: ["", ""], rows: TableRows(rows), width: options.width, clock: clock)
        for row in rows { layout.appendLine(row, to: &bytes) }
    }

    private mutating func writeTable(_ rows: TableRows, under columns: [Column], keyCount: Int) {
        let titles = columns.map(\.title.madeVisible)
        let layout = TableLayout(
            titles: titles,
            rows: rows,
            width: options.width,
            clock: clock,
            dropping: Self.droppable(columns, keyCount: keyCount),
            secondary: columns.indices.filter { columns[$0].isSecondary },
            keyCount: keyCount
        )
        guard layout.fits else { return writeParagraphs(rows, of: titles, keyCount: keyCount) }
        for line in layout.header { writeLine(line, style: .heading) }
        writeLine(layout.rule, style: .faint)
        for row in rows { layout.appendLine(row, to: &bytes) }
        let hidden = layout.hiddenColumns(of: titles.count).map { titles[$0] }
        guard !hidden.isEmpty else { return }
        let width = options.width.map { "Left out to fit \($0) columns" } ?? "Left out"
        write(Paragraph(lead: "", words: "\(width): \(hidden.joined(separator: ", ")). --width none shows all."))
    }

    /// The numbers of the columns that may be omitted, in this order: from the right, main figures last. One figure
    /// always stays.
    private static func droppable(_ columns: [Column], keyCount: Int) -> [Int] {
        let figures = columns.indices.dropFirst(keyCount).reversed().filter { !columns[$0].isSecondary }
        let order = figures.filter { !columns[$0].isMain } + figures.filter { columns[$0].isMain }
        return Array(order.dropLast())
    }

    /// One paragraph per row: the keys, and below them the other cells with their titles.
    private mutating func writeParagraphs(_ rows: TableRows, of titles: [String], keyCount: Int) {
        for (index, row) in rows.enumerated() {
            if index > 0 { beginBlock() }
            let key = row.prefix(keyCount).map { $0.displayText(by: clock) }.joined(separator: " · ")
            writeLine(options.width.map { key.shortened(toWidth: max($0, 12)) } ?? key, style: .heading)
            let facts = zip(titles, row).dropFirst(keyCount).filter { $0.1 != .absent }
            let pieces = facts.map { title, cell in title + " " + shortened(cell, beside: title) }
            write(Paragraph(lead: "  ", pieces: pieces, separator: " · "))
        }
    }

    /// The text of a cell, cut to fit its line. Figures are never cut.
    private func shortened(_ cell: Cell, beside title: String) -> String {
        let text = cell.displayText(by: clock)
        guard let width = options.width, cell.mayBeCut else { return text }
        return text.shortened(toWidth: max(12, width - title.displayWidth - 3))
    }

    private mutating func write(_ chart: Chart) {
        beginBlock()
        writeLine(chart.title.madeVisible, style: .heading)
        for line in ChartLines(chart, width: min(options.width ?? 100, 120), clock: clock).lines {
            writeLine(line.text, style: line.isMark ? .mark : .plain)
        }
    }

    private mutating func write(notes: [String]) {
        guard !notes.isEmpty else { return }
        beginBlock()
        writeLine("Notes", style: .heading)
        for note in notes { write(Paragraph(note: note)) }
    }

    private mutating func write(_ paragraph: Paragraph) {
        // Longer lines are hard to follow, however wide the terminal is.
        for line in paragraph.lines(width: options.width.map { min($0, 120) }) { writeLine(line) }
    }

    private mutating func beginBlock() {
        if !bytes.isEmpty { bytes += "\n".utf8 }
    }

    /// The parameters of the escape sequence for a line. Without colour all lines look the same.
    private enum Style: String {
        case plain = ""
        case heading = "1"
        case faint = "2"
        case mark = "1;31"
        case rise = "32"
        case fall = "31"
    }

    private func styled(_ text: some StringProtocol, _ style: Style) -> String {
        style == .plain || text.isEmpty || !options.useColor
            ? String(text) : "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }

    /// - Parameter change: a part of the text that has the colour of its sign.
    private mutating func writeLine(_ text: String, style: Style = .plain, change: Statement.Change? = nil) {
        guard let change, let range = text.firstRange(of: change.text) else {
            bytes += (styled(text, style) + "\n").utf8
            return
        }
        let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
        let middle = styled(text[range], change.isRise ? .rise : .fall)
        bytes += (styled(before, style) + middle + styled(after, style) + "\n").utf8
    }
}
