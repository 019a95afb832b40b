import TillInput
public import TillRender
import TillReportModel
public import TillReports

/// The outputs of a report: path, format, partial, manifest, alerts.
public struct ReportOutputs: Sendable {
    /// The path of the output; `nil` or `-` is standard output.
    public var path: String?
    /// The name of an output format; `nil` to go by the name of the output, else the table.
    public var format: String?
    /// The section to write alone: its name, or that of its report before it (`restores.events`).
    public var table: String?
    /// Whether a partial is written, for ``PartialMerge``, instead of the report.
    public var writesPartial = false
    /// Whether the partial is closed, with settled sums. No other part of the input may then have a transaction, chain,
    /// attempt, request or account of this one.
    public var closesPartial = false
    /// The division of a partial into shares; `nil` if it stays whole.
    public var division: PartialDivision?
    /// The path of the manifest that a part of a larger run writes, without SHA-256 sums; `nil` for a run of its own.
    public var partPath: String?
    /// The path of the manifest; `nil` writes none.
    public var manifestPath: String?
    /// The path of the metrics; `nil` writes none.
    public var metricsPath: String?
    /// Receives the manifest; `nil` if neither manifest nor metrics are written.
    public var log: RunLog?
    /// Limits on figures of failures; past one the run ends with ``ExitStatus/checkFailed``.
    public var alerts: [Alert] = []
    /// The path for the incidents that raise an alert; `nil` writes none.
    public var alertPath: String?
    /// Whether the table may have escape sequences for its styles; other formats have none.
    public var useColor = false
    /// The most columns of the table, on a terminal or not; `nil` for no limit.
    public var width: Int?
    /// The files of the command line, where a terminal shows commands to paste.
    public var files = CommandFiles()
    /// Whether text that is longer than the terminal goes through a pager.
    public var usesPager = false
    /// Whether formats for people show all rows.
    public var showsDetail = false

    /// Makes outputs that write the whole report to standard output, as a table without colour.
    public init() {}

    func renderOptions(jobs: Int) -> RenderOptions {
        var options = RenderOptions(width: width, useColor: useColor, showsDetail: showsDetail, jobs: jobs)
        options.files = files
        return options
    }

    /// The renderer of a report; `nil` if a partial is written.
    func renderer(of report: String) throws(RunError) -> (any Renderer)? {
        guard !writesPartial else { return nil }
        let renderer = try RendererRegistry.renderer(format: format, outputPath: path)
        guard !(renderer is LedgerRenderer) || report == JournalReport.name else {
            throw RunError(
                .usage,
                "'\(report)' has no double entries for the format \(LedgerRenderer.name); they come from 'tillroll report "
                    + "\(JournalReport.name)'"
            )
        }
        try Output.check(renderer, outputPath: path)
        return renderer
    }

    /// The lines of a terminal page if text goes to a terminal through a pager, else `nil`.
    func pageHeight(_ renderer: any Renderer) -> Int? {
        let isShown = usesPager && (path ?? "-") == "-" && type(of: renderer).isForPeople
        return isShown && !Terminal.isDumb ? Terminal.height : nil
    }

    /// Throws if an output would replace a file that is read.
    func check(rejects: String?, inputs: [InputFile], files: [OutputPaths.SideFile]) throws(RunError) {
        try OutputPaths(
            path,
            called: "the report",
            rejects: rejects,
            manifest: manifestPath,
            metrics: metricsPath,
            alerts: alertPath,
            part: partPath
        )
        .check(inputs: inputs, files: files)
    }

    /// The table of a report that is to be written alone, else all of it.
    func excerpt(of document: ReportDocument) throws(RunError) -> ReportDocument {
        guard let table else { return document }
        return try document.excerpt(of: table)
    }
}
