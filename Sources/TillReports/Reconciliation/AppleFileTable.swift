import TillCore
import TillPricing
import TillReportModel

extension AppleFigures {
    /// The reports that were read, in the order of their kind and days.
    var fileSection: Section {
        let sales = files.filter { !$0.isRepeated && ($0.isShown || $0.spans.isEmpty) }.map { file in
            ListedFile(
                name: file.shortName,
                kind: file.kind.rawValue,
                kindTitle: file.kind.title,
                since: file.spans.first?.lowerBound,
                until: file.spans.map(\.upperBound).max(),
                rowCount: file.rowCount,
                otherRowCount: file.otherRowCount
            )
        }
        let others = subscriptions.files.filter { $0.isShown || $0.days.isEmpty }.map { file in
            ListedFile(
                name: Self.shortName(file.name),
                kind: file.kind.rawValue,
                kindTitle: file.kind.title,
                since: file.days.first,
                until: file.days.last,
                rowCount: file.rowCount,
                otherRowCount: file.otherRowCount
            )
        }
        return Section(
            name: "apple",
            title: "Apple's reports",
            columns: [
                ReportColumn("file", "File", isKey: true) { .text($0.name) },
                ReportColumn("kind", "Report") { .word($0.kind, $0.kindTitle) },
                ReportColumn("since", "From") { .text($0.since.map(DayName.text)) },
                ReportColumn("until", "To") { .text($0.until.map(DayName.text)) },
                ReportColumn("rows", "Rows") { .count($0.rowCount) },
                ReportColumn("other_rows", "Other rows") { .count($0.otherRowCount) },
            ],
            rows: (sales + others).sorted(by: ListedFile.precedes)
        )
    }

    /// Rows of Financial Detail that no report's period holds; no section where there are none.
    var straySection: [Section] {
        guard !strays.isEmpty else { return [] }
        let rows = strays.sorted { left, right in
            if left.key.day != right.key.day { return left.key.day < right.key.day }
            return (left.key.file, left.key.currency) < (right.key.file, right.key.currency)
        }
        return [
            Section(
                name: "outside",
                title: "Rows dated outside all periods, not compared",
                columns: [
                    ReportColumn("file", "File", isKey: true) { .text(Self.shortName($0.key.file)) },
                    ReportColumn("day", "Day", isKey: true) { .text(DayName.text($0.key.day)) },
                    ReportColumn("currency", "Currency", isKey: true) { .text($0.key.currency.description) },
                    ReportColumn("units", "Units") { .count($0.value.units) },
                    ReportColumn("refunded_units", "Refunded") { .count($0.value.refundedUnits) },
                    ReportColumn("gross", "Gross") { .money($0.value.gross, $0.key.currency) },
                    ReportColumn("refunds", "Refunds") { .money($0.value.refunds, $0.key.currency) },
                ],
                rows: rows
            )
            .called("Outside")
        ]
    }

    /// Notes about the reports, a sentence each.
    var notes: [String] {
        var notes: [String] = []
        for (period, days) in uncoveredDays {
            notes.append(
                "No \(period.kind.title) report covers \(DayName.list(days)) of \(period.name); nothing of these days is "
                    + "compared."
            )
        }
        if !cutFiles.isEmpty {
            let names = Set(cutFiles.map(Self.shortName)).sorted()
            notes.append(
                "Not compared, because the period asked for has only a part of their days: "
                    + "\(names.prefix(5).joined(separator: ", "))\(names.count > 5 ? " and \(names.count - 5) more" : "")."
            )
        }
        if outsideCount > 0 { notes.append("Reports outside the period asked for: \(outsideCount).") }
        if !repeatedFiles.isEmpty {
            notes.append(
                "Files with the same bytes as another, counted once: "
                    + repeatedFiles.map(Self.shortName).sorted().joined(separator: ", ") + "."
            )
        }
        let empty = files.count { $0.spans.isEmpty && !$0.isRepeated }
        if empty > 0 { notes.append("Reports with a header only, which cover no day: \(empty).") }
        return notes
    }

    /// The last part of a path.
    static func shortName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The kinds of the reports that are compared, sorted by their names.
    var kinds: [AppleReport.Kind] {
        Set(periods.filter(isShown).map(\.kind)).sorted { $0.rawValue < $1.rawValue }
    }
}

extension AppleFigures.File {
    var shortName: String { AppleFigures.shortName(name) }
}

/// A report in the list of those that were read.
private struct ListedFile: Sendable {
    let name: String
    let kind: String
    let kindTitle: String
    let since: Int?
    let until: Int?
    let rowCount: Int
    let otherRowCount: Int

    static func precedes(_ left: ListedFile, _ right: ListedFile) -> Bool {
        if left.kind != right.kind { return left.kind < right.kind }
        let (mine, other) = (left.since ?? .max, right.since ?? .max)
        return mine != other ? mine < other : Order.precedes(left.name, right.name)
    }
}
