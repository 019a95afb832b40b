import TillCore
import TillReportModel

/// Appends JSON (RFC 8259) to one buffer.
struct JSONWriter {
    var bytes: [UInt8] = []

    mutating func write(_ document: ReportDocument) {
        bytes += "{\"report\":".utf8
        write(document.name)
        bytes += ",\"version\":\(document.version)".utf8
        // What closes a report stands behind the reports in it, too.
        let closing = document.children.isEmpty ? [] : document.sections.filter { $0.name == "coverage" }
        for section in document.sections where !closing.contains(where: { $0.name == section.name }) {
            writeMember(section)
        }
        if !document.children.isEmpty {
            bytes += ",\n\"reports\":".utf8
            writeLines(document.children) { $0.write($1) }
        }
        for section in closing { writeMember(section) }
        bytes += "}".utf8
    }

    private mutating func writeMember(_ section: Section) {
        bytes += ",\n".utf8
        bytes += Self.key(section.name)
        write(section)
    }

    private mutating func write(_ section: Section) {
        let keys = section.columns.map { Self.key($0.name) }
        switch section.content {
        case .record(let cells): write(cells, keys: keys)
        case .table(let rows): writeLines(rows) { $0.write($1, keys: keys) }
        }
    }

    /// An array with each element on a line of its own.
    private mutating func writeLines<Element>(_ elements: [Element], write: (inout Self, Element) -> Void) {
        bytes += "[".utf8
        for (index, element) in elements.enumerated() {
            bytes += (index == 0 ? "\n" : ",\n").utf8
            write(&self, element)
        }
        bytes += (elements.isEmpty ? "]" : "\n]").utf8
    }

    /// One object; `lead` stands before the first member.
    mutating func write(_ cells: [Cell], keys: [[UInt8]], lead: [UInt8] = []) {
        bytes += "{".utf8
        bytes += lead
        for (index, (key, cell)) in zip(keys, cells).enumerated() {
            if index > 0 || !lead.isEmpty { bytes += ",".utf8 }
            bytes += key
            write(cell)
        }
        bytes += "}".utf8
    }

    private mutating func write(_ cell: Cell) {
        switch cell {
        case .absent: bytes += "null".utf8
        case .text(let text): write(text)
        case .instant(let instant): write(instant.description)
        case .list(let items): write(items)
        case .code, .count, .money, .ratio, .decimal: bytes += (cell.exactNumber ?? "null").utf8
        }
    }

    private mutating func write(_ items: [String]) {
        bytes += "[".utf8
        for (index, item) in items.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            write(item)
        }
        bytes += "]".utf8
    }

    mutating func write(_ text: String) {
        bytes += "\"".utf8
        if text.utf8.allSatisfy(Self.standsAlone) {
            bytes += text.utf8
        } else {
            for scalar in text.unicodeScalars { write(scalar) }
        }
        bytes += "\"".utf8
    }

    /// Whether a byte is one character that needs no look at its neighbours and no escape.
    private static func standsAlone(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes += "\\\"".utf8
        case "\\": bytes += "\\\\".utf8
        case "\n": bytes += "\\n".utf8
        case "\r": bytes += "\\r".utf8
        case "\t": bytes += "\\t".utf8
        case _ where scalar.isUnseen: for unit in scalar.utf16 { writeEscape(unit) }
        default: bytes += scalar.utf8
        }
    }

    private mutating func writeEscape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
    }

    /// A name with the colon after it.
    static func key(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(name)
        return writer.bytes + ":".utf8
    }
}
