import TillReportModel

/// The sheets of a workbook: the schedules of a close first, then exceptions and sign-off, charts, and all other
/// tables.
struct WorkbookPlan {
    /// A table with its report.
    struct TableSheet {
        let report: ReportDocument
        let section: Section
        let rows: TableRows
        /// Whether the sheet has a title above the table, and not the table alone.
        let isSchedule: Bool
    }

    struct Sheet {
        enum Content {
            case table(TableSheet)
            case charts([Chart])
            /// The statements that a person must check.
            case exceptions([Statement])
            /// The settings of the report, and the fields for signatures.
            case signOff
            /// The settings of the report.
            case settings
        }

        let name: String
        let content: Content
    }

    let summaryName: String
    private(set) var sheets: [Sheet] = []
    private(set) var cellCount = 0
    /// With the names of the reports that declare them.
    private(set) var tieOuts: [(report: String, tieOut: TieOut)] = []
    /// Notes about cut tables, a sentence each.
    private(set) var notes: [String] = []
    private(set) var isClose = false

    private var names = SheetNames()
    private var taken: Set<String> = []

    /// A schedule with its report.
    private struct PlannedSchedule {
        let report: ReportDocument
        let schedule: Schedule
    }

    init(of document: ReportDocument) {
        summaryName = names.next("Summary")
        var schedules: [PlannedSchedule] = []
        var replaced: [String: Set<String>] = [:]
        for report in document.flattened {
            let closing = report.closing()
            tieOuts += closing.tieOuts.map { (report.name, $0) }
            schedules += closing.schedules.map { PlannedSchedule(report: report, schedule: $0) }
            replaced[report.name] = Set(closing.schedules.map(\.section.name))
        }
        isClose = !schedules.isEmpty
        let isPart = !document.children.isEmpty
        let sorted = schedules.enumerated().sorted { left, right in
            (left.element.schedule.subject, left.offset) < (right.element.schedule.subject, right.offset)
        }
        for planned in sorted.map(\.element) {
            let section = planned.schedule.section.namingProducts(by: planned.report.productNames)
            let title = section.shortTitle ?? section.title
            let isTaken = isPart && taken.contains(title)
            add(section, of: planned.report, called: isTaken ? planned.report.lead + title : title, isSchedule: true)
        }
        // Those between reports come last.
        tieOuts = tieOuts.filter { $0.report != document.name } + tieOuts.filter { $0.report == document.name }
        let exceptions = document.flattened.flatMap(\.statements).filter { $0.tone != .plain }
        if isClose, !exceptions.isEmpty { add(.exceptions(exceptions.distinct), called: "Exceptions") }
        if isClose { add(.signOff, called: "Sign-off") }
        addDetail(of: document, besides: replaced)
        if !isClose, document.flattened.contains(where: { !$0.preamble.isEmpty || !$0.notes.isEmpty }) {
            add(.settings, called: "Settings")
        }
    }

    /// Charts and all tables that are not schedules.
    private mutating func addDetail(of document: ReportDocument, besides replaced: [String: Set<String>]) {
        for report in document.flattened {
            let lead = document.children.isEmpty ? "" : report.lead
            let charts = report.results.flatMap(\.charts).filter { !$0.series.isEmpty }
            if !charts.isEmpty { add(.charts(charts), called: lead + "Charts") }
            for section in report.results where replaced[report.name]?.contains(section.name) != true {
                add(section, of: report, called: section.sheetTitle(behind: lead), isSchedule: false)
            }
        }
    }

    private mutating func add(_ content: Sheet.Content, called name: String) {
        taken.insert(name)
        sheets.append(Sheet(name: names.next(name), content: content))
    }

    /// Adds a sheet for a table that has rows.
    private mutating func add(
        _ section: Section,
        of report: ReportDocument,
        called name: String,
        isSchedule: Bool
    ) {
        guard case .table(let rows) = section.content, !rows.isEmpty else { return }
        var section = section
        if let note = section.cut(to: .workbook) { notes.append(note) }
        let kept = section.rows
        cellCount += kept.count * section.columns.count
        add(
            .table(TableSheet(report: report, section: section, rows: kept, isSchedule: isSchedule)),
            called: name
        )
    }
}

extension ReportDocument {
    /// The beginning of the names of its sheets among those of other reports.
    fileprivate var lead: String { name.prefix(1).uppercased() + name.dropFirst() + " – " }
}

extension Section {
    /// The name of its sheet: the title, or the short title if the title is too long.
    fileprivate func sheetTitle(behind lead: String) -> String {
        let isLong = lead.utf16.count + title.utf16.count > SheetNames.limit
        return lead + (isLong ? shortTitle ?? title : title)
    }
}

extension Array where Element: Hashable {
    /// Each element once, at its first place: reports of one run repeat the statements about their input.
    var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
