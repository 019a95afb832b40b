import TillReportModel

extension ReportDocument {
    /// Rows of a table on the page of all reports.
    private static let mostRows = 10
    /// Sections that a report names as left out.
    private static let mostNamed = 4

    /// The report of all reports on one page: of each report its answer, and one chart or the first rows of one table
    /// for people. What is left out is named, with the command that shows it. Other reports are unchanged.
    func onOnePage() -> ReportDocument {
        guard !children.isEmpty else { return self }
        var document = self
        var warned: Set<Statement> = []
        document.children = children.map { $0.shortened(without: &warned) }
        return document
    }

    /// - Parameter warned: warnings of the reports above, which the reports below do not repeat.
    private func shortened(without warned: inout Set<Statement>) -> ReportDocument {
        var report = self
        let shown = results.lazy.compactMap(Self.shortened).first
        let others = results.filter { $0.name != shown?.name }
        report.sections = sections.filter { $0.role.isPreamble || $0.role == .summary }
        for index in report.sections.indices {
            report.sections[index].statements.removeAll { $0.tone == .warning && !warned.insert($0).inserted }
            report.sections[index].statements = Self.withOneAlarm(report.sections[index].statements)
        }
        report.notes = []
        if let shown { report.sections.append(shown) }
        let titles = others.prefix(Self.mostNamed).map { $0.shortTitle ?? $0.title }
        let rest = others.count > titles.count ? [" and \(others.count - titles.count) more"] : []
        let names = others.isEmpty ? "" : " (\(titles.joined(separator: ", "))\(rest.joined()))"
        report.more = "tillroll report \(name)\(names)"
        return report
    }

    /// The statements without the details of all alarms but the first one.
    private static func withOneAlarm(_ statements: [Statement]) -> [Statement] {
        var alarms = 0
        return statements.filter { statement in
            let isDetail = statement.weight == .detail
            if statement.tone == .alarm { alarms += 1 } else if !isDetail { alarms = min(alarms, 1) }
            return !isDetail || alarms < 2
        }
    }

    /// The first chart of a section of charts, or the first rows of a table; `nil` for other sections.
    private static func shortened(_ section: Section) -> Section? {
        if section.hasChartsAlone {
            return section.chartsInCharacters(showsDetail: false).first.map { chart in
                Section(name: section.name, title: section.title, charts: [chart])
            }
        }
        guard section.role == .overview, case .table(let rows) = section.content, !rows.isEmpty else { return nil }
        let first: TableRows = rows.first(mostRows)
        return Section(
            name: section.name,
            title: section.title,
            columns: section.columns,
            content: .table(first),
            role: section.role
        )
    }
}
