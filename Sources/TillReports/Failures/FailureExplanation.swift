import TillCore
public import TillLedger
import TillPricing
public import TillReportModel

/// The failures behind a figure of the failures report.
///
/// The figure counts each of them. Those that are listed have their places, so that `tillroll inspect` shows the
/// record.
public enum FailureExplanation {
    /// Makes the report that explains `selection`.
    ///
    /// The ledger must have been made to choose them (``FailureSelection/filter(in:)``), with ``LedgerNeeds/examples``.
    ///
    /// - Parameter withDocuments: whether the document of each failure is shown.
    public static func document(
        of selection: FailureSelection,
        in ledger: borrowing SettledLedger,
        withDocuments: Bool = false,
        input: InputSummary
    ) -> ReportDocument {
        let (listed, count, codes): ([ChosenFailure], Int, [Total])
        if let chosen = ledger.chosen {
            (listed, count) = (chosen.listed.sorted(by: precedes), chosen.count)
            codes = chosen.codes
        } else {
            (listed, count, codes) = ([], 0, [])
        }
        return ReportDocument(
            name: Explanation.name,
            title: "Explanation",
            sections: [
                input.section(of: ledger), Preamble.settings(of: ledger),
                summary(of: listed, count, selection.incident),
                section(of: selection),
                Section(
                    name: "failures",
                    title: "Failures",
                    columns: columns + (withDocuments ? [documentColumn] : []),
                    rows: listed
                ),
                totals(of: codes),
            ],
            notes: notes(listed: listed.count, of: count) + (withDocuments ? documentNotes(on: listed) : []),
            clock: ledger.rules.calendar.clock
        )
    }

    /// Records whose commands stand before the table, where lines are long enough for them.
    private static let mostCommands = 20

    /// The number of failures, and the commands that show the newest.
    private static func summary(of listed: [ChosenFailure], _ count: Int, _ incident: Incident?) -> Section {
        let facts = [Fact("count", "Failures", .count(count)), Fact("listed", "Listed", .count(listed.count))]
        var section = Section(name: "summary", title: "Summary", facts: facts, role: .summary)
        let what = count == 1 ? "failure" : "failures"
        let nothing: Statement.Sentence =
            incident?.failures == 0 ? "The incident is of missing purchases. It counts no failures." : "No failure."
        section.statements = [Statement(count == 0 ? nothing : "\(.count(count)) \(what)")]
        let shown = listed.filter { InspectCommand.text(for: $0.place) != nil }
        // The list is sorted by time, and failures without one are at its end.
        let newest = (shown.filter { $0.at != nil }.reversed() + shown.filter { $0.at == nil }).prefix(mostCommands)
        section.statements += newest.map { failure in
            let at = Cell.instant(failure.at)
            return Statement("\(at)", weight: .detail, command: InspectCommand.text(for: failure.place))
        }
        return section
    }

    private typealias Total = (key: FailureKey, count: Int)

    /// By time, those without one last; of one instant by place, as they came.
    private static func precedes(_ left: ChosenFailure, _ right: ChosenFailure) -> Bool {
        guard let at = left.at else { return false }
        return right.at.map { at < $0 } ?? true
    }

    private static let columns: [ReportColumn<ChosenFailure>] =
        [
            ReportColumn("at", "At", isKey: true) { .instant($0.at) },
            ReportColumn("domain", "Domain") { .text($0.key.domain) },
            ReportColumn("code", "Code") { $0.key.code.map(Cell.code) ?? .absent },
            ReportColumn("class", "Class") { .failureClass($0.failureClass) },
        ]
        + FailureDimension.allCases.map { dimension in
            ReportColumn(dimension.name, dimension.title) { .text($0.values[dimension.rawValue]) }
        } + [
            ReportColumn("source", "Source") { .text($0.place.source) },
            ReportColumn("document", "Document", isMain: true) {
                $0.place.document > 0 ? .code($0.place.document) : .absent
            },
            ReportColumn("line", "Line") { $0.place.line.map(Cell.code) ?? .absent },
            ReportColumn("inspect", "Shown by") { .text(InspectCommand.text(for: $0.place)) },
        ]

    private static let documentColumn = ReportColumn<ChosenFailure>("raw", "Raw") {
        .text($0.document.map { String(decoding: $0, as: UTF8.self) })
    }

    private static func documentNotes(on listed: [ChosenFailure]) -> [String] {
        var notes = [
            "Raw documents have their secrets masked, and end after \(ChosenFailures.mostOfDocument) bytes."
        ]
        let missing = listed.count { $0.document == nil }
        if missing > 0 { notes.append("Failures without a raw document, since they were read from rows: \(missing).") }
        return notes
    }

    private static func section(of selection: FailureSelection) -> Section {
        let keys = FailureFilter.Key.allCases.filter { selection.values[$0] != nil }
        var columns: [ReportColumn<FailureSelection>] = keys.map { key in
            ReportColumn(key.name, key.name) { cell(of: $0.values[key] ?? .unknown) }
        }
        if selection.incidentID != nil { columns.append(ReportColumn("incident", "incident") { .text($0.incidentID) }) }
        return Section(name: "selection", title: "Selection", columns: columns, record: selection)
    }

    private static func cell(of value: FailureFilter.Value) -> Cell {
        switch value {
        case .unknown: .absent
        case .text(let text): .text(text)
        case .code(let code): .code(code)
        case .hour(let hour): .instant(Timestamp(startOfHour: hour))
        }
    }

    private static func totals(of codes: [Total]) -> Section {
        Section(
            name: "totals",
            title: "Totals",
            columns: [
                ReportColumn<Total>("domain", "Domain", isKey: true) { .text($0.key.domain) },
                ReportColumn("code", "Code", isKey: true) { $0.key.code.map(Cell.code) ?? .absent },
                ReportColumn("count", "Count") { .count($0.count) },
            ],
            rows: codes
        )
    }

    private static func notes(listed: Int, of count: Int) -> [String] {
        let notes = [
            "The figure counts each failure of the totals. Documents and lines are counted from 1 in each source."
        ]
        guard listed < count else { return notes }
        return notes + [
            "Listed are \(listed) of \(count) failures, the first by source and document; select fewer, such as those of an hour, "
                + "to see the others."
        ]
    }
}
