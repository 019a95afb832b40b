import TillCore
public import TillReportModel

/// The structure of documents, for people: the layers, the tree with offsets, the rows as tables.
///
/// Lines fit the terminal. Long values are cut, with the number of omitted characters or bytes. In a file or a pipe a
/// value is cut at ``usualValueWidth`` columns. Invisible characters are spelled out, so that no text of the data can
/// control the terminal.
public struct InspectionTextRenderer: InspectionRenderer {
    public static let name = "text"
    public static let summary = "a tree for people"

    /// The most columns of a value if the output is not a terminal.
    static let usualValueWidth = 120
    /// The least columns of a value, however narrow the terminal is.
    static let leastValueWidth = 16

    private let options: InspectionOptions

    public init(options: InspectionOptions) {
        self.options = options
    }

    public var beginning: [UInt8] { [] }
    public var end: [UInt8] { [] }

    public func render(_ document: InspectedDocument, isFirst: Bool) -> [UInt8] {
        var writer = InspectionWriter(options: options)
        if !isFirst { writer.line("") }
        writer.writeHeading(of: document)
        writer.writeLayers(document.layers)
        if !document.nodes.isEmpty { writer.writeTree(document.nodes) }
        if let defect = document.defect { writer.writeDefect(defect, at: document.offset) }
        writer.writeRows(document.rows)
        return writer.bytes
    }
}

/// Appends the lines of one document to a buffer.
private struct InspectionWriter {
    let options: InspectionOptions
    private(set) var bytes: [UInt8] = []
    private var offsetWidth = 6
    private var lengthWidth = 6

    init(options: InspectionOptions) {
        self.options = options
    }

