import TillCore
import TillReportModel

/// Appends JSON (RFC 8259) to a buffer.
struct JSONWriter {
    var bytes: [UInt8] = []
    /// The number of threads that may encode rows.
    var jobs = 1

    /// Writes a report. Passes the buffer to `sink` whenever it holds a piece.
    mutating func write(_ document: ReportDocument, to sink: ([UInt8]) throws -> Void) rethrows {
        append("{\"report\":")
        write(document.name)
        append(",\"version\":\(document.version)")
        // The coverage comes last, after the reports that a document contains.
        let closing = document.children.isEmpty ? [] : document.sections.filter { $0.role == .coverage }
        for section in document.sections
        where section.role != .overview && (closing.isEmpty || section.role != .coverage) {
            try writeMember(section, to: sink)
        }
        if !document.children.isEmpty {
            append(",\n\"reports\":")
            for (index, child) in document.children.enumerated() {
                append(index == 0 ? "[\n" : ",\n")
                try write(child, to: sink)
            }
            append("\n]")
        }
        for section in closing { try writeMember(section, to: sink) }
        append("}")
    }

    private mutating func writeMember(_ section: Section, to sink: ([UInt8]) throws -> Void) rethrows {
        append(",\n")
        bytes += Self.key(section.name)
        switch section.content {
        case .record(let cells): write(cells, keys: Self.keys(of: section))
        case .table(let rows):
            append("[")
            try bytes.append(rows: rows, jobs: jobs, to: sink) { block, isFirst in
                var writer = JSONWriter()
                let keys = Self.keys(of: section)
                for row in block.indices {
                    writer.append(isFirst && row == 0 ? "\n" : ",\n")
                    writer.write(block.cells(of: row), keys: keys)
                }
                return writer.bytes
            }
            append(rows.isEmpty ? "]" : "\n]")
        }
    }

    /// One object, with the bytes that ``keys(_:areFirst:)`` gives. `lead` holds the brace, and members before those of
    /// the cells.
    mutating func write(_ cells: some Sequence<Cell>, keys: [[UInt8]], lead: [UInt8] = [UInt8(ascii: "{")]) {
        bytes += lead
        var cells = cells.makeIterator()
        for key in keys {
            guard let cell = cells.next() else { break }
            bytes += key
            write(cell)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ cell: consuming Cell) {
        switch cell {
        case .absent: append("null")
        case .text(let text), .word(let text, _): write(text)
        case .instant(let instant): write(instant.description)
        case .list(let items): write(items)
        case .flag(let flag): append(flag ? "true" : "false")
        case .records(let records): write(records)
        case .code, .count, .money, .ratio, .decimal: if !cell.appendExactNumber(to: &bytes) { append("null") }
        }
    }

    private mutating func write(_ items: [String]) {
        append("[")
        for (index, item) in items.enumerated() {
            if index > 0 { append(",") }
            write(item)
        }
        append("]")
    }

    private mutating func write(_ records: [CellRecord]) {
        if let record = records.first, record.isAlone {
            return write(record.members.map(\.cell), keys: Self.keys(record.members.map(\.name)))
        }
        append("[")
        for (index, record) in records.enumerated() {
            if index > 0 { append(",") }
            write(record.members.map(\.cell), keys: Self.keys(record.members.map(\.name)))
        }
        append("]")
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(Self.standsAlone) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if !isPlain { for scalar in text.unicodeScalars { write(scalar) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a text that is already JSON.
    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Whether a byte is a visible ASCII character that needs no escape.
    private static func standsAlone(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        case _ where scalar.isUnseen: for unit in scalar.utf16 { writeEscape(unit) }
        default: bytes += scalar.utf8
        }
    }

    private mutating func writeEscape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
    }

    /// ``keys(_:areFirst:)`` of the columns of a section.
    static func keys(of section: Section, areFirst: Bool = true) -> [[UInt8]] {
        keys(section.columns.map(\.name), areFirst: areFirst)
    }

    /// The bytes before each value of an object: its name and a colon, and a comma if another member comes before.
    ///
    /// - Parameter areFirst: whether the object begins with them.
    static func keys(_ names: [String], areFirst: Bool = true) -> [[UInt8]] {
        names.enumerated().map { index, name in (index == 0 && areFirst ? [] : [UInt8(ascii: ",")]) + key(name) }
    }

    /// A name followed by a colon.
    static func key(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(name)
        return writer.bytes + ":".utf8
    }
}
