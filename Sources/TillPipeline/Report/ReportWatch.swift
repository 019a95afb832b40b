import TillLedger
import TillRender
import TillReportModel
import TillReports
import TillSystem

/// A report on the terminal while its input is still arriving, redrawn in place.
///
/// It is drawn at the cursor and grows downward, so earlier output stays on the terminal. It is never taller than the
/// terminal, because scrolled lines cannot be redrawn. The preamble and the notes wait for the final report.
final class ReportWatch {
    private let report: PreparedReport
    /// Lines above the cursor that are to be drawn over.
    private var drawnLines = 0
    private var drawnProgress: ReadProgress?
    /// The earliest time of the next drawing.
    private var nextTime = 0.0

    /// Seconds between two drawings at least.
    private static let interval = 0.3
    /// Share of the time that drawing may take of a processor; a drawing that takes long is done less often.
    ///
    /// A quarter shows a row within a second while a drawing takes a fifth of a second, as that of some 400,000 events
    /// does.
    private static let share = 0.25

    init(_ report: PreparedReport) {
        self.report = report
    }

    /// Whether there is something new to show and it is time to show it.
    func isDue(_ progress: ReadProgress) -> Bool {
        guard drawnProgress?.documents != progress.documents || drawnProgress?.rejected != progress.rejected else {
            return false
        }
        return Terminal.seconds >= nextTime
    }

    /// Draws the report of a ledger.
    func draw(_ progress: ReadProgress, _ ledger: consuming Ledger) {
        // Processor time: on a busy machine, elapsed time would include the work of other processes.
        let start = Terminal.processorSeconds
        var text: String
        do {
            var document = try report.document(of: ledger.settle(report.rules), input: InputSummary(progress))
            document.leaveResults()
            let options = RenderOptions(width: Terminal.width, useColor: report.outputs.useColor)
            text = String(decoding: TableRenderer().render(document, options: options), as: UTF8.self)
        } catch {
            // More input may remove this error; if not, the end of the run reports it.
            text = "\(RunError(error) ?? error)".madeVisible + "\n"
        }
        var status = "Watching: \(progress.documents) documents"
        if progress.rejected > 0 { status += ", \(progress.rejected) rejected" }
        text = status + ", \(ProgressLine.size(progress.bytes)); Ctrl-C ends it with the whole report\n\n" + text
        show(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
        drawnProgress = progress
        nextTime = Terminal.seconds + max(Self.interval, (Terminal.processorSeconds - start) / Self.share)
    }

    private func show(_ lines: ArraySlice<Substring>) {
        let height = max(2, (Terminal.height ?? 24) - 1)
        var shown = Array(lines)
        if shown.count > height {
            shown = shown.prefix(height - 1) + ["… \(shown.count - height + 1) more lines; a taller window shows them"]
        }
        // Lines that are wider than the terminal are cut by it, not wrapped, so that each is one.
        // Each is cleared before it is drawn: after a line as wide as the terminal its last character would go.
        let body = shown.map { "\u{1B}[K" + $0 + "\u{1B}[0m\n" }.joined()
        write(cursorUp + "\u{1B}[?7l" + body + "\u{1B}[J\u{1B}[?7h")
        drawnLines = shown.count
    }

    /// Erases the report; the final one is written in its place.
    func clear() {
        // Line by line: some terminals put a cleared screen into their scroll-back.
        let blanks = String(repeating: "\u{1B}[K\n", count: drawnLines)
        write(cursorUp + blanks + cursorUp)
        drawnLines = 0
    }

    private var cursorUp: String { drawnLines > 0 ? "\r\u{1B}[\(drawnLines)A" : "\r" }

    private func write(_ text: String) {
        // If the terminal cannot be written to, the final report fails with the reason.
        _ = try? OpenFile.standardOutput.writeAll(Array(text.utf8))
    }
}

extension ReportDocument {
    /// Keeps the results without the preamble and the notes.
    fileprivate mutating func leaveResults() {
        sections.removeAll { $0.role.isPreamble }
        notes = []
        for index in children.indices { children[index].leaveResults() }
    }
}
