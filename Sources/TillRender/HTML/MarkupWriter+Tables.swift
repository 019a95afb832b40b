import TillReportModel

extension MarkupWriter {
    /// The rows or facts of a section; rows that are for programs stand folded.
    mutating func writeContent(of section: Section, identifier: String) {
        switch section.content {
        case .record: writeFacts(of: section, isCompact: false)
        case .table(let rows) where rows.isEmpty: element("p", ["class": "none"], text: "none")
        case .table(let rows) where section.role == .detail:
            element("details") { details in
                details.element("summary", text: "All \(Self.count(rows))")
                details.writeTable(rows, of: section, identifier: identifier)
            }
        case .table(let rows): writeTable(rows, of: section, identifier: identifier)
        }
        append("\n")
    }

    /// What a record says, a term and its value each.
    mutating func writeFacts(of section: Section, isCompact: Bool) {
        guard case .record(let cells) = section.content else { return }
        if isCompact {
            element("div", ["class": "line"]) { line in
                line.element("strong", text: section.title)
                line.writeTerms(section.columns, cells, style: "compact")
            }
        } else {
            writeTerms(section.columns, cells, style: "facts")
        }
        append("\n")
    }

    private mutating func writeTerms(_ columns: [Column], _ cells: [Cell], style: String) {
        element("dl", ["class": style]) { list in
            for (column, cell) in zip(columns, cells) {
                list.element("div") { fact in
                    fact.element("dt", text: column.title)
                    fact.element("dd", ["dir": "auto"], text: cell.displayText(by: fact.clock))
                }
            }
        }
    }

    /// A table whose key columns head their rows; it scrolls sideways by itself where the page is narrow.
    private mutating func writeTable(_ rows: TableRows, of section: Section, identifier: String) {
        let keyCount = section.keyCount
        let isNumber = section.columns.indices.map { section.isNumber(at: $0) }
        element("div", ["class": "scroll", "role": "region", "aria-labelledby": identifier, "tabindex": "0"]) {
            region in
            region.element("table") { table in
                table.element("caption", text: "\(section.title): \(Self.count(rows))")
                table.append("\n")
                table.element("thead") { head in
                    head.element("tr") { row in
                        for (column, isNumber) in zip(section.columns, isNumber) {
                            row.element(
                                "th",
                                isNumber ? ["scope": "col", "class": "n"] : ["scope": "col"],
                                text: column.title
                            )
                        }
                    }
                }
                table.append("\n")
                table.element("tbody") { body in
                    for cells in rows {
                        body.append("\n")
                        body.element("tr") { $0.writeRow(cells, keyCount: keyCount, isNumber: isNumber) }
                    }
                }
            }
        }
        append("\n")
    }

    private mutating func writeRow(_ cells: [Cell], keyCount: Int, isNumber: [Bool]) {
        for (index, (cell, isNumber)) in zip(cells, isNumber).enumerated() {
            let text = cell.displayText(by: clock)
            // A name as long as a line may break anywhere; shorter ones stay whole.
            let isLong = !isNumber && text.utf8.count > Self.longText
            if index < keyCount {
                let style = isNumber ? "n" : isLong ? "long" : "k"
                element("th", ["scope": "row", "class": style, "dir": "auto"], text: text)
            } else if isNumber {
                element("td", text: text)
            } else {
                element("td", ["class": Self.style(of: cell, isLong: isLong), "dir": "auto"], text: text)
            }
        }
    }

    private static let longText = 48

    /// An instant stays on one line; a text may break, a long one anywhere.
    private static func style(of cell: Cell, isLong: Bool) -> String {
        if case .instant = cell { return "t w" }
        return isLong ? "t long" : "t"
    }

    private static func count(_ rows: TableRows) -> String {
        rows.count == 1 ? "1 row" : "\(Cell.count(Int64(rows.count)).displayText) rows"
    }
}
