import TillCore
public import TillReportModel

/// All results in one long table, for spreadsheets and data frames.
///
///     report,section,product_id,restored,rate
///     restores,restores,,1,0.333333
///     restores,by_product,pro,1,0.333333
///
/// Comma-separated after RFC 4180, with lines ended by LF. The columns are those of all sections in order of first
/// appearance; cells of other sections, and what is not known, stay empty. The records of input and settings, titles
/// and notes are left out. A document of one section alone has that section's columns and no other.
///
/// Text is made safe (``CSVText``); numbers never have a `'` before them.
public struct CSVRenderer: PiecewiseRenderer {
    public static let name = "csv"
    public static let summary = "One comma-separated table of all results"
    public static let fileExtensions = ["csv"]
    public static let isForPeople = false

    public init() {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) rethrows {
        let reports = document.flattened
        var writer = CSVWriter()
        if document.isExcerpt, let section = document.sections.first {
            writer.writeHeader(section.columns.map(\.name))
            try writer.write(section, to: sink)
            return try writer.bytes.flush(to: sink)
        }
        let names = Self.columnNames(in: reports)
        writer.writeHeader(["report", "section"] + names)
        for report in reports {
            for section in report.results {
                try writer.write(section, of: report.name, under: names, to: sink)
            }
        }
        try writer.bytes.flush(to: sink)
    }

    private static func columnNames(in reports: [ReportDocument]) -> [String] {
        var seen: Set<String> = []
        return reports.flatMap(\.results).flatMap(\.columns).map(\.name).filter { seen.insert($0).inserted }
    }
}

/// Appends comma-separated lines to one buffer.
private struct CSVWriter {
    var bytes: [UInt8] = []

    mutating func writeHeader(_ names: [String]) {
        for (index, name) in names.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            write(name)
        }
        bytes += "\n".utf8
    }

    /// The rows of a section alone.
    mutating func write(_ section: Section, to sink: ([UInt8]) throws -> Void) rethrows {
        for row in section.rows {
            for index in section.columns.indices {
                if index > 0 { bytes += ",".utf8 }
                if row.indices.contains(index) { write(row[index]) }
            }
            bytes += "\n".utf8
            try bytes.relieve(to: sink)
        }
    }

    mutating func write(
        _ section: Section,
        of report: String,
        under names: [String],
        to sink: ([UInt8]) throws -> Void
    ) rethrows {
        let sources = names.map { name in section.columns.firstIndex { $0.name == name } }
        for row in section.rows {
            write(report)
            bytes += ",".utf8
            write(section.name)
            for source in sources {
                bytes += ",".utf8
                if let source, row.indices.contains(source) { write(row[source]) }
            }
            bytes += "\n".utf8
            try bytes.relieve(to: sink)
        }
    }

    private mutating func write(_ cell: Cell) {
        switch cell {
        case .absent: break
        case .text(let text): write(text)
        case .instant(let instant): write(instant.description)
        case .list(let items): write(items.joined(separator: ";"))
        case .code, .count, .money, .ratio, .decimal: bytes += (cell.exactNumber ?? "").utf8
        }
    }

    private mutating func write(_ text: String) { CSVText.append(safe: text, to: &bytes) }
}
