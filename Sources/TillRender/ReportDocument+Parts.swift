import TillReportModel

extension ReportDocument {
    /// The records that say what was read and how, not what came out.
    var preamble: [Section] { sections.filter(\.isPreamble) }

    /// The sections with the results.
    var results: [Section] { sections.filter { !$0.isPreamble } }

    /// This document and all below it, each before its children.
    var flattened: [ReportDocument] { [self] + children.flatMap(\.flattened) }
}

extension Section {
    fileprivate var isPreamble: Bool {
        guard case .record = content else { return false }
        return ["input", "settings", "trust"].contains(name)
    }

    /// The rows, a record being a table of one.
    var rows: [[Cell]] {
        switch content {
        case .record(let cells): [cells]
        case .table(let rows): rows
        }
    }
}
