import TillCore
import TillReportModel

extension ReportDocument {
    /// One section alone, by its name, or by that of its report and its own: `totals`, `restores.events`.
    func excerpt(of table: String) throws(RunError) -> ReportDocument {
        let reports = [self] + children
        let found = reports.flatMap { report in
            report.tables.filter { table == $0.name || table == "\(report.name).\($0.name)" }.map { (report, $0) }
        }
        // Every report repeats the inputs and the settings.
        let isOne = found.count == 1 || !found.isEmpty && found.allSatisfy { $0.1.role.isSameInAllReports }
        guard isOne, let (report, section) = found.first else {
            guard found.isEmpty else {
                let choice = found.map { "\($0.0.name).\($0.1.name)" }.joined(separator: ", ")
                throw RunError(.usage, "more than one table is called '\(table)'; choose \(choice)")
            }
            let short = reports.flatMap { $0.tables.map(\.name) }
            let names = reports.flatMap(\.tableNames)
            throw RunError(.usage, NearestWord.unknown("table", table, among: names, orLike: short))
        }
        var excerpt = ReportDocument(
            name: report.name,
            title: report.title,
            version: report.version,
            period: report.period,
            sections: [section.withoutFolding],
            clock: report.clock
        )
        excerpt.productNames = report.productNames
        excerpt.isExcerpt = true
        return excerpt
    }

    /// The sections that have a name in the JSON.
    private var tables: [Section] { sections.filter { $0.role != .overview } }

    private var tableNames: [String] {
        let own = tables.filter { children.isEmpty && !$0.role.isSameInAllReports }.map(\.name)
        return own.map { "\(name).\($0)" }
    }
}

extension Section {
    /// The section with all rows shown: a table requested by name is never hidden.
    fileprivate var withoutFolding: Section {
        guard role == .detail else { return self }
        var section = self
        section.role = .figures
        return section
    }
}
