import TillReportModel

extension MarkupWriter {
    /// The rows or facts of a section. Rows that are for programs are folded.
    mutating func writeContent(of section: Section, identifier: String) {
        switch section.content {
        case .record: writeFacts(of: section, isCompact: false)
        case .table(let rows) where rows.isEmpty: element("p", ["class": "none"], text: "none")
        case .table(let rows) where section.isFolded(showsDetail: showsDetail):
            element("details") { details in
                details.element("summary", text: "All \(rows.countText)")
                details.writeTable(rows, of: section, identifier: identifier)
            }
        case .table(let rows): writeTable(rows, of: section, identifier: identifier)
        }
        append("\n")
    }

    /// The facts of a record, each a term and its value.
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

    /// A table whose key columns are the headings of its rows. On a narrow page it scrolls sideways.
    private mutating func writeTable(_ rows: TableRows, of section: Section, identifier: String) {
        let keyCount = section.keyCount
        let isNumber = section.columns.indices.map { section.isNumber(at: $0) }
        element("div", ["class": "scroll", "role": "region", "aria-labelledby": identifier, "tabindex": "0"]) {
            region in
            region.element("table") { table in
                table.element("caption", text: "\(section.title): \(rows.countText)")
                table.append("\n")
                table.writeTableHead(Array(zip(section.columns.map(\.title), isNumber)))
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

    mutating func writeTableHead(_ headings: [(title: String, isNumber: Bool)]) {
        element("thead") { head in
            head.element("tr") { row in
                for (title, isNumber) in headings {
                    row.element("th", isNumber ? ["scope": "col", "class": "n"] : ["scope": "col"], text: title)
                }
            }
        }
    }

    private mutating func writeRow(_ cells: [Cell], keyCount: Int, isNumber: [Bool]) {
        for (index, (cell, isNumber)) in zip(cells, isNumber).enumerated() {
            let text = cell.displayText(by: clock)
            // A long name may break anywhere; shorter ones stay whole.
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

    /// An instant stays on one line. A text may break between words, a long one anywhere.
    private static func style(of cell: Cell, isLong: Bool) -> String {
        if case .instant = cell { return "t w" }
        return isLong ? "t long" : "t"
    }
}
