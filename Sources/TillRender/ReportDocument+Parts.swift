import TillCore
import TillReportModel

extension ReportDocument {
    /// The records about the input and the settings.
    var preamble: [Section] { sections.filter(\.role.isPreamble) }

    /// The sections with the results, without the answer.
    var results: [Section] { sections.filter { !$0.role.isPreamble && $0.role != .summary } }

    /// The sections with the results that programs read.
    var resultsForPrograms: [Section] { results.filter { $0.role != .overview } }

    /// The answer in words; empty where the report has none.
    var statements: [Statement] { summary.filter { $0.weight != .scope } }

    /// The time that the report covers, in words; `nil` where the answer does not say.
    var scope: Statement? { summary.first { $0.weight == .scope } }

    /// The title with the time that the report covers.
    var titleWithScope: String { scope.map { "\(title), \($0.text(by: clock))" } ?? title }

    private var summary: [Statement] { sections.filter { $0.role == .summary }.flatMap(\.statements) }

    /// Whether the preamble comes after the results, because the report begins with its answer.
    var opensWithAnswer: Bool {
        children.isEmpty ? !statements.isEmpty : children.allSatisfy(\.opensWithAnswer)
    }

    /// This document and all below it, each before its children.
    var flattened: [ReportDocument] { [self] + children.flatMap(\.flattened) }
}

/// The largest number of rows of a table in a format for people.
enum RowLimit: Int {
    /// A browser can open a page with this many rows.
    case page = 10_000
    /// A spreadsheet opens this many rows in a few seconds. A sheet could hold 1,048,575.
    case workbook = 250_000
}

extension ReportDocument {
    /// The document as a format for people shows it: without repeated preambles and empty parts, with at most `limit`
    /// rows in a table, and with names of products beside their ids. A note has the number of omitted rows.
    ///
    /// - Parameters:
    ///   - showsDetail: whether the format shows the rows of sections with the role `detail`.
    ///   - isOnePage: whether of the report of all reports only one page is shown.
    func forPeople(_ limit: RowLimit, showsDetail: Bool = true, isOnePage: Bool = false) -> ReportDocument {
        let document = withoutColumnsForPrograms().withoutRepeatedPreamble().folded().ranked()
        return (isOnePage ? document.onOnePage() : document).limited(to: limit, showsDetail: showsDetail)
            .namingProducts()
    }

    /// The document without counts of 0 in its preamble, and without empty tables, which a note names. A document
    /// without an answer in words is unchanged.
    private func folded() -> ReportDocument {
        guard opensWithAnswer else { return self }
        var document = self
        document.children = children.map { $0.folded() }
        let input = Set(sections.filter { $0.role == .input }.flatMap(\.facts))
        document.sections = sections.map { $0.role.mayFoldZeros ? $0.withoutZeros(besides: input) : $0 }
        let empty = document.sections.filter { !$0.role.isPreamble && $0.isEmptyTable }
        document.sections.removeAll { !$0.role.isPreamble && $0.isEmptyTable }
        let titles = empty.filter { $0.role != .overview }.map(\.title)
        if !titles.isEmpty { document.notes.append("Empty tables: \(titles.joined(separator: ", ")).") }
        return document
    }

    /// The document without those preamble sections of its children that it has itself.
    func withoutRepeatedPreamble(besides stated: Set<Paragraph> = []) -> ReportDocument {
        var document = self
        document.sections.removeAll { $0.role.isPreamble && stated.contains(Paragraph(facts: $0)) }
        let stated = stated.union(preamble.map { Paragraph(facts: $0) })
        document.children = children.map { $0.withoutRepeatedPreamble(besides: stated) }
        return document
    }

    /// The document without columns that people read in other words.
    private func withoutColumnsForPrograms() -> ReportDocument {
        var document = self
        document.children = children.map { $0.withoutColumnsForPrograms() }
        document.sections = sections.map { $0.withoutColumnsForPrograms() }
        return document
    }

    /// The document with the rows of sections in the order in which people read them.
    private func ranked() -> ReportDocument {
        var document = self
        document.children = children.map { $0.ranked() }
        for (index, section) in sections.enumerated() {
            guard let column = section.rankingColumn, case .table(let rows) = section.content else { continue }
            document.sections[index].content = .table(rows.ranked(by: column))
        }
        return document
    }

    private func limited(to limit: RowLimit, showsDetail: Bool) -> ReportDocument {
        var document = self
        document.children = children.map { $0.limited(to: limit, showsDetail: showsDetail) }
        for (index, section) in sections.enumerated() {
            guard showsDetail || section.role != .detail, let note = document.sections[index].cut(to: limit) else {
                continue
            }
            document.notes.append(note)
        }
        return document
    }
}

