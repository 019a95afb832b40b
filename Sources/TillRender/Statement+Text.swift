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

    /// `▲ 4.20 %` of `▲ 4.20 % on February 2026`, which has the colour of its sign; `nil` if the sentence does not begin
    /// with a change.
    func change(by clock: ReportClock) -> Change? {
        guard case .words(let words)? = parts.first, let end = parts.firstIndex(where: Self.isCell),
            let isRise = ["▲": true, "▼": false][words.prefix(1)]
        else { return nil }
        var change = self
        change.parts = Array(parts[...end])
        return Change(text: change.text(by: clock), isRise: isRise)
    }

    struct Change {
        let text: String
        let isRise: Bool
    }

    private static func isCell(_ part: Part) -> Bool { if case .cell = part { true } else { false } }

    /// A sign before the text, for formats without colour.
    var sign: String {
        switch tone {
        case .alarm: "● "
        case .warning: "! "
        case .plain: ""
        }
    }
}
