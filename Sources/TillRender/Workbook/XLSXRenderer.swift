public import TillCore
public import TillReportModel

/// A workbook: a summary with the tie-outs, the schedules of a close, exceptions, a sign-off, charts, and a sheet for
/// every other table, with typed cells.
///
/// Totals are formulas, with their values in the file, so that every program shows them. Amounts have the format of
/// their currency, shares are percentages, instants are dates by the clock of the report with their offset, and ids are
/// text. Text is written as text, so that it is never run as a formula. A number with more digits than a spreadsheet
/// keeps is also written as text, and the sheet of settings says so. The same report gives the same bytes with the same
/// version of libxlsxwriter and zlib.
public struct XLSXRenderer: Renderer {
    public static let name = "xlsx"
    public static let summary = "A workbook with typed cells and charts (-o FILE.xlsx)"
    public static let fileExtensions = ["xlsx"]
    public static let isPage = true
    public static let isText = false

    public init() {}

    public static func checkAvailability() throws(Finding) {
        _ = try XLSXLibrary.functions()
    }

    public func render(_ document: ReportDocument, options: RenderOptions) throws(Finding) -> [UInt8] {
        let document = document.forPeople(.workbook)
        let plan = WorkbookPlan(of: document)
        let writer = try WorkbookWriter(title: document.heading, clock: document.clock, cellCount: plan.cellCount)
        // Sheets have the order in which they are added. The summary is the first and is written last but one, because
        // it compares figures of the other sheets; the sheet of settings is the last, because it also reports the
        // values that the others could not hold.
        let summary = try writer.addSheet(plan.summaryName)
        var settings: (sheet: WorkbookWriter.Sheet, hasSignOff: Bool)?
        for sheet in plan.sheets {
            let target = try writer.addSheet(sheet.name)
            switch sheet.content {
            case .table(let table): try writer.writeTable(table, to: target, named: sheet.name)
            case .charts(let charts): try writer.writeCharts(charts, to: target, named: sheet.name)
            case .exceptions(let statements): try writer.writeExceptions(statements, of: document, to: target)
            case .signOff: settings = (target, true)
            case .settings: settings = (target, false)
            }
        }
        try writer.writeSummary(of: document, plan, to: summary)
        if let settings {
            try writer.writeSettings(of: document, plan, hasSignOff: settings.hasSignOff, to: settings.sheet)
        }
        return try writer.finish()
    }
}
