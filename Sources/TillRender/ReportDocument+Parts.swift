import TillCore
import TillReportModel

extension ReportDocument {
    /// The records that say what was read and how, not what came out.
    var preamble: [Section] { sections.filter(\.role.isPreamble) }

    /// The sections with the results.
    var results: [Section] { sections.filter { !$0.role.isPreamble } }

    /// This document and all below it, each before its children.
    var flattened: [ReportDocument] { [self] + children.flatMap(\.flattened) }
}

/// How many rows of a table a format shows that somebody is to read.
enum RowLimit: Int {
    /// Nobody reads on for longer, and a browser still opens the page.
    case page = 10_000
    /// Spreadsheets open it in a few seconds, and libxlsxwriter holds it in memory.
    case workbook = 250_000
}

extension ReportDocument {
    /// The same with no more rows in a table than a format shows; what is left out is told in a note.
    ///
    /// - Parameter showsDetail: whether the format shows rows that are for programs, and does not only count them.
    func limited(to limit: RowLimit, showsDetail: Bool = true) -> ReportDocument {
        var document = self
        document.children = children.map { $0.limited(to: limit, showsDetail: showsDetail) }
        for (index, section) in sections.enumerated() {
            guard case .table(let rows) = section.content, rows.count > limit.rawValue,
                showsDetail || section.role != .detail
            else { continue }
            let first: TableRows = rows.first(limit.rawValue)
            document.sections[index].content = .table(first)
            let (shown, all) = (Cell.count(Int64(limit.rawValue)), Cell.count(Int64(rows.count)))
            document.notes.append(
                "\(section.title): the first \(shown.displayText) of \(all.displayText) rows are shown; "
                    + "-t csv and -t json have them all."
            )
        }
        return document
    }
}

extension Section {
    /// The rows, a record being a table of one.
    var rows: TableRows {
        switch content {
        case .record(let cells): TableRows([cells])
        case .table(let rows): rows
        }
    }
}

extension ReportDocument {
    /// The title with the period, for a window or a file's properties.
    var heading: String { period.map { "\(title), \($0.text(by: clock))" } ?? title }
}

extension ReportPeriod {
    /// `2026-01 to 2026-03`, or the one month that it is; of instants the days.
    func text(by clock: ReportClock) -> String {
        let (first, last) = (Self.text(self.first, clock), Self.text(self.last, clock))
        return first == last ? first : "\(first) to \(last)"
    }

    private static func text(_ cell: Cell, _ clock: ReportClock) -> String {
        guard case .instant(let instant) = cell else { return cell.displayText }
        return clock.day(of: instant)
    }
}

extension Section {
    /// How many columns, from the first, say what a row is about: those marked as keys, else the first one.
    var keyCount: Int { max(1, columns.prefix(while: \.isKey).count) }

    /// Whether a column holds numbers, which stand right; one without a value does not.
    func isNumber(at index: Int) -> Bool {
        var known: Bool?
        let rows = rows
        for row in rows.indices {
            guard let isNumber = rows.cell(at: index, of: row)?.isNumber else { continue }
            if !isNumber { return false }
            known = true
        }
        return known ?? false
    }
}
