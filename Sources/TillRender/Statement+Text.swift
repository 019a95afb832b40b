import TillReportModel

extension Statement {
    /// The words and figures, without the command.
    func text(by clock: ReportClock) -> String {
        parts.map { part in
            switch part {
            case .words(let words): words.madeVisible
            case .cell(let cell): cell.displayText(by: clock)
            }
        }
        .joined()
    }

    /// A sign before the text, for formats without colour.
    var sign: String {
        switch tone {
        case .alarm: "● "
        case .warning: "! "
        case .plain: ""
        }
    }
}
