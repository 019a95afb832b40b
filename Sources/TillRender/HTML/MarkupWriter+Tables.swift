import TillReportModel

extension MarkupWriter {
    /// The rows or facts of a section. Rows that are for programs are folded.
    mutating func writeContent(of section: Section, identifier: String) {
        switch section.content {
        case .record where section.isFolded(showsDetail: showsDetail):
            element("details") { details in
                details.element("summary", text: "All figures")
                details.writeFacts(of: section, isCompact: false)
            }
        case .record: writeFacts(of: section, isCompact: false)
        case .table(let rows) where rows.isEmpty: element("p", ["class": "none"], text: "none")
        case .table(let rows) where section.isFolded(showsDetail: showsDetail):
            element("details") { details in
                details.element("summary", text: rows.count == 1 ? rows.countText : "All \(rows.countText)")
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
            guard !isNumber else {
                if index < keyCount {
                    element("th", ["scope": "row", "class": "n"], text: text)
                } else {
                    element("td", text: text)
                }
                continue
            }
            let style = Self.style(of: cell, text, isKey: index < keyCount)
            if index < keyCount {
                element("th", ["scope": "row", "class": style, "dir": "auto"]) { $0.writeParts(of: text) }
            } else {
                element("td", ["class": style, "dir": "auto"]) { $0.writeParts(of: text) }
            }
        }
    }

    private static let longText = 48

    /// An instant stays on one line, and so does an id except on phones. A text may break between words, a long one
    /// anywhere.
    private static func style(of cell: Cell, _ text: String, isKey: Bool) -> String {
        if case .instant = cell { return isKey ? "k" : "t one" }
        // A long name may break anywhere; shorter ones stay whole.
        guard text.utf8.count <= longText else { return isKey ? "long" : "t long" }
        let isID = text.contains(".") && !text.contains(" ")
        // The words of a key need no line of their own but on phones.
        return isKey ? (isID || text.contains(" ") ? "id" : "k") : (isID ? "t id" : "t")
    }

    /// A text that may break behind its dots: `com.example.pro` between its parts, and not within one. Numbers do not
    /// break.
    mutating func writeParts(of text: String) {
        var rest = text[...]
        while let dot = rest.firstIndex(of: ".") {
            let next = rest.index(after: dot)
            write(String(rest[..<next]))
            rest = rest[next...]
            if let first = rest.first, first.isLetter { append("<wbr/>") }
        }
        write(String(rest))
    }
}
