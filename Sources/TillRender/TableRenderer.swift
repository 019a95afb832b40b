public import TillReportModel

/// Aligned text for people, on a terminal or in a mail.
///
/// What the report is, what was read and how, then each section under its heading, the notes at the end. Numbers stand
/// right and have their digits grouped. On a terminal too narrow for a table its text columns are cut with `…`.
/// Nothing in the data can act on the terminal: controls and invisible characters are spelled out.
public struct TableRenderer: Renderer {
    public static let name = "table"
    public static let summary = "Aligned text for people"
    public static let fileExtensions = ["txt"]

    public init() {}

    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        var writer = TableWriter(options: options)
        writer.write(document, alreadyTold: [])
        return writer.bytes
    }
}

/// Appends lines of a report to one buffer; blocks are kept apart by an empty line.
private struct TableWriter {
    let options: RenderOptions
    private(set) var bytes: [UInt8] = []

    init(options: RenderOptions) {
        self.options = options
    }

    /// - Parameter alreadyTold: facts of the preamble that a parent has shown.
    mutating func write(_ document: ReportDocument, alreadyTold: Set<Paragraph>) {
        beginBlock()
        let title = document.title.madeVisible
        writeLine(title, isHeading: true)
        writeLine(String(repeating: "═", count: title.displayWidth))

        let facts = document.preamble.map(Paragraph.init(facts:))
        let news = facts.filter { !alreadyTold.contains($0) }
        if !news.isEmpty { beginBlock() }
        for fact in news { write(fact) }
        for section in document.results { write(section) }
        for child in document.children { write(child, alreadyTold: alreadyTold.union(facts)) }
        write(notes: document.notes)
    }

    private mutating func write(_ section: Section) {
        beginBlock()
        writeLine(section.title.madeVisible, isHeading: true)
        switch section.content {
        case .record(let cells): writeRecord(cells, under: section.columns)
        case .table([]): writeLine("none")
        case .table(let rows) where section.isDetail:
            writeLine("\(Cell.count(Int64(rows.count)).displayText) rows, for programs: -t csv or -t json shows them")
        case .table(let rows): writeTable(rows, under: section.columns)
        }
    }

    /// A fact a line: its title, then its value.
    private mutating func writeRecord(_ cells: [Cell], under columns: [Column]) {
        let rows = zip(columns, cells).map { column, cell in [Cell.text(column.title), cell] }
        let layout = TableLayout(titles: ["", ""], rows: rows, width: options.width)
        for row in rows { layout.appendLine(row, to: &bytes) }
    }

    private mutating func writeTable(_ rows: [[Cell]], under columns: [Column]) {
        let titles = columns.map(\.title.madeVisible)
        let layout = TableLayout(titles: titles, rows: rows, width: options.width)
        writeLine(layout.header, isHeading: true)
        writeLine(layout.rule)
        for row in rows { layout.appendLine(row, to: &bytes) }
    }

    private mutating func write(notes: [String]) {
        guard !notes.isEmpty else { return }
        beginBlock()
        writeLine("Notes", isHeading: true)
        for note in notes { write(Paragraph(note: note)) }
    }

    private mutating func write(_ paragraph: Paragraph) {
        for line in paragraph.lines(width: options.width) { writeLine(line) }
    }

    private mutating func beginBlock() {
        if !bytes.isEmpty { bytes += "\n".utf8 }
    }

    private mutating func writeLine(_ text: String, isHeading: Bool = false) {
        let isBold = isHeading && options.useColor
        bytes += (isBold ? "\u{1B}[1m\(text)\u{1B}[0m\n" : text + "\n").utf8
    }
}
