public import TillReportModel

/// A workbook: a cover, a sheet of charts, and a sheet for every table, with numbers that compute.
///
/// Amounts have the format of their currency, shares are percentages, instants dates by the clock of the
/// report with their offset, ids text. Texts are written
/// as text, so that none is ever run as a formula. A number with more digits than a spreadsheet keeps is written as text
/// too, and the cover says so. The same report gives the same bytes with the same version of libxlsxwriter and zlib.
public struct XLSXRenderer: Renderer {
    public static let name = "xlsx"
    public static let summary = "A workbook with typed cells and charts (-o FILE.xlsx)"
    public static let fileExtensions = ["xlsx"]
    public static let isText = false

    /// The most rows that a sheet can have, its header included.
    let rowLimit: Int

    public init() { self.init(rowLimit: 1_048_576) }

    init(rowLimit: Int) {
        self.rowLimit = rowLimit
    }

    public static func checkAvailability() throws(RenderError) {
        _ = try XLSXLibrary.functions()
    }

    public func render(_ document: ReportDocument, options: RenderOptions) throws(RenderError) -> [UInt8] {
        let document = document.limited(to: .workbook)
        let plan = WorkbookPlan(of: document, rowLimit: rowLimit)
        let writer = try WorkbookWriter(title: document.heading, clock: document.clock, cellCount: plan.cellCount)
        // Sheets stand in the order in which they are added; the cover comes first and is written last, when it is known
        // what there is to say.
        let cover = try writer.addSheet(plan.coverName)
        for sheet in plan.sheets {
            let target = try writer.addSheet(sheet.name)
            switch sheet.content {
            case .charts(let charts): try writer.writeCharts(charts, to: target, named: sheet.name)
            case .rows(let section, let range): try writer.writeTable(section, rows: range, to: target)
            }
        }
        try writer.writeCover(of: document, plan, to: cover)
        return try writer.finish()
    }
}

/// Which sheets a workbook has.
struct WorkbookPlan {
    struct Sheet {
        enum Content {
            case charts([Chart])
            case rows(Section, Range<Int>)
        }

        let name: String
        let content: Content
    }

    let coverName: String
    private(set) var sheets: [Sheet] = []
    private(set) var notes: [String] = []
    private(set) var cellCount = 0

    init(of document: ReportDocument, rowLimit: Int) {
        var names = SheetNames()
        coverName = names.next("Cover")
        for report in document.flattened {
            let lead = document.children.isEmpty ? "" : report.title + " – "
            let charts = report.results.flatMap(\.charts).filter { !$0.series.isEmpty }
            if !charts.isEmpty { sheets.append(Sheet(name: names.next(lead + "Charts"), content: .charts(charts))) }
            for section in report.results {
                guard case .table(let rows) = section.content else { continue }
                cellCount += rows.count * section.columns.count
                let perSheet = max(1, rowLimit - 1)
                for start in stride(from: 0, to: max(1, rows.count), by: perSheet) {
                    let range = start..<min(start + perSheet, rows.count)
                    let name = names.next(lead + section.title)
                    sheets.append(Sheet(name: name, content: .rows(section, range)))
                    if start > 0 {
                        notes.append(
                            "A sheet holds \(rowLimit) rows: '\(section.title)' goes on in the sheet '\(name)'."
                        )
                    }
                }
            }
        }
    }
}
