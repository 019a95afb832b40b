public import TillReportModel

/// One object per row, each on its own line, with the names of its table and report, for tools that read lines.
///
///     {"table":"input","report":"all","documents":672,…}
///     {"table":"revenue","report":"revenue","month":"2026-01","product_id":"pro","gross":14.99,…}
///
/// Values are written as in JSON. The reports within the report of all reports do not repeat its preamble.
public struct NDJSONRenderer: PiecewiseRenderer {
    public static let name = "ndjson"
    public static let summary = "One JSON object per row, each on its line"
    public static let fileExtensions = ["ndjson", "jsonl"]
    public static let isForPeople = false

    public init() {}

    public func write(
        _ document: ReportDocument,
        options: RenderOptions,
        to sink: (_ piece: [UInt8]) throws -> Void
    ) rethrows {
        var writer = JSONWriter()
        for report in document.withoutRepeatedPreamble().flattened {
            for section in report.sections where section.role != .overview {
                try writer.writeLines(of: section, report: report.name, to: sink)
            }
        }
        try writer.bytes.flush(to: sink)
    }
}

extension JSONWriter {
    fileprivate mutating func writeLines(
        of section: Section,
        report: String,
        to sink: ([UInt8]) throws -> Void
    ) rethrows {
        let keys = section.columns.map { Self.key($0.name) }
        var names = JSONWriter()
        names.bytes += Self.key("table")
        names.write(section.name)
        names.bytes += ",".utf8
        names.bytes += Self.key("report")
        names.write(report)
        for row in section.rows {
            write(row, keys: keys, lead: names.bytes)
            bytes += "\n".utf8
            try bytes.flushIfFull(to: sink)
        }
    }
}
