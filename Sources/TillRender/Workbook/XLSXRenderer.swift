public import TillReportModel

/// A workbook: a cover, a sheet of charts for each report, and a sheet for every table, with typed cells.
///
/// Amounts have the format of their currency, shares are percentages, instants are dates by the clock of the report with
/// their offset, and ids are text. Text is written as text, so that it is never run as a formula. A number with more digits
/// than a spreadsheet keeps is also written as text, and the cover says so. The same report gives the same bytes with the
/// same version of libxlsxwriter and zlib.
public struct XLSXRenderer: Renderer {
    public static let name = "xlsx"
    public static let summary = "A workbook with typed cells and charts (-o FILE.xlsx)"
    public static let fileExtensions = ["xlsx"]
    public static let isText = false

    public init() {}

    public static func checkAvailability() throws(RenderError) {
        _ = try XLSXLibrary.functions()
    }

    public func render(_ document: ReportDocument, options: RenderOptions) throws(RenderError) -> [UInt8] {
        let document = document.forPeople(.workbook)
        let plan = WorkbookPlan(of: document)
        let writer = try WorkbookWriter(title: document.heading, clock: document.clock, cellCount: plan.cellCount)
        // Sheets have the order in which they are added. The cover is the first and is written last, because it also reports
        // what the other sheets could not hold.
        let cover = try writer.addSheet(plan.coverName)
        for sheet in plan.sheets {
            let target = try writer.addSheet(sheet.name)
            switch sheet.content {
            case .charts(let charts): try writer.writeCharts(charts, to: target, named: sheet.name)
            case .table(let section, let rows): try writer.writeTable(section, rows, to: target)
            }
        }
        try writer.writeCover(of: document, plan, to: cover)
        return try writer.finish()
    }
}

/// The sheets of a workbook.
struct WorkbookPlan {
    struct Sheet {
        enum Content {
            case charts([Chart])
            case table(Section, TableRows)
        }

        let name: String
        let content: Content
    }

    let coverName: String
    private(set) var sheets: [Sheet] = []
    private(set) var cellCount = 0

    init(of document: ReportDocument) {
        var names = SheetNames()
        coverName = names.next("Cover")
        for report in document.flattened {
            let lead = document.children.isEmpty ? "" : report.title + " – "
            let charts = report.results.flatMap(\.charts).filter { !$0.series.isEmpty }
            if !charts.isEmpty { sheets.append(Sheet(name: names.next(lead + "Charts"), content: .charts(charts))) }
            for section in report.results {
                guard case .table(let rows) = section.content else { continue }
                cellCount += rows.count * section.columns.count
                sheets.append(Sheet(name: names.next(lead + section.title), content: .table(section, rows)))
            }
        }
    }
}
