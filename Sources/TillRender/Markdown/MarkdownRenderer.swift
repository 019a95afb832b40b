public import TillReportModel

/// GitHub-flavoured Markdown, for a ticket, a wiki or a mail.
///
/// Headings, tables with numbers aligned to the right, charts in characters, notes. In texts of the data, all
/// characters that could begin markup, HTML, a link, a mention or an emoji are escaped, and invisible characters are
/// spelled out.
public struct MarkdownRenderer: Renderer {
    public static let name = "markdown"
    public static let summary = "Tables in Markdown, for tickets and wikis"
    public static let fileExtensions = ["md", "markdown"]

    public init() {}

    public func render(_ document: ReportDocument, options: RenderOptions) -> [UInt8] {
        var writer = MarkdownWriter(clock: document.clock, showsDetail: options.showsDetail)
        writer.write(
            document.forPeople(.page, showsDetail: options.showsDetail, isOnePage: !options.showsDetail),
            level: 1
        )
        return writer.bytes
    }
}

/// Appends blocks of Markdown, with an empty line between blocks.
private struct MarkdownWriter {
    private let clock: ReportClock
    private let showsDetail: Bool
    private(set) var bytes: [UInt8] = []

    init(clock: ReportClock, showsDetail: Bool) {
        (self.clock, self.showsDetail) = (clock, showsDetail)
    }

    mutating func write(_ document: ReportDocument, level: Int) {
        writeHeading(document.titleWithScope, level: level)
        if let period = document.period, document.scope == nil, document.statements.isEmpty {
            writeBlock(period.text(by: clock).markdownEscaped)
        }
        if !document.opensWithAnswer { write(preamble: document.preamble) }
        write(document.statements)
        for section in document.results {
            let isFolded = section.isFolded(showsDetail: showsDetail)
            if !isFolded || section.charts.contains(where: { !$0.series.isEmpty }) { write(section, level: level + 1) }
        }
        if let more = document.moreParagraph(showsDetail: showsDetail) {
            writeBlock(more.lines(width: nil).joined().markdownEscaped)
        }
        for child in document.children { write(child, level: level + 1) }
        if !document.notes.isEmpty {
            writeBlock(document.notes.map { "- " + $0.madeVisible.markdownEscaped }.joined(separator: "\n"))
        }
        if document.opensWithAnswer { write(preamble: document.preamble) }
    }

    private mutating func write(preamble: [Section]) {
        let facts = preamble.map { Paragraph(facts: $0, clock: clock).lines(width: nil).joined() }
        if !facts.isEmpty { writeBlock(facts.map { "- " + $0.markdownEscaped }.joined(separator: "\n")) }
    }

    /// A paragraph for each headline, and a list of the details below it.
    private mutating func write(_ statements: [Statement]) {
        var wasDetail = false
        for statement in statements {
            let text = (statement.sign + statement.text(by: clock)).markdownEscaped
            let command = statement.command.map { " " + $0.madeVisible.markdownCode } ?? ""
            switch statement.weight {
            case .headline, .scope: writeBlock((statement.tone == .alarm ? "**\(text)**" : text) + command)
            case .detail:
                if !wasDetail { beginBlock() }
                bytes += "- \(text)\(command)\n".utf8
            }
            wasDetail = statement.weight == .detail
        }
    }

    private mutating func write(_ section: Section, level: Int) {
        let charts = section.chartsInCharacters(showsDetail: showsDetail)
        if section.hasChartsAlone, charts.isEmpty { return }
        writeHeading(section.title, level: level)
        switch section.content {
        case .record where section.hasChartsAlone: break
        case .record(let cells):
            let rows = zip(section.columns, cells).map { [Cell.text($0.title), $1] }
            writeTable(TableRows(rows), titles: ["", ""], isNumber: [false, true])
        case .table(let rows) where rows.isEmpty: writeBlock("none")
        case .table where section.isFolded(showsDetail: showsDetail): break
        case .table(let rows):
            let isNumber = section.columns.indices.map { section.isNumber(at: $0) }
            writeTable(rows, titles: section.columns.map(\.title), isNumber: isNumber)
        }
        for chart in charts { write(chart) }
    }

    private mutating func writeHeading(_ title: String, level: Int) {
        writeBlock(String(repeating: "#", count: min(level, 6)) + " " + title.madeVisible.markdownEscaped)
    }

    private mutating func writeTable(_ rows: TableRows, titles: [String], isNumber: [Bool]) {
        beginBlock()
        writeLine(titles.map { $0.madeVisible.markdownEscaped })
        writeLine(isNumber.map { $0 ? "---:" : "---" })
        for row in rows { writeLine(row.map { $0.displayText(by: clock).markdownEscaped }) }
    }

    private mutating func writeLine(_ cells: [String]) {
        bytes += "|".utf8
        for cell in cells {
            bytes += " ".utf8
            bytes += cell.utf8
            bytes += " |".utf8
        }
        bytes += "\n".utf8
    }

    /// A chart as on a terminal. Nothing in an indented block is markup.
    private mutating func write(_ chart: Chart) {
        writeBlock("**\(chart.title.madeVisible.markdownEscaped)**")
        writeBlock(ChartLines(chart, width: 100, clock: clock).lines.map { "    " + $0.text }.joined(separator: "\n"))
    }

    private mutating func writeBlock(_ text: String) {
        beginBlock()
        bytes += text.utf8
        bytes += "\n".utf8
    }

    private mutating func beginBlock() {
        if !bytes.isEmpty { bytes += "\n".utf8 }
    }
}

extension String {
    /// The text as code, between backticks: one more than the text has in a row.
    var markdownCode: String {
        let longest = split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        return longest == 0 ? fence + self + fence : fence + " " + self + " " + fence
    }

    /// The text with everything escaped that Markdown (CommonMark, and GitHub's tables, links, mentions and emoji)
    /// would read as markup.
    ///
    /// Dots and colons are escaped only where a link or an emoji could begin, so that identifiers and times stay
    /// readable.
    var markdownEscaped: String {
        let bytes = Array(utf8)
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: ":") where Self.mayBeLink(bytes, colon: index),
                UInt8(ascii: ".") where Self.isAfterWWW(bytes, dot: index),
                _ where Self.markup.contains(byte):
                escaped += [UInt8(ascii: "\\"), byte]
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static let markup = Set("\\`*_[]#|~$@".utf8)

    /// `https://` becomes a link and `:smile:` a picture. A colon between digits or before a blank becomes neither.
    private static func mayBeLink(_ bytes: [UInt8], colon index: Int) -> Bool {
        let isDigit = { (index: Int) in bytes.indices.contains(index) && (0x30...0x39).contains(bytes[index]) }
        let isLast = index + 1 >= bytes.count || bytes[index + 1] == 0x20
        return !isLast && !(isDigit(index - 1) && isDigit(index + 1))
    }

    private static func isAfterWWW(_ bytes: [UInt8], dot index: Int) -> Bool {
        index >= 3 && bytes[index - 3..<index].allSatisfy { $0 | 0x20 == UInt8(ascii: "w") }
    }
}
