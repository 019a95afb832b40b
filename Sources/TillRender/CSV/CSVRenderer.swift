import TillCore
public import TillReportModel

/// All results in one long table, for spreadsheets and data frames.
///
///     report,section,product_id,restored,rate
///     restores,restores,,1,0.333333
///     restores,by_product,pro,1,0.333333
///
/// Comma-separated after RFC 4180, with lines ended by LF. The columns are those of all sections in order of first
/// appearance. Cells of columns that a section does not have, and absent cells, are empty. The preamble, titles and
/// notes are omitted. An excerpt has only the columns of its section.
///
/// Texts are made safe for spreadsheets (``CSVText``); numbers never have a `'` before them.
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
        var writer = CSVWriter(jobs: options.jobs)
        if document.isExcerpt, let section = document.sections.first {
            writer.writeHeader(section.columns.map(\.name))
            try writer.write(section, lead: [], places: section.columns.indices.map(\.self), to: sink)
            return try writer.bytes.flush(to: sink)
        }
        let reports = document.flattened
        let names = Self.columnNames(in: reports)
        writer.writeHeader(["report", "section"] + names)
        for report in reports {
            for section in report.resultsForPrograms {
                let places = names.map { name in section.columns.firstIndex { $0.name == name } }
                try writer.write(section, lead: [report.name, section.name], places: places, to: sink)
            }
        }
        try writer.bytes.flush(to: sink)
    }

    private static func columnNames(in reports: [ReportDocument]) -> [String] {
        var seen: Set<String> = []
        return reports.flatMap(\.resultsForPrograms).flatMap(\.columns).map(\.name).filter { seen.insert($0).inserted }
    }
}

/// Appends comma-separated lines to a buffer.
private struct CSVWriter {
    var bytes: [UInt8] = []
    /// The number of threads that may encode rows.
    var jobs = 1

    mutating func writeHeader(_ names: [String]) {
        for (index, name) in names.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            write(name)
        }
        bytes += "\n".utf8
    }

    /// - Parameters:
    ///   - lead: texts before the cells of every row.
    ///   - places: the column of the section for each column of the table; `nil` where the section has none.
    mutating func write(
        _ section: Section,
        lead: [String],
        places: [Int?],
        to sink: ([UInt8]) throws -> Void
    ) rethrows {
        try bytes.append(rows: section.rows, jobs: jobs, to: sink) { block, _ in
            var writer = CSVWriter()
            let beginning = Self.beginning(of: lead)
            for row in block { writer.write(row, places: places, lead: beginning) }
            return writer.bytes
        }
    }

    private static func beginning(of lead: [String]) -> [UInt8] {
        var writer = CSVWriter()
        for text in lead {
            writer.write(text)
            writer.bytes += ",".utf8
        }
        return writer.bytes
    }

    private mutating func write(_ row: [Cell], places: [Int?], lead: [UInt8]) {
        bytes += lead
        for (index, place) in places.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            if let place, row.indices.contains(place) { write(row[place]) }
        }
        bytes += "\n".utf8
    }

    private mutating func write(_ cell: Cell) {
        switch cell {
        case .absent: break
        case .text(let text), .word(let text, _): write(text)
        case .instant(let instant): write(instant.description)
        case .list(let items): write(items.joined(separator: ";"))
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .records(let records): write(records.map(\.text).joined(separator: ";"))
        case .code, .count, .money, .ratio, .decimal: bytes += (cell.exactNumber ?? "").utf8
        }
    }

    private mutating func write(_ text: String) { CSVText.append(safe: text, to: &bytes) }
}