extension Section {
    fileprivate func withoutColumnsForPrograms() -> Section {
        let kept = columns.indices.filter { !columns[$0].isForPrograms }
        guard kept.count < columns.count else { return self }
        var section = self
        section.columns = kept.map { columns[$0] }
        func cells(_ row: [Cell]) -> [Cell] { kept.filter(row.indices.contains).map { row[$0] } }
        switch content {
        case .record(let row): section.content = .record(cells(row))
        case .table(let rows): section.content = .table(rows.lazy.map(cells))
        }
        if let ranking = rankingColumn { section.rankingColumn = kept.firstIndex(of: ranking) }
        if case .perCurrency(let column) = totals {
            section.totals = kept.firstIndex(of: column).map { .perCurrency(column: $0) } ?? .none
        }
        return section
    }

    /// The charts that a format in characters draws: without those that repeat a table above them, and those with a
    /// band, which has no width in characters.
    func chartsInCharacters(showsDetail: Bool) -> [Chart] {
        charts.filter {
            !$0.series.isEmpty && $0.band == nil && (!$0.repeatsRows || isFolded(showsDetail: showsDetail))
        }
    }

    /// Removes all but the first rows. Returns a note about it; `nil` if no row was removed. A cut section has no
    /// totals.
    mutating func cut(to limit: RowLimit) -> String? {
        guard case .table(let rows) = content, rows.count > limit.rawValue else { return nil }
        let first: TableRows = rows.first(limit.rawValue)
        content = .table(first)
        totals = .none
        let (shown, all) = (Cell.count(Int64(limit.rawValue)), Cell.count(Int64(rows.count)))
        return "\(title): the first \(shown.displayText) of \(all.displayText) rows are shown; "
            + "-t csv and -t json have them all."
    }

    /// Whether a format for people omits the rows or facts.
    func isFolded(showsDetail: Bool) -> Bool { role == .detail && !showsDetail }
}

extension ReportDocument {
    /// The tables whose rows are omitted, and the flags that show them and more: `More: --detail (By hour: 5,303 rows),
    /// --compare month`; `nil` if no rows are omitted.
    func moreParagraph(showsDetail: Bool) -> Paragraph? {
        if let more { return Paragraph(lead: "More: ", words: more) }
        let folded = results.filter { $0.isFolded(showsDetail: showsDetail) }
        guard !folded.isEmpty else { return nil }
        let tables = folded.map { section in
            if case .table(let rows) = section.content { "\(section.title): \(rows.countText)" } else { section.title }
        }
        .joined(separator: "; ")
        let flags = ["--detail (\(tables))"] + furtherFlags
        return Paragraph(lead: "More: ", words: flags.joined(separator: ", "))
    }
}

extension Section.Role {
    /// Whether counts of 0 may be omitted.
    fileprivate var mayFoldZeros: Bool {
        switch self {
        case .trust, .coverage: true
        case .input, .settings, .summary, .headline, .figures, .overview, .detail: false
        }
    }
}

/// A column of a record and its value.
private struct NamedCell: Hashable {
    let column: Column
    let cell: Cell
}

extension Section {
    /// The columns and values of a record; none of a table.
    fileprivate var facts: [NamedCell] {
        guard case .record(let cells) = content else { return [] }
        return zip(columns, cells).map { NamedCell(column: $0, cell: $1) }
    }

    fileprivate var isEmptyTable: Bool {
        if case .table(let rows) = content { rows.isEmpty } else { false }
    }

    /// The record without counts of 0 and without facts that are already stated. One fact at its end replaces the
    /// zeros.
    fileprivate func withoutZeros(besides stated: Set<NamedCell>) -> Section {
        let zeros = facts.filter { $0.cell == .count(0) }
        var kept = facts.filter { $0.cell != .count(0) && !stated.contains($0) }
        guard kept.count < facts.count else { return self }
        if !zeros.isEmpty { kept.append(NamedCell(column: Column("others", "All others"), cell: .count(0))) }
        var section = self
        section.columns = kept.map(\.column)
        section.content = .record(kept.map(\.cell))
        return section
    }
}

extension Section {
    /// The rows. A record has one.
    var rows: TableRows {
        switch content {
        case .record(let cells): TableRows([cells])
        case .table(let rows): rows
        }
    }
}

extension TableRows {
    /// The rows with the largest counts of a column first; equal ones keep their order.
    fileprivate func ranked(by column: Int) -> TableRows {
        let counts = indices.map { index -> Int64 in
            if case .count(let count)? = cell(at: column, of: index) { count } else { .min }
        }
        let order = indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
        return TableRows(order.lazy.map { self[$0] })
    }

    /// `1 row`, `1,200 rows`
    var countText: String { count == 1 ? "1 row" : "\(Cell.count(Int64(count)).displayText) rows" }
}

extension ReportDocument {
    /// The title with the period, for the title of a window or the properties of a file.
    var heading: String { period.map { "\(title), \($0.text(by: clock))" } ?? title }
}

extension ReportPeriod {
    /// `2026-01 to 2026-03`, or a single month. Instants are written as days.
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
    /// The number of key columns. If no column is marked as a key, the first one counts as the key.
    var keyCount: Int { max(1, columns.prefix(while: \.isKey).count) }

    /// Whether a column holds numbers only, and at least one. Such a column is aligned to the right.
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