    mutating func line(_ text: String) {
        var text = text
        while text.last == " " { text.removeLast() }
        bytes += text.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    private func heading(_ text: String) -> String { options.useColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    private func dim(_ text: String) -> String { options.useColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    mutating func writeHeading(of document: InspectedDocument) {
        let title =
            "\(document.source.madeVisible) · document \(document.number) · \(document.kind ?? "not recognised")"
        writeWrapped(title, lead: "", isHeading: true)
        line(String(repeating: "═", count: min(title.displayWidth, options.width ?? .max)))
        line("line \(document.line), offset \(document.offset), \(document.length) bytes")
    }

    /// One line per layer: its name, its size, its evidence.
    mutating func writeLayers(_ layers: [InspectedDocument.Layer]) {
        guard !layers.isEmpty else { return }
        line("")
        line(heading("Recognised"))
        let nameWidth = layers.map(\.name.displayWidth).max() ?? 0
        let countWidth = layers.map { $0.byteCount.map { String($0).count } ?? 0 }.max() ?? 0
        for (index, layer) in layers.enumerated() {
            let name = layer.name + String(repeating: " ", count: nameWidth - layer.name.displayWidth)
            let count = layer.byteCount.map { String($0) } ?? ""
            let lead = "  \(index + 1)  \(name)  \(count.leftPadded(to: countWidth)) \(count.isEmpty ? " " : "B")  "
            let evidence = layer.evidence.madeVisible
            writeWrapped(evidence, lead: lead)
        }
    }

    /// Text after a lead, wrapped to the width of the terminal.
    private mutating func writeWrapped(_ text: String, lead: String, isHeading: Bool = false) {
        func styled(_ text: String) -> String { isHeading ? heading(text) : text }
        guard let width = options.width, !options.showsAll else { return line(styled(lead + text)) }
        guard lead.displayWidth + text.displayWidth > width else { return line(styled(lead + text)) }
        let room = max(InspectionTextRenderer.leastValueWidth, width - lead.displayWidth)
        var current = ""
        var start = lead
        for word in text.split(separator: " ") {
            if !current.isEmpty, current.displayWidth + 1 + String(word).displayWidth > room {
                line(styled(start + current))
                start = String(repeating: " ", count: lead.displayWidth)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
            // A word that is longer than a line, such as a path, continues on the next.
            while current.displayWidth > room {
                let part = current.beginning(ofWidth: room)
                line(styled(start + part))
                start = String(repeating: " ", count: lead.displayWidth)
                current.removeFirst(part.count)
            }
        }
        line(styled(start + current))
    }

    mutating func writeTree(_ nodes: [InspectedNode]) {
        var (largest, longest) = (0, 0)
        Self.measure(nodes, &largest, &longest)
        offsetWidth = max(6, String(largest).count)
        lengthWidth = max(6, String(longest).count)
        line("")
        line(heading("Inside"))
        line(dim("\("offset".leftPadded(to: offsetWidth))  \("length".leftPadded(to: lengthWidth))"))
        for node in nodes { write(node, prefix: "", childPrefix: "") }
    }

    private static func measure(_ nodes: [InspectedNode], _ offset: inout Int, _ length: inout Int) {
        for node in nodes {
            offset = max(offset, node.offset ?? 0)
            length = max(length, node.length ?? 0)
            measure(node.children, &offset, &length)
        }
    }

    private mutating func write(_ node: InspectedNode, prefix: String, childPrefix: String) {
        let offset = (node.offset.map { String($0) } ?? "").leftPadded(to: offsetWidth)
        let length = (node.length.map { String($0) } ?? "").leftPadded(to: lengthWidth)
        let number = node.number.map { "\($0) " } ?? ""
        let lead = "\(prefix)\(number)\(node.name.madeVisible)"
        let margin = offsetWidth + lengthWidth + 4
        line(dim("\(offset)  \(length)") + "  " + lead + text(of: node, leadWidth: margin + lead.displayWidth))
        if let defect = node.defect {
            let blank = String(repeating: " ", count: margin)
            let bar = blank + childPrefix + (node.children.isEmpty ? "   " : "│  ")
            writeWrapped("\(defect.code) at \(defect.offset): \(defect.reason.madeVisible)", lead: bar + "! ")
        }
        for (index, child) in node.children.enumerated() {
            let isLast = index == node.children.count - 1
            write(
                child,
                prefix: childPrefix + (isLast ? "└─ " : "├─ "),
                childPrefix: childPrefix + (isLast ? "   " : "│  ")
            )
        }
    }

    /// The value and its meaning, cut to the rest of the line.
    private func text(of node: InspectedNode, leadWidth: Int) -> String {
        var meaning = node.meaning.map { $0.madeVisible } ?? ""
        if let count = node.decodedLength {
            meaning += (meaning.isEmpty ? "" : ", ") + "offsets below are in \(count) bytes"
        }
        var room: Int?
        if !options.showsAll {
            room =
                options.width.map { max(InspectionTextRenderer.leastValueWidth, $0 - leadWidth - 2) }
                ?? InspectionTextRenderer.usualValueWidth
        }
        if let whole = room, !meaning.isEmpty, node.value != nil {
            room = max(whole / 2, whole - meaning.displayWidth - 4)
        }
        let value = node.value.map { $0.text(within: room) } ?? ""
        if !meaning.isEmpty, let width = options.width, !options.showsAll {
            let left = width - leadWidth - 2 - (value.isEmpty ? 0 : value.displayWidth + 3)
            meaning = meaning.truncated(toWidth: max(InspectionTextRenderer.leastValueWidth, left))
        }
        switch (value.isEmpty, meaning.isEmpty) {
        case (true, true): return ""
        case (false, true): return "  " + value
        case (true, false): return "  " + meaning
        case (false, false): return "  \(value)   \(meaning)"
        }
    }

    mutating func writeDefect(_ defect: InspectedDefect, at offset: Int) {
        line("")
        line(heading("Not read"))
        let path = defect.path.isEmpty ? "" : "  " + defect.path.madeVisible
        writeWrapped("\(defect.code)\(path)", lead: "  @ \(offset)+\(defect.offset)  ")
        writeWrapped(defect.reason.madeVisible, lead: "  ")
        guard let excerpt = defect.excerpt else { return }
        line("    " + excerpt.text.madeVisible)
        line("    " + String(repeating: " ", count: excerpt.lead) + String(repeating: "^", count: excerpt.width))
    }

    /// A table for each kind of row.
    mutating func writeRows(_ rows: [InspectedDocument.Row]) {
        var index = 0
        while index < rows.count {
            let table = rows[index].table
            let end = rows[index...].firstIndex { $0.table != table } ?? rows.count
            writeTable(table, Array(rows[index..<end]))
            index = end
        }
    }

    private mutating func writeTable(_ name: String, _ rows: [InspectedDocument.Row]) {
        var columns: [String] = []
        for row in rows {
            var place = 0
            for cell in row.cells {
                if let found = columns.firstIndex(of: cell.column) {
                    place = max(place, found + 1)
                } else {
                    columns.insert(cell.column, at: place)
                    place += 1
                }
            }
        }
        line("")
        line(heading("Rows of \(name): \(rows.count)"))
        guard !columns.isEmpty else { return }
        func cell(_ row: InspectedDocument.Row, _ column: String) -> Cell {
            row.cells.first { $0.column == column }.map { .text($0.value.plainText) } ?? .absent
        }
        let across = rows.map { row in columns.map { cell(row, $0) } }
        let needed = TableLayout(titles: columns, rows: TableRows(across), width: nil).rule.displayWidth
        // Few rows are easier to compare side by side, with one line per column.
        if rows.count > 4, options.width.map({ needed <= $0 }) ?? true {
            writeTable(titles: columns, across)
        } else {
            for start in stride(from: 0, to: rows.count, by: 2) {
                let group = rows[start..<min(start + 2, rows.count)]
                let used = columns.filter { column in group.contains { cell($0, column) != .absent } }
                let lines = used.map { column in [Cell.text(column)] + group.map { cell($0, column) } }
                let titles = [rows.count > 1 ? "#" : ""] + group.indices.map { rows.count > 1 ? String($0 + 1) : "" }
                if start > 0 { line("") }
                writeTable(titles: titles, lines)
            }
        }
    }

    private mutating func writeTable(titles: [String], _ rows: [[Cell]]) {
        let layout = TableLayout(titles: titles, rows: TableRows(rows), width: options.showsAll ? nil : options.width)
        if titles.contains(where: { !$0.isEmpty }) {
            for heading in layout.header { line(heading) }
            line(layout.rule)
        }
        for row in rows { layout.appendLine(row, to: &bytes) }
    }
}

extension InspectedNode.Value {
    /// The value in at most `room` columns, with the number of omitted characters or bytes.
    fileprivate func text(within room: Int?) -> String {
        switch self {
        case .text(let text): return "\"" + text.madeVisible.cut(to: room.map { $0 - 2 }, "characters") + "\""
        case .number(let digits): return digits.cut(to: room, "digits")
        case .flag, .null: return plainText
        case .masked(let count): return "masked (\(count) bytes; --show-private shows them)"
        case .octets(let octets):
            guard let room, octets.count * 3 - 1 > room else { return octets.hexadecimal(separator: " ") }
            let kept = max(1, (room - 14) / 3)
            return Array(octets.prefix(kept)).hexadecimal(separator: " ") + " … +\(octets.count - kept) bytes"
        }
    }

    fileprivate var plainText: String {
        switch self {
        case .text(let text): text
        case .number(let digits): digits
        case .flag(let flag): "\(flag)"
        case .null: "null"
        case .octets(let octets): octets.hexadecimal()
        case .masked: "masked"
        }
    }
}

extension String {
    /// The text cut to `room` columns, with the number of omitted characters or bytes.
    fileprivate func cut(to room: Int?, _ unit: String) -> String {
        guard let room, displayWidth > room else { return self }
        let kept = truncated(toWidth: max(4, room - 18)).dropLast()
        return "\(kept)… +\(max(1, count - kept.count)) \(unit)"
    }

    /// The first characters, at least one, that take no more than `width` columns.
    fileprivate func beginning(ofWidth width: Int) -> String {
        var text = ""
        for character in self {
            guard text.isEmpty || (text + String(character)).displayWidth <= width else { break }
            text.append(character)
        }
        return text
    }

    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
