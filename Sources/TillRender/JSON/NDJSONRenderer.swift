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
        var writer = JSONWriter(jobs: options.jobs)
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
        try bytes.append(rows: section.rows, jobs: jobs, to: sink) { block, _ in
            var writer = JSONWriter()
            let lead = Self.lead(of: section, report: report)
            let keys = Self.keys(of: section, areFirst: false)
            for row in block.indices {
                writer.write(block.cells(of: row), keys: keys, lead: lead)
                writer.bytes += "\n".utf8
            }
            return writer.bytes
        }
    }

    /// The bytes with which each row begins: the brace and two members.
    private static func lead(of section: Section, report: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.write([.text(section.name), .text(report)], keys: keys(["table", "report"]))
        // The other members follow.
        writer.bytes.removeLast()
        return writer.bytes
    }
}
